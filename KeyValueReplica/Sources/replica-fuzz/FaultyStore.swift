import Foundation
import KeyValueObserving
import KeyValueReplica
import KeyValueReplicaTestSupport
import Synchronization

/// A store between a replica and its real store, which does what networks do: calls get lost, answers get lost,
/// and calls arrive twice or late.
///
/// It writes down what the real store has acknowledged, before the replica knows.
final class FaultyStore: LogStore {
  private enum Fault: String {
    /// The call doesn't arrive.
    case unsent
    /// The answer doesn't arrive.
    case unanswered
    /// The call arrives twice.
    case repeated
    /// The call arrives again, later.
    case late
    /// The connection ends.
    case ended
    /// A hint arrives late, or twice.
    case hint
  }

  private struct State {
    var numbers: SeededNumbers
    var isOffline = false
    var streams: [UUID: AsyncStream<Int64?>.Continuation] = [:]
  }

  private let inner: any LogStore
  private let journal: JournalWriter
  private let notesSent: Bool
  private let state: Mutex<State>

  /// - Parameters:
  ///   - inner: The real store.
  ///   - journal: What is acknowledged is written to it.
  ///   - notesSent: Whether marks that are sent are written to it, too.
  ///   - numbers: Decide the faults.
  init(_ inner: any LogStore, _ journal: JournalWriter, notesSent: Bool, _ numbers: SeededNumbers) {
    self.inner = inner
    self.journal = journal
    self.notesSent = notesSent
    state = Mutex(State(numbers: numbers))
  }

  /// Ends all connections and refuses new ones, until it's called with false.
  func setOffline(_ isOffline: Bool) {
    let ended = state.withLock { state in
      state.isOffline = isOffline
      defer { if isOffline { state.streams = [:] } }
      return isOffline ? Array(state.streams.values) : []
    }
    for stream in ended { stream.finish() }
  }

  private func isOnce(in count: Int) -> Bool { state.withLock { $0.numbers.number(count) == 0 } }
  private func number(_ limit: Int) -> Int { state.withLock { $0.numbers.number(limit) } }

  private func note(_ fault: Fault) { journal.write(.fault(fault.rawValue)) }

  private func arrive() throws(LogError) {
    if state.withLock({ $0.isOffline }) { throw .unreachable("offline") }
    if isOnce(in: 100) {
      note(.unsent)
      throw .unreachable("injected")
    }
  }

  // MARK: Appending

  func append(
    _ transactions: [LogTransaction], to document: String, after base: LogPosition, schema: Int
  ) async throws(LogError) -> LogAppend {
    try arrive()
    if notesSent { journal.write(marks(transactions).map { .sent($0) }) }
    let outcome = try await inner.append(transactions, to: document, after: base, schema: schema)
    switch number(30) {
    case 0:
      note(.unanswered)
      throw .outcomeUnknown("injected")
    case 1:
      note(.repeated)
      await `repeat`(transactions, document, base, schema, outcome)
    case 2:
      note(.late)
      let delay = number(400)
      Task {
        try? await Task.sleep(for: .milliseconds(delay))
        await `repeat`(transactions, document, base, schema, outcome)
      }
    default: break
    }
    if case .committed = outcome {
      journal.write(transactions.map { .acknowledged($0.id) })
    }
    return outcome
  }

  /// A call that arrives again must not append anything.
  private func `repeat`(
    _ transactions: [LogTransaction], _ document: String, _ base: LogPosition, _ schema: Int,
    _ first: LogAppend
  ) async {
    guard
      let again = try? await inner.append(transactions, to: document, after: base, schema: schema)
    else { return }
    switch (first, again) {
    case (.committed(let revision), .committed(let other)) where revision == other: break
    case (_, .restore): break
    // Rebased and committed since, with the same ids.
    case (.behind, .committed), (.behind, .behind), (.restore, _): break
    default:
      journal.write(
        .violation("append after \(base.revision): first \(brief(first)), then \(brief(again))"))
    }
  }

  private func brief(_ outcome: LogAppend) -> String {
    switch outcome {
    case .committed(let revision): "committed \(revision)"
    case .behind(let records): "behind \(records.map(\.revision))"
    case .restore: "restore"
    }
  }

  /// The transactions that do nothing but insert a mark.
  private func marks(_ transactions: [LogTransaction]) -> [UUID] {
    let prefix = Data(RandomEdits.markPrefix.utf8)
    return transactions.filter { transaction in
      guard transaction.payload.count < 400, transaction.payload.range(of: prefix) != nil,
        let record = try? JSONDecoder().decode(
          KeyValueTransactionRecord.self, from: transaction.payload),
        record.edits.count == 1, case .union(_, _, let elements) = record.edits[0],
        elements.count == 1, case .string(let mark) = elements[0]
      else { return false }
      return mark.hasPrefix(RandomEdits.markPrefix)
    }.map(\.id)
  }

  // MARK: Reading

  func records(
    of document: String, after position: LogPosition, limit: Int
  ) async throws(LogError) -> LogRead {
    try arrive()
    return try await inner.records(
      of: document, after: position, limit: isOnce(in: 10) ? 1 + number(5) : limit)
  }

  func hints(of document: String) async throws(LogError) -> AsyncStream<Int64?> {
    try arrive()
    let hints = try await inner.hints(of: document)
    let (stream, continuation) = AsyncStream.makeStream(
      of: Int64?.self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    state.withLock { state in
      if state.isOffline { continuation.finish() } else { state.streams[id] = continuation }
    }
    let task = Task {
      for await hint in hints {
        let choice = number(60)
        if choice == 0 {
          note(.ended)
          break
        }
        if choice < 4 {
          note(.hint)
          try? await Task.sleep(for: .milliseconds(number(50)))
          continuation.yield(hint)
        }
        continuation.yield(hint)
      }
      continuation.finish()
    }
    continuation.onTermination = { [weak self] _ in
      task.cancel()
      _ = self?.state.withLock { $0.streams.removeValue(forKey: id) }
    }
    return stream
  }

  func document(_ name: String) async throws(LogError) -> LogDocument? {
    try arrive()
    return try await inner.document(name)
  }

  func snapshot(of document: String) async throws(LogError) -> LogSnapshot? {
    try arrive()
    return try await inner.snapshot(of: document)
  }

  // MARK: Writing

  func create(_ name: String, schema: Int, snapshot: Data) async throws(LogError) -> LogDocument {
    try arrive()
    return try await inner.create(name, schema: schema, snapshot: snapshot)
  }

  func save(_ snapshot: LogSnapshot, of document: String) async throws(LogError) {
    try arrive()
    try await inner.save(snapshot, of: document)
  }

  func compact(
    _ document: String, keepingSnapshots count: Int, olderThan age: Duration
  ) async throws(LogError) -> Int {
    try arrive()
    return try await inner.compact(document, keepingSnapshots: count, olderThan: age)
  }

  func upgrade(_ document: String, to schema: Int) async throws(LogError) {
    try arrive()
    try await inner.upgrade(document, to: schema)
  }

  func delete(_ document: String) async throws(LogError) {
    try arrive()
    try await inner.delete(document)
  }

  func close() { inner.close() }
}
