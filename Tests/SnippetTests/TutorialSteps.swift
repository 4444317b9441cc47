// The tutorial's code, from the catalogue's folder Resources; TutorialTests writes this file.
import Foundation
import KeyValueObserving

/// The functions that run the tutorial's steps, by the steps' names.
let tutorialSteps: [String: @Sendable () throws -> Void] = [
  "Collect-1": Collect1.run,
  "Collect-2": Collect2.run,
  "Collect-3": Collect3.run,
  "Collect-4": Collect4.run,
  "Collect-5": Collect5.run,
  "Collect-6": Collect6.run,
  "Derive-1": Derive1.run,
  "Derive-2": Derive2.run,
  "Derive-3": Derive3.run,
  "Derive-4": Derive4.run,
  "Derive-5": Derive5.run,
  "Derive-6": Derive6.run,
  "Observe-1": Observe1.run,
  "Observe-2": Observe2.run,
  "Observe-3": Observe3.run,
  "Observe-4": Observe4.run,
  "Observe-5": Observe5.run,
  "Observe-6": Observe6.run,
  "Observe-7": Observe7.run,
  "Share-1": Share1.run,
  "Share-2": Share2.run,
  "Share-3": Share3.run,
  "Share-4": Share4.run,
  "Share-5": Share5.run,
  "Undo-1": Undo1.run,
  "Undo-2": Undo2.run,
  "Undo-3": Undo3.run,
  "Undo-4": Undo4.run,
  "Undo-5": Undo5.run,
  "Undo-6": Undo6.run,
]

enum Collect1 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  static func run() throws {
    let account = Account()
    let entries = account.kvo.entries.observe(options: [.old, .new]) { _, change in
      print(change)
    }
    account.entries = [Entry("Rent", -900)]
    // setting, old: [], new: [Rent -900]
    account.entries.append(Entry("Power", -60))
    // setting, old: [Rent -900], new: [Rent -900, Power -60]
    withExtendedLifetime((account, entries)) {}
  }
}

enum Collect2 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  static func run() throws {
    let account = Account()
    let entries = account.kvo.entries.observe(
      options: [.old, .new, .elementChanges]
    ) { _, change in
      print(change)
    }
    account.entries = [Entry("Rent", -900)]
    // insertion, indexes: 0, new: [Rent -900]
    account.entries.append(Entry("Power", -60))
    // insertion, indexes: 1, new: [Power -60]
    account.entries.removeAll { $0.amount < -500 }
    // removal, indexes: 0, old: [Rent -900]
    withExtendedLifetime((account, entries)) {}
  }
}

enum Collect3 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  static func run() throws {
    let account = Account()
    let entries = account.kvo.entries.observe(options: [.old, .new]) { _, change in
      print(change)
    }
    let list = account.mutableArrayValue(for: \.entries)
    list.append(Entry("Rent", -900))
    // insertion, indexes: 0, new: [Rent -900]
    list.append(Entry("Power", -60))
    // insertion, indexes: 1, new: [Power -60]
    list[0] = Entry("Mortgage", -1_100)
    // replacement, indexes: 0, old: [Rent -900], new: [Mortgage -1100]
    list.remove(at: 1)
    // removal, indexes: 1, old: [Power -60]
    withExtendedLifetime((account, entries, list)) {}
  }
}

enum Collect4 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  static func run() throws {
    let account = Account()
    let totals = account.kvo.entries[sum: \.amount].observe(options: [.old, .new]) { _, change in
      print("total:", change)
    }
    let rent = Entry("Rent", -900)
    account.entries = [rent, Entry("Salary", 3_000)]
    // total: setting, old: 0, new: 2100
    rent.amount = -950
    // total: setting, old: 2100, new: 2050
    withExtendedLifetime((account, totals, rent)) {}
  }
}

enum Collect5 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  static func run() throws {
    let account = Account()
    let titles = account.kvo.entries[each: \.title].observe(options: .new) { _, change in
      print(change.newValue ?? [])
    }
    let rent = Entry("Rent", -900)
    account.entries = [rent, Entry("Salary", 3_000)]
    // ["Rent", "Salary"]
    rent.title = "Mortgage"
    // ["Mortgage", "Salary"]
    withExtendedLifetime((account, titles, rent)) {}
  }
}

