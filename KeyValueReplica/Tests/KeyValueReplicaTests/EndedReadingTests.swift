import Foundation
import KeyValueObserving
import KeyValueReplica
import Synchronization
import Testing

/// What becomes of the loop of a replica that ends while others' records arrive.
@Suite("Obstacles: ending while reading", .timeLimit(.minutes(10)))
@MainActor
struct EndedReadingTests {
  @Test(
    "S1 a replica that is closed, or released, while others' records arrive reads no more",
    arguments: [false, true])
  func endedWhileReading(isReleased: Bool) async throws {
    let inner = MemoryLogStore()
    let held = HoldingStore(inner)
    weak var root: Company?
    let (gate, opening) = AsyncStream<Never>.makeStream()
    do {
      let (a, b) = (try await open(inner, "a"), try await open(held, "b"))
      root = b.root
      held.holdNextReading(gate)
      a.root.name = "Analytical"
      try await a.flush()
      // Its loop waits for the store, whose answer will have a record. What ends it ends the waiting, too.
      try await waitUntil(held.isHeld)
      if !isReleased { try await b.close() }
    }
    // The loop holds the objects until it ends.
    try await death(of: { root })
    #expect(held.readingsSinceHeld == 0)
    opening.finish()
  }

  @Test("S5 a replica that is closed behind a compaction reads no more")
  func endedBehindCompaction() async throws {
    let inner = MemoryLogStore()
    let held = HoldingStore(inner)
    weak var root: Company?
    let (gate, opening) = AsyncStream<Never>.makeStream()
    do {
      let (a, b) = (try await open(inner, "a"), try await open(held, "b"))
      root = b.root
      held.holdNextReading(gate)
      a.root.name = "Analytical"
      try await a.flush()
      try await a.saveSnapshot()
      _ = try await inner.compact("acme", keepingSnapshots: 1, olderThan: .zero)
      try await waitUntil(held.isHeld)
      try await b.close()
    }
    try await death(of: { root })
    // What follows the snapshot was read, once.
    #expect(held.readingsSinceHeld == 1)
    opening.finish()
  }
}

/// A store whose next reading of records may have to wait.
///
/// As SQLite's does, it answers a task that was cancelled.
private final class HoldingStore: LogStore {
  private struct State {
    var gate: AsyncStream<Never>?
    var isHeld = false
    var readingsSinceHeld = 0
  }

  private let inner: MemoryLogStore
  private let state = Mutex(State())

  init(_ inner: MemoryLogStore) { self.inner = inner }

  var isHeld: Bool { state.withLock { $0.isHeld } }
  /// The readings that have begun after the one that had to wait.
  var readingsSinceHeld: Int { state.withLock { $0.readingsSinceHeld } }
  func holdNextReading(_ gate: AsyncStream<Never>) { state.withLock { $0.gate = gate } }

  func records(
    of document: String, after position: LogPosition, limit: Int
  ) async throws(LogError) -> LogRead {
    let gate = state.withLock { state in
      if state.isHeld { state.readingsSinceHeld += 1 }
      if state.gate != nil { state.isHeld = true }
      defer { state.gate = nil }
      return state.gate
    }
    if let gate { for await _ in gate {} }
    return try await inner.records(of: document, after: position, limit: limit)
  }

  func document(_ name: String) async throws(LogError) -> LogDocument? {
    try await inner.document(name)
  }

  func create(_ name: String, schema: Int, snapshot: Data) async throws(LogError) -> LogDocument {
    try await inner.create(name, schema: schema, snapshot: snapshot)
  }

  func append(
    _ transactions: [LogTransaction], to document: String, after base: LogPosition, schema: Int
  ) async throws(LogError) -> LogAppend {
    try await inner.append(transactions, to: document, after: base, schema: schema)
  }

  func snapshot(of document: String) async throws(LogError) -> LogSnapshot? {
    try await inner.snapshot(of: document)
  }

  func save(_ snapshot: LogSnapshot, of document: String) async throws(LogError) {
    try await inner.save(snapshot, of: document)
  }

  func compact(
    _ document: String, keepingSnapshots count: Int, olderThan age: Duration
  ) async throws(LogError) -> Int {
    try await inner.compact(document, keepingSnapshots: count, olderThan: age)
  }

  func upgrade(_ document: String, to schema: Int) async throws(LogError) {
    try await inner.upgrade(document, to: schema)
  }

  func delete(_ document: String) async throws(LogError) { try await inner.delete(document) }

  func hints(of document: String) async throws(LogError) -> AsyncStream<Int64?> {
    try await inner.hints(of: document)
  }

  func close() { inner.close() }
}
