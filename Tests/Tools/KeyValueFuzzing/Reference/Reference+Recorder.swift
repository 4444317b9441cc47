import KeyValueObserving

// Recorders: each level is a list of changes, which are made again the other way round, in one transaction.
extension Reference {
  final class Recorder {
    var undoLevels: [[Step]] = []
    var redoLevels: [[Step]] = []
    /// The level of the open transaction.
    var group: [Step] = []
    /// What the open transaction has discarded of what could be redone.
    var discarded: [[Step]] = []
    /// The level that reverts the one that's being undone; nil if none is.
    var opposite: [Step]?
    var observances: [Observance] = []
    let number: Int

    init(_ number: Int) { self.number = number }

    /// The last recorded change of each property.
    private var latest: [Site: Step] = [:]

    /// Notes that the last recorded change of a property may have been made inside this one.
    func overlay(_ step: Step) {
      let earlier = latest.updateValue(step, forKey: step.site)
      guard let earlier, earlier.before == step.before, earlier.after != step.before else { return }
      earlier.isOverlaid = true
    }

    /// What a part of a transaction may have to go back to.
    struct Recorded {
      var count = 0
      var redoLevels: [[Step]]
      var discarded: [[Step]]
    }

    var recorded: Recorded {
      .init(count: group.count, redoLevels: redoLevels, discarded: discarded)
    }
  }

  /// One recorded change.
  final class Step {
    let site: Site
    let announcement: Announcement
    /// What left and what entered, or the whole values of a setting.
    let old: FuzzValue
    let new: FuzzValue
    /// The whole values before and after.
    let before: FuzzValue
    let after: FuzzValue
    /// Whether the next recorded change of the property began with the same value (see Freedoms).
    var isOverlaid = false
    /// The objects that the change keeps alive.
    var pinned: [Int] = []

    init(
      site: Site, _ announcement: Announcement, old: FuzzValue, new: FuzzValue, before: FuzzValue,
      after: FuzzValue
    ) {
      (self.site, self.announcement) = (site, announcement)
      (self.old, self.new, self.before, self.after) = (old, new, before, after)
    }
  }

  // MARK: Recording

  func record(_ number: Int, _ id: Int, _ key: String) {
    guard world.isAlive(id) else { return }
    let recorder = recorders[number] ?? Recorder(number)
    recorders[number] = recorder
    if let found = ReferenceKey.of(id, key), found.isComputed { return note(.answered("readOnly")) }
    let isRecorded = recorder.observances.contains {
      $0.isActive && $0.root == id && $0.path.string == key
    }
    if isRecorded { return note(.violation(.tolerated)) }
    let observance = Observance(
      .init(
        token: -1, form: .string, object: id, path: key, options: [.old, .new, .prior]))
    guard knowsKey(of: observance) else { return }
    observance.recorder = recorder
    observance.isRegistering = false
    recorder.observances.append(observance)
    observances.append(observance)
  }

  /// Records a change that has happened, unless it did nothing.
  func note(_ change: Change, old: FuzzValue?, new: FuzzValue, by recorder: Recorder) {
    let (old, before) = (old ?? .none, change.before)
    let after = world.value(change.site.object, change.site.key)
    if before == after { return }
    let step = Step(
      site: change.site, change.announcement, old: old, new: new, before: before, after: after)
    pin(step)
    append(step, to: recorder)
  }

  private func append(_ step: Step, to recorder: Recorder) {
    recorder.overlay(step)
    if recorder.opposite != nil {
      recorder.opposite?.append(step)
      return
    }
    let redoable = recorder.redoLevels
    recorder.redoLevels = []
    if transaction == nil {
      recorder.undoLevels.append([step])
      redoable.forEach(forget)
    } else {
      recorder.group.append(step)
      recorder.discarded += redoable
    }
  }

  private func pin(_ step: Step) {
    step.pinned = (World.objects(in: step.new) + World.objects(in: step.old)).filter(world.isAlive)
    step.pinned.forEach(world.retain)
  }

  private func forget(_ level: [Step]) {
    for step in level { step.pinned.forEach(world.release) }
  }

  // MARK: Transactions

  /// Makes each recorder's changes in a transaction one level.
  func join(_ transaction: OpenTransaction, _ recorder: Recorder) {
    if recorder.opposite != nil || transaction.recorders.contains(where: { $0 === recorder }) {
      return
    }
    transaction.recorders.append(recorder)
  }

  /// Ends the levels of the transaction that has ended.
  func endGroups(of transaction: OpenTransaction) {
    for recorder in transaction.recorders {
      let (group, discarded) = (recorder.group, recorder.discarded)
      recorder.group = []
      recorder.discarded = []
      if group.isEmpty || !changesNothing(group) {
        if !group.isEmpty { recorder.undoLevels.append(group) }
        discarded.forEach(forget)
      } else {
        recorder.redoLevels = discarded
        forget(group)
      }
    }
  }

