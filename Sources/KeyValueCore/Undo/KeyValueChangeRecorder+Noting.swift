// What the recorded keys' observances deliver: a prior reserves a slot for the change, and the post
// fills it.
extension KeyValueChangeRecorder {
  func note(
    _ root: any KeyValueObservable, _ keyPath: String, _ change: KeyValueObservedChange<Any?>,
    _ token: KeyValueObservation
  ) {
    // What is rolled back is forgotten instead, and what another writer changes isn't this program's to undo.
    if Transaction.current?.isRestoring == true || change.mark.author != 0 { return }
    let (object, key) = leaf(of: root, keyPath)
    if change.isPrior {
      begin(object, key, token)
    } else {
      end(object, token, change)
    }
  }

  /// Records what happened to a graph, unless that was nothing, or was another writer's.
  func note(_ collected: ChangeCollector.Collected, _ core: LogCore) {
    if let thread = ThreadContext.current, thread.author != 0 { return }
    if collected.record.edits.allSatisfy(\.changesNothing) { return }
    append(GraphStep(collected, of: core))
    guard case .recording = activity else { return }
    replace(\.redoLevels, with: [])
    trim()
  }

  private func begin(
    _ object: (any KeyValueObservable)?, _ key: String, _ token: KeyValueObservation
  ) {
    forgetOrphans()
    joinTransaction()
    // If several recorded paths reach a change, each of their observances announces that one
    // change. An observance that has already announced it is announcing another, made in a
    // callback.
    let announced = begun.last {
      object != nil && $0.object === object && $0.key == key && $0.change == nil
        && !$0.isAnnounced(by: token)
    }
    if let announced { return announced.announce(by: token) }
    let slot = UndoSlot(object, key)
    if let outer = begun.last(where: { object != nil && $0.object === object && $0.key == key }) {
      slot.left = outer.left
      slot.isOverlaid = true
      outer.isOverlaid = true
    }
    slot.announce(by: token)
    begun.append(slot)
    append(slot)
  }

  private func end(
    _ object: (any KeyValueObservable)?, _ token: KeyValueObservation,
    _ change: KeyValueObservedChange<Any?>
  ) {
    guard let slot = begun.last(where: { $0.awaits(token) }) else { return }
    slot.endAnnouncement(by: token)
    // If another object has the key now, the change was of a key earlier on the path.
    if slot.change == nil, let object, object === slot.object {
      slot.record(change)
      noteLeft(by: slot)
      if slot.change != nil, case .recording = activity {
        replace(\.redoLevels, with: [])
        trim()
      }
    }
    if slot.isOver { close(slot) }
  }

  /// Removes the changes that have begun but won't end, because their observances have ended.
  func forgetOrphans() {
    for slot in begun where slot.isOver { close(slot) }
  }

  private func close(_ slot: UndoSlot) {
    begun.removeAll { $0 === slot }
    guard slot.change == nil else { return }
    slot.leaveLevel()
    undoLevels.removeAll { $0.steps.isEmpty }
  }

  /// Adds a change that begins now to its level.
  private func append(_ step: UndoLevel.Step) {
    add(step, to: destination())
  }

  func add(_ step: UndoLevel.Step, to level: UndoLevel) {
    level.append(step)
    openJournal?.note(.added(step))
  }

  /// Notes the value that a recorded change left.
  func noteLeft(by slot: UndoSlot) {
    if slot.change == nil { return }
    slot.noteLeft()
    latest.note(slot)
  }

  /// Forgets what the changes of an object's keys left, or those of one of them.
  func forgetLeft(of object: any KeyValueObservable, _ key: String? = nil) {
    for case let slot as UndoSlot in (undoLevels + redoLevels).lazy.flatMap(\.steps)
    where slot.object === object && (key == nil || slot.key == key) {
      slot.left.content = .unknown
    }
  }

  /// What is noted of the transaction that is open, if the recorder takes part in it.
  private var openJournal: UndoJournal? {
    guard let journal, journal.transaction === Transaction.current else { return nil }
    return journal
  }

  /// The level of a change that begins now.
  private func destination() -> UndoLevel {
    switch activity {
    case .undoing(let level): return level
    case .recording:
      if let openGroup { return openGroup }
      let level = UndoLevel()
      undoLevels.append(level)
      return level
    }
  }

  func trim() {
    guard levelsOfUndo > 0, undoLevels.count > levelsOfUndo else { return }
    while undoLevels.count > levelsOfUndo {
      // Removed before it is released, because its values may make changes when they die.
      withExtendedLifetime(undoLevels.removeFirst()) {}
    }
  }

  /// Replaces a list before it releases the old levels, whose values may make changes when they die.
  func replace(
    _ list: ReferenceWritableKeyPath<KeyValueChangeRecorder, [UndoLevel]>, with levels: [UndoLevel]
  ) {
    let forgotten = self[keyPath: list]
    if forgotten.isEmpty, levels.isEmpty { return }
    openJournal?.note(.replaced(list, forgotten))
    self[keyPath: list] = levels
    withExtendedLifetime(forgotten) {}
  }

  /// The object that has the last key of a path now, and that key.
  func leaf(
    of root: any KeyValueObservable, _ keyPath: String
  ) -> (object: (any KeyValueObservable)?, key: String) {
    guard let path = try? ParsedKeyPath.parsed(keyPath).reachingPrivateKeys(),
      let key = path.components.last?.name
    else { return (nil, keyPath) }
    guard let owner = path.owner else { return (root, key) }
    return ((try? owner.value(ofObject: root)) as? any KeyValueObservable, key)
  }
}
