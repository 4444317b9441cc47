import KeyValueObserving

/// Undo and redo for an account and everything in it.
///
/// A recorder records keys of objects. This adds the objects that enter the account, and leaves out those
/// that left it; one that comes back by undoing brings its earlier changes with it.
package final class LedgerHistory {
  private let recorder = KeyValueChangeRecorder()
  private lazy var observer = KeyValueObserverController(owner: self)

  package init(of account: Account) {
    record(account, "categories", "transactions")
    observer.observe(account, \.categories, options: [.initial, .old, .new]) {
      history, _, change in
      for category in change.oldValue ?? [] { history.recorder.stopRecording(category) }
      for category in change.newValue ?? [] { history.record(category, "name", "budget") }
    }
    observer.observe(account, \.transactions, options: [.initial, .old, .new]) {
      history, _, change in
      for transaction in change.oldValue ?? [] { history.recorder.stopRecording(transaction) }
      for transaction in change.newValue ?? [] {
        history.record(transaction, "amount", "category", "note")
      }
    }
  }

  private func record(_ object: some KeyValueObservable, _ keys: String...) {
    do {
      try recorder.record(object, keys)
    } catch {
      // The keys are written above; nothing that a user does leads here.
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
