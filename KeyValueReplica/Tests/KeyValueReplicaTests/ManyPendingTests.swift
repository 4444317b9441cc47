import CoreMetrics
import KeyValueObserving
import KeyValueReplica
import Synchronization
import Testing

/// How often transactions that wait are made again; counts, not times.
@Suite("Many pending transactions", .timeLimit(.minutes(20)))
@MainActor
struct ManyPendingTests {
  /// A replica with transactions whose sending waits until others' records have come first.
  private func meet(
    pending: (Company) -> Void, others: (Company) -> Void
  ) async throws -> (KeyValueReplica<Company>, KeyValueReplica<Company>, Counters) {
    let (store, counters) = (MemoryLogStore(), Counters())
    let a = try await open(store, "a") { $0.metrics = counters }
    let b = try await open(store, "b")
    try await store.holding("a") {
      pending(a.root)
      others(b.root)
      try await b.flush()
    }
    try? await a.flush()
    try await b.reaches(a.revision)
    #expect(try a.snapshot() == b.snapshot())
    return (a, b, counters)
  }

  @Test("S2 transactions that have nothing to do with others' records aren't made again")
  func apart() async throws {
    let (a, _, counters) = try await meet(
      pending: { root in
        for index in 0..<500 { root.name = "\(index)" }
        root.employees.append(Person("Ada"))
      },
      others: { root in
        for index in 0..<200 { root.rooms.append("\(index)") }
        root.past.append(Person("Grace"))
      })
    #expect(counters["kvo_replica_rebased_total"] == 0)
    #expect(counters["kvo_replica_applied_total"] == 201)
    #expect((a.root.name, a.root.rooms.count, a.root.names) == ("499", 200, ["Ada"]))
  }

  @Test("S2 many that have to do with one author's records are made again once for all of them")
  func together() async throws {
    let (a, _, counters) = try await meet(
      pending: { root in for index in 0..<500 { root.rooms.append("a\(index)") } },
      others: { root in for index in 0..<200 { root.rooms.append("b\(index)") } })
    #expect(counters["kvo_replica_rebased_total"] == 500)
    #expect(counters["kvo_replica_applied_total"] == 200)
    #expect(a.root.rooms.filter { $0.hasPrefix("a") } == (0..<500).map { "a\($0)" })
    #expect(a.root.rooms.filter { $0.hasPrefix("b") } == (0..<200).map { "b\($0)" })
  }

  @Test("S2 few are made again for each record, so that observers are told each transaction")
  func few() async throws {
    var told = 0
    var observation: KeyValueObservation?
    let (a, _, counters) = try await meet(
      pending: { root in
        for index in 0..<5 { root.rooms.append("a\(index)") }
        observation = root.kvo.rooms.observe { _, _ in told += 1 }
      },
      others: { root in for index in 0..<20 { root.rooms.append("b\(index)") } })
    #expect(counters["kvo_replica_rebased_total"] == 100)
    #expect(told == 20)
    #expect(a.root.rooms.count == 25)
    observation?.invalidate()
  }

  @Test("S2 few of many are made again for each record, after one attempt to do so for all of them")
  func fewOfMany() async throws {
    var told = 0
    var observation: KeyValueObservation?
    let (a, _, counters) = try await meet(
      pending: { root in
        for index in 0..<200 { root.name = "\(index)" }
        for index in 0..<5 { root.rooms.append("a\(index)") }
        observation = root.kvo.rooms.observe { _, _ in told += 1 }
      },
      others: { root in for index in 0..<20 { root.rooms.append("b\(index)") } })
    // What was tried for all of them counts, too.
    #expect(counters["kvo_replica_rebased_total"] == 5 + 5 * 20)
    #expect(told == 20)
    #expect((a.root.name, a.root.rooms.count) == ("199", 25))
    observation?.invalidate()
  }

  @Test("S3 many that meet a conflict are rejected once, each with the author")
  func rejected() async throws {
    let (a, _, counters) = try await meet(
      pending: { root in for index in 0..<500 { root.name = "a\(index)" } },
      others: { root in for index in 0..<200 { root.name = "b\(index)" } })
    #expect(a.root.name == "b199")
    // The part of the graph that they mention, then all of it.
    #expect(counters["kvo_replica_rebased_total"] == 1000)
    #expect(a.conflicts.count == 100)
    #expect(Set(a.conflicts.map(\.author)) == ["b"])
  }
}

/// Counts what replicas count.
final class Counters: MetricsFactory {
  private let values = Mutex<[String: Int64]>([:])

  subscript(_ label: String) -> Int64 { values.withLock { $0[label] ?? 0 } }

  private final class Handler: CounterHandler {
    private let add: @Sendable (Int64) -> Void
    init(_ add: @escaping @Sendable (Int64) -> Void) { self.add = add }
    func increment(by amount: Int64) { add(amount) }
    func reset() {}
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    Handler { [self] amount in values.withLock { $0[label, default: 0] += amount } }
  }

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { NOOPMetricsHandler.instance }
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    NOOPMetricsHandler.instance
  }
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}
