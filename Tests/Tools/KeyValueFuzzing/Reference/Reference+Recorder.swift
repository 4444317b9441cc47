import KeyValueObserving

// Recorders: each level is a list of changes, which are made again the other way round, in one transaction.
extension Reference {
  final class Recorder {
    var undoLevels: [[Step]] = []
    var redoLevels: [[Step]] = []
    /// The level that takes changes now, until its transaction and its observers' calls have ended.
    var open: [Step]?
    /// What the open level has discarded of what could be redone.
    var discarded: [[Step]] = []
    /// How many open transactions have changes in the open level.
    var groupDepth = 0
    /// How many changes of recorded keys are calling observers.
    var depth = 0
    /// The changes that haven't ended.
    var begun: [Step] = []
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
      guard let earlier, earlier.before == step.before, earlier.left.value != step.before else {
        return
      }
      earlier.isOverlaid = true
    }

    /// Whether changes belong to the level that is open.
    var isBusy: Bool { groupDepth > 0 || depth > 0 || !begun.isEmpty }

    /// The level that takes what is recorded now.
    var destination: [Step] {
      get { opposite ?? open ?? [] }
      set { if opposite != nil { opposite = newValue } else { open = newValue } }
    }

    /// What a part of a transaction may have to go back to.
    struct Recorded {
      var count = 0
      var redoLevels: [[Step]]
      var discarded: [[Step]]
    }

