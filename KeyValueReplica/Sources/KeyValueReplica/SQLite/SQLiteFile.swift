import CSQLite
import Foundation

/// An open SQLite file of logs.
final class SQLiteFile {
  /// Tells a file of logs from other SQLite files: "kvor".
  static let application: Int64 = 0x6B76_6F72
  /// The version of the tables.
  static let format: Int64 = 1

  let path: String
  private let patience: SQLitePatience
  private let handle: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]

  /// Opens a file of logs, and makes it if there's none.
  ///
  /// A file that it refuses isn't touched.
  init(
    path: String, durability: SQLiteLogStore.Durability, patience: SQLitePatience
  ) throws(LogError) {
    self.path = path
    self.patience = patience
    guard sqlite3_libversion_number() >= 3_037_000 else { throw SQLiteError.oldLibrary }
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_EXRESCODE, nil)
    guard let handle else { throw SQLiteError.error(code, message: "", path: path) }
    self.handle = handle
    // From here on the deinitializer closes it, whatever is thrown.
    try check(code)
    // For an empty path and ":memory:" SQLite makes a database without a file, which no other process has.
    guard let name = sqlite3_db_filename(handle, "main"), name.pointee != 0 else {
      throw SQLiteError.noFile(path)
    }
    sqlite3_busy_handler(
      handle,
      { context, attempt in
        let patience = Unmanaged<SQLitePatience>.fromOpaque(context!).takeUnretainedValue()
        return patience.waits(attempt: Int(attempt)) ? 1 : 0
      }, Unmanaged.passUnretained(patience).toOpaque())
    try prepareTables(durability)
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  private func prepareTables(_ durability: SQLiteLogStore.Durability) throws(LogError) {
    // Looked at before anything changes it: the file may be another program's.
    let isNew = try transaction("BEGIN") { file throws(LogError) in try file.isNew() }
    try turnOnWriteAheadLog()
    switch durability {
    case .full:
      try execute("PRAGMA synchronous = FULL")
      // Darwin's fsync doesn't wait for the disk; elsewhere these change nothing.
      try execute("PRAGMA fullfsync = ON")
      try execute("PRAGMA checkpoint_fullfsync = ON")
    case .process:
      try execute("PRAGMA synchronous = NORMAL")
    }
    // After a large transaction the log's file is cut off again.
    try execute("PRAGMA journal_size_limit = \(LogLimits.bytes)")
    if isNew {
      try transaction("BEGIN IMMEDIATE") { file throws(LogError) in
        // Another process may have been faster.
        if try file.isNew() { try file.createTables() }
      }
    }
  }

  private func isNew() throws(LogError) -> Bool {
    let application = try integer("PRAGMA application_id")
    let format = try integer("PRAGMA user_version")
    if application == 0, format == 0, try integer("SELECT count(*) FROM sqlite_schema") == 0 {
      return true
    }
    guard application == Self.application else {
      throw .refused(
        code: "application_id",
        message: "\(path) is a SQLite database of another program. Give the documents a file of "
          + "their own.")
    }
    guard format == Self.format else {
      throw .refused(
        code: "user_version",
        message: "\(path) has format \(format), and this program knows format \(Self.format). "
          + "Update the program.")
    }
    return false
  }

  /// Turns the write-ahead log on, and waits for another process that makes the file at the same time: SQLite doesn't
  /// call the busy handler then.
  private func turnOnWriteAheadLog() throws(LogError) {
    var attempt = 0
    while true {
      do throws(LogError) {
        var mode = ""
        try execute("PRAGMA journal_mode = WAL") { row throws(LogError) in mode = row.text(0) }
        guard mode == "wal" else {
          throw LogError.refused(
            code: "journal_mode",
            message: "\(path) is on a file system that SQLite's write-ahead log doesn't work on. "
              + "Use a local disk.")
        }
        return
      } catch {
        guard case .unreachable = error, patience.waits(attempt: attempt) else { throw error }
        attempt += 1
      }
    }
  }

  private func createTables() throws(LogError) {
    // The head and the record before the oldest are kept by id too, because compaction deletes them.
    try execute(
      """
      CREATE TABLE document (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, epoch BLOB NOT NULL,
        schema INTEGER NOT NULL, revision INTEGER NOT NULL DEFAULT 0, head BLOB,
        oldest INTEGER NOT NULL DEFAULT 0, oldest_id BLOB) STRICT
      """)
    try execute(
      """
      CREATE TABLE record (
        document INTEGER NOT NULL, revision INTEGER NOT NULL, id BLOB NOT NULL,
        author TEXT NOT NULL, edits BLOB NOT NULL, at REAL NOT NULL,
        PRIMARY KEY (document, revision)) STRICT, WITHOUT ROWID
      """)
    try execute("CREATE UNIQUE INDEX record_id ON record (document, id)")
    try execute(
      """
      CREATE TABLE snapshot (
        document INTEGER NOT NULL, revision INTEGER NOT NULL, id BLOB, state BLOB NOT NULL,
        at REAL NOT NULL, PRIMARY KEY (document, revision)) STRICT
      """)
    try execute("PRAGMA application_id = \(Self.application)")
    try execute("PRAGMA user_version = \(Self.format)")
  }

  /// Whether another file, or none, is where this one was.
  var isMoved: Bool {
    var isMoved: Int32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &isMoved)
    return code == SQLITE_OK && isMoved != 0
  }

  func dataVersion() throws(LogError) -> Int64 {
    try integer("PRAGMA data_version")
  }

  /// How many rows the last statement changed.
  var changes: Int { Int(sqlite3_changes64(handle)) }

  // MARK: Statements

  /// Calls `body` in a transaction, which an error undoes.
  func transaction<R>(
    _ begin: String, _ body: (SQLiteFile) throws(LogError) -> R
  ) throws(LogError) -> R {
    try execute(begin)
    do throws(LogError) {
      let result = try body(self)
      try commit()
      return result
    } catch {
      // Some errors have undone it already.
      if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  private func commit() throws(LogError) {
    do throws(LogError) {
      try execute("COMMIT")
    } catch {
      // The disk may have it, although it has reported an error: after a crash it may be there.
      if case .refused("SQLITE_IOERR", let message) = error { throw .outcomeUnknown(message) }
      throw error
    }
  }

  /// Runs a statement, and calls `row` for each of its rows.
  func execute(
    _ sql: String, _ values: [SQLiteValue] = [],
    row: (SQLiteRow) throws(LogError) -> Void = { _ in }
  ) throws(LogError) {
    try rows(sql, values) { found throws(LogError) in
      try row(found)
      return true
    }
  }

  /// Runs a statement, and calls `row` for its rows until it returns false.
  func rows(
    _ sql: String, _ values: [SQLiteValue], _ row: (SQLiteRow) throws(LogError) -> Bool
  ) throws(LogError) {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      try check(value.bind(to: statement, at: Int32(index + 1)))
    }
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw error(code) }
      guard try row(SQLiteRow(statement: statement, path: path)) else { return }
    }
  }

  private func integer(_ sql: String) throws(LogError) -> Int64 {
    var result: Int64 = 0
    try execute(sql) { row throws(LogError) in result = row.int(0) }
    return result
  }

  private func prepared(_ sql: String) throws(LogError) -> OpaquePointer {
    if let known = statements[sql] { return known }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    try check(code)
    statements[sql] = statement!
    return statement!
  }

  private func check(_ code: Int32) throws(LogError) {
    if code != SQLITE_OK { throw error(code) }
  }

  /// The error of tables that hold what no program writes.
  func damage(_ message: String) -> LogError {
    SQLiteError.error(SQLITE_CORRUPT, message: message, path: path)
  }

  private func error(_ code: Int32) -> LogError {
    if patience.isClosed, code & 0xFF == SQLITE_BUSY { return SQLiteError.closed(path) }
    return SQLiteError.error(code, message: String(cString: sqlite3_errmsg(handle)), path: path)
  }
}
