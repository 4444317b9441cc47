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
      message: "line 3 of the queue's file \(path) is damaged. The file can have changes that "
        + "weren't sent: move it to another folder to open the document without them.")
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
