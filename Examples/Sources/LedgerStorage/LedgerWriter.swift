import GRDB
import KeyValueObserving
import LedgerModel

/// Keeps an account in a database: writes the changes since the last save.
///
/// No other code notifies the writer: commands, fields and undoing change the model, and the account's log
/// makes records of it.
package final class LedgerWriter: LedgerStore {
  /// The account's file; nil until it's saved for the first time.
  private var file: LedgerFile?
  private let intendedPath: String?
  private var categories: RecordedTable<Account, Category, CategoryValues>
  private var transactions: RecordedTable<Account, Transaction, TransactionValues>
  private var observation: KeyValueObservation?

  /// Keeps a new account, in this file from the first save on if one is named.
  package convenience init(_ log: KeyValueChangeLog<Account>, intendedPath: String?) throws {
    try self.init(log, categories: [], transactions: [], file: nil, intendedPath: intendedPath)
  }

  private init(
    _ log: KeyValueChangeLog<Account>, categories: [CategoryValues],
    transactions: [TransactionValues], file: LedgerFile?, intendedPath: String?
  ) throws {
    let snapshot = try log.snapshot()
    self.categories = RecordedTable(log, snapshot, stored: categories) { $0.values }
    self.transactions = RecordedTable(log, snapshot, stored: transactions) { $0.values }
    self.file = file
    self.intendedPath = intendedPath
    observation = log.observe { [unowned self] record in
      self.categories.note(record)
      self.transactions.note(record)
    }
  }

  /// Reads an account from a file.
  ///
  /// - Returns: The account's log, and what keeps it.
  /// - Throws: `LedgerFileError` if the file can't be read.
  package static func open(
    _ path: String
  ) throws -> (log: KeyValueChangeLog<Account>, store: LedgerWriter) {
    let file = try LedgerFile.open(path)
    let categories = try file.readCategories()
    let transactions = try file.readTransactions()
    let account = Account(categories: categories, transactions: transactions)
    let log = try KeyValueChangeLog(of: account, classes: Account.logClasses)
    let writer = try LedgerWriter(
      log, categories: categories, transactions: transactions, file: file, intendedPath: nil)
    return (log, writer)
  }

  package var path: String? { file?.path ?? intendedPath }

  package var isInFile: Bool { file != nil }

  package var unsaved: String? { pending.isEmpty ? nil : "\(pending)" }

  /// Does nothing: a database is written when it's saved.
  package func commandEnded() {}

  package func save(to newPath: String?) throws -> String? {
    if let file, newPath ?? file.path == file.path { return "\(try write(to: file))" }
    guard let path = newPath ?? intendedPath else { return nil }
    let file = try LedgerFile.create(path)
    self.file = file
    categories.markUnwritten()
    transactions.markUnwritten()
    return "\(try write(to: file))"
  }

  /// The changes that a save would write now.
  private var pending: WrittenChanges {
    WrittenChanges(categories.changes) + WrittenChanges(transactions.changes)
  }

  /// Writes all changes or none.
  ///
  /// - Complexity: Depends on the number of changes, not on the size of the account.
  private func write(to file: LedgerFile) throws -> WrittenChanges {
    let (categories, transactions) = (self.categories.changes, self.transactions.changes)
    try file.write { database in
      // In this order no row ever refers to a missing one.
      try categories.writeEntries(to: database)
      try transactions.writeEntries(to: database)
      try transactions.writeRemovals(to: database)
      try categories.writeRemovals(to: database)
    }
    self.categories.markWritten(categories)
    self.transactions.markWritten(transactions)
    return WrittenChanges(categories) + WrittenChanges(transactions)
  }
}

/// The number of written rows.
struct WrittenChanges: Equatable, CustomStringConvertible {
  var insertions = 0
  var edits = 0
  var removals = 0

  init(insertions: Int = 0, edits: Int = 0, removals: Int = 0) {
    self.insertions = insertions
    self.edits = edits
    self.removals = removals
  }

  init<Row>(_ changes: TableChanges<Row>) {
    self.init(
      insertions: changes.insertions.count, edits: changes.edits.count,
      removals: changes.removals.count)
  }

  var isEmpty: Bool { self == WrittenChanges() }

  var description: String { "\(insertions) new, \(edits) changed, \(removals) removed" }

  static func + (left: WrittenChanges, right: WrittenChanges) -> WrittenChanges {
    WrittenChanges(
      insertions: left.insertions + right.insertions, edits: left.edits + right.edits,
      removals: left.removals + right.removals)
  }
}
