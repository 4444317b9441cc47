import KeyValueObserving

/// The whole of a ledger: what was spent, and on what.
///
/// The model tells its changes and knows nobody who listens. Both lists are in ascending order of the
/// ids, and are changed through proxies, so that observers learn what came and went, and where.
@KeyValueObservable
package final class Account {
  package var categories: [Category] = []
  package var transactions: [Transaction] = []

  @KeyValueIgnored private var membership: CategoryMembership?

  package init() {
    membership = CategoryMembership(of: self)
  }

  /// Creates an account of values that were stored.
  package init(categories: [CategoryValues], transactions: [TransactionValues]) {
    self.categories = categories.map {
      Category(id: $0.id, name: $0.name, budget: $0.budget, account: self)
    }
    let known = Dictionary(uniqueKeysWithValues: self.categories.map { ($0.id, $0) })
    self.transactions = transactions.map {
      Transaction(
        id: $0.id, amount: $0.amount, category: $0.categoryID.flatMap { known[$0] }, note: $0.note,
        account: self)
    }
    membership = CategoryMembership(of: self)
  }

  // MARK: Totals

  /// What all transactions come to.
  @DependsOn("transactions.@sum.amount")
  package var total: Int { transactions.reduce(0) { $0 + $1.amount } }

  /// What a transaction comes to on average; nil where there is none.
  ///
  /// The macro reads in the getter what this depends on.
  package var average: Int? { transactions.isEmpty ? nil : total / transactions.count }

  /// The names of the categories whose budgets are exceeded.
  @DependsOn("categories.isOverspent", "categories.name")
  package var overspent: [String] { categories.filter(\.isOverspent).map(\.name) }

  /// What the transactions without a category come to.
  @DependsOn("categories.total")
  package var uncategorized: Int { total - categories.reduce(0) { $0 + $1.total } }
}
