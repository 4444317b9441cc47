import Foundation
import Testing

@testable import KeyValueReplica

@Suite("Queue files")
struct QueueFileTests {
  @Test("S1 what was left stays in its file until it's in another one or all is acknowledged")
  func leftUnwritten() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/acme-0.queue"
    let base = LogPosition(epoch: UUID(), revision: 0)
    let left = (0..<3).map { LogTransaction("\($0)") }
    do {
      let file = try QueueFile(in: folder, for: "acme", epoch: base.epoch)
      try file.keep(left, at: base)
    }
    let file = try QueueFile(in: folder, for: "acme", epoch: base.epoch)
    #expect(file.takeLeft().map(\.transactions) == [left])
    // Nothing was written: there may be no room.
    file.acknowledge(2, at: base, isAll: false)
    #expect(FileManager.default.fileExists(atPath: path))
    file.acknowledge(1, at: base, isAll: true)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test(
    "S1 the file of a queue that never becomes empty doesn't grow without end",
    arguments: [false, true])
  func neverEmpty(isRefused: Bool) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/acme-0.queue"
    let base = LogPosition(epoch: UUID(), revision: 0)
    let file = try QueueFile(in: folder, for: "acme", epoch: base.epoch)
    var most = 0
    var queue = [LogTransaction("0")]
    try file.keep(queue, at: base)
    for number in 1...1_500 {
      if number.isMultiple(of: 100) {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        most = max(most, text.split(separator: "\n").count)
      }
      if file.keptCount == 0 { try file.keep(queue, at: base) }
      try file.send(1)
      if isRefused {
        try file.send(0)
        continue
      }
      // The next one comes while the store is called.
      queue.append(LogTransaction("\(number)"))
      try file.keep(Array(queue.dropFirst(file.keptCount)), at: base)
      queue.removeFirst()
      file.acknowledge(1, at: base, isAll: false)
    }
    #expect(most < 2_100)
    file.leave()
    let left = try QueueFile(in: folder, for: "acme", epoch: base.epoch).takeLeft()
    #expect(left.map(\.transactions) == [queue])
    #expect(left.map(\.sentCount) == [0])
  }

  @Test("S1 a file that is written anew while the store is called says what was sent")
  func writtenWhileSending() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let base = LogPosition(epoch: UUID(), revision: 0)
    let transactions = (0..<3).map { LogTransaction("\($0)") }
    do {
      let file = try QueueFile(in: folder, for: "acme", epoch: base.epoch)
      // There was no room for the file before.
      try file.send(2)
      try file.keep(transactions, at: base)
    }
    let left = try QueueFile(in: folder, for: "acme", epoch: base.epoch).takeLeft()
    #expect(left.map(\.transactions) == [transactions])
    #expect(left.map(\.sentCount) == [2])
  }

  @Test("S3 a folder that can't be made is an error that names the file")
  func noFolder() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try Data().write(to: file)
    let refused = KeyValueReplicaError.refused(
      code: "queue",
      message: "The queue's file \(file.path)/acme-0.queue can't be opened: Not a directory.")
    #expect(throws: refused) {
      _ = try QueueFile(in: file.path, for: "acme", epoch: UUID())
    }
  }

  @Test("S3 a file is its user's only, however often it's written")
  func permissions() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let base = LogPosition(epoch: UUID(), revision: 0)
    let file = try QueueFile(in: folder, for: "acme", epoch: base.epoch)
    for texts in [["0"], ["0", "1"]] {
      file.makeStale()
      let transactions = texts.map { LogTransaction($0) }
      try file.keep(transactions, at: base)
      var status = stat()
      #expect(stat("\(folder)/acme-0.queue", &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [
          "acme-0.queue", "acme-0.queue.lock",
        ])
    }
    // What follows is behind it.
    try file.keep([LogTransaction("2")], at: base)
    file.leave()
    let left = try QueueFile(in: folder, for: "acme", epoch: base.epoch).takeLeft()
    #expect(left.map { $0.transactions.map(\.text) } == [["0", "1", "2"]])
  }

  @Test("S3 a file with a transaction that can't be read stays for a program that can")
  func unreadable() throws {
    struct Unreadable: Error {}
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/acme-0.queue"
    let base = LogPosition(epoch: UUID(), revision: 0)
    let transactions = [LogTransaction("0"), LogTransaction("later")]
    do {
      let file = try QueueFile(in: folder, for: "acme", epoch: base.epoch)
      try file.keep(transactions, at: base)
    }
    do {
      let older = try QueueFile(in: folder, for: "acme", epoch: base.epoch) { payload in
        if payload == Data("later".utf8) { throw Unreadable() }
      }
      #expect(older.takeLeft().map(\.transactions) == [])
      #expect(older.unread.map { $0.path } == [path])
      try older.keep([LogTransaction("1")], at: base)
      older.empty()
    }
    let newer = try QueueFile(in: folder, for: "acme", epoch: base.epoch)
    #expect(newer.takeLeft().map(\.transactions) == [transactions])
  }

  @Test(
    "S3 a file with a damaged line is refused by its document, and stays as it is",
    arguments: [
      #"{"transaction":{"id"#, #"{"acknowledged":-1}"#, #"{"acknowledged":2}"#, #"{"sent":-1}"#,
      "{}", "",
    ])
  func damaged(line: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/acme-0.queue"
    let base = LogPosition(epoch: UUID(), revision: 0)
    do {
      let file = try QueueFile(in: folder, for: "acme", epoch: base.epoch)
      try file.keep([LogTransaction("0"), LogTransaction("1")], at: base)
    }
    var lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
    // After the base and the first transaction.
    lines.insert(line, at: 2)
    let text = lines.joined(separator: "\n")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let refused = KeyValueReplicaError.refused(
      code: "queue",
      message: "Line 3 of the queue's file \(path) is damaged. The file can have changes that "
        + "weren't sent: move it to another folder to open the document without them.")
    // The store has nothing to do with it.
    #expect("\(refused)".hasPrefix("Line 3 of the queue's file \(path)"))
    // A refused file isn't locked.
    for _ in 0..<2 {
      #expect(throws: refused) {
        _ = try QueueFile(in: folder, for: "acme", epoch: base.epoch)
      }
    }
    // A document of the same name elsewhere leaves it alone.
    let other = try QueueFile(in: folder, for: "acme", epoch: UUID())
    #expect(other.takeLeft().map(\.transactions) == [])
    other.empty()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }
}
