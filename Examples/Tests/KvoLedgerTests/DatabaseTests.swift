import Foundation
import GRDB
import KvoLedgerCommand
import LedgerModel
import LedgerStorage
import Testing

@Suite("Databases")
struct DatabaseTests {
  private let file: TemporaryFile
  private let ledger = Ledger(format: .database)
  private var path: String { file.path }

  init() throws {
    file = try TemporaryFile()
  }

  /// Reads the file into another ledger.
  private func reopened() throws -> Ledger {
    let other = Ledger(format: .database)
    try other.session.open(path)
    return other
  }

  @Test("A saved ledger is read back unchanged")
  func roundTrip() throws {
    ledger.run(
      """
      add 12.50 groceries "oat milk"
      add 900 rent
      add 3 "" "naïve 'quotes' 🧾"
      category groceries budget 20
      """)
    #expect(ledger.run("save \(path)") == "\(path): 5 new, 0 changed, 0 removed")
    let other = Ledger(format: .database)
    #expect(other.run("open \(path)") == "\(path): 3 transactions, total 915.50")
    #expect(other.account.contents == ledger.account.contents)
    #expect(other.account.categories.map(\.total) == [1250, 90_000])
    #expect(other.run("save") == "\(path): 0 new, 0 changed, 0 removed")
  }

  @Test("A save writes only the rows that changed")
  func increments() throws {
    for number in 1...100 { ledger.run("add \(number) food number \(number)") }
    ledger.run("save \(path)")
    #expect(
      ledger.run(
        """
        add 5 fun
        edit 50 amount 7
        edit 50 note seven
        edit 60 category fun
        remove 70
        category food budget 900
        save
        save
        """
      ).split(separator: "\n").suffix(2) == [
        "\(path): 2 new, 3 changed, 1 removed", "\(path): 0 new, 0 changed, 0 removed",
      ])
    #expect(try reopened().account.contents == ledger.account.contents)
  }

  @Test("A change that was undone isn't written")
  func undone() throws {
    ledger.run("add 5 food\nsave \(path)")
    #expect(
      ledger.run("add 6 fun\nedit 1 amount 7\nundo\nundo\nsave").hasSuffix(
        "\(path): 0 new, 0 changed, 0 removed"))
    // Undoing a saved command is a new change.
    #expect(ledger.run("undo\nsave").hasSuffix("\(path): 0 new, 0 changed, 2 removed"))
    #expect(ledger.run("redo\nsave").hasSuffix("\(path): 2 new, 0 changed, 0 removed"))
    #expect(try reopened().account.contents == ledger.account.contents)
  }

  @Test("Opening a file begins a new undo history")
  func undoAfterLoad() throws {
    ledger.run("add 5 food lunch\nsave \(path)")
    let other = try reopened()
    #expect(
      other.run("undo\nedit 1 amount 6\ncategory food name meals\nremove 1\nundo\nundo\nundo\nundo")
        == """
        nothing to undo
          food: 5.00 -> 6.00
          transaction 1 amount: 5.00 -> 6.00
          total: 5.00 -> 6.00
          category 1 name: food -> meals
          meals: 6.00 -> 0.00
        - transaction 1: 6.00 meals "lunch"
          total: 6.00 -> 0.00
          meals: 0.00 -> 6.00
        + transaction 1: 6.00 meals "lunch"
          total: 0.00 -> 6.00
          category 1 name: meals -> food
          food: 6.00 -> 5.00
          total: 6.00 -> 5.00
          transaction 1 amount: 6.00 -> 5.00
        nothing to undo
        """)
    #expect(other.account.contents == ledger.account.contents)
    #expect(other.run("redo\nredo\nredo\nsave").hasSuffix("\(path): 0 new, 1 changed, 1 removed"))
  }

  @Test("A new transaction with a removed one's id is written as a change of its row")
  func sameID() throws {
    ledger.run("add 5 food\nadd 6 food\nsave \(path)")
    #expect(
      ledger.run("remove 2\nadd 7 fun\nsave").hasSuffix("\(path): 1 new, 1 changed, 0 removed"))
    #expect(try reopened().account.contents == ledger.account.contents)
  }

  @Test("A failed save writes nothing, and the changes stay unsaved")
  func failure() throws {
    ledger.run("add 5 food\nadd 6 food\nsave \(path)")
    let other = try DatabaseQueue(path: path)
    // Uses the id that the next transaction gets.
    try other.write { try $0.execute(sql: "INSERT INTO transactions VALUES (3, 1, NULL, '')") }
    #expect(
      ledger.run("edit 1 amount 9\nadd 7 food\nsave").hasSuffix(
        "error: \(path): UNIQUE constraint failed: transactions.id"))
    #expect(
      try other.read { try Int.fetchAll($0, sql: "SELECT amount FROM transactions ORDER BY id") }
        == [500, 600, 1])
    try other.write { try $0.execute(sql: "DELETE FROM transactions WHERE id = 3") }
    #expect(ledger.run("save") == "\(path): 1 new, 1 changed, 0 removed")
    #expect(try reopened().account.contents == ledger.account.contents)
  }

  @Test("An existing file isn't overwritten, and another program's file isn't opened")
  func others() throws {
    ledger.run("add 5 food")
    try Data("something else, longer than a header".utf8).write(to: URL(fileURLWithPath: path))
    #expect(ledger.run("save \(path)") == "error: there is a file \(path) already")
    #expect(Ledger(format: .database).run("open \(path)") == "error: \(path) is not a ledger")
    try FileManager.default.removeItem(atPath: path)
    try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE notes (text)") }
    #expect(Ledger(format: .database).run("open \(path)") == "error: \(path) is not a ledger")
    #expect(
      ledger.run("save \(path)/in/it").hasPrefix("error: \(path)/in/it: unable to open database"))
  }

  @Test("Quitting with unsaved changes is refused, unless the command is repeated")
  func unsaved() throws {
    #expect(ledger.run("open \(path)") == "\(path): new")
    #expect(ledger.run("save") == "\(path): 0 new, 0 changed, 0 removed")
    ledger.run("add 5 food")
    let refusal =
      "error: not saved: 2 new, 0 changed, 0 removed; save, or repeat the command to discard the changes"
    #expect(
      ledger.run("quit\nlist food\nquit") == """
        \(refusal)
        id amount category note
         1   5.00 food
        \(refusal)
        """)
    #expect(ledger.finish() == "not saved: 2 new, 0 changed, 0 removed")
    #expect(ledger.run("quit") == "" && ledger.session.hasEnded)
    #expect(ledger.finish() == "")
    #expect(
      Ledger(format: .database).run("add 1 x\nsave").hasSuffix(
        "error: the ledger has no file yet; use 'save FILE'"))
  }

  @Test("Saving to a new file writes everything, and later saves go to that file")
  func saveAs() throws {
    let second = try TemporaryFile()
    ledger.run("add 5 food\nsave \(path)\nadd 6 food")
    #expect(ledger.run("save \(second.path)") == "\(second.path): 3 new, 0 changed, 0 removed")
    #expect(ledger.run("remove 1\nsave").hasSuffix("\(second.path): 0 new, 0 changed, 1 removed"))
    #expect(try reopened().account.contents.transactions.map(\.id) == [1])
  }
}
