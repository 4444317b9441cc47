import GRDB
import KeyValueObserving
import LedgerModel

/// Observes an account, and writes the changes since the last save to a file.
///
/// No other code notifies the writer: commands, fields and undoing change the model, and the model
/// notifies its observers.
package final class LedgerWriter {
  /// The account's file; nil until it's saved for the first time.
  package private(set) var file: LedgerFile?
  private let categories: FollowedTable<Category, CategoryValues>
  private let transactions: FollowedTable<Transaction, TransactionValues>

  /// Follows a new account without a file.
  package convenience init(for account: Account) {
    self.init(for: account, categories: [], transactions: [], file: nil)
  }

  private init(
    for account: Account, categories: [CategoryValues], transactions: [TransactionValues],
    file: LedgerFile?
  ) {
    self.categories = FollowedTable(
      account.kvo.categories, values: KeyValuePath(\.values), stored: categories)
    self.transactions = FollowedTable(
      account.kvo.transactions, values: KeyValuePath(\.values), stored: transactions)
    self.file = file
  }

  /// Reads an account from a file, and follows it.
  ///
  /// - Throws: `LedgerFileError` if the file can't be read.
  package static func open(_ path: String) throws -> (account: Account, writer: LedgerWriter) {
    let file = try LedgerFile.open(path)
    let categories = try file.readCategories()
    let transactions = try file.readTransactions()
    let account = Account(categories: categories, transactions: transactions)
    let writer = LedgerWriter(
      for: account, categories: categories, transactions: transactions, file: file)
    return (account, writer)
  }

  /// The changes that `write()` would write now.
  package var pending: WrittenChanges {
    WrittenChanges(categories.changes) + WrittenChanges(transactions.changes)
  }

  /// Writes all changes or none.
  ///
  /// - Returns: The number of rows written; none if the account has no file yet.
  /// - Throws: `LedgerFileError`; then everything is still unwritten.
  ///
  /// - Complexity: Depends on the number of changes, not on the size of the account.
  @discardableResult
  package func write() throws -> WrittenChanges {
    guard let file else { return WrittenChanges() }
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

  /// Writes everything to a new file, which then becomes the account's file.
  ///
  /// - Throws: `LedgerFileError` if the file exists already or can't be written.
  @discardableResult
  package func write(toNewFile path: String) throws -> WrittenChanges {
    file = try LedgerFile.create(path)
    categories.markUnwritten()
    transactions.markUnwritten()
    return try write()
  }
}

/// The number of written rows.
package struct WrittenChanges: Equatable, CustomStringConvertible {
  package var insertions = 0
  package var edits = 0
  package var removals = 0

  package init(insertions: Int = 0, edits: Int = 0, removals: Int = 0) {
    self.insertions = insertions
    self.edits = edits
    self.removals = removals
  }

  init<Row>(_ changes: TableChanges<Row>) {
    self.init(
      insertions: changes.insertions.count, edits: changes.edits.count,
      removals: changes.removals.count)
  }

  package var isEmpty: Bool { self == WrittenChanges() }

  package var description: String { "\(insertions) new, \(edits) changed, \(removals) removed" }

  static func + (left: WrittenChanges, right: WrittenChanges) -> WrittenChanges {
    WrittenChanges(
      insertions: left.insertions + right.insertions, edits: left.edits + right.edits,
      removals: left.removals + right.removals)
  }
}
