import KeyValueObserving

/// Undo and redo for an account and everything in it.
///
/// A recorder records objects' keys. This class adds the objects that enter the account, and
/// removes those that leave it; undoing a removal brings an object's earlier changes back.
package final class LedgerHistory {
  private let recorder = KeyValueChangeRecorder()
  private lazy var observer = KeyValueObserverController(owner: self)

  package init(of account: Account) {
    record(account.kvo.categories, account.kvo.transactions)
    observer.observe(account.kvo.categories, options: [.initial, .old, .new]) {
      history, _, change in
      for category in change.oldValue ?? [] { history.recorder.stopRecording(category) }
      for category in change.newValue ?? [] {
        history.record(category.kvo.name, category.kvo.budget)
      }
    }
    observer.observe(account.kvo.transactions, options: [.initial, .old, .new]) {
      history, _, change in
      for transaction in change.oldValue ?? [] { history.recorder.stopRecording(transaction) }
      for transaction in change.newValue ?? [] {
        history.record(
          transaction.kvo.amount, transaction.kvo.category, transaction.kvo.note)
      }
    }
  }

  private func record<each Object: KeyValueObservable, each Value>(
    _ path: repeat KeyValueBoundPath<each Object, each Value>
  ) {
    do {
      try recorder.record(repeat each path)
    } catch {
      // The paths above are all settable; no user action leads here.
      preconditionFailure("\(error)")
    }
  }

  /// Makes all changes inside the closure one undo step.
  package func group<Result>(_ body: () throws -> Result) rethrows -> Result {
    try recorder.group(body)
  }

  /// Undoes the latest step.
  ///
  /// - Returns: Whether there was a step to undo.
  package func undo() throws -> Bool { try recorder.undo() }

  /// Redoes the latest undone step.
  ///
  /// - Returns: Whether there was a step to redo.
  package func redo() throws -> Bool { try recorder.redo() }
}
