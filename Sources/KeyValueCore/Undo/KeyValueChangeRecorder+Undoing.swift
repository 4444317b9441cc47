// Reverting levels.
extension KeyValueChangeRecorder {
  /// Whether `undo()` would change anything.
  public var canUndo: Bool { undoLevels.contains(where: \.isEffective) }

  /// Whether `redo()` would change anything.
  public var canRedo: Bool { redoLevels.contains(where: \.isEffective) }

  /// Reverts the last level.
  ///
  /// Inside a group, or during a recorded change, the call does nothing and is reported as a
  /// tolerated violation, because it could revert only half of something. A manual announcement
  /// that is never completed prevents undoing until recording of its key stops.
  ///
  /// - Returns: Whether there was anything to revert.
  /// - Throws: `KeyValueCodingError`, if a value is no longer what the recorded changes left, or
  ///   can't be set any more. What was already reverted of this level is then restored, and the
  ///   level stays.
  @discardableResult
  public func undo() throws -> Bool {
    try takeBack(from: \.undoLevels, to: \.redoLevels)
  }

  /// Reverts the last `undo()` that no other change has followed.
  ///
  /// - Returns: Whether there was anything to revert.
  /// - Throws: As `undo()`.
  @discardableResult
  public func redo() throws -> Bool {
    try takeBack(from: \.redoLevels, to: \.undoLevels)
  }

  /// Forgets all changes and continues recording.
  public func removeAll() {
    let forgotten = (undoLevels, redoLevels, begun, openGroup)
    defer { withExtendedLifetime(forgotten) {} }
    undoLevels = []
    redoLevels = []
    begun = []
    openGroup = openGroup.map { _ in UndoLevel() }
    guard let transaction = Transaction.current else { return }
    // A rollback doesn't restore them either.
    knownTransaction = nil
    keepLevels(of: transaction)
  }

  private func takeBack(
    from source: ReferenceWritableKeyPath<KeyValueChangeRecorder, [UndoLevel]>,
    to destination: ReferenceWritableKeyPath<KeyValueChangeRecorder, [UndoLevel]>
  ) throws -> Bool {
    guard isAtRest() else { return false }
    replace(source, with: self[keyPath: source].filter(\.isEffective))
    if self[keyPath: source].isEmpty { return false }
    if let transaction = Transaction.current { keepLevels(of: transaction) }
    let level = self[keyPath: source].removeLast()
    // An object that dies with the level may make changes, which aren't part of the undo.
    defer { withExtendedLifetime(level) {} }
    let opposite = UndoLevel()
    activity = .undoing(into: opposite)
    defer { activity = .recording }
    do {
      for slot in level.filledSlots.reversed() {
        let count = opposite.slots.count
        try slot.undo()
        // A manually announced key may have been set without an announcement.
        if opposite.slots.count == count { opposite.appendInverse(of: slot) }
      }
    } catch {
      activity = .recovering
      for slot in opposite.filledSlots.reversed() { try? slot.undo() }
      self[keyPath: source].append(level)
      throw error
    }
    self[keyPath: destination].append(opposite)
    return true
  }

  private func isAtRest() -> Bool {
    forgetOrphans()
    guard case .recording = activity, groupDepth == 0, begun.isEmpty else {
      KeyValueViolation.report(
        .tolerated,
        "undo() or redo() was called inside a group or inside a recorded change, and did nothing. "
          + "Call it when the change is complete.")
      return false
    }
    return true
  }
}
