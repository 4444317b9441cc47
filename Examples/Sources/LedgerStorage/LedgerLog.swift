import KeyValueObserving
import LedgerModel

/// Keeps an account in a file of records: what a command has changed is on the disk when the command ends.
///
/// It knows neither the model's properties nor what changes them: the log of the account makes the records.
package final class LedgerLog: LedgerStore {
  /// The version of the model's classes and keys.
  package static let schema = 1

  private let log: KeyValueChangeLog<Account>
  private var file: RecordFile?
  private let intendedPath: String?
  /// The records that aren't in the file.
  private var pending: [KeyValueTransactionRecord] = []
  private var observation: KeyValueObservation?

  private init(_ log: KeyValueChangeLog<Account>, file: RecordFile?, intendedPath: String?) {
    self.log = log
    self.file = file
    self.intendedPath = intendedPath
    observation = log.observe { [unowned self] in pending.append($0) }
  }

  /// Keeps a new account, in this file from its first change on if one is named.
  package convenience init(_ log: KeyValueChangeLog<Account>, intendedPath: String?) {
    self.init(log, file: nil, intendedPath: intendedPath)
  }

  /// Reads an account from a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - leastGrowth: How many bytes of records there are at least before a snapshot replaces them.
  /// - Returns: The account's log, what keeps it, and whether a torn line was dropped.
  /// - Throws: `LedgerFileError` if the file can't be read; it's left as it is.
  package static func open(
    _ path: String, leastGrowth: Int = 65_536
  ) throws -> (log: KeyValueChangeLog<Account>, store: LedgerLog, isTorn: Bool) {
    let (file, contents) = try RecordFile.open(path, schema: schema, leastGrowth: leastGrowth)
    do {
      let log = try KeyValueChangeLog(
        restoring: contents.latest(), as: Account.self, classes: Account.logClasses)
      return (log, LedgerLog(log, file: file, intendedPath: nil), contents.tornByteCount > 0)
    } catch let error as KeyValueLogError {
      throw LedgerFileError.unfitting(path, "\(error)")
    }
  }

  package var path: String? { file?.path ?? intendedPath }

  package var isInFile: Bool { file != nil }

  package var unsaved: String? {
    if file == nil, log.root.categories.isEmpty, log.root.transactions.isEmpty { return nil }
    if pending.isEmpty { return nil }
    return "\(pending.count) change\(pending.count == 1 ? "" : "s")"
  }

  package func commandEnded() throws {
    if pending.isEmpty { return }
    guard let file else {
      if let intendedPath { try create(intendedPath) }
      return
    }
    try file.append(pending)
    pending = []
    if file.isDueForSnapshot { try file.replaceAll(by: snapshot()) }
  }

  package func save(to newPath: String?) throws -> String? {
    if let file, newPath ?? file.path == file.path {
      try file.replaceAll(by: snapshot())
      pending = []
    } else if let path = newPath ?? intendedPath {
      try create(path)
    } else {
      return nil
    }
    let count = log.root.transactions.count
    let transactions = "\(count) transaction\(count == 1 ? "" : "s")"
    return "saved, \(transactions), total \(Amount.text(log.root.total))"
  }

  private func create(_ path: String) throws {
    file = try RecordFile.create(path, snapshot())
    pending = []
  }

  private func snapshot() throws -> KeyValueSnapshot {
    var snapshot = try log.snapshot()
    snapshot.schema = Self.schema
    return snapshot
  }
}