enum Collect6 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var opening = 100
    var entries: [Entry] = []

    var balance: Int { entries.reduce(opening) { $0 + $1.amount } }
    var isOverdrawn: Bool { balance < 0 }
  }

  static func run() throws {
    let account = Account()
    let overdrafts = account.kvo.isOverdrawn.observe(options: [.old, .new]) { account, change in
      print("\(account.balance):", change)
    }
    let rent = Entry("Rent", -900)
    account.entries.append(rent)
    // -800: setting, old: false, new: true
    rent.amount = -50
    // 50: setting, old: true, new: false
    print(try account.value(forKeyPath: "entries.@min.amount") ?? "none")
    // -50
    withExtendedLifetime((account, overdrafts, rent)) {}
  }
}

enum Derive1 {
  @KeyValueObservable
  final class Entry {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }
  }

  @KeyValueObservable
  final class Account {
    var name = "Household"
    var opening = 100
    var latest: Entry?

    var balance: Int { opening + (latest?.amount ?? 0) }
  }

  static func run() throws {
    let account = Account()
    print(account.balance)
    // 100
    print(Account.keyPathsForValuesAffectingValue(forKey: "balance").sorted())
    // ["latest.amount", "opening"]
    withExtendedLifetime(account) {}
  }
}

enum Derive2 {
  @KeyValueObservable
  final class Entry {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }
  }

  @KeyValueObservable
  final class Account {
    var name = "Household"
    var opening = 100
    var latest: Entry?

    var balance: Int { opening + (latest?.amount ?? 0) }
  }

  static func run() throws {
    let account = Account()
    let balances = account.kvo.balance.observe(options: [.old, .new]) { _, change in
      print("balance:", change)
    }
    account.opening = 200
    // balance: setting, old: 100, new: 200
    withExtendedLifetime((account, balances)) {}
  }
}

enum Derive3 {
  @KeyValueObservable
  final class Entry {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }
  }

  @KeyValueObservable
  final class Account {
    var name = "Household"
    var opening = 100
    var latest: Entry?

    var balance: Int { opening + (latest?.amount ?? 0) }
  }

  static func run() throws {
    let account = Account()
    let balances = account.kvo.balance.observe(options: [.old, .new]) { _, change in
      print("balance:", change)
    }
    account.opening = 200
    // balance: setting, old: 100, new: 200
    account.latest = Entry("Salary", 3_000)
    // balance: setting, old: 200, new: 3200
    account.latest?.amount = 3_100
    // balance: setting, old: 3200, new: 3300
    withExtendedLifetime((account, balances)) {}
  }
}

enum Derive4 {
  @KeyValueObservable
  final class Entry {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }
  }

  @KeyValueObservable
  final class Account {
    var name = "Household"
    var opening = 100
    var latest: Entry?

    var balance: Int { opening + (latest?.amount ?? 0) }
    var summary: String { "\(name): \(balance)" }
  }

  static func run() throws {
    let account = Account()
    let summaries = account.kvo.summary.observe(options: .new) { _, change in
      print(change.newValue ?? "")
    }
    account.name = "Savings"
    // Savings: 100
    account.latest = Entry("Gift", 50)
    // Savings: 150
    withExtendedLifetime((account, summaries)) {}
  }
}

enum Derive5 {
  @KeyValueObservable
  final class Entry {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }
  }

  @KeyValueObservable
  final class Account {
    var name = "Household"
    var opening = 100
    var latest: Entry?

    var balance: Int { opening + (latest?.amount ?? 0) }
    var summary: String { "\(name): \(balance)" }
  }

  static func run() throws {
    let account = Account()
    let summaries = account.kvo.summary.observe(options: .new) { _, change in
      print(change.newValue ?? "")
    }
    account.name = "Savings"
    // Savings: 100
    account.latest = Entry("Gift", 50)
    // Savings: 150

    account.performChanges {
      $0.name = "Holidays"
      $0.opening = 500
      $0.latest?.amount = 250
    }
    // Holidays: 750
    withExtendedLifetime((account, summaries)) {}
  }
}

