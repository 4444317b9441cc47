import Foundation

/// An ordered log of transactions for each document, and the document's snapshots.
///
/// A store numbers the transactions of a document: the revisions have no gap and are in commit order. It keeps
/// what it is given byte for byte, and knows nothing of the model. There are two: ``SQLiteLogStore``, a file that
/// several processes of one machine share, and ``PostgreSQLLogStore``, a database that several machines share.
///
/// ```swift
/// let replica = try await KeyValueReplica.open(Company.self, document: "acme", in: .sqlite(path: "acme.kvo"))
/// ```
///
/// Threading: each function can be called from everywhere, and doesn't block its caller.
///
/// Errors: each function but `close()` throws ``LogError``: `unreachable` while the store can't be reached, `refused`
/// if it doesn't allow the call, and `noDocument` if there's no such document and the result can't be nil.
public protocol LogStore: Sendable {
  /// The document's newest position and schema; nil if there's no such document.
  func document(_ name: String) async throws(LogError) -> LogDocument?

  /// Makes a document with its first snapshot, at revision 0, unless there is one.
  ///
  /// Several processes may call it at once; one of them makes the document.
  ///
  /// - Returns: The document that there is now.
  func create(
    _ name: String, schema: Int, snapshot: Data
  ) async throws(LogError) -> LogDocument

  /// Appends transactions, all or none.
  ///
  /// - Parameters:
  ///   - transactions: At least one; they get consecutive revisions.
  ///   - document: The document's name.
  ///   - base: The position that they were made on. They're appended only if it's the newest one.
  ///   - schema: The writer's schema. A document of a newer one refuses the transactions.
  /// - Returns: What became of them.
  /// - Throws: `LogError`. After `outcomeUnknown` call it again with the same arguments: transactions that were
  ///   committed are found by the id of the last one, and not appended again. That's looked up before all else, so it
  ///   also holds for a document whose schema was raised since, and where a compaction has taken the others. Then the
  ///   base is compared, and only then the schema: after `schema` the transactions aren't in the document.
  func append(
    _ transactions: [LogTransaction], to document: String, after base: LogPosition, schema: Int
  ) async throws(LogError) -> LogAppend

  /// The records after a position, in order and without a gap.
  ///
  /// - Parameters:
  ///   - document: The document's name.
  ///   - position: What the reader has.
  ///   - limit: The greatest number of records. There may be fewer, because the bytes that are handed over at
  ///     once are limited too; the end is reached if the last one is at `head`.
  /// - Returns: The records, or that there's a gap.
  /// - Throws: `LogError`.
  func records(
    of document: String, after position: LogPosition, limit: Int
  ) async throws(LogError) -> LogRead

  /// The newest snapshot; nil if there's no such document.
  func snapshot(of document: String) async throws(LogError) -> LogSnapshot?

  /// Keeps a snapshot, unless there's one of its revision.
  ///
  /// A snapshot whose position isn't of the document's history, or is before its oldest record, isn't kept.
  func save(_ snapshot: LogSnapshot, of document: String) async throws(LogError)

  /// Deletes the records up to the oldest of the `count` newest snapshots, and the snapshots before it.
  ///
  /// - Parameters:
  ///   - document: The document's name.
  ///   - count: How many snapshots stay; at least one.
  ///   - age: How old a record has to be. Younger ones stay, so that a writer that repeats an append finds its
  ///     transaction.
  /// - Returns: How many records were deleted.
  /// - Throws: `LogError`.
  @discardableResult
  func compact(
    _ document: String, keepingSnapshots count: Int, olderThan age: Duration
  ) async throws(LogError) -> Int

  /// Raises the document's schema, so that writers of older ones become readers; never lowers it.
  func upgrade(_ document: String, to schema: Int) async throws(LogError)

  /// Deletes a document with all its records and snapshots.
  func delete(_ document: String) async throws(LogError)

  /// Hints that there may be records, with the newest revision if it's known.
  ///
  /// A transaction that is committed after the call has returned is hinted at, so a read after it misses nothing.
  /// Hints may be merged, repeated and late. The stream ends when the connection does.
  func hints(of document: String) async throws(LogError) -> AsyncStream<Int64?>

