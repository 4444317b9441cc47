import Foundation
import KeyValueReplica
import LedgerStorage
import Testing

@Suite("A ledger that several programs have open", .timeLimit(.minutes(10)))
struct SharedTests {
  private let file: TemporaryFile
  private var path: String { file.path }

  init() throws {
    file = try TemporaryFile()
  }

  /// Two programs with the ledger of the file, which is new.
  private func two() throws -> (ada: SharedProgram, bob: SharedProgram) {
    let (ada, bob) = (try SharedProgram("ada", path), try SharedProgram("bob", path))
    for program in [ada, bob] {
      expectLines(try program.lines { $0.hasPrefix(path) }, ["\(path): 0 transactions, total 0.00"])
    }
    return (ada, bob)
  }

  @Test("What is typed in one is printed in both, once for each command")
  func arrives() throws {
    let (ada, bob) = try two()
    ada.type("add 12.50 food oats")
    let added = [
      "+ category food", #"+ transaction 1: 12.50 food "oats""#, "  total: 0.00 -> 12.50",
    ]
    for program in [ada, bob] {
      #expect(try program.lines(through: added.last!) == added)
    }
    bob.type("edit 1 amount 14")
    let edited = [
      "  total: 12.50 -> 14.00", "  food: 12.50 -> 14.00",
      "  transaction 1 amount: 12.50 -> 14.00",
    ]
    for program in [bob, ada] {
      #expect(try program.lines(through: edited.last!) == edited)
    }
    let list = ["id amount category note", " 1  14.00 food     oats"]
    for program in [ada, bob] {
      program.type("list")
      expectLines(try program.end(), list)
      #expect(program.status == 0)
    }
  }

  @Test("What two write at once is a conflict for the later one, which prints both values")
  func conflict() async throws {
    let (ada, bob) = try two()
    ada.type("add 12.50 food oats")
    for program in [ada, bob] { _ = try program.lines(through: "  total: 0.00 -> 12.50") }
    bob.type("offline")
    expectLines(
      try bob.lines(through: "* offline: changes are sent later"),
      ["* offline: changes are sent later"])
    bob.type("edit 1 amount 15\nadd 3 fun")
    _ = try bob.lines(through: "  total: 15.00 -> 18.00")
    ada.type("edit 1 amount 14")
    _ = try ada.lines(through: "  transaction 1 amount: 12.50 -> 14.00")
    try await committed(2, at: path)
    bob.type("online")
    let line = "* conflict: transaction 1 amount: 15.00 here, 14.00 from ada; yours is taken back"
    expectLines(
      try bob.lines(through: line),
      [
        "  total: 18.00 -> 17.00", "  food: 15.00 -> 14.00",
        "  transaction 1 amount: 15.00 -> 14.00", "* online again", line,
      ])
    // What didn't meet anything was sent.
    expectLines(
      try ada.lines(through: "  total: 14.00 -> 17.00"),
      ["+ category fun", "+ transaction 2: 3.00 fun", "  total: 14.00 -> 17.00"])
    for program in [ada, bob] {
      program.type("list")
      expectLines(
        try program.end(), ["id amount category note", " 1  14.00 food     oats", " 2   3.00 fun"])
    }
    #expect(ada.status == 0)
    #expect(bob.status == 1)
  }