enum Derive6 {
  @KeyValueObservable
  final class Entry {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }
  }

  @KeyValueObservable
  final class Account {
    var name = "Household"
    var opening = 100
    var latest: Entry?

    var balance: Int { opening + (latest?.amount ?? 0) }
    var summary: String { "\(name): \(balance)" }

    @DependsOn("balance")
    var isOverdrawn: Bool { balance < limit() }
  }

  static func run() throws {
    let account = Account()
    let overdrafts = account.kvo.isOverdrawn.observe(options: .new) { account, change in
      print(account.summary, change)
    }
    account.latest = Entry("Car", -5_000)
    // Household: -4900 setting, new: true
    withExtendedLifetime((account, overdrafts)) {}
  }
}

extension Derive6.Account {
  func limit() -> Int { -1_000 }
}

enum Observe1 {
  @KeyValueObservable
  final class Entry {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }
  }

  static func run() throws {
    let rent = Entry("Rent", 900)
    rent.amount = 950
    withExtendedLifetime(rent) {}
  }
}

enum Observe2 {
  @KeyValueObservable
  final class Entry {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }
  }

  static func run() throws {
    let rent = Entry("Rent", 900)
    let amounts = rent.kvo.amount.observe { entry, _ in
      print(entry.title, "is now", entry.amount)
    }
    rent.amount = 950
    // Rent is now 950
    withExtendedLifetime((rent, amounts)) {}
  }
}

enum Observe3 {
  @KeyValueObservable
  final class Entry {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }
  }

  static func run() throws {
    let rent = Entry("Rent", 900)
    let amounts = rent.kvo.amount.observe(options: [.initial, .old, .new]) { _, change in
      print(change)
    }
    // setting, new: 900
    rent.amount = 950
    // setting, old: 900, new: 950
    withExtendedLifetime((rent, amounts)) {}
  }
}

enum Observe4 {
  @KeyValueObservable
  final class Entry {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }
  }

  static func run() throws {
    let rent = Entry("Rent", 900)
    let amounts = rent.kvo.amount.observe(options: [.initial, .old, .new]) { _, change in
      print(change)
    }
    // setting, new: 900
    rent.amount = 950
    // setting, old: 900, new: 950

    amounts.invalidate()
    rent.amount = 1_000
    print(amounts)
    // KeyValueObservation(amount, ended)
    withExtendedLifetime((rent, amounts)) {}
  }
}

enum Observe5 {
  @KeyValueObservable
  final class Entry {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }
  }

  @KeyValueObservable
  final class Account {
    var name = "Household"
    var latest: Entry?
  }

  static func run() throws {
    let account = Account()
    let amounts = account.kvo.latest.amount.observe(options: [.old, .new]) { _, change in
      print(change)
    }
    account.latest = Entry("Rent", 900)
    // setting, old: nil, new: 900
    withExtendedLifetime((account, amounts)) {}
  }
}

enum Observe6 {
  @KeyValueObservable
  final class Entry {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }
  }

  @KeyValueObservable
  final class Account {
    var name = "Household"
    var latest: Entry?
  }

  static func run() throws {
    let account = Account()
    let amounts = account.kvo.latest.amount.observe(options: [.old, .new]) { _, change in
      print(change)
    }
    account.latest = Entry("Rent", 900)
    // setting, old: nil, new: 900
    account.latest?.amount = 950
    // setting, old: 900, new: 950
    account.latest = Entry("Power", 60)
    // setting, old: 950, new: 60
    account.latest = nil
    // setting, old: 60, new: nil
    withExtendedLifetime((account, amounts)) {}
  }
}

enum Observe7 {
  @KeyValueObservable
  final class Entry {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }
  }

  @KeyValueObservable
  final class Account {
    var name = "Household"
    var latest: Entry?
  }

  final class Label {
    lazy var observers = KeyValueObserverController(owner: self)
    var text = ""

    func show(_ account: Account) {
      observers.observe(account.kvo.latest.amount, options: .initial) { label, account, _ in
        label.text = "Latest: \(account.latest?.amount ?? 0)"
      }
    }
  }

  static func run() throws {
    let account = Account()
    var label: Label? = Label()
    label?.show(account)
    account.latest = Entry("Rent", 900)
    print(label?.text ?? "no label")
    // Latest: 900

    label = nil
    account.latest = Entry("Power", 60)
    print(label?.text ?? "no label")
    // no label
    withExtendedLifetime(account) {}
  }
}

