import KeyValueObserving
import LedgerModel

/// Prints an account's changes, from whatever source: a command, a field, undoing.
final class ChangeReport {
  private let write: (String) -> Void
  private lazy var observer = KeyValueObserverController(owner: self)
  /// The names that were told last.
  private var overspent: [String] = []

  init(on account: Account, write: @escaping (String) -> Void) {
    self.write = write
    // This is the order of delivery. A change that another observer makes in response, such as to a
    // category's transactions, is printed before its cause.
    observer.observe(account.kvo.categories, options: [.initial, .old, .new]) {
      report, _, change in
      report.categoriesChanged(change)
    }
    observer.observe(account.kvo.transactions, options: [.initial, .old, .new]) {
      report, _, change in
      report.transactionsChanged(change)
    }
    tell(account.kvo.total, { _ in "total" }) { Amount.text($0) }
    overspent = account.overspent
    // Without its new value: a category that comes with a transaction gets it by an observer, after which
    // the names are others already.
    observer.observe(account.kvo.overspent) { report, account, _ in
      report.overspentChanged(to: account.overspent)
    }
  }

  private func overspentChanged(to names: [String]) {
    if names == overspent { return }
    func text(_ names: [String]) -> String {
      names.isEmpty ? "none" : names.joined(separator: ", ")
    }
    write("  over budget: \(text(overspent)) -> \(text(names))")
    overspent = names
  }

  private func categoriesChanged(_ change: KeyValueObservedChange<[Category]>) {
    for category in change.oldValue ?? [] {
      observer.unobserve(category)
      write("- category \(category.name)")
    }
    for category in change.newValue ?? [] {
      // The initial elements aren't new.
      if change.kind == .insertion { write("+ category \(category.name)") }
      tell(category.kvo.name, { "category \($0.id) name" }) { $0 }
      tell(category.kvo.budget, { "\($0.name) budget" }) { $0.map(Amount.text) ?? "none" }
      tell(category.kvo.total, \.name) { Amount.text($0) }
    }
  }

  private func transactionsChanged(_ change: KeyValueObservedChange<[Transaction]>) {
    for transaction in change.oldValue ?? [] {
      observer.unobserve(transaction)
      write("- \(text(transaction))")
    }
    for transaction in change.newValue ?? [] {
      if change.kind == .insertion { write("+ \(text(transaction))") }
      tell(transaction.kvo.amount, { "transaction \($0.number) amount" }) { Amount.text($0) }
      tell(transaction.kvo.category, { "transaction \($0.number) category" }) { $0?.name ?? "none" }
      tell(transaction.kvo.note, { "transaction \($0.number) note" }) { "\"\($0)\"" }
    }
  }

  private func text(_ transaction: Transaction) -> String {
    let category = transaction.category.map { " \($0.name)" } ?? ""
    let note = transaction.note.isEmpty ? "" : " \"\(transaction.note)\""
    return "transaction \(transaction.number): \(Amount.text(transaction.amount))\(category)\(note)"
  }

  /// Writes each effective change of a key path.
  ///
  /// The title is created when it's needed, because a category may have been renamed by then.
  private func tell<Object: KeyValueObservable, Value>(
    _ path: KeyValueBoundPath<Object, Value>, _ title: @escaping (Object) -> String,
    line: UInt = #line, _ text: @escaping (Value) -> String
  ) {
    // With the caller's line, which a trace shows as the place of the registration.
    observer.observe(path, options: [.old, .new], line: line) { report, object, change in
      guard let old = change.oldValue.map(text), let new = change.newValue.map(text), old != new
      else { return }
      report.write("  \(title(object)): \(old) -> \(new)")
    }
  }
}
