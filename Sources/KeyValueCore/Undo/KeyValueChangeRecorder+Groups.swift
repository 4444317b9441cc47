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
  /// group belongs to the outer one. If the closure throws, the changes made until then are a level too.
  ///
  /// A group makes no level, and leaves what can be redone, if it has no changes or if they take each other
  /// back: a key is set and set back, an element is appended and removed. Values that can't be compared,
  /// because their type isn't `Equatable`, count as changed.
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
    // Also what answers undoing may be rolled back.
    guard let journal = enlist(), case .recording = activity, !journal.isGroup else { return }
    journal.isGroup = true
    openGroup()
  }

  /// Lets the recorder take part in this thread's open transaction, so that it forgets what is rolled back.
  ///
  /// - Returns: What it notes for that; nil without a transaction.
  @discardableResult
  func enlist() -> UndoJournal? {
    guard let transaction = Transaction.current else { return nil }
    if let journal, journal.transaction === transaction { return journal }
    let journal = UndoJournal(of: self, in: transaction)
    self.journal = journal
    transaction.enlist(journal)
    return journal
  }

  func transactionEnded(_ journal: UndoJournal) {
    if self.journal === journal { self.journal = nil }
    if journal.isGroup { closeGroup() }
  }

  /// Begins a group that `endGrouping()` ends.
  public func beginGrouping() {
    ownGroupDepth += 1
    for graph in graphs { graph.core?.collector.beginGroup() }
    openGroup()
  }

  private func openGroup() {
    if openLevel == nil { openLevel = UndoLevel() }
    groupDepth += 1
  }

  private func closeGroup() {
    groupDepth -= 1
    closeLevel()
  }

  /// Ends the innermost group; the outermost group becomes a level.
  public func endGrouping() {
    guard ownGroupDepth > 0 else {
      KeyValueViolation.report(
        .tolerated, "endGrouping() was called without beginGrouping(). Call both, or use group(_:)."
      )
      return
    }
    ownGroupDepth -= 1
    for graph in graphs { graph.core?.collector.endGroup() }
    closeGroup()
  }
}