  /// Whether the level's keys have the values from before its first changes of them.
  private func changesNothing(_ level: [Step]) -> Bool {
    if flaw == .noCancelling { return level.isEmpty }
    var ends: [Site: (before: FuzzValue, after: FuzzValue)] = [:]
    for step in level where world.isAlive(step.site.object) {
      ends[step.site] = (ends[step.site]?.before ?? step.before, step.after)
    }
    return ends.values.allSatisfy { $0.before == $0.after }
  }

  /// Forgets what was recorded in a part of a transaction that was rolled back.
  func forgetRecorded(since earlier: [Int: Recorder.Recorded], in transaction: OpenTransaction) {
    for recorder in transaction.recorders where flaw != .noForgetting {
      let earlier = earlier[recorder.number] ?? .init(redoLevels: [], discarded: [])
      let forgotten = Array(recorder.group[earlier.count...])
      recorder.group.removeSubrange(earlier.count...)
      recorder.redoLevels = earlier.redoLevels
      recorder.discarded = earlier.discarded
      forget(forgotten)
    }
  }

  // MARK: Undoing

  func takeBack(
    _ number: Int, from source: ReferenceWritableKeyPath<Recorder, [[Step]]>,
    to destination: ReferenceWritableKeyPath<Recorder, [[Step]]>
  ) {
    guard let recorder = recorders[number] else { return }
    let lost = recorder[keyPath: source].filter { !isEffective($0) }
    recorder[keyPath: source].removeAll { !isEffective($0) }
    lost.forEach(forget)
    guard let level = recorder[keyPath: source].last else { return note(.answered("false")) }
    guard flaw == .noRefusing || isUnchanged(level) else { return note(.answered("invalidEdit")) }
    recorder[keyPath: source].removeLast()
    recorder.opposite = []
    let perform =
      flaw == .noUndoTransaction
      ? { $0() } : { self.inTransaction(isRollingBack: true, isFailing: false, $0) }
    perform {
      for step in level.reversed() where world.isAlive(step.site.object) {
        let count = recorder.opposite?.count
        let isUndone = world.value(step.site.object, step.site.key) == step.before
        pinning([step.site.object]) { undo(step) }
        // A key that isn't announced is recorded all the same.
        if recorder.opposite?.count == count, !isUndone {
          let inverse = inverse(of: step)
          recorder.overlay(inverse)
          recorder.opposite?.append(inverse)
        }
      }
    }
    let opposite = recorder.opposite ?? []
    recorder.opposite = nil
    if changesNothing(opposite) {
      forget(opposite)
    } else {
      recorder[keyPath: destination].append(opposite)
    }
    forget(level)
    note(.answered("true"))
  }

  private func isEffective(_ level: [Step]) -> Bool {
    level.contains { world.isAlive($0.site.object) }
  }

  /// Whether the level's keys have the values that its changes left.
  private func isUnchanged(_ level: [Step]) -> Bool {
    var values: [Site: FuzzValue] = [:]
    for step in level.reversed() where world.isAlive(step.site.object) {
      let present = values[step.site] ?? world.value(step.site.object, step.site.key)
      let isOverlaid = step.isOverlaid && present == step.before
      if present != step.after, !isOverlaid { return false }
      values[step.site] = step.before
    }
    return true
  }

  private func undo(_ step: Step) {
    let (id, key) = (step.site.object, step.site.key)
    let (left, entered) = (step.old.elements ?? [], step.new.elements ?? [])
    switch step.announcement {
    case .setting: set(id, key, step.before)
    case .ordered(.insertion, let at): change(id, key, .remove(at: at))
    case .ordered(.removal, let at): change(id, key, .insert(left, at: at))
    case .ordered(_, let at): change(id, key, .replace(left, at: at))
    case .unordered(.union, _): change(id, key, .algebra(.minus, entered))
    case .unordered(.set, _): change(id, key, .algebra(.set, step.before.elements ?? []))
    case .unordered(_, _): change(id, key, .algebra(.union, left))
    }
  }

  private func inverse(of step: Step) -> Step {
    let inverse = Step(
      site: step.site, .setting, old: step.new, new: step.old, before: step.after,
      after: step.before)
    pin(inverse)
    return inverse
  }

  // MARK: The end

  func dropRecorders() {
    for number in recorders.keys.sorted() {
      guard let recorder = recorders.removeValue(forKey: number) else { continue }
      for level in recorder.undoLevels + recorder.redoLevels { forget(level) }
      recorder.observances.forEach(end)
      recorder.observances.forEach { $0.recorder = nil }  // they hold each other
    }
  }
}
