import LedgerModel
import LedgerStorage

/// A ledger that is being edited: the model, its history, and the writer that observes it.
package final class LedgerDocument {
  package let account: Account
  package let history: LedgerHistory
  private let writer: LedgerWriter
  /// Where a ledger that is in no file yet goes, if that has been said.
  private let intendedPath: String?

  /// An empty ledger.
  package convenience init() {
    let account = Account()
    self.init(account, LedgerWriter(for: account), intendedPath: nil)
  }

  /// The ledger of a file, or an empty one for a file that is not there yet.
  ///
  /// - Throws: `LedgerFileError` where the file is there and cannot be read.
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
    // After the account was filled: opening a file is no step to be undone.
    history = LedgerHistory(of: account)
  }

  /// The file that saving writes to, where that is known.
  package var path: String? { writer.file?.path ?? intendedPath }

  /// Whether there is such a file already.
  package var isInFile: Bool { writer.file != nil }

  package var unsavedChanges: WrittenChanges { writer.pending }

  /// Writes what has changed; or everything, to a file that is not there yet.
  ///
  /// - Returns: What was written.
  /// - Throws: `LedgerFileError`, or `CommandError.noFile` where no file has been named.
  package func save(to newPath: String?) throws -> WrittenChanges {
    if let file = writer.file, newPath ?? file.path == file.path { return try writer.write() }
    guard let path = newPath ?? intendedPath else { throw CommandError.noFile }
    return try writer.write(toNewFile: path)
  }
}