  @Test("undo takes back one's own commands, and says what stays")
  func undo() throws {
    let (ada, bob) = try two()
    ada.type("add 5 food oats\nadd 900 rent\ncategory food remove")
    for program in [ada, bob] {
      expectLines(
        try program.lines(through: "  transaction 1 category: food -> none").suffix(2),
        ["- category food", "  transaction 1 category: food -> none"])
    }
    bob.type("edit 1 category rent\nedit 1 note milk")
    for program in [bob, ada] {
      expectLines(
        try program.lines(through: #"  transaction 1 note: "oats" -> "milk""#),
        [
          "  rent: 900.00 -> 905.00", "  transaction 1 category: none -> rent",
          #"  transaction 1 note: "oats" -> "milk""#,
        ])
    }
    ada.type("undo")
    expectLines(
      try ada.lines(through: "* transaction 1 category stays rent, from bob"),
      ["+ category food", "* transaction 1 category stays rent, from bob"])
    expectLines(try bob.lines(through: "+ category food"), ["+ category food"])
    ada.type("undo\nundo\nlist nothing")
    _ = try ada.lines(
      through: "error: there is no category 'nothing'; 'category nothing' creates one")
    bob.type("undo\nundo\nundo")
    #expect(try bob.lines(through: "nothing to undo").last == "nothing to undo")
    for program in [ada, bob] { _ = try program.end() }
  }

  @Test("What has been printed elsewhere survives a kill, and is there in the next run")
  func killed() throws {
    let (ada, bob) = try two()
    let cyd = try SharedProgram("cyd", path)
    _ = try cyd.lines { $0.hasPrefix(path) }
    for number in 1...20 { ada.type("add \(number) food") }
    // Bob has what ada's program may not know to be acknowledged yet.
    _ = try bob.lines(through: "  total: 190.00 -> 210.00")
    ada.kill()
    bob.type("add 1 rent")
    // What bob's own program prints may not be sent yet; what cyd's prints is committed.
    _ = try cyd.lines(through: "  total: 210.00 -> 211.00")
    let again = try SharedProgram("ada", path)
    expectLines(try again.lines { $0.hasPrefix(path) }, ["\(path): 21 transactions, total 211.00"])
    for program in [again, bob, cyd] { program.type("list") }
    let list = try again.end()
    for program in [bob, cyd] { #expect(try Array(program.end().suffix(list.count)) == list) }
  }

  @Test("Transactions that got the same number at once are told apart by a letter")
  func sameNumber() async throws {
    let (ada, bob) = try two()
    ada.type("add 1 food")
    for program in [ada, bob] { _ = try program.lines(through: "  total: 0.00 -> 1.00") }
    bob.type("offline")
    _ = try bob.lines(through: "* offline: changes are sent later")
    bob.type("add 3 food b2\nadd 4 food b3")
    _ = try bob.lines(through: "  total: 4.00 -> 8.00")
    ada.type("add 2 food a2")
    _ = try ada.lines(through: "  total: 1.00 -> 3.00")
    try await committed(2, at: path)
    bob.type("online")
    _ = try bob.lines(through: "  total: 8.00 -> 10.00")
    _ = try ada.lines(through: "  total: 6.00 -> 10.00")
    bob.type("list\nedit 2 note b\nedit 2b note second")
    expectLines(
      try bob.lines(through: #"  transaction 2b note: "a2" -> "second""#),
      [
        "* online again", "id amount category note", " 1   1.00 food", "2a   3.00 food     b2",
        " 3   4.00 food     b3", "2b   2.00 food     a2",
        "error: there are several: 2a, 2b; add the letter",
        #"  transaction 2b note: "a2" -> "second""#,
      ])
    expectLines(
      try ada.lines(through: #"  transaction 2b note: "a2" -> "second""#),
      [#"  transaction 2b note: "a2" -> "second""#])
    // The next number is free, though the greatest isn't the last.
    ada.type("add 5 food\nremove 2a")
    for program in [ada, bob] {
      expectLines(
        try program.lines(through: "  total: 15.00 -> 12.00").filter { !$0.hasPrefix("  food") },
        [
          "+ transaction 4: 5.00 food", "  total: 10.00 -> 15.00",
          #"- transaction 2: 3.00 food "b2""#, "  total: 15.00 -> 12.00",
        ])
    }
    for program in [ada, bob] {
      program.type("list")
      expectLines(
        try program.end().filter { !$0.hasPrefix("  food") },
        [
          "id amount category note", " 1   1.00 food", " 3   4.00 food     b3",
          " 2   2.00 food     second", " 4   5.00 food",
        ])
    }
    #expect((ada.status, bob.status) == (0, 1))
  }

  @Test("What can't be sent when the program ends is said")
  func notSent() throws {
    let (ada, bob) = try two()
    ada.type("offline")
    _ = try ada.lines(through: "* offline: changes are sent later")
    ada.type("add 5 food")
    #expect(
      try ada.end().last
        == "not sent: what was changed here since the ledger went offline is lost")
    #expect(ada.status == 0)
    bob.type("list")
    expectLines(try bob.end(), ["id amount category note"])
  }

  @Test("A ledger that a newer program has changed is only read")
  func newer() async throws {
    let ada = try SharedProgram("ada", path)
    ada.type("add 5 food")
    _ = try ada.lines(through: "  total: 0.00 -> 5.00")
    ada.type("list")
    _ = try ada.end()
    let store = SQLiteLogStore(path: path)
    try await store.upgrade("ledger", to: 2)
    store.close()
    let bob = try SharedProgram("bob", path)
    let line = "* read-only: a newer version of this program has changed the ledger (schema 2)"
    expectLines(try bob.lines(through: line), ["\(path): 1 transactions, total 5.00", line])
    bob.type("edit 1 amount 6\nlist")
    expectLines(
      try bob.end(),
      [
        "  food: 5.00 -> 6.00", "  transaction 1 amount: 5.00 -> 6.00", "  total: 5.00 -> 6.00",
        "  food: 6.00 -> 5.00", "  transaction 1 amount: 6.00 -> 5.00", "  total: 6.00 -> 5.00",
        "id amount category note", " 1   5.00 food",
      ])
  }

  @Test("help lists the commands of a shared ledger, and save isn't one")
  func commands() throws {
    let ada = try SharedProgram("ada", path)
    ada.type("save other\nhelp")
    let lines = try ada.end()
    #expect(lines[1] == "error: there is no command 'save'; 'help' lists them")
    #expect(
      lines.filter { $0.hasPrefix("o") } == [
        "offline                             cuts this program off, to see what happens",
        "online                              lets it reach the ledger again",
      ])
    #expect(ada.status == 1)
  }

  @Test(
    "Options that don't fit --shared are refused",
    arguments: [
      (
        ["--shared", "a", "b"],
        "A ledger is in a file, in a --database or --shared, not in several."
      ),
      (["--author", "ada"], "--document and --author are for a --shared ledger, without --demo."),
      (
        ["--demo", "--shared", "a", "--document", "b"],
        "--document and --author are for a --shared ledger, without --demo."
      ),
    ])
  func options(_ arguments: [String], _ message: String) throws {
    let program = try SharedProgram(arguments)
    _ = try program.end()
    #expect(program.errors.hasPrefix("Error: \(message)\n"))
    #expect(program.status == 64)
  }

  @Test("A URL is a database's, shown without user and password; all else is a file")
  func places() {
    let url = "postgresql://ada:secret@db.example.com:5433/acme?sslmode=require"
    #expect(SharedPlace(url) == .database(url))
    #expect(SharedPlace(url).title == "postgresql://db.example.com:5433/acme")
    #expect(SharedPlace("postgres://localhost/acme").title == "postgresql://localhost/acme")
    #expect(
      SharedPlace(url).queueFolder?
        .hasSuffix("/kvo-ledger/postgresql---db.example.com-5433-acme") == true)
    #expect(SharedPlace("spring.kvo") == .file("spring.kvo"))
    #expect(SharedPlace("spring.kvo").queueFolder == nil)
  }

  // MARK: The demonstration

  @Test("--demo plays three programs, of which one is killed, and ends with equal ledgers")
  func demonstration() throws {
    // Twice: each time it begins anew.
    for _ in 1...2 {
      let demo = try SharedProgram(["--demo", "--shared", path])
      #expect(try demo.end().joined(separator: "\n") == Self.demonstration(path))
      #expect(demo.errors == "")
      #expect(demo.status == 0)
    }
  }

  @Test(
    "The same with PostgreSQL",
    .enabled(if: LedgerServer.isInstalled, "PostgreSQL isn't installed."))
  func postgreSQL() throws {
    let server = try LedgerServer()
    let demo = try SharedProgram(["--demo", "--shared", server.url], state: server.folder)
    #expect(
      try demo.end().joined(separator: "\n")
        == Self.demonstration("postgresql:///postgres"))
    #expect(demo.errors == "")
    #expect(demo.status == 0)
  }

  @Test(
    "What is typed while a server is away is sent by the next run",
    .enabled(if: LedgerServer.isInstalled, "PostgreSQL isn't installed."))
  func away() async throws {
    let server = try LedgerServer()
    let ada = try SharedProgram("ada", server.url, state: server.folder)
    let cyd = try SharedProgram("cyd", server.url, state: server.folder)
    ada.type("add 5 food")
    for program in [ada, cyd] { _ = try program.lines(through: "  total: 0.00 -> 5.00") }
    server.stop()
    _ = try ada.lines(through: "* offline: changes are sent later")
    ada.type("edit 1 note milk\nedit 1 amount 6")
    // Both are in the queue's file before the program ends.
    let folder = URL(filePath: "\(server.folder)/kvo-ledger/postgresql----postgres")
    while try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .allSatisfy({ file in
        // A file that's being replaced may be gone by now.
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").count < 3
      })
    {
      await Task.yield()
    }
    #expect(
      try ada.end().last
        == "not sent: what was changed here since the ledger went offline is sent when this program "
        + "opens the ledger again")
    try server.start()
    let again = try SharedProgram("ada", server.url, state: server.folder)
    again.type("list")
    expectLines(
      try again.end(),
      [
        "postgresql:///postgres: 1 transactions, total 6.00", "id amount category note",
        " 1   6.00 food     milk",
      ])
    let bob = try SharedProgram("bob", server.url, state: server.folder)
    expectLines(try bob.end(), ["postgresql:///postgres: 1 transactions, total 6.00"])
  }

  private static func demonstration(_ title: String) -> String {
    """
    # Two programs have one ledger open: what ada types, bob's observers print, too.
    ada  \(title): 0 transactions, total 0.00
    bob  \(title): 0 transactions, total 0.00
    ada> add 12.50 food oats
    ada  + category food
    ada  + transaction 1: 12.50 food "oats"
    ada    total: 0.00 -> 12.50
    bob  + category food
    bob  + transaction 1: 12.50 food "oats"
    bob    total: 0.00 -> 12.50
    bob> edit 1 note milk
    bob    transaction 1 note: "oats" -> "milk"
    ada    transaction 1 note: "oats" -> "milk"
    # bob is cut off, and both write the same: the later one learns both values.
    bob> offline
    bob  * offline: changes are sent later
    bob> edit 1 note tea
    bob    transaction 1 note: "milk" -> "tea"
    ada> edit 1 note bread
    ada    transaction 1 note: "milk" -> "bread"
    bob> online
    bob    transaction 1 note: "tea" -> "bread"
    bob  * online again
    bob  * conflict: transaction 1 note: "tea" here, "bread" from ada; yours is taken back
    # Undoing takes back what was typed here, wherever it has got to.
    ada> undo
    ada    transaction 1 note: "bread" -> "milk"
    bob    transaction 1 note: "bread" -> "milk"
    # ida comes, and is killed as soon as the others have her command.
    ida  \(title): 1 transactions, total 12.50
    ida> add 900 rent
    ada  + category rent
    ada  + transaction 2: 900.00 rent
    ada    total: 12.50 -> 912.50
    bob  + category rent
    bob  + transaction 2: 900.00 rent
    bob    total: 12.50 -> 912.50
    ida is killed.
    bob> edit 2 note May
    bob    transaction 2 note: "" -> "May"
    ada    transaction 2 note: "" -> "May"
    ida  \(title): 2 transactions, total 912.50
         id amount category note
          1  12.50 food     milk
          2 900.00 rent     May
    This is ada's ledger, bob's and ida's: they are equal.
    """
  }
}

/// Compares lines, and shows both where they differ.
private func expectLines(
  _ lines: some Sequence<String>, _ expected: [String],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let lines = Array(lines)
  #expect(lines == expected, sourceLocation: sourceLocation)
}
