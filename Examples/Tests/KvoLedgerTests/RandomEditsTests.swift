import KeyValueTesting
import KvoLedgerCommand
import LedgerModel
import LedgerStorage
import Testing

@Suite("Random edits", .violationsFail)
struct RandomEditsTests {
  @Test(
    "Totals, file and history stay correct during random edits",
    arguments: [LedgerFormat.records, .database], 1...2 as ClosedRange<UInt64>)
  func edits(format: LedgerFormat, seed: UInt64) throws {
    var numbers = SplitMix(state: seed)
    let file = try TemporaryFile()
    let ledger = Ledger(format: format)
    ledger.run("open \(file.path)\nsave")
    for step in 1...600 {
      let command = ledger.randomCommand(&numbers)
      ledger.run(command)
      ledger.checkTotals()
      guard step.isMultiple(of: 30) else { continue }
      if format == .database { #expect(ledger.run("save").hasPrefix("\(file.path): ")) }
      let other = Ledger(format: format)
      try other.session.open(file.path)
      #expect(other.account.contents == ledger.account.contents)
    }
    // Redo everything, undo everything, and redo it again.
    while ledger.run("redo") != "nothing to redo" { ledger.checkTotals() }
    let last = ledger.account.contents
    while ledger.run("undo") != "nothing to undo" { ledger.checkTotals() }
    #expect(ledger.account.contents == Ledger().account.contents)
    while ledger.run("redo") != "nothing to redo" { ledger.checkTotals() }
    #expect(ledger.account.contents == last)
  }

  @Test("Releasing a session releases its model")
  func lifetimes() {
    expectReleased {
      let ledger = Ledger()
      ledger.run("add 5 food\nedit 1 amount 6\nedit 1 category fod\ncategory food name meals\nundo")
      return (ledger.account, ledger.account.transactions[0], ledger.account.categories[0])
    }
  }
}

extension Ledger {
  func randomCommand(_ numbers: inout SplitMix) -> String {
    let name = "c\(Int.random(in: 1...5, using: &numbers))"
    let id = account.transactions.randomElement(using: &numbers)?.id ?? 1
    let amount = Int.random(in: 0...30, using: &numbers)
    return switch Int.random(in: 0..<12, using: &numbers) {
    case 0, 1, 2: "add \(amount) \(name) note \(amount)"
    case 3: "edit \(id) amount \(amount)"
    case 4: "edit \(id) category \(name)"
    case 5: "edit \(id) note \(amount)"
    case 6: "remove \(id)"
    case 7: "category \(name) budget \(amount)"
    case 8: "category \(name) remove"
    case 9: "category \(name) name c\(Int.random(in: 1...5, using: &numbers))"
    case 10: "redo"
    default: "undo"
    }
  }

  /// Compares the observed values with a recomputation.
  fileprivate func checkTotals() {
    let transactions = account.transactions
    #expect(account.total == transactions.map(\.amount).reduce(0, +))
    for category in account.categories {
      #expect(category.transactions == Set(transactions.filter { $0.category === category }))
    }
    let present = Set(account.categories.map(ObjectIdentifier.init))
    #expect(
      transactions.compactMap(\.category).allSatisfy { present.contains(ObjectIdentifier($0)) })
  }
}

/// Generates the same numbers in each run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
