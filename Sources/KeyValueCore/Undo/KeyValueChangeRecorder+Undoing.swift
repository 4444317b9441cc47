// Reverting levels.
extension KeyValueChangeRecorder {
  /// Whether `undo()` would change anything.
  ///
  /// In an observer of a change of a recorded path, that change counts if the path was recorded before the observer
  /// was registered, although `undo()` throws until the change is over. In a group, a change counts when the group
  /// ends; of a recorded graph, it counts when its observers have been called. Ask after the change.
  public var canUndo: Bool { undoLevels.contains(where: \.isEffective) || canUndoOpenLevel }

  /// Whether `redo()` would change anything.
  public var canRedo: Bool { redoLevels.contains(where: \.isEffective) }

  /// Reverts the last level.
  ///
  /// Inside a group, or in an observer of a recorded change, the call throws, because it could revert
  /// only half of something. A manual announcement that is never completed prevents undoing until
  /// recording of its key stops.
  ///
  /// Observers are notified once, at the end, of all that the level changes.
  ///
  /// - Returns: Whether there was anything to revert.
  /// - Throws: `KeyValueLogError.incompleteChange` inside a group or a recorded change; if a graph is recorded,
  ///   inside a transaction; and if a getter or a comparison changes something recorded while the level is checked;
  ///   that change is the last level then.
  ///   `KeyValueLogError.invalidEdit` or `KeyValueCodingError`, if a value is no longer what the recorded
  ///   changes left, or can't be set any more. Nothing has changed then, and the level stays.
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
  ///
  /// In a transaction, what it has changed of a recorded graph until now isn't forgotten: it's in the level that the
  /// transaction becomes.
  public func removeAll() {
    for graph in graphs { graph.forgetRecords() }
    let forgotten = (undoLevels, redoLevels, redoBeforeLevel, begun, openLevel)
    defer { withExtendedLifetime(forgotten) {} }
    undoLevels = []
    redoLevels = []
    redoBeforeLevel = []
    begun = []
    openLevel = openLevel.map { _ in UndoLevel() }
    keys.forgetLatest()
    // A rollback doesn't restore them either.
    journal?.forget()
  }

  private func takeBack(
    from source: ReferenceWritableKeyPath<KeyValueChangeRecorder, [UndoLevel]>,
    to destination: ReferenceWritableKeyPath<KeyValueChangeRecorder, [UndoLevel]>
  ) throws -> Bool {
    try checkIsAtRest()
    enlist()
    forgetIneffective(source)
    guard let level = self[keyPath: source].last else { return false }
    try level.check()
    // A getter or a comparison that it called may have changed something recorded, which is the last level now.
    guard self[keyPath: source].last === level, openLevel == nil else {
      throw KeyValueLogError.incompleteChange(
        .init(
          reason: "undo() or redo() called a getter or a comparison of a recorded value, which "
            + "changed a recorded key"))
    }
    // An object that dies with the level may make changes, which aren't part of the undo.
    defer { withExtendedLifetime(level) {} }
    let opposite = UndoLevel()
    activity = .undoing(into: opposite)
    defer { activity = .recording }
    // Observers are notified once, of the level as a whole; an error takes back what was done of it.
    try Transaction.perform(rollingBack: true) {
      enlist()?.note(.taken(self[keyPath: source].removeLast(), source))
      self[keyPath: destination].append(opposite)
      enlist()?.note(.put(opposite, destination))
      for step in level.filledSteps.reversed() {
        let count = opposite.steps.count
        let inverse = step.inverse
        try step.undo()
        // A manually announced key may have been set without an announcement.
        if opposite.steps.count == count, let inverse {
          add(inverse, to: opposite)
          if let slot = inverse as? UndoSlot, let object = slot.key?.object {
            noteLeft(by: slot, of: object)
          }
        }
      }
    }
    UndoAnswers(to: level, in: opposite).revise(self[keyPath: source])
    // What answers the undo may have taken it back.
    if opposite.changesNothing { self[keyPath: destination].removeAll { $0 === opposite } }
    return true
  }

  /// Forgets the last levels with which undoing wouldn't change anything, because their objects have died.
  private func forgetIneffective(
    _ list: ReferenceWritableKeyPath<KeyValueChangeRecorder, [UndoLevel]>
  ) {
    let levels = self[keyPath: list]
    let end = levels.lastIndex(where: \.isEffective).map { $0 + 1 } ?? 0
    if end < levels.count { replace(list, with: Array(levels[..<end])) }
  }

  /// Whether `undo()` will revert a change that is being told; false inside a group, which isn't complete.
  var canUndoOpenLevel: Bool { groupDepth == 0 && openLevel?.isEffective == true }

  private func checkIsAtRest() throws {
    closeLevel()
    let isPartOfTransaction = Transaction.current != nil && !graphs.isEmpty
    guard case .recording = activity, groupDepth == 0, begun.isEmpty, !isPartOfTransaction, !isTold
    else { throw KeyValueLogError.incompleteChange(whatIsIncomplete) }
  }

  /// What undoing now could revert only a part of; without a reason if that's a group, or a recorded change whose
  /// observers are being called.
  private var whatIsIncomplete: KeyValueLogError.Details {
    guard case .recording = activity, ownGroupDepth == 0, !isTold else { return .init() }
    for slot in begun {
      guard let key = slot.key, let object = key.object, object.hasAnnounced(key.name) else {
        continue
      }
      let (type, name) = (object.schema.name, key.name)
      return .init(
        type: type, key: name,
        reason: "undo() or redo() was called before didChangeValue(forKey: \"\(name)\") completed "
          + "the change of \(type).\(name) that willChangeValue announced")
    }
    guard Transaction.current != nil else { return .init() }
    return .init(reason: "undo() or redo() was called inside a transaction")
  }
}

extension KeyValueObservable {
  /// Whether this thread has announced a change of the key that isn't completed.
  fileprivate func hasAnnounced(_ key: String) -> Bool {
    let schema = schema
    guard let property = schema.answeredProperty(key) ?? schema.property(key, privately: true)
    else { return false }
    return _$kvoWithRegistrar { registrar in
      registrar.storage()?.read { $0.hasOpenPair(of: property.id) } ?? false
    }
  }
}
