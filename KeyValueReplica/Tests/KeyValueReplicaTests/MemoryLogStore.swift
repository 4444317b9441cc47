import Foundation
import KeyValueReplica
import Synchronization

/// A store in memory, which does to its callers what networks do.
final class MemoryLogStore: LogStore {
  struct Document {
    var epoch = UUID()
    var schema: Int
    var records: [LogRecord] = []
    var snapshots: [LogSnapshot]
    var oldest: Int64 = 0

    var head: LogPosition {
      let revision = oldest + Int64(records.count)
      return LogPosition(
        epoch: epoch, revision: revision,
        transaction: records.last?.transaction.id ?? snapshots.last?.position.transaction)
    }

    /// Whether a position is of the document's history and not before its oldest record.
    func contains(_ position: LogPosition) -> Bool {
      position.epoch == epoch && (oldest...head.revision).contains(position.revision)
    }
  }

  /// What happens to the next appends, in order.
  enum Fault {
    /// The append is done, and its answer is lost.
    case answerLost
    /// The append isn't done, and the caller doesn't know.
    case callLost
    case unreachable
    case refused
    /// The append is done once the stream has ended.
    case held(AsyncStream<Never>)
    /// A function runs before the append is done, as if another writer were faster.
    case preceded(@Sendable (inout Document) -> Void)
  }

  private struct State {
    var documents: [String: Document] = [:]
    var listeners: [UUID: (String, AsyncStream<Int64?>.Continuation)] = [:]
    var faults: [Fault] = []
    var appends = 0
    var isDown = false
    var slow: Set<String> = []
    var refusesSnapshots = false
    var reading: AsyncStream<Never>?
    var heldReadings = 0
    var saving: AsyncStream<Never>?
    var heldSavings = 0
  }
  private let state = Mutex(State())

