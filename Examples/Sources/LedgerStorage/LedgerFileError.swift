/// Why a file can't be opened, created or written.
package enum LedgerFileError: Error, Equatable, CustomStringConvertible {
  case missing(String)
  case exists(String)
  case notALedger(String)
  case isDatabase(String)
  case isNoDatabase(String)
  case damaged(String, line: Int, of: Int)
  case unreadable(String, line: Int, String)
  case unfitting(String, String)
  case newer(String, schema: Int, known: Int)
  case changed(String)
  case system(String, String)
  case database(String, String)

  package var description: String {
    switch self {
    case .missing(let path): "there is no file \(path)"
    case .exists(let path): "there is a file \(path) already"
    case .notALedger(let path): "\(path) is not a ledger"
    case .isDatabase(let path): "\(path) is a database; open it with --database"
    case .isNoDatabase(let path): "\(path) is not a database; open it without --database"
    case .damaged(let path, 1, let count):
      "\(path) is damaged in line 1 of \(count), its snapshot, and was left as it is; "
        + "only a copy of the file can help"
    case .damaged(let path, let line, let count):
      "\(path) is damaged in line \(line) of \(count), and was left as it is; take a copy of the "
        + "file, or what it was before that line: head -n \(line - 1) \(path) > before.ledger"
    case .unreadable(let path, let line, let reason):
      "\(path) can't be read from line \(line) on, and was left as it is: \(reason)"
    case .unfitting(let path, let reason):
      "\(path) doesn't fit together, and was left as it is: \(reason)"
    case .newer(let path, let schema, let known):
      "\(path) was written by a newer kvo-ledger, and was left as it is: its schema is \(schema), "
        + "this program knows \(known)"
    case .changed(let path):
      "another program has changed or removed \(path) since it was opened, so nothing was written; "
        + "'save FILE' saves to another file"
    case .system(let path, let message), .database(let path, let message): "\(path): \(message)"
    }
  }
}

/// Adds the file's name to the system's errors.
func explaining<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as SystemError {
    throw LedgerFileError.system(path, "\(error)")
  }
}
