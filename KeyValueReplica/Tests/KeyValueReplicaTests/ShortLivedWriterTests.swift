import KeyValueObserving
import KeyValueReplica
import Testing

/// Snapshots of a document whose programs change it and end, as the page's program does.
@Suite("Obstacles: short-lived writers", .timeLimit(.minutes(10)))
@MainActor
struct ShortLivedWriterTests {
  /// A document with four records, whose writers have ended before they could keep a snapshot.
  private func written() async throws -> MemoryLogStore {
    let store = MemoryLogStore()
    for number in 1...4 {
      let a = try await open(store) { $0.snapshotInterval = 0 }
      a.root.rooms.append("\(number)")
      try await a.close()
    }
    return store
  }

  private func revisions(_ store: MemoryLogStore) -> [Int64] {
    store.snapshots("acme").map(\.position.revision)
  }

  @Test("S5 a replica that has read two intervals of records at opening has kept a snapshot")
  func opened() async throws {
    let store = try await written()
    let a = try await open(store) { $0.snapshotInterval = 3 }
    #expect(revisions(store) == [0])
    let b = try await open(store) { $0.snapshotInterval = 2 }
    #expect(revisions(store) == [0, 4])
    b.root.rooms.append("5")
    try await b.flush()
    // What has to be read is little again.
    let late = try await open(store) { $0.snapshotInterval = 2 }
    #expect(revisions(store) == [0, 4])
    #expect(late.root.rooms == ["1", "2", "3", "4", "5"])
    try await a.reaches(5)
    #expect(try a.snapshot() == late.snapshot())
  }

  @Test("S5 a snapshot that can't be kept at opening keeps no program out")
  func refused() async throws {
    let store = try await written()
    store.refuseSnapshots()
    let a = try await open(store) { $0.snapshotInterval = 2 }
    a.root.rooms.append("5")
    try await a.flush()
    #expect(revisions(store) == [0])
    #expect(store.records("acme").count == 5)
  }

  @Test("S3 S5 a replica that only reads a document keeps no snapshot when it's opened")
  func onlyRead() async throws {
    let store = try await written()
    try await openNewer(store).close()
    let a = try await open(store) { $0.snapshotInterval = 2 }
    #expect(a.status == .readOnly(schema: 2))
    #expect(revisions(store) == [0])
  }
}
