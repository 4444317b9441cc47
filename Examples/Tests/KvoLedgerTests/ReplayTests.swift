import Foundation
import KeyValueObserving
import KvoLedgerCommand
import LedgerModel
import LedgerStorage
import Testing

/// Every change that an account's observers are told, in order, with kinds, indexes and values.
private final class Notifications {
  private(set) var lines: [String] = []
  private lazy var observer = KeyValueObserverController(owner: self)

  init(of account: Account) {
    note(account.kvo.total, "total")
    note(account.kvo.average, "average")
    note(account.kvo.overspent, "overspent")
    note(account.kvo.uncategorized, "uncategorized")
    observer.observe(account.kvo.categories, options: [.initial, .old, .new]) { notes, _, change in
      notes.listChanged("categories", change) {
        "\($0.id)"
      } follow: { category in
        notes.note(category.kvo.name, "category \(category.id).name")
        notes.note(category.kvo.budget, "category \(category.id).budget")
        notes.note(category.kvo.remaining, "category \(category.id).remaining")
        notes.note(category.kvo.transactions.count, "category \(category.id).transactions.@count")
      }
    }
    observer.observe(account.kvo.transactions, options: [.initial, .old, .new]) {
      notes, _, change in
      notes.listChanged("transactions", change) {
        "\($0.id)"
      } follow: { transaction in
        notes.note(transaction.kvo.amount, "transaction \(transaction.id).amount")
        notes.note(transaction.kvo.categoryName, "transaction \(transaction.id).categoryName")
        notes.note(transaction.kvo.note, "transaction \(transaction.id).note")
      }
    }
  }

  private func note<Object: KeyValueObservable, Value>(
    _ path: KeyValueBoundPath<Object, Value>, _ name: String
  ) {
    observer.observe(path, options: [.old, .new]) { notes, _, change in
      notes.lines.append("\(name) \(change)")
    }
  }

  private func listChanged<Object: KeyValueObservable>(
    _ name: String, _ change: KeyValueObservedChange<[Object]>, _ id: (Object) -> String,
    follow: (Object) -> Void
  ) {
    for object in change.oldValue ?? [] { observer.unobserve(object) }
    let (old, new) = ((change.oldValue ?? []).map(id), (change.newValue ?? []).map(id))
    let places = change.indexes.map { " \($0.ranges.map { "\($0)" })" } ?? ""
    lines.append("\(name) \(change.kind)\(places) \(old) -> \(new)")
    for object in change.newValue ?? [] { follow(object) }
  }
}

/// Replays a file on the graph of its snapshot, and returns what observers are told.
private func replay(_ path: String) throws -> (lines: [String], account: Account) {
  let contents = try RecordFile.open(path, schema: LedgerLog.schema).contents
  let log = try KeyValueChangeLog(
    restoring: contents.snapshot, as: Account.self, classes: Account.logClasses)
  let notifications = Notifications(of: log.root)
  for record in contents.records { try log.apply(record) }
  return (notifications.lines, log.root)
}

