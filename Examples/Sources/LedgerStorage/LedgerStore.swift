/// Where a ledger is kept.
package protocol LedgerStore: AnyObject {
  /// The file; nil until it's known.
  var path: String? { get }
  /// Whether that file exists already.
  var isInFile: Bool { get }
  /// What isn't in the file, in words; nil if everything is, or there is nothing.
  var unsaved: String? { get }

  /// Takes what a command has changed.
  ///
  /// - Throws: `LedgerFileError` if it can't be written; it's unsaved then.
  func commandEnded() throws

  /// Saves, to a new file if one is named.
  ///
  /// - Returns: What was saved, in words; nil if no file is known.
  /// - Throws: `LedgerFileError`; what wasn't saved stays unsaved.
  func save(to newPath: String?) throws -> String?
}

/// The ways to keep a ledger.
package enum LedgerFormat: Sendable {
  /// A file of records, which gets each command's changes.
  case records
  /// A SQLite database, which the command `save` writes.
  case database
}
