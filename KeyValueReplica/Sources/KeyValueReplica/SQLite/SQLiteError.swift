import CSQLite
import Foundation

/// SQLite's result codes as errors of a log.
enum SQLiteError {
  static func closed(_ path: String) -> LogError {
    .refused(code: "closed", message: "The store of \(path) was closed.")
  }

  static var oldLibrary: LogError {
    .refused(
      code: "version",
      message: "SQLite \(String(cString: sqlite3_libversion())) is too old: install 3.37 or later.")
  }

  static func noFile(_ path: String) -> LogError {
    .refused(
      code: "path",
      message: "The path \(path.debugDescription) names no file. Give the store a file's path.")
  }

  /// - Parameters:
  ///   - code: SQLite's result code, which may be extended.
  ///   - message: SQLite's message.
  ///   - path: The file.
  /// - Returns: What the caller of the store is told.
  static func error(_ code: Int32, message: String, path: String) -> LogError {
    let name = names[code & 0xFF] ?? "SQLITE_\(code & 0xFF)"
    func refused(_ text: String) -> LogError {
      .refused(code: name, message: "\(path) \(text)")
    }
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
      return .unreachable("\(path) has been locked by another program for too long.")
    case SQLITE_NOMEM:
      return .unreachable("\(path) can't be used: out of memory.")
    case SQLITE_CANTOPEN:
      return refused(reasonNotToOpen(path))
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
      return refused("can't be written. Give the user the permission to write it and its folder.")
    case SQLITE_FULL:
      return refused("can't grow, because the disk is full. Make room on it.")
    case SQLITE_NOTADB:
      return refused("isn't a SQLite database. Name another file.")
    case SQLITE_CORRUPT:
      return refused("is damaged (\(message)). Restore it from a backup.")
    case SQLITE_TOOBIG:
      return refused("can't hold a value as large as this. SQLite's limit is a billion bytes.")
    case SQLITE_IOERR:
      return refused("can't be read or written (\(message), error \(code)). Check the disk.")
    default:
      return refused("can't be used: \(message) (error \(code)).")
    }
  }

  private static func reasonNotToOpen(_ path: String) -> String {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      return "is a folder. Name a file in it."
    }
    let folder = (path as NSString).deletingLastPathComponent
    if !FileManager.default.fileExists(atPath: folder.isEmpty ? "." : folder) {
      return "can't be opened, because its folder doesn't exist. Make the folder."
    }
    return "can't be opened. Give the user the permission to read and write it and its folder."
  }

  private static let names: [Int32: String] = [
    SQLITE_ERROR: "SQLITE_ERROR", SQLITE_PERM: "SQLITE_PERM", SQLITE_NOMEM: "SQLITE_NOMEM",
    SQLITE_READONLY: "SQLITE_READONLY", SQLITE_IOERR: "SQLITE_IOERR",
    SQLITE_CORRUPT: "SQLITE_CORRUPT", SQLITE_FULL: "SQLITE_FULL",
    SQLITE_CANTOPEN: "SQLITE_CANTOPEN", SQLITE_TOOBIG: "SQLITE_TOOBIG",
    SQLITE_CONSTRAINT: "SQLITE_CONSTRAINT", SQLITE_MISMATCH: "SQLITE_MISMATCH",
    SQLITE_MISUSE: "SQLITE_MISUSE", SQLITE_AUTH: "SQLITE_AUTH", SQLITE_NOTADB: "SQLITE_NOTADB",
  ]
}