enum Share1 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  static func run() throws {
    let entryClass = KeyValueLogClass(Entry.self) {
      try Entry($0.value("title"), $0.value("amount"))
    }
    let account = Account()
    let log = try KeyValueChangeLog(of: account, classes: [entryClass])

    let printing = log.observe { record in
      print(record.edits.map { $0.key ?? "an entry" })
    }
    account.entries.append(Entry("Rent", -900))
    // ["an entry", "entries"]
    account.entries[0].amount = -950
    // ["amount"]
    withExtendedLifetime((entryClass, account, log, printing)) {}
  }
}

enum Share2 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  static func run() throws {
    let entryClass = KeyValueLogClass(Entry.self) {
      try Entry($0.value("title"), $0.value("amount"))
    }
    let account = Account()
    let log = try KeyValueChangeLog(of: account, classes: [entryClass])

    var records: [KeyValueTransactionRecord] = []
    let keeping = log.observe { record in records.append(record) }
    account.entries.append(Entry("Rent", -900))
    account.performChanges {
      $0.entries[0].amount = -950
      $0.entries.append(Entry("Power", -60))
    }
    print(records.count, account.entries)
    // 2 [Rent -950, Power -60]
    try log.apply(records[1].inverse)
    print(account.entries)
    // [Rent -900]
    withExtendedLifetime((entryClass, account, log, keeping)) {}
  }
}

enum Share3 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  static func run() throws {
    let entryClass = KeyValueLogClass(Entry.self) {
      try Entry($0.value("title"), $0.value("amount"))
    }
    let account = Account()
    let log = try KeyValueChangeLog(of: account, classes: [entryClass])

    let start = try log.snapshot()
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data().write(to: file)
    let saving = log.observe { record in
      do {
        let lines = try FileHandle(forWritingTo: file)
        try lines.seekToEnd()
        try lines.write(contentsOf: record.json() + "\n".utf8)
        try lines.close()
      } catch {
        print("not saved:", error)
      }
    }
    account.entries.append(Entry("Rent", -900))
    account.entries[0].amount = -950

    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    print(lines.count)
    // 2

    try FileManager.default.removeItem(at: file)
    withExtendedLifetime((entryClass, account, log, start, file, saving, lines)) {}
  }
}

enum Share4 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  static func run() throws {
    let entryClass = KeyValueLogClass(Entry.self) {
      try Entry($0.value("title"), $0.value("amount"))
    }
    let account = Account()
    let log = try KeyValueChangeLog(of: account, classes: [entryClass])

    let start = try log.snapshot()
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data().write(to: file)
    let saving = log.observe { record in
      do {
        let lines = try FileHandle(forWritingTo: file)
        try lines.seekToEnd()
        try lines.write(contentsOf: record.json() + "\n".utf8)
        try lines.close()
      } catch {
        print("not saved:", error)
      }
    }
    account.entries.append(Entry("Rent", -900))
    account.entries[0].amount = -950

    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let restored = try KeyValueChangeLog(
      restoring: start, as: Account.self, classes: [entryClass])
    for line in lines {
      try restored.apply(KeyValueTransactionRecord(json: line.utf8))
    }
    print(restored.root.entries)
    // [Rent -950]

    try FileManager.default.removeItem(at: file)
    withExtendedLifetime((entryClass, account, log, start, file, saving, lines, restored)) {}
  }
}

enum Share5 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  static func run() throws {
    let entryClass = KeyValueLogClass(Entry.self) {
      try Entry($0.value("title"), $0.value("amount"))
    }
    let account = Account()
    let log = try KeyValueChangeLog(of: account, classes: [entryClass])

    let start = try log.snapshot()
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data().write(to: file)
    let saving = log.observe { record in
      do {
        let lines = try FileHandle(forWritingTo: file)
        try lines.seekToEnd()
        try lines.write(contentsOf: record.json() + "\n".utf8)
        try lines.close()
      } catch {
        print("not saved:", error)
      }
    }
    account.entries.append(Entry("Rent", -900))
    account.entries[0].amount = -950

    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let restored = try KeyValueChangeLog(
      restoring: start, as: Account.self, classes: [entryClass])
    let total = restored.root.kvo.entries[sum: \.amount]
    let totals = total.observe(options: [.old, .new]) { _, change in
      print(change)
    }
    for line in lines {
      try restored.apply(KeyValueTransactionRecord(json: line.utf8))
    }
    // setting, old: 0, new: -900
    // setting, old: -900, new: -950

