import KeyValueObserving

/// What the closure of a failing transaction throws.
private struct Failed: Error {}

extension Executor {
  func run(_ batch: Batch) {
    let receivers = batch.receivers.compactMap { node($0) }
    // How long a transaction that may be taken back keeps old values is left open (see Freedoms).
    let kept: [AnyObject] = batch.isRollingBack ? living + badges.living : receivers
    do {
      if batch.receivers.count == 1 {
        try receivers.first?.performChanges(rollingBack: batch.isRollingBack) { _ in
          try perform(batch)
        }
      } else if batch.isRollingBack {
        try KeyValueTransaction.perform(rollingBack: receivers) { try perform(batch) }
      } else {
        try KeyValueTransaction.perform { try perform(batch) }
      }
    } catch {
      note(.answered("failed"))
    }
    letGo(of: kept)
  }

  private func perform(_ batch: Batch) throws {
    batch.operations.forEach(perform)
    if batch.isFailing { throw Failed() }
  }

  /// Lets go of objects one after the other.
  func letGo(of objects: consuming [AnyObject]) {
    objects.reverse()
    while objects.popLast() != nil {}
  }
}
