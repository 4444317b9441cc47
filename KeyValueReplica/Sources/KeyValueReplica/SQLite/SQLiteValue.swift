import CSQLite
import Foundation

/// A value that's bound to a statement.
enum SQLiteValue {
  case null
  case int(Int64)
  case real(Double)
  case text(String)
  case blob(Data)

  static func id(_ id: UUID) -> SQLiteValue {
    .blob(withUnsafeBytes(of: id.uuid) { Data($0) })
  }

  static func id(_ id: UUID?) -> SQLiteValue {
    id.map { .id($0) } ?? .null
  }

  /// - Returns: SQLite's result code.
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    // Has SQLite copy the bytes; the macro isn't imported.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch self {
    case .null: return sqlite3_bind_null(statement, index)
    case .int(let value): return sqlite3_bind_int64(statement, index, value)
    case .real(let value): return sqlite3_bind_double(statement, index, value)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { bytes in
          // Without a base address it would be NULL.
          guard let base = bytes.baseAddress else {
            return sqlite3_bind_text(statement, index, "", 0, transient)
          }
          return sqlite3_bind_text64(
            statement, index, base, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let data):
      if data.isEmpty { return sqlite3_bind_zeroblob(statement, index, 0) }
      return data.withUnsafeBytes { bytes in
        sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), transient)
      }
    }
  }
}

/// A row of a running statement; its values can be read until the next row.
struct SQLiteRow {
  fileprivate let statement: OpaquePointer
  fileprivate let path: String

  init(statement: OpaquePointer, path: String) {
    self.statement = statement
    self.path = path
  }

  func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  func int(_ column: Int32) -> Int64 {
    sqlite3_column_int64(statement, column)
  }

  func real(_ column: Int32) -> Double {
    sqlite3_column_double(statement, column)
  }

  func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, column) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  func blob(_ column: Int32) -> Data {
    guard let bytes = sqlite3_column_blob(statement, column) else { return Data() }
    return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
  }

  func id(_ column: Int32) throws(LogError) -> UUID {
    let bytes = blob(column)
    guard bytes.count == 16 else {
      throw SQLiteError.error(SQLITE_CORRUPT, message: "an id of \(bytes.count) bytes", path: path)
    }
    return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }

  func optionalID(_ column: Int32) throws(LogError) -> UUID? {
    isNull(column) ? nil : try id(column)
  }
}