  var appends: Int { state.withLock { $0.appends } }
  func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }
  /// Takes back what was to happen to the next appends.
  func failNoMore() { state.withLock { $0.faults = [] } }
  func change(_ name: String, _ body: (inout Document) -> Void) {
    let listeners = state.withLock { state in
      body(&state.documents[name]!)
      return state.listeners.values.filter { $0.0 == name }.map(\.1)
    }
    for listener in listeners { listener.yield(nil) }
  }
  func records(_ name: String) -> [LogRecord] {
    state.withLock { $0.documents[name]?.records ?? [] }
  }

  func snapshots(_ name: String) -> [LogSnapshot] {
    state.withLock { $0.documents[name]?.snapshots ?? [] }
  }
  /// Commits payloads, whatever they are, as a writer named "stranger".
  func commit(_ payloads: [Data], to name: String) {
    change(name) { document in
      for payload in payloads {
        document.records.append(
          LogRecord(
            revision: document.head.revision + 1,
            transaction: LogTransaction(author: "stranger", payload: payload), date: Date()))
      }
    }
  }

  /// Refuses to keep snapshots.
  func refuseSnapshots() { state.withLock { $0.refusesSnapshots = true } }

  /// The readings of snapshots that wait, or have waited.
  var heldReadings: Int { state.withLock { $0.heldReadings } }
  /// Lets the readings of snapshots wait until a stream has ended.
  func holdReading(_ gate: AsyncStream<Never>) { state.withLock { $0.reading = gate } }

  /// The savings of snapshots that wait, or have waited.
  var heldSavings: Int { state.withLock { $0.heldSavings } }
  /// Lets the next saving of a snapshot wait until a stream has ended.
  func holdSaving(_ gate: AsyncStream<Never>) { state.withLock { $0.saving = gate } }

  /// While a function runs, the appends of a writer wait.
  func holding(
    _ author: String, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Void
  ) async rethrows {
    state.withLock { _ = $0.slow.insert(author) }
    defer { state.withLock { _ = $0.slow.remove(author) } }
    try await body()
  }

  /// Ends all connections, and refuses new ones until it's called with false.
  func setDown(_ isDown: Bool) {
    let ended = state.withLock { state in
      state.isDown = isDown
      defer { if isDown { state.listeners = [:] } }
      return isDown ? state.listeners.values.map(\.1) : []
    }
    for listener in ended { listener.finish() }
  }

  private func use<Result>(
    _ name: String, _ body: (inout Document) throws(LogError) -> Result
  ) throws(LogError) -> Result {
    try withState { state throws(LogError) in
      guard var document = state.documents[name] else { throw LogError.noDocument(name) }
      let result = try body(&document)
      state.documents[name] = document
      return result
    }
  }

  private func withState<Result>(
    _ body: (inout State) throws(LogError) -> Result
  ) throws(LogError) -> Result {
    let result: Swift.Result<Result, LogError> = state.withLock { state in
      nonisolated(unsafe) var outcome: Swift.Result<Result, LogError>
      if state.isDown {
        outcome = .failure(.unreachable("down"))
      } else {
        do throws(LogError) {
          outcome = .success(try body(&state))
        } catch {
          outcome = .failure(error)
        }
      }
      return outcome
    }
    return try result.get()
  }

  func document(_ name: String) async throws(LogError) -> LogDocument? {
    try withState { state throws(LogError) in
      state.documents[name].map {
        LogDocument(position: $0.head, schema: $0.schema, oldest: $0.oldest)
      }
    }
  }

  func create(_ name: String, schema: Int, snapshot: Data) async throws(LogError) -> LogDocument {
    try withState { state throws(LogError) in
      if state.documents[name] == nil {
        var document = Document(schema: schema, snapshots: [])
        document.snapshots = [LogSnapshot(position: document.head, payload: snapshot)]
        state.documents[name] = document
      }
    }
    return try await document(name)!
  }

  func append(
    _ transactions: [LogTransaction], to name: String, after base: LogPosition, schema: Int
  ) async throws(LogError) -> LogAppend {
    while state.withLock({ $0.slow.contains(transactions[0].author) }) { await Task.yield() }
    let fault = state.withLock { state in
      state.appends += 1
      return state.faults.isEmpty ? nil : state.faults.removeFirst()
    }
    if case .unreachable? = fault { throw .unreachable("injected") }
    if case .callLost? = fault { throw .outcomeUnknown("injected") }
    if case .held(let gate)? = fault { for await _ in gate {} }
    if case .refused? = fault { throw .refused(code: "full", message: "no room") }
    let result = try use(name) { document throws(LogError) -> LogAppend in
      if case .preceded(let body)? = fault { body(&document) }
      guard document.epoch == base.epoch else { return .restore }
      let last = transactions[transactions.count - 1].id
      if let found = document.records.first(where: { $0.transaction.id == last }) {
        return .committed(found.revision)
      }
      guard document.contains(base) else { return .restore }
      if document.schema > schema {
        throw .schema(expected: schema, found: document.schema)
      }
      let head = document.head.revision
      if base.revision < head {
        return .behind(Array(document.records[Int(base.revision - document.oldest)...]))
      }
      for (index, transaction) in transactions.enumerated() {
        document.records.append(
          LogRecord(
            revision: head + Int64(index) + 1, transaction: transaction, date: Date()))
      }
      return .committed(document.head.revision)
    }
    if case .committed(let revision) = result {
      let listeners = state.withLock { $0.listeners.values.filter { $0.0 == name }.map(\.1) }
      for listener in listeners { listener.yield(revision) }
    }
    if case .answerLost? = fault { throw .outcomeUnknown("injected") }
    return result
  }

  func records(
    of name: String, after position: LogPosition, limit: Int
  ) async throws(LogError) -> LogRead {
    try use(name) { document in
      guard document.contains(position) else { return .restore }
      let rest = document.records[Int(position.revision - document.oldest)...]
      return .records(
        Array(rest.prefix(limit)), head: document.head.revision, schema: document.schema)
    }
  }

  func snapshot(of name: String) async throws(LogError) -> LogSnapshot? {
    let gate = state.withLock { state in
      if state.reading != nil { state.heldReadings += 1 }
      return state.reading
    }
    if let gate { for await _ in gate {} }
    return try withState { state throws(LogError) in state.documents[name]?.snapshots.last }
  }

  func save(_ snapshot: LogSnapshot, of name: String) async throws(LogError) {
    if state.withLock({ $0.refusesSnapshots }) {
      throw .refused(code: "full", message: "no room")
    }
    let gate = state.withLock { state in
      if state.saving != nil { state.heldSavings += 1 }
      defer { state.saving = nil }
      return state.saving
    }
    if let gate { for await _ in gate {} }
    try use(name) { document in
      guard document.contains(snapshot.position) else { return }
      let isThere = document.snapshots.contains {
        $0.position.revision == snapshot.position.revision
      }
      if isThere { return }
      document.snapshots.append(snapshot)
      document.snapshots.sort { $0.position.revision < $1.position.revision }
    }
  }

  func compact(
    _ name: String, keepingSnapshots count: Int, olderThan age: Duration
  ) async throws(LogError) -> Int {
    try use(name) { document in
      let kept = document.snapshots.suffix(count)
      guard let first = kept.first?.position.revision else { return 0 }
      // All records are younger than any other age.
      guard age == .zero, first > document.oldest else { return 0 }
      let number = Int(first - document.oldest)
      document.records.removeFirst(number)
      document.oldest = first
      document.snapshots = Array(kept)
      return number
    }
  }

  func upgrade(_ name: String, to schema: Int) async throws(LogError) {
    try use(name) { document in document.schema = max(document.schema, schema) }
    let listeners = state.withLock { $0.listeners.values.filter { $0.0 == name }.map(\.1) }
    for listener in listeners { listener.yield(nil) }
  }

  func delete(_ name: String) async throws(LogError) {
    let listeners = try withState { state throws(LogError) in
      state.documents[name] = nil
      return state.listeners.values.filter { $0.0 == name }.map(\.1)
    }
    for listener in listeners { listener.yield(nil) }
  }

  func hints(of name: String) async throws(LogError) -> AsyncStream<Int64?> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Int64?.self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    try withState { state throws(LogError) in state.listeners[id] = (name, continuation) }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
    }
    return stream
  }

  func close() { setDown(true) }
}
