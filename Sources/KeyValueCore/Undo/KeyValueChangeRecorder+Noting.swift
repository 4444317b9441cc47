// What the recorded keys' observances deliver: a prior reserves a slot for the change, and the post
// fills it.
extension KeyValueChangeRecorder {
  /// Whether a change that is announced with this mark is recorded.
  func records(_ mark: ChangeMark) -> Bool {
    // What another writer changes isn't this program's to undo.
    mark.author == 0
  }

  /// Records what happened to a graph, unless that was nothing, or was another writer's.
  func note(_ collected: ChangeCollector.Collected, _ graph: RecordedGraph) {
    if case .remote = collected.record.origin {
      graph.countOfOthers += 1
      return
    }
    let edits = collected.record.edits
    let isNothing =
      edits.count == 1
      ? edits[0].changesNothing : graph.core?.cancelOut([collected.record]) ?? true
    if isNothing { return }
    append(GraphStep(collected, of: graph))
    // Between the changes of two writers, a record is delivered before its transaction ends.
    joinTransaction()
    if case .recording = activity { forgetRedo() }
  }

  /// Reserves a slot for a change of a key, which is nil if the recorded path leads nowhere.
  func begin(_ key: RecordedKey?, _ observance: Observance) {
    forgetOrphans()
    joinTransaction()
    // If several recorded paths reach a change, each of their observances announces that one
    // change. An observance that has already announced it is announcing another, made in a
    // callback.
    let announced = begun.last {
      key != nil && $0.key === key && $0.change == nil
        && !$0.isAnnounced(by: observance)
    }
    if let announced { return announced.announce(by: observance) }
    let slot = UndoSlot(key)
    if let outer = begun.last(where: { key != nil && $0.key === key }) { slot.overlap(outer) }
    slot.announce(by: observance)
    begun.append(slot)
    append(slot)
  }

  /// Fills the slot of a change that has happened, of a key and an object that are nil if the recorded path leads
  /// nowhere.
  func end(
    _ key: RecordedKey?, of object: (any KeyValueObservable)?, _ observance: Observance,
    _ change: RecordedChange
  ) {
    guard let slot = begun.last(where: { $0.endAnnouncement(by: observance) }) else { return }
    // If another object has the key now, the change was of a key earlier on the path.
    if slot.change == nil, let object, key === slot.key {
      slot.record(change)
      if !slot.madeInPriors.isEmpty { follow(slot, of: object) }
      if scope.depthOfPriors > 0 { noteMadeInPriors(slot, of: object) }
      noteLeft(by: slot, of: object, isAnnounced: true)
      if slot.change != nil, case .recording = activity { forgetRedo() }
    }
    if slot.isOver { close(slot) }
  }

  /// Keeps a change that a prior's handler has made, for the changes whose priors are being called.
  private func noteMadeInPriors(_ slot: UndoSlot, of object: any KeyValueObservable) {
    guard slot.change != nil, let value = try? slot.key?.read(from: object) else { return }
    scope.note(UndoSlot.MadeInPriors(slot: slot, value: value))
  }

  /// The priors of a change have been called.
  ///
  /// - Parameters:
  ///   - made: What their handlers have changed.
  ///   - count: How many changes were in progress before.
  func priorsEnded(_ made: [UndoSlot.MadeInPriors], begunBefore count: Int) {
    for slot in begun.dropFirst(count) {
      slot.madeInPriors += made.filter { $0.slot !== slot && $0.slot.key === slot.key }
      if !slot.madeInPriors.isEmpty { slot.lastBefore = slot.level?.steps.last }
    }
  }

  /// Places a change behind those that its priors' handlers have made, if one of them was of the same key.
  ///
  /// What it was announced as, with indexes and old elements, isn't what it did to the collection then. So it's
  /// recorded as a setting.
  private func follow(_ slot: UndoSlot, of object: any KeyValueObservable) {
    // Others have been rolled back.
    let earlier = slot.madeInPriors.filter { $0.slot.level != nil && $0.slot.level === slot.level }
    guard let last = earlier.last, let present = try? slot.key?.read(from: object) else { return }
    slot.replaceChange(
      by: RecordedChange(kind: .setting, ranges: nil, old: last.value, new: present))
    slot.level?.move(slot, behind: earlier.map(\.slot) + [slot.lastBefore].compactMap(\.self))
  }

  /// Removes the changes that have begun but won't end, because their observances have ended.
  func forgetOrphans() {
    if begun.isEmpty { return }
    for slot in begun where slot.isOver { close(slot) }
  }

  private func close(_ slot: UndoSlot) {
    if begun.last === slot { begun.removeLast() } else { begun.removeAll { $0 === slot } }
    slot.forgetProgress()
    if slot.change == nil { slot.leaveLevel() }
  }

  /// Ends the open level, unless a group or a change of it is in progress.
  ///
  /// What observers do in response to a change is part of its level. So is what happens between the two halves of a
  /// manual announcement.
  func closeLevel() {
    forgetOrphans()
    guard isComplete, let level = openLevel.take() else { return }
    let redo = redoBeforeLevel
    redoBeforeLevel = []
    // Values that die with the levels may make changes.
    defer { withExtendedLifetime((level, redo)) {} }
    // It has its place before getters and comparisons are called, whose changes are levels behind it.
    undoLevels.append(level)
    if level.changesNothing {
      let isLast = undoLevels.last === level
      undoLevels.removeAll { $0 === level }
      if isLast, redoLevels.isEmpty { redoLevels = redo }
      return
    }
    trim()
  }

  /// Ends the open level, if it's complete, has one change and has discarded nothing.
  ///
  /// This is what nearly always happens when a change is over, of whose object something has called the setter. In a
  /// group, the object may have died since. Nothing is released here.
  ///
  /// - Parameter forgotten: The level that the new one replaces, if there are enough.
  /// - Returns: Whether nothing else has to be done.
  func closeLevelOfOneChange(_ forgotten: inout UndoLevel?) -> Bool {
    guard isComplete, redoBeforeLevel.isEmpty, openLevel?.steps.count == 1,
      let level = openLevel.take()
    else { return false }
    undoLevels.append(level)
    if levelsOfUndo > 0, undoLevels.count > levelsOfUndo { forgotten = undoLevels.removeFirst() }
    return true
  }

  /// Whether nothing more can belong to the open level.
  private var isComplete: Bool { begun.isEmpty && groupDepth == 0 && !isTold }

  /// Whether observers of recorded changes are being called.
  var isTold: Bool {
    scope.depth > 0 || !graphs.isEmpty && graphs.contains { $0.isTold }
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
  func noteLeft(by slot: UndoSlot, of object: any KeyValueObservable, isAnnounced: Bool = false) {
    if slot.change == nil { return }
    slot.noteLeft(of: object, isAnnounced: isAnnounced)
    slot.key?.note(slot)
  }

  /// Forgets what the changes of an object's keys left, or those of one of them.
  func forgetLeft(of object: any KeyValueObservable, _ key: String? = nil) {
    let levels = undoLevels + redoLevels + redoBeforeLevel + (openLevel.map { [$0] } ?? [])
    for case let slot as UndoSlot in levels.lazy.flatMap(\.steps)
    where slot.key?.object === object && (key == nil || slot.key?.name == key) {
      slot.forgetLeft()
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
      if let openLevel { return openLevel }
      let level = scope.spareLevel.take() ?? UndoLevel()
      openLevel = level
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

  private func forgetRedo() {
    // Reading by a key path costs more than the rest.
    if redoLevels.isEmpty { return }
    redoBeforeLevel = redoLevels
    replace(\.redoLevels, with: [])
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