  /// Ends the store's connections; the store can't be used afterwards.
  func close()
}

/// A document of a store.
public struct LogDocument: Sendable, Hashable {
  /// The newest position.
  public var position: LogPosition
  /// The newest schema of a program that has written to it.
  public var schema: Int
  /// The revision before the oldest record that there is.
  public var oldest: Int64

  /// Creates a description of a document.
  public init(position: LogPosition, schema: Int, oldest: Int64) {
    self.position = position
    self.schema = schema
    self.oldest = oldest
  }
}

/// A place in a document's history, and whose history it is.
public struct LogPosition: Sendable, Hashable, Codable {
  /// Changes when a history was replaced: the document was deleted and made again.
  public var epoch: UUID
  /// The number of transactions.
  public var revision: Int64
  /// The transaction at the revision; nil at revision 0.
  ///
  /// It distinguishes a history that was rewritten: one that was restored from a backup, or that lost
  /// transactions in a failover. A position without it is of another history at every other revision.
  public var transaction: UUID?

  /// Creates a position.
  public init(epoch: UUID, revision: Int64, transaction: UUID? = nil) {
    self.epoch = epoch
    self.revision = revision
    self.transaction = transaction
  }
}

/// A transaction as a store keeps it.
public struct LogTransaction: Sendable, Hashable, Codable {
  /// What tells it from all others, also when it's appended again.
  public var id: UUID
  /// The name of the writer.
  public var author: String
  /// The edits, encoded.
  public var payload: Data

  /// Creates a transaction.
  public init(id: UUID = UUID(), author: String, payload: Data) {
    self.id = id
    self.author = author
    self.payload = payload
  }
}

/// A transaction with its place in the document's history.
public struct LogRecord: Sendable, Hashable {
  /// The place.
  public var revision: Int64
  /// The transaction.
  public var transaction: LogTransaction
  /// When it was committed, by the store's clock: for people, not for ordering.
  public var date: Date

  /// Creates a record.
  public init(revision: Int64, transaction: LogTransaction, date: Date) {
    self.revision = revision
    self.transaction = transaction
    self.date = date
  }
}

/// A document's whole state at a position.
public struct LogSnapshot: Sendable, Hashable {
  /// The position.
  public var position: LogPosition
  /// The state, encoded.
  public var payload: Data

  /// Creates a snapshot.
  public init(position: LogPosition, payload: Data) {
    self.position = position
    self.payload = payload
  }
}

/// What became of transactions that were to be appended.
public enum LogAppend: Sendable, Hashable {
  /// Committed, by this call or by an earlier one with the same ids; the last one is at this revision.
  case committed(Int64)
  /// Nothing was appended: these came after the base. Rebase on them and append again with the same ids.
  ///
  /// It isn't empty, and it can be cut off by a limit. Records with the id of a transaction are the caller's own,
  /// of a call with fewer transactions whose outcome was unknown.
  case behind([LogRecord])
  /// Nothing was appended: the base is older than the oldest record, or of another history. An earlier call with the
  /// same transactions may have been committed.
  case restore
}

/// What there is after a position.
public enum LogRead: Sendable, Hashable {
  /// In order, without a gap after the position.
  ///
  /// `head` is the newest revision, and `schema` the document's schema.
  case records([LogRecord], head: Int64, schema: Int)
  /// The position is older than the oldest record, or of another history.
  case restore
}

/// Why a store can't do what it's asked for.
public enum LogError: Error, Sendable, Hashable {
  /// The store can't be reached or is busy, and nothing was done. Wait, and call again.
  case unreachable(String)
  /// The connection was lost after the transactions were sent: append them again, unchanged and to the same base.
  case outcomeUnknown(String)
  /// The store refuses, and refuses again until the cause is gone: there is no permission, or no room. The code is
  /// the store's own.
  case refused(code: String, message: String)
  /// The document is of a newer schema than the writer.
  case schema(expected: Int, found: Int)
  /// There is no such document, or no longer.
  case noDocument(String)
}
