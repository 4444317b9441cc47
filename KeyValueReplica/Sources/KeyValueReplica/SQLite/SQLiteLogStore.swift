import Foundation

/// Documents in a SQLite file, which several processes of one machine share.
///
/// ```swift
/// let store = SQLiteLogStore(path: "acme.kvo")
/// let replica = try await KeyValueReplica.open(Company.self, document: "acme", in: store)
/// ```
///
/// The first call opens the file, and makes it if there is none. A file holds any number of documents.
/// Beside it are SQLite's `acme.kvo-wal` and `acme.kvo-shm`, which belong to it, and `acme.kvo-bell`,
/// whose date changes after each commit, which wakes the other processes. A wake-up that gets lost
/// is made up for within half a second.
///
/// A transaction that was acknowledged survives the crash of each process, and a power cut too unless
/// the durability is ``Durability-swift.enum/process``.
///
/// - Important: The file has to be on a local disk; SQLite's locks don't work over a network. Replace
///   or copy it only while no process has it open, and with SQLite's own tools otherwise
///   (`sqlite3 acme.kvo ".backup copy.kvo"`).
public final class SQLiteLogStore: LogStore {
  /// What an acknowledged transaction survives.
  public enum Durability: Sendable, Hashable {
    /// The crash of any process, and a power cut: each commit waits for the disk.
    ///
    /// SQLite calls it `synchronous=FULL`.
    case full
    /// The crash of any process. A power cut, or a crash of the system, may lose the last transactions.
    ///
    /// The file stays intact, and replicas that had seen the lost transactions notice. SQLite calls it
    /// `synchronous=NORMAL`.
    case process
  }

  let writer: SQLiteConnection
  // A connection of its own, so that a read doesn't wait for a write.
  private let reader: SQLiteConnection
  private let bell: SQLiteBell

  /// Creates a store; the file is opened by the first call.
  ///
  /// - Parameters:
  ///   - path: The file's path. Its folder has to exist.
  ///   - durability: What an acknowledged transaction survives.
  public convenience init(path: String, durability: Durability = .full) {
    self.init(path: path, durability: durability, patience: .seconds(10))
  }

  /// - Parameters:
  ///   - path: The file's path.
  ///   - durability: What an acknowledged transaction survives.
  ///   - patience: How long to wait for the lock of another process.
  init(path: String, durability: Durability, patience: Duration) {
    writer = SQLiteConnection(path: path, durability: durability, patience: patience)
    reader = SQLiteConnection(path: path, durability: durability, patience: patience)
    bell = SQLiteBell(path: path, reader: reader)
  }

  deinit {
    close()
  }

  /// The document's newest position and schema; nil if there's no such document.
  public func document(_ name: String) async throws(LogError) -> LogDocument? {
    try await reader.read { file throws(LogError) in try file.entry(name)?.document }
  }

  /// Makes a document with its first snapshot, at revision 0, unless there is one.
  public func create(
    _ name: String, schema: Int, snapshot: Data
  ) async throws(LogError) -> LogDocument {
    if let document = try await document(name) { return document }
    return try await writer.write { file throws(LogError) in
      try file.create(name, schema: schema, snapshot: snapshot)
    }
  }

  /// Appends transactions, all or none.
  public func append(
    _ transactions: [LogTransaction], to document: String, after base: LogPosition, schema: Int
  ) async throws(LogError) -> LogAppend {
    precondition(!transactions.isEmpty, "There are no transactions to append.")
    let outcome = try await writer.write { file throws(LogError) in
      try file.append(transactions, to: document, after: base, schema: schema)
    }
    if case .committed = outcome { bell.ring() }
    return outcome
  }

  /// The records after a position, in order and without a gap.
  public func records(
    of document: String, after position: LogPosition, limit: Int
  ) async throws(LogError) -> LogRead {
    try await reader.read { file throws(LogError) in
      try file.read(document, after: position, limit: limit)
    }
  }

  /// The newest snapshot; nil if there's no such document.
  public func snapshot(of document: String) async throws(LogError) -> LogSnapshot? {
    try await reader.read { file throws(LogError) in try file.snapshot(of: document) }
  }

  /// Keeps a snapshot, unless there's one of its revision.
  public func save(_ snapshot: LogSnapshot, of document: String) async throws(LogError) {
    try await writer.write { file throws(LogError) in try file.save(snapshot, of: document) }
  }

  /// Deletes the records up to the oldest of the `count` newest snapshots, and the snapshots
  /// before it.
  @discardableResult
  public func compact(
    _ document: String, keepingSnapshots count: Int, olderThan age: Duration
  ) async throws(LogError) -> Int {
    try await writer.write { file throws(LogError) in
      try file.compact(document, keepingSnapshots: count, olderThan: age)
    }
  }

  /// Raises the document's schema; never lowers it.
  public func upgrade(_ document: String, to schema: Int) async throws(LogError) {
    try await writer.write { file throws(LogError) in try file.upgrade(document, to: schema) }
    bell.ring()
  }

  /// Deletes a document with all its records and snapshots.
  public func delete(_ document: String) async throws(LogError) {
    try await writer.write { file throws(LogError) in try file.delete(document) }
    bell.ring()
  }

  /// Hints that there may be records.
  public func hints(of document: String) async throws(LogError) -> AsyncStream<Int64?> {
    // Looked up first: the bell's file gets the permissions of the database.
    guard try await self.document(document) != nil else { throw .noDocument(document) }
    return try await bell.hints()
  }

  /// Closes the file.
  ///
  /// Calls under way end as they do otherwise; those that wait for their turn, and those that come
  /// later, are refused.
  public func close() {
    bell.end()
    writer.close()
    reader.close()
    // One after the other: of two that close at once neither is the last one, which deletes the
    // write-ahead log.
    Task { [reader, writer] in
      await reader.end()
      await writer.end()
    }
  }
}

extension LogStore where Self == SQLiteLogStore {
  /// Documents in a SQLite file, which several processes of one machine share.
  ///
  /// - Parameters:
  ///   - path: The file's path. Its folder has to exist.
  ///   - durability: What an acknowledged transaction survives.
  /// - Returns: A store, which opens the file when it's first used.
  public static func sqlite(
    path: String, durability: SQLiteLogStore.Durability = .full
  ) -> SQLiteLogStore {
    SQLiteLogStore(path: path, durability: durability)
  }
}