@Suite("Replaying")
struct ReplayTests {
  /// A session in which a budget is overspent by a transaction that is moved, over and again.
  @Test("A recorded failure is replayed to the history of notifications that it had")
  func recording() throws {
    let recording = try #require(
      Bundle.module.url(
        forResource: "overspent", withExtension: "ledger", subdirectory: "Recordings"))
    let (lines, account) = try replay(recording.path)
    #expect(lines == Self.expected)
    #expect(account.overspent == [] && account.total == 91_250)
  }

  @Test(
    "A random session is replayed to the same notifications",
    arguments: 1...6 as ClosedRange<UInt64>)
  func sessions(seed: UInt64) throws {
    var numbers = SplitMix(state: seed)
    let file = try TemporaryFile()
    let ledger = Ledger()
    ledger.run("open \(file.path)\nadd 5 c1 first\nadd 6 c2 second\ncategory c1 budget 7\nsave")
    let notifications = Notifications(of: ledger.account)
    for _ in 1...120 { ledger.run(ledger.randomCommand(&numbers)) }
    let (lines, account) = try replay(file.path)
    #expect(lines.count > 300)
    #expect(lines == notifications.lines)
    #expect(account.contents == ledger.account.contents)
  }

  private static let expected = [
    #"categories setting [] -> ["1", "2"]"#,
    #"transactions setting [] -> ["1", "2"]"#,
    "overspent setting, old: [], new: []",
    "uncategorized setting, old: 0, new: 0",
    #"categories insertion ["2..<3"] [] -> ["3"]"#,
    "overspent setting, old: [], new: []",
    "uncategorized setting, old: 1500, new: 0",
    "category 3.remaining setting, old: nil, new: nil",
    "category 3.transactions.@count setting, old: 0, new: 1",
    "total setting, old: 91250, new: 92750",
    "average setting, old: 45625, new: 30916",
    "uncategorized setting, old: 0, new: 1500",
    #"transactions insertion ["2..<3"] [] -> ["3"]"#,
    "overspent setting, old: [], new: []",
    "uncategorized setting, old: 0, new: 1500",
    "category 3.remaining setting, old: nil, new: nil",
    "category 3.transactions.@count setting, old: 1, new: 0",
    #"overspent setting, old: [], new: ["food"]"#,
    "uncategorized setting, old: 1500, new: 0",
    "category 1.remaining setting, old: 750, new: -750",
    "category 1.transactions.@count setting, old: 1, new: 2",
    #"transaction 3.categoryName setting, old: "fun", new: "food""#,
    #"transaction 1.note setting, old: "oat milk", new: "milk, half price""#,
    #"overspent setting, old: ["food"], new: ["groceries"]"#,
    #"category 1.name setting, old: "food", new: "groceries""#,
    #"transaction 1.categoryName setting, old: "food", new: "groceries""#,
    #"transaction 3.categoryName setting, old: "food", new: "groceries""#,
    #"overspent setting, old: ["groceries"], new: []"#,
    "uncategorized setting, old: -1250, new: 0",
    "category 1.remaining setting, old: -750, new: 500",
    "category 1.transactions.@count setting, old: 2, new: 1",
    "total setting, old: 92750, new: 91500",
    "average setting, old: 30916, new: 45750",
    "uncategorized setting, old: 0, new: -1250",
    #"transactions removal ["0..<1"] ["1"] -> []"#,
    #"overspent setting, old: [], new: ["groceries"]"#,
    "uncategorized setting, old: 1250, new: 0",
    "category 1.remaining setting, old: 500, new: -750",
    "category 1.transactions.@count setting, old: 1, new: 2",
    "total setting, old: 91500, new: 92750",
    "average setting, old: 45750, new: 30916",
    "uncategorized setting, old: 0, new: 1250",
    #"transactions insertion ["0..<1"] [] -> ["1"]"#,
    #"overspent setting, old: ["groceries"], new: []"#,
    "uncategorized setting, old: 0, new: 1500",
    "category 1.remaining setting, old: -750, new: 750",
    "category 1.transactions.@count setting, old: 2, new: 1",
    "overspent setting, old: [], new: []",
    "uncategorized setting, old: 1500, new: 0",
    "category 2.remaining setting, old: nil, new: nil",
    "category 2.transactions.@count setting, old: 1, new: 2",
    #"transaction 3.categoryName setting, old: "groceries", new: "rent""#,
    "overspent setting, old: [], new: []",
    "uncategorized setting, old: 0, new: 0",
    #"categories removal ["2..<3"] ["3"] -> []"#,
    "total setting, old: 92750, new: 92850",
    "average setting, old: 30916, new: 30950",
    "overspent setting, old: [], new: []",
    "uncategorized setting, old: 0, new: 0",
    "category 2.remaining setting, old: nil, new: nil",
    "transaction 3.amount setting, old: 1500, new: 1600",
    "overspent setting, old: [], new: []",
    "uncategorized setting, old: -1600, new: 0",
    "category 2.remaining setting, old: nil, new: nil",
    "category 2.transactions.@count setting, old: 2, new: 1",
    "total setting, old: 92850, new: 91250",
    "average setting, old: 30950, new: 45625",
    "uncategorized setting, old: 0, new: -1600",
    #"transactions removal ["2..<3"] ["3"] -> []"#,
  ]
}
