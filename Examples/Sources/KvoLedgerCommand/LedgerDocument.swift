import LedgerModel
import LedgerStorage

/// A ledger that is being edited: the model, its history, and the writer that observes it.
package final class LedgerDocument {
  package let account: Account
  package let history: LedgerHistory
  private let writer: LedgerWriter
  /// The destination of a ledger without a file, if it has been named.
  private let intendedPath: String?

  /// An empty ledger.
  package convenience init() {
    let account = Account()
    self.init(account, LedgerWriter(for: account), intendedPath: nil)
  }

  /// The ledger of a file, or an empty one if the file doesn't exist yet.
  ///
  /// - Throws: `LedgerFileError` if the file exists and can't be read.
  package convenience init(path: String) throws {
    do {
      let (account, writer) = try LedgerWriter.open(path)
      self.init(account, writer, intendedPath: nil)
    } catch LedgerFileError.missing {
      let account = Account()
      self.init(account, LedgerWriter(for: account), intendedPath: path)
    }
  }

  private init(_ account: Account, _ writer: LedgerWriter, intendedPath: String?) {
    self.account = account
    self.writer = writer
    self.intendedPath = intendedPath
    // After filling the account: opening a file isn't a step to undo.
    history = LedgerHistory(of: account)
  }

  /// The file that saving writes to, if known.
  package var path: String? { writer.file?.path ?? intendedPath }

  /// Whether that file exists already.
  package var isInFile: Bool { writer.file != nil }

  package var unsavedChanges: WrittenChanges { writer.pending }

  /// Writes the changes; to a new file, everything.
  ///
  /// - Returns: The written changes.
  /// - Throws: `LedgerFileError`, or `CommandError.noFile` if no file has been named.
  package func save(to newPath: String?) throws -> WrittenChanges {
    if let file = writer.file, newPath ?? file.path == file.path { return try writer.write() }
    guard let path = newPath ?? intendedPath else { throw CommandError.noFile }
    return try writer.write(toNewFile: path)
  }
}
