import Foundation
import KeyValueReplicaTestSupport
import Testing

@testable import KeyValueReplica

/// Writers and servers that are killed.
@Suite struct CrashTests {
  /// How often they are: `KVO_TESTS=full` has them killed more often.
  static let times = ProcessInfo.processInfo.environment["KVO_TESTS"] == "full" ? 10 : 1

  @Test(
    "CR1 writers that are killed in the midst of appends lose nothing that was acknowledged",
    arguments: StoreKind.available)
  func killedWriters(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let start = try await store.make("d")
    var acknowledged: [WriterProcess.Acknowledgement] = []
    for round in 1...5 * Self.times {
      let writers = try ["Ada", "Bob", "Cyd"].map {
        try WriterProcess([place.name, "d", "\($0) \(round)"])
      }
      for (number, writer) in writers.enumerated() {
        try await wait { writer.lines.count > 5 * (number + 1) }
        writer.signal(SIGKILL)
      }
      for writer in writers {
        await writer.wait()
        acknowledged += try writer.acknowledgements
      }
    }
    try await expect(acknowledged, in: store, from: start)
    store.close()
    try await place.check()
  }

  @Test(
    "CR2 a server that crashes and comes back loses nothing that was acknowledged",
    .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL isn't installed."))
  func crashedServer() async throws {
    let server = try PostgreSQLServer()
    let place = try await PostgreSQLPlace(on: server)
    let store = place.store()
    let start = try await store.make("d")
    let writers = try ["Ada", "Bob", "Cyd"].map { try WriterProcess([place.name, "d", $0]) }
    for round in 1...4 * Self.times {
      for writer in writers {
        let count = writer.lines.count
        try await wait { writer.lines.count >= count + round }
      }
      try server.crash()
    }
    var acknowledged: [WriterProcess.Acknowledgement] = []
    for writer in writers {
      let count = writer.lines.count
      try await wait { writer.lines.count > count }
      writer.signal(SIGKILL)
      await writer.wait()
      acknowledged += try writer.acknowledgements
    }
    try await expect(acknowledged, in: store, from: start)
    store.close()
  }

  /// Each acknowledged transaction is at its revision, and each is once in the log, without a gap.
  private func expect(
    _ acknowledged: [WriterProcess.Acknowledgement], in store: any LogStore,
    from start: LogPosition
  ) async throws {
    // After a crash the first call may find the session lost.
    var found: [LogRecord]?
    while found == nil {
      do { found = try await store.all(of: "d", after: start) } catch LogError.unreachable {}
    }
    let records = try #require(found)
    #expect(records.map(\.revision) == Array(1...Int64(records.count)))
    #expect(Set(records.map(\.transaction.id)).count == records.count)
    let places = Dictionary(
      uniqueKeysWithValues: records.map { ($0.transaction.id, $0.revision) })
    let lost = acknowledged.filter { places[$0.id] != $0.revision }
    #expect(lost == [])
    #expect(!acknowledged.isEmpty && Set(acknowledged).count == acknowledged.count)
  }
}
