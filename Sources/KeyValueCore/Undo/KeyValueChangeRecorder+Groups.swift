// Several changes as one level: groups and transactions.
extension KeyValueChangeRecorder {
  /// Makes all changes inside the closure one level.
  ///
  /// ```swift
  /// recorder.group {
  ///   person.firstName = "Grace"
  ///   person.lastName = "Hopper"
  /// }
  /// try recorder.undo()                          // both
  /// ```
  ///
  /// `performChanges` of any object makes one level too, or none if it's rolled back. A nested
  /// group belongs to the outer one. A group without changes makes no level. If the closure throws,
  /// the changes made until then are a level too.
  @discardableResult
  public func group<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    beginGrouping()
    defer { endGrouping() }
    return try body()
  }

  /// Makes the changes of this thread's open transaction one level, or none if it's rolled back.
  func joinTransaction() {
    guard !isInTransaction, case .recording = activity, let transaction = Transaction.current
    else { return }
    keepLevels(of: transaction)
    isInTransaction = true
    beginGrouping()
    let count = openGroup?.steps.count ?? 0
    transaction.atEnd { [weak self] isRolledBack in
      guard let self else { return }
      isInTransaction = false
      if isRolledBack { openGroup?.removeAll(after: count) }
      if groupDepth > 0 { endGrouping() }
    }
  }

  /// Restores the levels if the transaction is rolled back.
  func keepLevels(of transaction: Transaction) {
    guard transaction !== knownTransaction else { return }
    knownTransaction = transaction
    let (undoable, redoable) = (undoLevels, redoLevels)
    transaction.atEnd { [weak self] isRolledBack in
      guard let self, isRolledBack else { return }
      replace(\.undoLevels, with: undoable)
      replace(\.redoLevels, with: redoable)
      trim()
    }
  }

  /// Begins a group that `endGrouping()` ends.
  public func beginGrouping() {
    if groupDepth == 0 { openGroup = UndoLevel() }
    groupDepth += 1
  }

  /// Ends the innermost group; the outermost group becomes a level.
  public func endGrouping() {
    guard groupDepth > 0 else {
      KeyValueViolation.report(
        .tolerated, "endGrouping() was called without beginGrouping(). Call both, or use group(_:)."
      )
      return
    }
    groupDepth -= 1
    guard groupDepth == 0, let group = openGroup else { return }
    openGroup = nil
    if group.steps.isEmpty { return }
    undoLevels.append(group)
    trim()
  }
}
