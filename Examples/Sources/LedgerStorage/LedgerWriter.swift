import GRDB
import KeyValueObserving
import LedgerModel

/// Observes an account, and writes to a file what has changed since it was written last.
///
/// Nobody tells the writer anything: commands, fields and undoing change the model, and the model tells
/// whoever observes.
package final class LedgerWriter {
  /// Where the account is kept; nil until it has been saved for the first time.
  package private(set) var file: LedgerFile?
  private let categories: FollowedTable<Category, CategoryValues>
  private let transactions: FollowedTable<Transaction, TransactionValues>

  /// Follows a new account, which is in no file.
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
  /// - Throws: `LedgerFileError` where the file cannot be read.
  package static func open(_ path: String) throws -> (account: Account, writer: LedgerWriter) {
    let file = try LedgerFile.open(path)
    let categories = try file.readCategories()
    let transactions = try file.readTransactions()
    let account = Account(categories: categories, transactions: transactions)
    let writer = LedgerWriter(
      for: account, categories: categories, transactions: transactions, file: file)
    return (account, writer)
  }

  /// What `write()` would do now.
  package var pending: WrittenChanges {
    WrittenChanges(categories.changes) + WrittenChanges(transactions.changes)
  }

  /// Writes what has changed, all of it or nothing.
  ///
  /// The cost is in what changed, not in what there is.
  ///
  /// - Returns: What was written; nothing where the account is in no file yet.
  /// - Throws: `LedgerFileError`; then everything is still to be written.
  @discardableResult
  package func write() throws -> WrittenChanges {
    guard let file else { return WrittenChanges() }
    let (categories, transactions) = (self.categories.changes, self.transactions.changes)
    try file.write { database in
      // In this order no row ever refers to one that is not there.
      try categories.writeEntries(to: database)
      try transactions.writeEntries(to: database)
      try transactions.writeRemovals(to: database)
      try categories.writeRemovals(to: database)
    }
    self.categories.markWritten(categories)
    self.transactions.markWritten(transactions)
    return WrittenChanges(categories) + WrittenChanges(transactions)
  }

  /// Writes everything to a new file, which the account is kept in from now on.
  ///
  /// - Throws: `LedgerFileError` where there is such a file already, or it cannot be written.
  @discardableResult
  package func write(toNewFile path: String) throws -> WrittenChanges {
    file = try LedgerFile.create(path)
    categories.markUnwritten()
    transactions.markUnwritten()
    return try write()
  }
}

/// How many rows are written.
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
