import Foundation
import GRDB
import LedgerModel

/// A ledger in a SQLite file.
package final class LedgerFile {
  package let path: String
  private let database: DatabaseQueue

  /// Identifies ledgers among the SQLite files of other programs: "kvoL" in ASCII.
  private static let applicationID = 0x6B76_6F4C

  private init(path: String, database: DatabaseQueue) {
    self.path = path
    self.database = database
  }

  /// Opens a file that exists.
  ///
  /// - Throws: `LedgerFileError` if it doesn't exist or contains something else.
  package static func open(_ path: String) throws -> LedgerFile {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw LedgerFileError.missing(path)
    }
    if try file.read(upToCount: 9) == Data("snapshot ".utf8) {
      throw LedgerFileError.isNoDatabase(path)
    }
    return try explainingDatabase(path) {
      let database = try DatabaseQueue(path: path)
      let found = try database.read { try Int.fetchOne($0, sql: "PRAGMA application_id") }
      guard found == applicationID else { throw LedgerFileError.notALedger(path) }
      try migrator.migrate(database)
      return LedgerFile(path: path, database: database)
    }
  }

  /// Creates a new file.
  ///
  /// - Throws: `LedgerFileError` if the file exists already or can't be created.
  package static func create(_ path: String) throws -> LedgerFile {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw LedgerFileError.exists(path)
    }
    return try explainingDatabase(path) {
      let database = try DatabaseQueue(path: path)
      try database.write { try $0.execute(sql: "PRAGMA application_id = \(applicationID)") }
      try migrator.migrate(database)
      return LedgerFile(path: path, database: database)
    }
  }

  package func readCategories() throws -> [CategoryValues] {
    try explainingDatabase(path) {
      try database.read { try CategoryValues.orderByPrimaryKey().fetchAll($0) }
    }
  }

  package func readTransactions() throws -> [TransactionValues] {
    try explainingDatabase(path) {
      try database.read { try TransactionValues.orderByPrimaryKey().fetchAll($0) }
    }
  }

  /// Makes changes in one transaction: all are written or none.
  func write(_ changes: (Database) throws -> Void) throws {
    try explainingDatabase(path) { try database.write(changes) }
  }

  /// Migrates files from each version to the next; a new file starts empty.
  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.create(table: CategoryValues.databaseTableName) { table in
        table.primaryKey("id", .integer)
        table.column("name", .text).notNull()
        table.column("budget", .integer)
      }
      try database.create(table: TransactionValues.databaseTableName) { table in
        table.primaryKey("id", .integer)
        table.column("amount", .integer).notNull()
        table.column("categoryID", .integer).references(CategoryValues.databaseTableName)
        table.column("note", .text).notNull()
      }
    }
    return migrator
  }
}

/// Adds the file's name to the database's errors.
private func explainingDatabase<Result>(
  _ path: String, _ body: () throws -> Result
) throws -> Result {
  do {
    return try body()
  } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
    throw LedgerFileError.notALedger(path)
  } catch let error as DatabaseError {
    throw LedgerFileError.database(path, error.message ?? "\(error.resultCode)")
  }
}
