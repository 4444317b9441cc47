import KeyValueObserving

/// Undo and redo for an account and everything in it.
///
/// A recorder records keys of objects. This adds the objects that enter the account, and leaves out those
/// that left it; one that comes back by undoing brings its earlier changes with it.
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
      // The paths are written above, and all can be set; nothing that a user does leads here.
      preconditionFailure("\(error)")
    }
  }

  /// Makes all changes inside the closure one step.
  package func group<Result>(_ body: () throws -> Result) rethrows -> Result {
    try recorder.group(body)
  }

  /// - Returns: Whether there was anything to undo.
  package func undo() throws -> Bool { try recorder.undo() }

  /// - Returns: Whether there was anything to redo.
  package func redo() throws -> Bool { try recorder.redo() }
}
