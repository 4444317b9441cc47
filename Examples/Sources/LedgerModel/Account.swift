import KeyValueObserving

/// A whole ledger: the expenses, and their purposes.
///
/// The model notifies its observers without knowing them. Both lists are in ascending order of the
/// ids, and change through proxies, so that observers receive the inserted and removed elements
/// with their indexes.
@KeyValueObservable
package final class Account {
  package var categories: [Category] = []
  package var transactions: [Transaction] = []

  @KeyValueIgnored private var membership: CategoryMembership?

  package init() {
    membership = CategoryMembership(of: self)
  }

  /// Creates an account from stored values.
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

  /// How a log makes the objects whose ids are constants; it makes an account by `init()`.
  package static var logClasses: [KeyValueLogClass] {
    [
      KeyValueLogClass(Category.self) { Category(id: try $0.value("id"), account: nil) },
      KeyValueLogClass(Transaction.self) { Transaction(id: try $0.value("id"), account: nil) },
    ]
  }

  // MARK: Totals

  /// The sum of all transactions.
  @DependsOn("transactions.@sum.amount")
  package var total: Int { transactions.reduce(0) { $0 + $1.amount } }

  /// The average of the transactions; nil if there are none.
  ///
  /// The macro infers the dependencies from the getter.
  package var average: Int? { transactions.isEmpty ? nil : total / transactions.count }

  /// The names of the categories with exceeded budgets.
  @DependsOn("categories.isOverspent", "categories.name")
  package var overspent: [String] { categories.filter(\.isOverspent).map(\.name) }

  /// The sum of the transactions without a category.
  @DependsOn("categories.total")
  package var uncategorized: Int { total - categories.reduce(0) { $0 + $1.total } }
}
