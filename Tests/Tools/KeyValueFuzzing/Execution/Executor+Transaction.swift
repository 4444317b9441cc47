import KeyValueObserving

/// The error that the closure of a failing transaction throws.
private struct Failed: Error {}

extension Executor {
  func run(_ batch: Batch) {
    let kept = Kept(batch.receivers.compactMap { node($0) })
    do {
      try runTransaction(batch)
    } catch {
      note(.answered("failed"))
    }
    kept.letGo()
  }

  private func runTransaction(_ batch: Batch) throws {
    let receivers = batch.receivers.compactMap { node($0) }
    if batch.receivers.count == 1 {
      try receivers.first?.performChanges(rollingBack: batch.isRollingBack) { _ in
        try perform(batch)
      }
    } else {
      try KeyValueTransaction.perform(rollingBack: batch.isRollingBack) { try perform(batch) }
    }
  }

  private func perform(_ batch: Batch) throws {
    batch.operations.forEach(perform)
    if batch.isFailing { throw Failed() }
  }
}