    try FileManager.default.removeItem(at: file)
    withExtendedLifetime(
      (entryClass, account, log, start, file, saving, lines, restored, total, totals)
    ) {}
  }
}

enum Undo1 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  static func run() throws {
    let account = Account()
    let rent = Entry("Rent", -900)
    account.entries = [rent]

    let recorder = KeyValueChangeRecorder()
    try recorder.record(account.kvo.entries, account.kvo.entries[each: \.amount])
    withExtendedLifetime((account, rent, recorder)) {}
  }
}

enum Undo2 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  static func run() throws {
    let account = Account()
    let rent = Entry("Rent", -900)
    account.entries = [rent]

    let recorder = KeyValueChangeRecorder()
    try recorder.record(account.kvo.entries, account.kvo.entries[each: \.amount])

    rent.amount = -950
    try recorder.undo()
    print(account.entries)
    // [Rent -900]
    try recorder.redo()
    print(account.entries)
    // [Rent -950]
    withExtendedLifetime((account, rent, recorder)) {}
  }
}

enum Undo3 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  static func run() throws {
    let account = Account()
    let rent = Entry("Rent", -900)
    account.entries = [rent]

    let recorder = KeyValueChangeRecorder()
    try recorder.record(account.kvo.entries, account.kvo.entries[each: \.amount])

    let list = account.mutableArrayValue(for: \.entries)
    list.append(Entry("Power", -60))
    list.remove(at: 0)
    print(account.entries)
    // [Power -60]
    try recorder.undo()
    try recorder.undo()
    print(account.entries, recorder.canUndo)
    // [Rent -900] false
    withExtendedLifetime((account, rent, recorder, list)) {}
  }
}

enum Undo4 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  static func run() throws {
    let account = Account()
    let rent = Entry("Rent", -900)
    account.entries = [rent]

    let recorder = KeyValueChangeRecorder()
    try recorder.record(account.kvo.entries, account.kvo.entries[each: \.amount])

    let entries = account.kvo.entries.observe(options: [.old, .new]) { _, change in
      print(change)
    }
    account.mutableArrayValue(for: \.entries).append(Entry("Power", -60))
    // insertion, indexes: 1, new: [Power -60]
    try recorder.undo()
    // removal, indexes: 1, old: [Power -60]
    withExtendedLifetime((account, rent, recorder, entries)) {}
  }
}

enum Undo5 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  static func run() throws {
    let account = Account()
    let rent = Entry("Rent", -900)
    account.entries = [rent]

    let recorder = KeyValueChangeRecorder()
    try recorder.record(account.kvo.entries, account.kvo.entries[each: \.amount])

    recorder.group {
      rent.amount = -950
      account.mutableArrayValue(for: \.entries).append(Entry("Power", -60))
    }
    print(account.entries)
    // [Rent -950, Power -60]
    try recorder.undo()
    print(account.entries)
    // [Rent -900]
    withExtendedLifetime((account, rent, recorder)) {}
  }
}

enum Undo6 {
  @KeyValueObservable
  final class Entry: CustomStringConvertible {
    var title: String
    var amount: Int

    init(_ title: String, _ amount: Int) {
      self.title = title
      self.amount = amount
    }

    var description: String { "\(title) \(amount)" }
  }

  @KeyValueObservable
  final class Account {
    var entries: [Entry] = []
  }

  struct TooExpensive: Error {}

  static func run() throws {
    let account = Account()
    let rent = Entry("Rent", -900)
    account.entries = [rent]

    let recorder = KeyValueChangeRecorder()
    try recorder.record(account.kvo.entries, account.kvo.entries[each: \.amount])

    do {
      try KeyValueTransaction.perform(rollingBack: true) {
        rent.amount = -5_000
        account.entries.append(Entry("Deposit", -2_000))
        throw TooExpensive()
      }
    } catch {
      print(error, account.entries, recorder.canUndo)
    }
    // TooExpensive() [Rent -900] false
    withExtendedLifetime((account, rent, recorder)) {}
  }
}
