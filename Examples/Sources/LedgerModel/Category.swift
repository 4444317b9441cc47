import KeyValueObserving

/// A purpose of expenses.
@KeyValueObservable
package final class Category: Identifiable {
  package let id: Int
  package var name: String
  /// In cents; nil if there is no limit.
  package var budget: Int?
  /// Weak, like all references from an object to its container.
  package private(set) weak var account: Account?

  @KeyValueIgnored private var members: Set<Transaction> = []

  package init(id: Int, name: String = "", budget: Int? = nil, account: Account?) {
    self.id = id
    self.name = name
    self.budget = budget
    self.account = account
  }

  /// The account's transactions with this category.
  ///
  /// It's computed, so a log of the account has the transactions' categories only. Its changes are made and
  /// announced through the proxy, by CategoryMembership.
  @DependsOn()
  package var transactions: Set<Transaction> { members }

  func addTransactionsObject(_ transaction: Transaction) { members.insert(transaction) }

  func removeTransactionsObject(_ transaction: Transaction) { members.remove(transaction) }

  /// The sum of its transactions.
  ///
  /// The path leads through the collection: inserting, removing or editing a transaction notifies.
  @DependsOn("transactions.@sum.amount")
  package var total: Int { transactions.reduce(0) { $0 + $1.amount } }

  /// The rest of the budget; nil if there is no limit.
  ///
  /// The macro infers from the getter that this depends on `budget` and `total`.
  package var remaining: Int? { budget.map { $0 - total } }

  package var isOverspent: Bool { (remaining ?? 0) < 0 }

  /// The values of its row in a database.
  package var values: CategoryValues { CategoryValues(id: id, name: name, budget: budget) }

  package func validateName(_ name: inout String) throws {
    name = name.trimmed
    guard !name.isEmpty else { throw LedgerError.nameless }
    guard name.count <= 40 else { throw LedgerError.tooLong("a name", limit: 40) }
    if let other = account?.category(named: name), other !== self {
      throw LedgerError.nameTaken(name)
    }
  }

  package func validateBudget(_ budget: inout Int?) throws {
    if let budget { try Amount.validate(budget) }
  }
}

/// The values of a category at one moment.
package struct CategoryValues: Codable, Hashable, Identifiable, Sendable {
  package let id: Int
  package let name: String
  package let budget: Int?

  package init(id: Int, name: String, budget: Int?) {
    self.id = id
    self.name = name
    self.budget = budget
  }
}
