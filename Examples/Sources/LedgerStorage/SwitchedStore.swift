import Foundation
import KeyValueReplica
import Synchronization

/// A store that can be cut off, to see what a replica does until it's reached again.
package final class SwitchedStore: LogStore {
  private struct State {
    var isOffline = false
    var hints: [UUID: AsyncStream<Int64?>.Continuation] = [:]
  }

  private let store: any LogStore
  private let state = Mutex(State())

  package init(_ store: any LogStore) { self.store = store }

  /// Whether each call fails as if there were no connection.
  package var isOffline: Bool {
    get { state.withLock { $0.isOffline } }
    set {
      let hints = state.withLock { state in
        state.isOffline = newValue
        return Array(state.hints.values)
      }
      if newValue { for hints in hints { hints.finish() } }
    }
  }

  private func reached() throws(LogError) -> any LogStore {
    if isOffline { throw .unreachable("The ledger is offline.") }
    return store
  }

  package func hints(of document: String) async throws(LogError) -> AsyncStream<Int64?> {
    let hints = try await reached().hints(of: document)
    let (stream, continuation) = AsyncStream.makeStream(
      of: Int64?.self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    let forwarding = Task {
      for await hint in hints { continuation.yield(hint) }
      continuation.finish()
    }
    continuation.onTermination = { [weak self] _ in
      forwarding.cancel()
      self?.state.withLock { $0.hints[id] = nil }
    }
    let isOffline = state.withLock { state in
      state.hints[id] = continuation
      return state.isOffline
    }
    if isOffline { continuation.finish() }
    return stream
  }

  package func document(_ name: String) async throws(LogError) -> LogDocument? {
    try await reached().document(name)
  }

  package func create(
    _ name: String, schema: Int, snapshot: Data
  ) async throws(LogError) -> LogDocument {
    try await reached().create(name, schema: schema, snapshot: snapshot)
  }

  package func append(
    _ transactions: [LogTransaction], to document: String, after base: LogPosition, schema: Int
  ) async throws(LogError) -> LogAppend {
    try await reached().append(transactions, to: document, after: base, schema: schema)
  }

  package func records(
    of document: String, after position: LogPosition, limit: Int
  ) async throws(LogError) -> LogRead {
    try await reached().records(of: document, after: position, limit: limit)
  }

  package func snapshot(of document: String) async throws(LogError) -> LogSnapshot? {
    try await reached().snapshot(of: document)
  }

  package func save(_ snapshot: LogSnapshot, of document: String) async throws(LogError) {
    try await reached().save(snapshot, of: document)
  }

  package func compact(
    _ document: String, keepingSnapshots count: Int, olderThan age: Duration
  ) async throws(LogError) -> Int {
    try await reached().compact(document, keepingSnapshots: count, olderThan: age)
  }

  package func upgrade(_ document: String, to schema: Int) async throws(LogError) {
    try await reached().upgrade(document, to: schema)
  }

  package func delete(_ document: String) async throws(LogError) {
    try await reached().delete(document)
  }

  package func close() { store.close() }
}
