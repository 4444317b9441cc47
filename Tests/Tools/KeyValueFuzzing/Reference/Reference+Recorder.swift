import KeyValueObserving

// Recorders: each level is a list of changes, which are made again the other way round, in one transaction.
extension Reference {
  final class Recorder {
    var undoLevels: [[Step]] = []
    var redoLevels: [[Step]] = []
    /// The level of the open transaction.
    var group: [Step] = []
    /// What could be redone before the open transaction, if a change in it has discarded that.
    var discarded: [[Step]] = []
    /// The level that reverts the one that's being undone; nil if none is.
    var opposite: [Step]?
    var observances: [Observance] = []
  }

  /// One recorded change.
  struct Step {
    let site: Site
    let announcement: Announcement
    /// What left and what entered, or the whole values of a setting.
    let old: FuzzValue
    let new: FuzzValue
    /// The whole values before and after.
    let before: FuzzValue
    let after: FuzzValue
    /// The objects that the change keeps alive.
    var pinned: [Int] = []
  }

  // MARK: Recording

  func record(_ number: Int, _ id: Int, _ key: String) {
    guard world.isAlive(id) else { return }
    let recorder = recorders[number] ?? Recorder()
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
    let isNothing =
      switch change.announcement {
      case .setting: before == after
      case .ordered: false
      case .unordered: before == after
      }
    if isNothing { return }
    var step = Step(
      site: change.site, announcement: change.announcement, old: old, new: new, before: before,
      after: after)
    pin(&step)
    append(step, to: recorder)
  }

  private func append(_ step: Step, to recorder: Recorder) {
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

  private func pin(_ step: inout Step) {
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
  func endGroups(of transaction: OpenTransaction, isRolledBack: Bool) {
    for recorder in transaction.recorders {
      if isRolledBack { recorder.redoLevels = recorder.discarded + recorder.redoLevels }
      if !recorder.group.isEmpty { recorder.undoLevels.append(recorder.group) }
      recorder.group = []
    }
    for recorder in transaction.recorders {
      let discarded = isRolledBack ? [] : recorder.discarded
      recorder.discarded = []
      discarded.forEach(forget)
    }
  }

  /// The number of changes that each recorder has recorded in the open transaction.
  func recordedCounts(in transaction: OpenTransaction) -> [Int] {
    transaction.recorders.map(\.group.count)
  }

  /// Forgets what was recorded in a part of a transaction that was rolled back.
  func forgetRecorded(since counts: [Int], in transaction: OpenTransaction) {
    for (index, recorder) in transaction.recorders.enumerated() {
      let count = index < counts.count ? counts[index] : 0
      let forgotten = recorder.group[count...]
      recorder.group.removeSubrange(count...)
      forget(Array(forgotten))
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
    guard isUnchanged(level) else { return note(.answered("invalidEdit")) }
    recorder[keyPath: source].removeLast()
    recorder.opposite = []
    inTransaction(isRollingBack: true, isFailing: false) {
      for step in level.reversed() where world.isAlive(step.site.object) {
        let count = recorder.opposite?.count
        pinning([step.site.object]) { undo(step) }
        // A key that isn't announced is recorded all the same.
        if recorder.opposite?.count == count { recorder.opposite?.append(inverse(of: step)) }
      }
    }
    recorder[keyPath: destination].append(recorder.opposite ?? [])
    recorder.opposite = nil
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
      if present != step.after { return false }
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
    var inverse = Step(
      site: step.site, announcement: .setting, old: step.new, new: step.old, before: step.after,
      after: step.before)
    pin(&inverse)
    return inverse
  }

  // MARK: The end

  func dropRecorders() {
    for number in recorders.keys.sorted() {
      guard let recorder = recorders.removeValue(forKey: number) else { continue }
      for level in recorder.undoLevels + recorder.redoLevels { forget(level) }
      recorder.observances.forEach(end)
    }
  }
}
