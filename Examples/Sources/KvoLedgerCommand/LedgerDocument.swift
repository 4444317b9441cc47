import KeyValueObserving
import LedgerModel
import LedgerStorage

/// A ledger that is being edited: the account, its history, and what keeps it.
///
/// Both the history and the store live on the account's records, so neither lists the model's properties.
package final class LedgerDocument {
  package let account: Account
  /// The account's log; nil for a shared ledger, whose replica has its own.
  package let log: KeyValueChangeLog<Account>?
  /// The replica; nil for a ledger that only this program changes.
  let shared: SharedLedger?
  let history: any LedgerHistory
  private let store: any LedgerStore
  /// Whether the end of the file was torn, and is dropped.
  package let isTorn: Bool

  /// An empty ledger.
  package convenience init(format: LedgerFormat = .records) {
    do {
      try self.init(newAt: nil, format: format)
    } catch {
      // All keys of the model can be written; no user action leads here.
      preconditionFailure("\(error)")
    }
  }

  /// The ledger of a file, or an empty one if the file doesn't exist yet.
  ///
  /// - Throws: `LedgerFileError` if the file exists and can't be read.
  package convenience init(path: String, format: LedgerFormat = .records) throws {
    do {
      switch format {
      case .records:
        let (log, store, isTorn) = try LedgerLog.open(path)
        try self.init(log, store, isTorn: isTorn)
      case .database:
        let (log, store) = try LedgerWriter.open(path)
        try self.init(log, store)
      }
    } catch LedgerFileError.missing {
      try self.init(newAt: path, format: format)
    }
  }

  private convenience init(newAt path: String?, format: LedgerFormat) throws {
    let log = try KeyValueChangeLog(of: Account(), classes: Account.logClasses)
    switch format {
    case .records: try self.init(log, LedgerLog(log, intendedPath: path))
    case .database: try self.init(log, LedgerWriter(log, intendedPath: path))
    }
  }

  private init(
    _ log: KeyValueChangeLog<Account>, _ store: any LedgerStore, isTorn: Bool = false
  ) throws {
    self.log = log
    self.store = store
    self.isTorn = isTorn
    account = log.root
    shared = nil
    // After filling the account: opening a file isn't a step to undo.
    history = try RecordedHistory(of: log.root)
  }

  /// A ledger that other programs change, too.
  init(sharing ledger: SharedLedger) {
    account = ledger.replica.root
    log = nil
    shared = ledger
    history = ledger
    store = ledger
    isTorn = false
  }

  /// The file that saving writes to, if known.
  package var path: String? { store.path }

  /// Whether that file exists already.
  package var isInFile: Bool { store.isInFile }

  /// What isn't in the file, in words; nil if everything is.
  package var unsaved: String? { store.unsaved }

  /// Keeps what a command has changed.
  ///
  /// - Throws: `LedgerFileError` if it can't be written.
  package func commandEnded() throws { try store.commandEnded() }

  /// Saves, to a new file if one is named.
  ///
  /// - Returns: What was saved, in words.
  /// - Throws: `LedgerFileError`, or `CommandError.noFile` if no file has been named.
  package func save(to newPath: String?) throws -> String {
    guard let saved = try store.save(to: newPath) else { throw CommandError.noFile }
    return saved
  }
}
