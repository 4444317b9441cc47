import Foundation
import KeyValueObserving
import KvoLedgerCommand
import LedgerModel
import LedgerStorage
import Testing

@Suite("Files of records")
struct RecordFileTests {
  private let file: TemporaryFile
  private let ledger = Ledger()
  private var path: String { file.path }

  init() throws {
    file = try TemporaryFile()
    ledger.run("open \(path)")
  }

  private func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }
  private func write(_ bytes: Data) throws { try bytes.write(to: URL(fileURLWithPath: path)) }

  /// The file's lines, each with its newline.
  private func lines() throws -> [Data] {
    try bytes().split(separator: UInt8(ascii: "\n")).map { $0 + Data("\n".utf8) }
  }

  private func reopened() throws -> Ledger {
    let other = Ledger()
    try other.session.open(path)
    return other
  }

  @Test("What a command has changed is in the file when it ends, as one line")
  func saving() throws {
    #expect(!FileManager.default.fileExists(atPath: path))
    ledger.run("add 12.50 groceries \"oat milk\"\nadd 900 rent\nedit 1 amount 24\nlist\ntotals")
    #expect(
      try lines().map { String(decoding: $0.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self) }
        == ["snapshot", "records", "records"])
    ledger.run("edit 1 amount much\nundo\ncategory groceries remove")
    #expect(try lines().count == 5)
    #expect(try reopened().account.contents == ledger.account.contents)
    #expect(ledger.session.document.unsaved == nil)
    #expect(ledger.run("quit") == "" && ledger.session.hasEnded)
  }

  @Test("A new property is in the file without a line for it: records have every stored key")
  func everyKey() throws {
    ledger.run("add 5 food\ncategory food budget 7")
    let objects = try RecordFile.open(path, schema: LedgerLog.schema).contents.latest().objects
    let keys = Dictionary(
      objects.values.map { ($0.class, $0.values.keys.sorted()) }, uniquingKeysWith: { $1 })
    #expect(
      keys == [
        "LedgerModel.Account": ["categories", "transactions"],
        "LedgerModel.Category": ["account", "budget", "id", "name"],
        "LedgerModel.Transaction": ["account", "amount", "category", "id", "note"],
      ])
  }

  @Test("Saving replaces the records by a snapshot that says the same")
  func compaction() throws {
    ledger.run("add 5 food\nadd 6 food\nremove 1\nedit 2 note soup")
    let before = try bytes()
    #expect(ledger.run("save") == "\(path): saved, 1 transaction, total 6.00")
    #expect(try lines().count == 1)
    #expect(try reopened().account.contents == ledger.account.contents)
    let after = try bytes()
    try write(before)
    #expect(try reopened().account.contents == ledger.account.contents)

    // The same objects: a record that was made after the snapshot fits what was before it.
    try write(after)
    let other = try reopened()
    other.run("edit 2 amount 9")
    try write(before + lines()[1])
    #expect(try reopened().account.contents == other.account.contents)
  }

  @Test("A snapshot and its tail give what all records give", arguments: [1, 300, 2_000, 100_000])
  func snapshotAndTail(leastGrowth: Int) throws {
    ledger.run("add 5 food")
    let (log, store, _) = try LedgerLog.open(path, leastGrowth: leastGrowth)
    var latest = try RecordFile.open(path, schema: 1).contents.latest()
    let token = log.observe { record in
      do { try latest.apply(record) } catch { Issue.record(error) }
    }
    var snapshots = 0
    for number in 2...60 {
      let count = try lines().count
      try log.root.addTransaction(
        amount: number, categoryName: "c\(number % 5)", note: "number \(number)")
      if number.isMultiple(of: 3) { log.root.remove(log.root.transactions[0]) }
      try store.commandEnded()
      if try lines().count < count + 1 { snapshots += 1 }
      let contents = try RecordFile.open(path, schema: 1).contents
      #expect(try contents.latest() == latest)
    }
    // The smaller the growth, the more snapshots; they become rarer as the ledger grows.
    let expected = [1: 9, 300: 9, 2_000: 7, 100_000: 0]
    #expect(snapshots == expected[leastGrowth])
    token.invalidate()
  }

  @Test("A torn last line is dropped with a word, wherever it's torn")
  func torn() throws {
    ledger.run("add 5 food lunch\nadd 6 rent")
    let before = ledger.account.contents
    ledger.run("category food remove")
    let whole = try bytes()
    let last = try #require(lines().last?.count)
    for cut in [1, 2, last / 2, last - 20, last - 10, last - 1] {
      let torn = whole.dropLast(cut)
      try write(torn)
      let other = Ledger()
      #expect(
        other.run("open \(path)") == """
          \(path): a crash has torn the last command's changes, and they are dropped
          \(path): 2 transactions, total 11.00
          """)
      #expect(other.account.contents == before)
      // Opening changes nothing; the next change is written over the torn end.
      #expect(try bytes() == torn)
      other.run("remove 1")
      let again = Ledger()
      #expect(again.run("open \(path)") == "\(path): 1 transactions, total 6.00")
      #expect(again.account.contents == other.account.contents)
    }
    // A line that got its room on the disk, but not what it says.
    try write(whole.dropLast(last - 8) + Data(repeating: 0, count: last - 8))
    #expect(try reopened().account.contents == before)
    try write(whole.dropLast(last) + Data(repeating: 0, count: last - 1) + Data("\n".utf8))
    #expect(try reopened().account.contents == before)
  }

  @Test("A damaged line before the last is an error that says what to do, and nothing is lost")
  func damaged() throws {
    ledger.run("add 5 food lunch\nadd 6 rent")
    let before = ledger.account.contents
    ledger.run("edit 1 amount 7\nedit 2 amount 8")
    let whole = try bytes()
    let lines = try lines()
    #expect(lines.count == 4)
    var broken = whole
    broken[whole.startIndex + lines[0].count + lines[1].count + lines[2].count / 2] ^= 1
    try write(broken)
    let other = Ledger()
    #expect(
      other.run("open \(path)") == """
        error: \(path) is damaged in line 3 of 4, and was left as it is; take a copy of the file, or \
        what it was before that line: head -n 2 \(path) > before.ledger
        """)
    #expect(try bytes() == broken)
    // What the error advises.
    try write(lines[0] + lines[1])
    #expect(try reopened().account.contents == before)

    broken = whole
    broken[40] ^= 1
    try write(broken)
    #expect(
      other.run("open \(path)") == """
        error: \(path) is damaged in line 1 of 4, its snapshot, and was left as it is; only a copy of \
        the file can help
        """)
    // A snapshot is never torn: it's whole before the file has its name.
    try write(lines[0].dropLast())
    #expect(
      other.run("open \(path)") == """
        error: \(path) is damaged in line 1 of 1, its snapshot, and was left as it is; only a copy of \
        the file can help
        """)
    #expect(try bytes() == lines[0].dropLast())
  }

  @Test("A file of a newer schema, and records that can't be read, are errors that say so")
  func unreadable() throws {
    ledger.run("add 5 food")
    let (old, contents) = try RecordFile.open(path, schema: 1)
    let log = try #require(ledger.session.document.log)
    let id = try #require(log.id(of: ledger.account.transactions[0]))
    try old.append([KeyValueTransactionRecord([.set(id, key: "amount", old: 600, new: 700)])])
    #expect(
      ledger.run("open \(path)") == """
        error: \(path) doesn't fit together, and was left as it is: LedgerModel.Transaction.amount \
        can't be edited so (edit 1, object \(id)): it's 500, not 600.
        """)

    let json = Data(#"[{"edits":[{"twist":1}],"id":"nothing","isTransaction":false}]"#.utf8)
    let line = Data("records \(checksum(json)) ".utf8) + json + Data("\n".utf8)
    try write(lines()[0] + line)
    let bytes = try bytes()
    #expect(
      ledger.run("open \(path)").hasPrefix(
        "error: \(path) can't be read from line 2 on, and was left as it is: "))
    #expect(try self.bytes() == bytes)

    try FileManager.default.removeItem(atPath: path)
    var newer = contents.snapshot
    newer.schema = 2
    _ = try RecordFile.create(path, newer)
    #expect(
      ledger.run("open \(path)") == """
        error: \(path) was written by a newer kvo-ledger, and was left as it is: its schema is 2, \
        this program knows 1
        """)
    #expect(try RecordFile.open(path, schema: 2).contents.snapshot == newer)
  }

  private func checksum(_ bytes: Data) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(format: "%016lx", hash)
  }

  @Test("A crash while a snapshot is written leaves the old file or the new one")
  func crashWhileSaving() throws {
    ledger.run("add 5 food lunch\nadd 6 rent\nremove 1")
    let contents = ledger.account.contents
    let old = try bytes()
    ledger.run("save")
    let new = try bytes()
    // Before the rename: the old file, and any part of the new one beside it.
    let beside = URL(fileURLWithPath: path + ".new")
    for count in [0, 1, new.count / 2, new.count] {
      try write(old)
      try new.prefix(count).write(to: beside)
      let other = try reopened()
      #expect(other.account.contents == contents)
      #expect(other.run("save") == "\(path): saved, 1 transaction, total 6.00")
      #expect(!FileManager.default.fileExists(atPath: beside.path))
      #expect(try bytes() == new)
    }
    // After it: the new file alone.
    #expect(try reopened().account.contents == contents)
  }

  @Test("What another program has written is never overwritten, and the changes can go elsewhere")
  func changedElsewhere() throws {
    ledger.run("add 5 food")
    let other = try reopened()
    other.run("add 6 rent")
    let bytes = try bytes()
    let refusal = """
      error: another program has changed or removed \(path) since it was opened, so nothing was \
      written; 'save FILE' saves to another file
      """
    #expect(ledger.run("remove 1").hasSuffix(refusal))
    #expect(ledger.session.hasFailed)
    #expect(ledger.run("save").hasPrefix(refusal))
    #expect(try self.bytes() == bytes)
    #expect(
      ledger.run("quit").hasPrefix(
        "error: not saved: 1 change; save, or repeat the command to discard the changes"))
    let second = try TemporaryFile()
    #expect(
      ledger.run("save \(second.path)") == "\(second.path): saved, 0 transactions, total 0.00")
    ledger.run("add 7 fun\nadd 8 fun\nquit")
    #expect(ledger.session.hasEnded)
    let reader = Ledger()
    #expect(
      reader.run("open \(second.path)") == "\(second.path): 2 transactions, total 15.00")
    // The same text in another file.
    try FileManager.default.removeItem(atPath: path)
    try write(bytes)
    #expect(other.run("remove 2").hasSuffix(refusal))
    try FileManager.default.removeItem(atPath: path)
    #expect(other.run("save").hasPrefix(refusal))
  }

  @Test("A snapshot keeps the file's permissions, and a link to it")
  func permissions() throws {
    ledger.run("add 5 food")
    let link = path + ".link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let other = Ledger()
    other.run("open \(link)\nadd 6 food\nsave\nadd 7 food")
    #expect(
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    #expect(try lines().count == 2)
    #expect(try reopened().account.contents == other.account.contents)
  }

  @Test("An existing file isn't overwritten, and a database or another program's file isn't opened")
  func others() throws {
    let other = Ledger()
    other.run("add 5 food")
    try write(Data("something else".utf8))
    #expect(other.run("save \(path)") == "error: there is a file \(path) already")
    #expect(other.run("open \(path)\nopen \(path)").hasSuffix("error: \(path) is not a ledger"))
    try write(Data())
    #expect(other.run("open \(path)\nopen \(path)").hasSuffix("error: \(path) is not a ledger"))
    #expect(
      other.run("save \(path)/in/it") == "error: \(path)/in/it: Not a directory")

    let database = try TemporaryFile()
    Ledger(format: .database).run("add 5 food\nsave \(database.path)")
    #expect(
      Ledger().run("open \(database.path)")
        == "error: \(database.path) is a database; open it with --database")
    #expect(
      other.run("save \(database.path).records").hasSuffix("saved, 1 transaction, total 5.00"))
    #expect(
      Ledger(format: .database).run("open \(database.path).records") == """
        error: \(database.path).records is not a database; open it without --database
        """)
  }

  @Test("A ledger without a file can be saved to one, and has nothing to lose while it's empty")
  func withoutFile() throws {
    let second = try TemporaryFile()
    let other = Ledger()
    other.run("add 5 food\nundo")
    #expect(other.session.document.unsaved == nil)
    #expect(other.run("save") == "error: the ledger has no file yet; use 'save FILE'")
    other.run("redo")
    #expect(
      other.run("quit")
        == "error: not saved: 4 changes; save, or repeat the command to discard the changes")
    #expect(other.finish() == "not saved: 4 changes")
    #expect(
      other.run("save \(second.path)\nquit") == "\(second.path): saved, 1 transaction, total 5.00")
    #expect(other.session.hasEnded && other.finish() == "")
    #expect(ledger.run("open \(second.path)") == "\(second.path): 1 transactions, total 5.00")
  }
}
