import Foundation
import KeyValueObserving
import KeyValueReplica
import KeyValueReplicaTestSupport
import Testing

@Suite("Random changes of one document")
@MainActor
struct RandomSharingTests {
  private nonisolated static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["KVO_SEED"].flatMap(UInt64.init) { return [seed] }
    return Array(1...(environment["KVO_TESTS"] == "full" ? 200 : 20))
  }()

  @Test(
    "S1 S2 replicas are equal when quiet, and the store's records lead there",
    .serialized, .timeLimit(.minutes(10)),
    arguments: seeds)
  func converge(seed: UInt64) async throws {
    let store = MemoryLogStore()
    var numbers = SeededNumbers(seed)
    var replicas: [KeyValueReplica<Firm>] = []
    for author in ["a", "b", "c"] {
      replicas.append(
        try await openFirm(store, author) {
          $0.conflictRule = seed % 2 == 0 ? .reject : .lastWriterWins
          $0.snapshotInterval = 40
        })
    }
    let reader = try await openFirm(store, "reader")
    var edits = RandomEdits(SeededNumbers(seed &+ 1_000))
    for step in 0..<60 {
      let index = numbers.number(replicas.count)
      for _ in 0...numbers.number(3) {
        edits.change(replicas[index].root, ["a", "b", "c"][index])
      }
      switch numbers.number(12) {
      case 0: store.fail(.answerLost)
      case 1: store.fail(.unreachable)
      case 2: _ = try? replicas[index].undo()
      case 3: _ = try? replicas[index].redo()
      case 4: try? await replicas[index].flush()
      case 5..<9: await Task.yield()
      default: break
      }
      if step == 30, seed % 3 == 0 {
        try await replicas[0].saveSnapshot()
        _ = try await store.compact("acme", keepingSnapshots: 1, olderThan: .zero)
      }
    }
    // What is rejected is taken back; the next round has nothing to reject.
    for _ in 0..<2 { for replica in replicas { try? await replica.flush() } }
    let head = try #require(try await store.document("acme")).position.revision
    for replica in replicas + [reader] { try await reach(head, replica) }
    let expected = try await state(of: store)
    for (index, replica) in (replicas + [reader]).enumerated() {
      let snapshot = try replica.snapshot()
      let differing = differences(snapshot, expected)
      #expect(differing == [], "replica \(index) of seed \(seed)")
    }
    let ids = store.records("acme").map(\.transaction.id)
    #expect(Set(ids).count == ids.count)
  }

  private func openFirm(
    _ store: some LogStore, _ author: String,
    _ configure: (inout KeyValueReplicaOptions) -> Void = { _ in }
  ) async throws -> KeyValueReplica<Firm> {
    var options = KeyValueReplicaOptions()
    options.author = author
    configure(&options)
    return try await KeyValueReplica.open(
      Firm.self, document: "acme", in: store, options: options)
  }

  private func reach(_ revision: Int64, _ replica: KeyValueReplica<Firm>) async throws {
    for await value in replica.kvo.revision.values() where value >= revision { break }
    for await value in replica.kvo.status.values() where value == .current { break }
  }

  private func differences(_ one: KeyValueSnapshot, _ other: KeyValueSnapshot) -> [String] {
    Set(one.objects.keys).union(other.objects.keys).flatMap { id -> [String] in
      guard let left = one.objects[id], let right = other.objects[id] else {
        return ["\(id): \(one.objects[id] == nil ? "missing" : "too much")"]
      }
      return left.values.keys.filter { left.values[$0] != right.values[$0] }
        .map { "\(id).\($0): \(left.values[$0]!), not \(right.values[$0] ?? .null)" }
    }
  }

  /// The first snapshot that there is, with all records after it, by data alone.
  private func state(of store: MemoryLogStore) async throws -> KeyValueSnapshot {
    let snapshot = try #require(store.snapshots("acme").first)
    let records = store.records("acme")
    let first = snapshot.position.revision + 1
    try #require(records.map(\.revision) == Array(first..<first + Int64(records.count)))
    var state = try JSONDecoder().decode(KeyValueSnapshot.self, from: snapshot.payload)
    for record in records {
      try state.apply(
        JSONDecoder().decode(KeyValueTransactionRecord.self, from: record.transaction.payload))
    }
    return state
  }
}
