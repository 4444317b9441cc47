import Foundation
import Synchronization

/// A connection to a SQLite file, opened by its first use.
///
/// It runs on a queue of its own, because SQLite blocks.
actor SQLiteConnection {
  nonisolated private let executor: QueueExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  nonisolated private let patience: SQLitePatience
  private let path: String
  private let durability: SQLiteLogStore.Durability
  private var file: SQLiteFile?
  /// How often it was opened: a file that follows another one may have its address.
  private var openings = 0

  init(path: String, durability: SQLiteLogStore.Durability, patience: Duration) {
    self.path = path
    self.patience = SQLitePatience(limit: patience)
    self.durability = durability
    executor = QueueExecutor(label: "KeyValueReplica \(path)")
  }

  /// Calls `body` in a transaction that sees one state of the file.
  func read<R: Sendable>(
    _ body: @Sendable (SQLiteFile) throws(LogError) -> R
  ) throws(LogError) -> R {
    try opened().transaction("BEGIN", body)
  }

  /// Calls `body` in a transaction, during which no other one changes the file.
  func write<R: Sendable>(
    _ body: @Sendable (SQLiteFile) throws(LogError) -> R
  ) throws(LogError) -> R {
    try opened().transaction("BEGIN IMMEDIATE", body)
  }

  /// Changes with each commit of another connection, and where another file has taken the place.
  func version() throws(LogError) -> SQLiteVersion {
    let file = try opened()
    return SQLiteVersion(opening: openings, number: try file.dataVersion())
  }

  private func opened() throws(LogError) -> SQLiteFile {
    if patience.isClosed {
      file = nil
      throw SQLiteError.closed(path)
    }
    if let file, !file.isMoved { return file }
    // Another file has its place, or none: what was written to the old one would be lost.
    file = nil
    let opened = try SQLiteFile(path: path, durability: durability, patience: patience)
    file = opened
    openings += 1
    return opened
  }

  /// Refuses further calls, and ends the wait of one for a lock.
  nonisolated func close() {
    patience.close()
  }

  /// Closes the file.
  func end() {
    file = nil
  }
}

/// Tells two states of a file apart.
struct SQLiteVersion: Hashable {
  var opening: Int
  var number: Int64
}

/// How long a connection waits for the lock of another one.
///
/// SQLite's own waiting grows to a tenth of a second, during which others get the lock again and again.
final class SQLitePatience: Sendable {
  let limit: Duration
  private let closed = Atomic(false)
  private let start = Mutex(ContinuousClock.now)

  init(limit: Duration) {
    self.limit = limit
  }

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  func close() {
    closed.store(true, ordering: .releasing)
  }

  /// Waits a little.
  ///
  /// - Parameter attempt: How often it was called for this lock.
  /// - Returns: Whether to try again.
  func waits(attempt: Int) -> Bool {
    let now = ContinuousClock.now
    let passed = start.withLock { start in
      if attempt == 0 { start = now }
      return now - start
    }
    guard !isClosed, passed < limit else { return false }
    // At random, because several connections wait for the same lock.
    let most = min(250 << min(attempt, 5), 5000)
    usleep(UInt32.random(in: 100...UInt32(most)))
    return true
  }
}
