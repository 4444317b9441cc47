import Foundation
import KeyValueCore
import Logging
import Metrics

/// How a replica takes part in its document.
///
/// ```swift
/// let options = KeyValueReplicaOptions(author: "studio", conflictRule: .lastWriterWins)
/// ```
public struct KeyValueReplicaOptions {
  /// The version of the program's model; raise it when stored keys come, change or go.
  ///
  /// A program with a newer one raises the document's, and older programs only read it from then on. What these have
  /// written of keys that the newer one's classes don't have any more is left out.
  public var schema: Int
  /// The name of this writer: others find it as the origin of its changes.
  ///
  /// A program keeps each author's name that it reads in memory until it ends. So give a server one name for all its
  /// runs, instead of the default, which differs in each process.
  public var author: String
  /// What becomes of a transaction that meets a conflict.
  public var conflictRule: KeyValueConflictRule
  /// Whether `willSet` and `didSet` run for others' changes, and where own ones are undone, made again or taken back.
  ///
  /// They don't by default: what they do was done where the change was made, and is part of its transaction.
  public var runsPropertyObservers: Bool
  /// The greatest number of transactions that wait to be acknowledged; a further one is taken back.
  public var maximumPending: Int
  /// The greatest size of a transaction, in bytes as it's stored.
  public var maximumTransactionSize: Int
  /// The greatest number of transactions that can be taken back by `undo()`; 0 or less for none.
  public var levelsOfUndo: Int
  /// After this number of transactions a snapshot is kept; 0 for never.
  ///
  /// A snapshot is also kept when opening has read the records of two intervals, because programs that end right after a
  /// change may keep none.
  public var snapshotInterval: Int
  /// How old a record has to be before it's deleted; records since the second newest snapshot always stay.
  public var keepsRecords: Duration
  /// The folder in which transactions that aren't acknowledged survive the process; nil for none.
  ///
  /// An SQLite document needs it only for what can't be written to its file: while there's no room, no permission, or
  /// a newer schema.
  public var queueFolder: String?
  /// What is logged goes here; nil for nothing.
  public var logger: Logger?
  /// Where metrics go; nil for none.
  public var metrics: (any MetricsFactory)?

  /// Creates options; each property says what it is for.
  ///
  /// - Parameters:
  ///   - schema: The version of the program's model.
  ///   - author: The name of this writer; without it, the process's name and number.
  ///   - conflictRule: What becomes of a transaction that meets a conflict.
  ///   - runsPropertyObservers: Whether `willSet` and `didSet` run for others' changes, and for `undo()`.
  ///   - maximumPending: The greatest number of transactions that wait to be acknowledged.
  ///   - maximumTransactionSize: The greatest size of a transaction, in bytes.
  ///   - levelsOfUndo: The greatest number of transactions that can be taken back; 0 or less for none.
  ///   - snapshotInterval: After how many transactions a snapshot is kept; 0 for never.
  ///   - keepsRecords: How old a record has to be before it's deleted.
  ///   - queueFolder: The folder in which transactions that aren't acknowledged survive the process.
  ///   - logger: What is logged goes here.
  ///   - metrics: Where metrics go.
  public init(
    schema: Int = 1, author: String? = nil, conflictRule: KeyValueConflictRule = .reject,
    runsPropertyObservers: Bool = false, maximumPending: Int = 10_000,
    maximumTransactionSize: Int = 64 << 20, levelsOfUndo: Int = 100,
    snapshotInterval: Int = 1_000, keepsRecords: Duration = .seconds(86_400),
    queueFolder: String? = nil, logger: Logger? = nil, metrics: (any MetricsFactory)? = nil
  ) {
    let process = ProcessInfo.processInfo
    self.author = author ?? "\(process.processName):\(process.processIdentifier)"
    self.schema = schema
    self.conflictRule = conflictRule
    self.runsPropertyObservers = runsPropertyObservers
    self.maximumPending = maximumPending
    self.maximumTransactionSize = maximumTransactionSize
    self.levelsOfUndo = levelsOfUndo
    self.snapshotInterval = snapshotInterval
    self.keepsRecords = keepsRecords
    self.queueFolder = queueFolder
    self.logger = logger
    self.metrics = metrics
  }
}
