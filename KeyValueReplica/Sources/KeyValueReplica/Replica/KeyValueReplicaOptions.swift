import Foundation
import KeyValueCore
import Logging
import Metrics

/// How a replica takes part in its document.
public struct KeyValueReplicaOptions {
  /// The version of the program's model.
  ///
  /// A program with a newer one raises the document's, and older programs only read it from then on.
  public var schema = 1
  /// The name of this writer: others find it as the origin of its changes.
  public var author: String
  /// What becomes of a transaction that meets a conflict.
  public var conflictRule = KeyValueConflictRule.reject
  /// Whether `willSet` and `didSet` run for others' changes.
  ///
  /// They don't by default: what they do was done where the change was made, and is part of its transaction.
  public var runsPropertyObservers = false
  /// The greatest number of transactions that wait to be acknowledged; a further one is taken back.
  public var maximumPending = 10_000
  /// The greatest size of a transaction, in bytes as it's stored.
  public var maximumTransactionSize = 64 << 20
  /// The greatest number of transactions that can be taken back by `undo()`.
  public var levelsOfUndo = 100
  /// After this number of transactions a snapshot is kept; 0 for never.
  public var snapshotInterval = 1_000
  /// How long records stay after a snapshot has been made of what they did.
  public var keepsRecords: Duration = .seconds(86_400)
  /// The folder in which transactions that aren't acknowledged survive the process; nil for none.
  ///
  /// An SQLite document doesn't need it: what can be written at all is in its file at once.
  public var queueFolder: String?
  /// What is logged goes here; nil for nothing.
  public var logger: Logger?
  /// Where metrics go; nil for nowhere.
  public var metrics: (any MetricsFactory)?

  /// Creates the default options.
  public init() {
    author = "\(ProcessInfo.processInfo.processName):\(ProcessInfo.processInfo.processIdentifier)"
  }
}
