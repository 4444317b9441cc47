// The two halves of a mutation inside a transaction.
extension Change {
  mutating func will(_ object: AnyObject, old: UnsafeRawPointer?, in transaction: Transaction) {
    transaction.noteOldValue(of: object, watches)
    structureWillChange()
    if needs.contains(.evaluatedOld) {
      let mayOutlastTransaction = mayOutlastTransaction
      olds = captures(object, where: .evaluatedOld) {
        mayOutlastTransaction || $0.participation == .immediate
      }
    }
    let change = self
    watches.forEachObservance { watch, index in
      switch watch.observance.participation {
      case .witness: break
      case .immediate:
        guard watch.needs.contains(.prior) else { break }
        change.deliver(watch, object, index, old: old, new: nil, captured: nil, isPrior: true)
      case .deferred:
        guard !transaction.isRestoring, change.concerns(watch.observance),
          let root = watch.root(mutated: object)
        else { break }
        transaction.begin(watch, object, root: root, change)
      }
    }
  }

  func did(
    _ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?,
    in transaction: Transaction
  ) {
    var late: Set<Int> = []
    watches.forEachObservance { watch, index in
      switch watch.observance.participation {
      case .witness: break
      case .immediate:
        deliver(watch, object, index, old: old, new: new, captured: nil, isPrior: false)
      case .deferred:
        guard !transaction.isRestoring, concerns(watch.observance) else { break }
        if !transaction.complete(watch, self) { late.insert(index) }
      }
    }
    if late.isEmpty { return }
    // A manual pair that began in a part of the transaction that was rolled back has outlived it.
    let news = captures(object, where: .evaluatedNew)
    watches.forEachObservance { watch, index in
      guard late.contains(index) else { return }
      deliver(
        watch, object, index, old: old, new: new, captured: news[index], isPrior: false)
    }
  }

  private func concerns(_ observance: Observance) -> Bool {
    observance.isActive && muted?.contains(observance.sequence) != true
  }
}
