import KeyValueObserving

/// What money is spent on.
@KeyValueObservable
package final class Category: Identifiable {
  package let id: Int
  package var name: String
  /// In cents; nil where there is no limit.
  package var budget: Int?
  /// Those of the account's transactions that have this category.
  ///
  /// It follows from the transactions, so nobody sets it but CategoryMembership, and no file keeps it.
  package var transactions: Set<Transaction> = []
  /// Weak, as all references from an object to what contains it.
  package private(set) weak var account: Account?

  package init(id: Int, name: String = "", budget: Int? = nil, account: Account) {
    self.id = id
    self.name = name
    self.budget = budget
    self.account = account
  }

  /// What they come to.
  ///
  /// The path leads through the collection: a transaction that comes, goes or is edited is told.
  @DependsOn("transactions.@sum.amount")
  package var total: Int { transactions.reduce(0) { $0 + $1.amount } }

  /// What may still be spent; nil where there is no limit.
  ///
  /// The macro reads in the getter that this depends on `budget` and `total`.
  package var remaining: Int? { budget.map { $0 - total } }

  package var isOverspent: Bool { (remaining ?? 0) < 0 }

  /// What a file keeps, told when any of it changes.
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
