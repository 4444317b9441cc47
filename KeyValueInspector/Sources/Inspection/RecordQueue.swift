@_spi(Replication) import KeyValueCore
import Synchronization

/// Takes a log's records on the program's threads, for the inspector's task to fetch.
package final class RecordQueue: Sendable {
  private struct State {
    /// How many logs there have been; the records of earlier ones are dropped.
    var logCount = 0
    var beginning: KeyValueSnapshot?
    var records: [KeyValueTransactionRecord] = []
    var token: KeyValueObservation?
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// Creates a queue without a log.
  package init() {}

  /// Begins with a log's present state, and takes its records from now on.
  ///
  /// - Throws: `KeyValueLogError` if a value can't be written; `incompleteChange` in a transaction that has changed
  ///   the graph.
  package func follow<Root>(_ log: KeyValueChangeLog<Root>) throws {
    // The transaction's record has changes that the snapshot has, too, so it wouldn't fit.
    guard log.isComplete else {
      throw KeyValueLogError.incompleteChange(
        .init(
          reason: "showHistory(of:) was called in a transaction that has changed the graph of "
            + "\(Root.self)"))
    }
    let snapshot = try log.snapshot()
    let number: Int? = state.withLock { state in
      if state.hasEnded { return nil }
      (state.beginning, state.records) = (snapshot, [])
      state.logCount += 1
      return state.logCount
    }
    guard let number else { return }
    // Weak, because the queue keeps the token, which keeps this closure.
    let token = log.observe { [weak self] record in
      self?.state.withLock { state in
        if state.logCount == number { state.records.append(record) }
      }
    }
    let unneeded = state.withLock { state in
      if state.hasEnded { return Optional(token) }
      let old = state.token
      state.token = token
      return old
    }
    unneeded?.invalidate()
  }

  /// Takes no more records, of this log or another.
  package func end() {
    let (token, records) = state.withLock { state in
      state.hasEnded = true
      defer { state.records = [] }
      return (state.token.take(), state.records)
    }
    token?.invalidate()
    withExtendedLifetime(records) {}
  }

  /// What has come since the last call; with a beginning, if that's of another log than before.
  package func take() -> (beginning: KeyValueSnapshot?, records: [KeyValueTransactionRecord]) {
    state.withLock { state in
      let taken = (state.beginning, state.records)
      (state.beginning, state.records) = (nil, [])
      return taken
    }
  }
}
