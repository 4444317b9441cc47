import KeyValueObserving

/// Maintains the transactions of each category, the inverse of a transaction's category.
///
/// It observes, so it covers every change of the account, including undoing. Only the account's
/// transactions are in a category, so a removed one isn't in any.
final class CategoryMembership {
  private lazy var observer = KeyValueObserverController(owner: self)

  init(of account: Account) {
    observer.observe(account.kvo.transactions, options: [.initial, .old, .new]) {
      membership, _, change in
      for transaction in change.oldValue ?? [] {
        membership.observer.unobserve(transaction)
        membership.move(transaction, from: transaction.category, to: nil)
      }
      for transaction in change.newValue ?? [] { membership.follow(transaction) }
    }
  }

  private func follow(_ transaction: Transaction) {
    observer.observe(transaction.kvo.category, options: [.initial, .old, .new]) {
      membership, transaction, change in
      membership.move(transaction, from: change.oldValue ?? nil, to: change.newValue ?? nil)
    }
  }

  private func move(_ transaction: Transaction, from old: Category?, to new: Category?) {
    guard old !== new else { return }
    // Through the proxy, which reports the element that leaves or enters.
    old?.kvo.transactions.mutableSet().remove(transaction)
    new?.kvo.transactions.mutableSet().insert(transaction)
  }
}