    var recorded: Recorded {
      .init(count: destination.count, redoLevels: redoLevels, discarded: discarded)
    }
  }

  /// One recorded change, from its beginning on.
  final class Step {
    let site: Site
    /// The whole value before; after what handlers of the change's own priors have made of it.
    var before: FuzzValue
    /// What it's undone as.
    var announcement: Announcement
    /// The whole value after; nil until the change has happened, and if it did nothing.
    var after: FuzzValue?
    /// What left and what entered, or the whole values of a setting.
    var old = FuzzValue.none
    var new = FuzzValue.none
    /// The value that the key has when the change is over, shared by changes of a key inside each other.
    var left = Left()
    /// Whether the next recorded change of the property began with the same value, or the change and another
    /// one of the property were inside each other (see Freedoms).
    var isOverlaid = false
    /// Whether observers have changed the collection's elements in response to undoing a level above it.
    var isAnswered = false
    /// Whether handlers of its priors have made changes of the key, so that it's undone as a setting.
    var followsPriors = false
    /// Whether members of a set make way for equal ones that hold something else, so that it's undone as a setting.
    func replacesEqualMembers(leaving after: FuzzValue) -> Bool {
      guard case .unordered(.set, _) = announcement, let members = before.elements else {
        return false
      }
      return (after.elements ?? []).contains { element in
        members.contains { $0.likeness == element.likeness && $0 != element }
      }
    }
    /// Its place among the changes that have happened; 0 until it has.
    var serial = 0
    /// Whether a transaction has rolled it back.
    var isForgotten = false
    /// The objects that the change keeps alive.
    var pinned: [Int] = []
    /// What the change is observed by.
    let observance: Observance?

    final class Left {
      var value: FuzzValue?
    }

    init(
      site: Site, _ announcement: Announcement, before: FuzzValue, _ observance: Observance?
    ) {
      (self.site, self.announcement) = (site, announcement)
      (self.before, self.observance) = (before, observance)
    }

    var isFilled: Bool { after != nil }
    var isSetting: Bool { if case .setting = announcement { true } else { false } }
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

  /// Reserves a place for a change that begins.
  func reserve(_ change: Change, _ observance: Observance, by recorder: Recorder) {
    forgetOrphans(of: recorder)
    let step = Step(site: change.site, change.announcement, before: change.before, observance)
    if let outer = recorder.begun.last(where: { $0.site == step.site }) {
      step.left = outer.left
      (step.isOverlaid, outer.isOverlaid) = (true, true)
    }
    recorder.begun.append(step)
    recorder.destination.append(step)
    change.steps[recorder.number] = step
  }

  /// Places a change behind those that its priors' handlers have made of the same key.
  func followPriors(_ change: Change, since count: Int) {
    for case let recorder? in change.frozen.map(\.observance.recorder) {
      guard let step = change.steps[recorder.number],
        recorder.destination.contains(where: { $0.site == step.site && $0.serial > count })
      else { continue }
      step.before = world.value(change.site.object, change.site.key)
      step.announcement = .setting
      step.followsPriors = true
      leave(step, of: recorder)
      recorder.destination.append(step)
    }
  }

  /// Records a change that has happened, unless it did nothing.
  func note(
    _ change: Change, old: FuzzValue?, new: FuzzValue, after: FuzzValue, by recorder: Recorder
  ) {
    guard let step = change.steps[recorder.number] else { return }
    recorder.begun.removeAll { $0 === step }
    let present = world.value(change.site.object, change.site.key)
    var (old, new, after) =
      step.followsPriors ? (step.before, present, present) : (old, new, after)
    if step.replacesEqualMembers(leaving: after) {
      (step.announcement, old, new) = (.setting, step.before, after)
    }
    // An edit may make a collection that was nil, and nothing else.
    let isMade = step.before == .none
    guard step.before != after, isMade || !isEmpty(step.announcement, old: old, new: new) else {
      return leave(step, of: recorder)
    }
    (step.old, step.new, step.after) = (old ?? .none, new, after)
    stepCount += 1
    step.serial = stepCount
    if !step.isForgotten { pin(step) }
    step.left.value = step.isOverlaid ? present : after
    recorder.overlay(step)
    if recorder.opposite != nil { return }
    recorder.discarded += recorder.redoLevels
    recorder.redoLevels = []
  }

  private func isEmpty(_ announcement: Announcement, old: FuzzValue?, new: FuzzValue) -> Bool {
    guard announcement.isPartial else { return false }
    let entered = announcement.kind == .removal ? [] : new.elements ?? []
    return (old?.elements ?? []).isEmpty && entered.isEmpty
  }

  private func leave(_ step: Step, of recorder: Recorder) {
    recorder.opposite?.removeAll { $0 === step }
    recorder.open?.removeAll { $0 === step }
  }

  /// Removes the changes that won't end, because their objects have died.
  private func forgetOrphans(of recorder: Recorder) {
    let isOver = { (step: Step) in
      step.observance.map { !$0.isActive || !self.world.isAlive($0.root) } ?? true
    }
    for step in recorder.begun where isOver(step) { leave(step, of: recorder) }
    recorder.begun.removeAll(where: isOver)
  }

  /// The recorders that hear of a change.
  private func recorders(of change: Change) -> [Recorder] {
    var found: [Recorder] = []
    for case let recorder? in change.frozen.map(\.observance.recorder)
    where !found.contains(where: { $0 === recorder }) {
      found.append(recorder)
    }
    return found
  }

  /// Lets what observers do while they are called of a change belong to its level.
  func whileTelling(_ change: Change, isOver: Bool, _ body: () -> Void) {
    let recorders = recorders(of: change)
    for recorder in recorders { recorder.depth += 1 }
    body()
    for recorder in recorders { recorder.depth -= 1 }
    for recorder in recorders where isOver && recorder.depth == 0 { closeLevel(of: recorder) }
  }

  /// Lets changes that belong together, as those of a move, be one level.
  func together(_ recorders: [Recorder], _ body: () -> Void) {
    for recorder in recorders { recorder.depth += 1 }
    body()
    for recorder in recorders { recorder.depth -= 1 }
    for recorder in recorders where recorder.depth == 0 { closeLevel(of: recorder) }
  }

  /// Ends the open level, if nothing more can belong to it.
  private func closeLevel(of recorder: Recorder) {
    forgetOrphans(of: recorder)
    guard !recorder.isBusy, let level = recorder.open else { return }
    let discarded = recorder.discarded
    recorder.open = nil
    recorder.discarded = []
    if changesNothing(level) {
      if recorder.redoLevels.isEmpty { recorder.redoLevels = discarded }
      forget(level)
    } else {
      recorder.undoLevels.append(level)
      discarded.forEach(forget)
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
    enlist(recorder, in: transaction)
    if recorder.opposite != nil || transaction.groups.contains(where: { $0 === recorder }) {
      return
    }
    transaction.groups.append(recorder)
    recorder.groupDepth += 1
  }

  /// Lets a recorder forget what the transaction rolls back.
  private func enlist(_ recorder: Recorder, in transaction: OpenTransaction) {
    if transaction.recorders.contains(where: { $0 === recorder }) { return }
    transaction.recorders.append(recorder)
  }

  /// Ends the levels of the transaction that has ended.
  func endGroups(of transaction: OpenTransaction) {
    for recorder in transaction.groups {
      recorder.groupDepth -= 1
      closeLevel(of: recorder)
    }
  }

  /// Whether the level's keys have the values from before its first changes of them.
  private func changesNothing(_ level: [Step]) -> Bool {
    if flaw == .noCancelling { return level.isEmpty }
    var ends: [Site: (before: FuzzValue, after: FuzzValue)] = [:]
    for step in level where world.isAlive(step.site.object) {
      guard let left = step.left.value else { continue }
      ends[step.site] = (ends[step.site]?.before ?? step.before, left)
    }
    return ends.values.allSatisfy { $0.before == $0.after }
  }

  /// Forgets what was recorded in a part of a transaction that was rolled back.
  func forgetRecorded(since earlier: [Int: Recorder.Recorded], in transaction: OpenTransaction) {
    for recorder in transaction.recorders where flaw != .noForgetting {
      let earlier = earlier[recorder.number] ?? .init(redoLevels: [], discarded: [])
      let forgotten = Array(recorder.destination[min(earlier.count, recorder.destination.count)...])
      recorder.destination.removeLast(forgotten.count)
      recorder.redoLevels = earlier.redoLevels
      recorder.discarded = earlier.discarded
      for step in forgotten { step.isForgotten = true }
      forget(forgotten)
    }
  }

  // MARK: Undoing

  func takeBack(
    _ number: Int, from source: ReferenceWritableKeyPath<Recorder, [[Step]]>,
    to destination: ReferenceWritableKeyPath<Recorder, [[Step]]>
  ) {
    guard let recorder = recorders[number] else { return }
    closeLevel(of: recorder)
    if recorder.isBusy || recorder.opposite != nil { return note(.answered("incompleteChange")) }
    // Levels without effect stay as long as one with an effect is above them (see Freedoms).
    let levels = recorder[keyPath: source]
    let count = levels.lastIndex(where: isEffective).map { $0 + 1 } ?? 0
    recorder[keyPath: source] = Array(levels[..<count])
    levels[count...].forEach(forget)
    guard let level = recorder[keyPath: source].last else { return note(.answered("false")) }
    guard flaw == .noRefusing || isUnchanged(level) else { return note(.answered("invalidEdit")) }
    recorder[keyPath: source].removeLast()
    recorder.opposite = []
    let perform =
      flaw == .noUndoTransaction
      ? { $0() } : { self.inTransaction(isRollingBack: true, isFailing: false, $0) }
    perform {
      if let transaction { enlist(recorder, in: transaction) }
      for step in level.reversed() where world.isAlive(step.site.object) {
        let count = recorder.opposite?.count
        let present = world.value(step.site.object, step.site.key)
        let isUndone = present == step.before
        pinning([step.site.object]) { undo(step) }
        // A key that isn't announced is recorded all the same.
        if recorder.opposite?.count == count, !isUndone {
          let inverse = inverse(of: step, from: present)
          recorder.opposite?.append(inverse)
          recorder.overlay(inverse)
        }
      }
    }
    let opposite = recorder.opposite ?? []
    recorder.opposite = nil
    if flaw != .noAnswers { expectAnswers(to: level, opposite, of: recorder[keyPath: source]) }
    if changesNothing(opposite) {
      forget(opposite)
    } else {
      recorder[keyPath: destination].append(opposite)
    }
    forget(level)
    note(.answered("true"))
  }

  /// Lets the levels below expect what observers have changed in response to undoing.
  ///
  /// What they have set is expected in place of what the next level below left. What they have changed of a
  /// collection's elements isn't known there as a whole, so that level's value isn't compared.
  private func expectAnswers(to level: [Step], _ opposite: [Step], of levels: [[Step]]) {
    var answered: Set<Site> = []
    for last in opposite.reversed() where answered.insert(last.site).inserted {
      let own = level.filter { $0.site == last.site }
      let all = opposite.filter { $0.site == last.site }
      var isEdited = Effect(own.reversed(), undoing: true)
        .isExceeded(by: Effect(all, undoing: false))
      var setting: (before: FuzzValue, after: FuzzValue)?
      if !isEdited, last.isSetting, own.allSatisfy(\.isSetting), let after = last.left.value,
        let before = (own.first ?? all.first)?.before, before != after
      {
        setting = (before, after)
      }
      let below = levels.reversed().lazy.flatMap { $0.reversed() }.filter { $0.site == last.site }
      for step in below {
        if case .unordered = step.announcement {
          // Undoing it leaves the other elements, so that the changes before it find the answer, too.
          isEdited = isEdited || setting != nil
          continue
        }
        if isEdited { step.isAnswered = true }
        if let setting, !isEdited, step.isSetting, step.left.value == setting.before {
          step.left.value = setting.after
        }
        break
      }
    }
  }

  /// What changes of one property lead to, as far as they say.
  private struct Effect {
    /// The value before the changes of elements; nil if it isn't known.
    private var base: FuzzValue?
    /// Whether the set will have an element.
    private var isMember: [FuzzValue: Bool] = [:]
    /// How many changes have indexes.
    private var indexedCount = 0

    init(_ steps: [Step], undoing: Bool) {
      for step in steps where step.isFilled {
        let (gone, come) = undoing ? (step.new, step.old) : (step.old, step.new)
        switch step.announcement {
        case .setting:
          base = undoing ? step.before : step.after
          isMember = [:]
        case .ordered:
          indexedCount += 1
          base = nil
          isMember = [:]
        case .unordered:
          for element in gone.elements ?? [] { isMember[element.likeness] = false }
          for element in come.elements ?? [] { isMember[element.likeness] = true }
        }
      }
    }

    /// Whether observers have changed elements besides.
    func isExceeded(by other: Effect) -> Bool {
      // A setting as the last change says what the value is.
      if other.base != nil, other.isMember.isEmpty { return false }
      if other.indexedCount > indexedCount { return true }
      if let present = other.base, present != base { return true }
      let foreign = other.isMember.filter { isMember[$0] != $1 }
      if foreign.isEmpty { return false }
      guard let elements = base?.elements?.map(\.likeness) else { return true }
      return foreign.contains { (isMember[$0] ?? elements.contains($0)) != $1 }
    }
  }

  private func isEffective(_ level: [Step]) -> Bool {
    level.contains { world.isAlive($0.site.object) }
  }

  /// Whether the level's keys have the values that its changes left.
  ///
  /// What a setting is undone from is known only if no change of elements is undone before it: those check their
  /// elements themselves.
  private func isUnchanged(_ level: [Step]) -> Bool {
    var values: [Site: FuzzValue] = [:]
    var unknown: Set<Site> = []
    for step in level.reversed() where world.isAlive(step.site.object) {
      guard case .setting = step.announcement else {
        unknown.insert(step.site)
        continue
      }
      let present = values[step.site] ?? world.value(step.site.object, step.site.key)
      let isOverlaid = step.isOverlaid && (present == step.before || present == step.after)
      let isFree = isOverlaid || step.isAnswered
      if unknown.remove(step.site) == nil, present != step.left.value, !isFree { return false }
      values[step.site] = step.before
    }
    return true
  }

  private func undo(_ step: Step) {
    let (id, key) = (step.site.object, step.site.key)
    let (left, entered) = (step.old.elements ?? [], step.new.elements ?? [])
    // A deliberate mistake may leave a level that doesn't fit.
    if flaw != nil, let last = step.announcement.indexes?.max() {
      let count = (world.value(id, key).elements ?? []).count
      if last >= count + (step.announcement.kind == .removal ? left.count : 0) { return }
    }
    switch step.announcement {
    case .setting: set(id, key, step.before)
    case _ where step.before == .none: set(id, key, .none)
    case .ordered(.insertion, let at): change(id, key, .remove(at: at))
    case .ordered(.removal, let at): change(id, key, .insert(left, at: at))
    case .ordered(_, let at): change(id, key, .replace(left, at: at))
    case .unordered(.union, _): change(id, key, .algebra(.minus, entered))
    case .unordered(.set, _): change(id, key, .algebra(.set, step.before.elements ?? []))
    case .unordered(_, _): change(id, key, .algebra(.union, left))
    }
  }

  /// The change that undoing a step has made of a value, which observers may have set in response to an undo since.
  private func inverse(of step: Step, from present: FuzzValue) -> Step {
    let inverse = Step(site: step.site, .setting, before: present, nil)
    (inverse.old, inverse.new, inverse.after) = (step.new, step.old, step.before)
    inverse.left.value = world.value(step.site.object, step.site.key)
    pin(inverse)
    return inverse
  }

  // MARK: The end

  func dropRecorders() {
    for number in recorders.keys.sorted() {
      guard let recorder = recorders.removeValue(forKey: number) else { continue }
      // A recorder that is dying records nothing of what its values do when they die.
      recorder.observances.forEach(end)
      for level in recorder.undoLevels + recorder.redoLevels { forget(level) }
      recorder.observances.forEach { $0.recorder = nil }  // they hold each other
    }
  }
}
