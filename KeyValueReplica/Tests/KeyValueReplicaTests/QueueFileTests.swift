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
}
