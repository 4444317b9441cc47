import KeyValueObserving

// Transactions: every observance is notified once, at the end of the outermost transaction.
extension Reference {
  func perform(_ batch: Batch) {
    let receivers = batch.receivers.filter(world.isAlive)
    if batch.receivers.count == 1, receivers.isEmpty { return }
    pinning(receivers) {
      if flaw == .noTransactions {
        batch.operations.forEach(perform)
      } else {
        inTransaction(isRollingBack: batch.isRollingBack, isFailing: batch.isFailing) {
          batch.operations.forEach(perform)
        }
      }
      if batch.isFailing { note(.answered("failed")) }
    }
  }

  func inTransaction(isRollingBack: Bool, isFailing: Bool, _ body: () -> Void) {
    let transaction = transaction ?? OpenTransaction(after: observances)
    self.transaction = transaction
    retainPins(of: transaction.entries)
    transaction.levels.append(
      .init(
        entries: transaction.entries, model: isRollingBack ? world.model : nil,
        recorded: recorders.mapValues(\.recorded)))
    body()
    let isRolledBack = isRollingBack && isFailing
    let replaced = isRolledBack ? replacedByRestoring(transaction) : []
    replaced.forEach(world.retain)
    if isRolledBack { restore(transaction) }
    let level = transaction.levels.removeLast()
    let abandoned = isRolledBack ? transaction.entries : level.entries
    if isRolledBack {
      transaction.entries = level.entries
      forgetRecorded(since: level.recorded, in: transaction)
    }
    for record in level.records { record.pinned.forEach(world.release) }
    replaced.forEach(world.release)
    releasePins(of: abandoned)
    guard transaction.levels.isEmpty else { return }
    transaction.isOpen = false
    self.transaction = nil
    tellAll(transaction)
    endGroups(of: transaction)
  }

  private func inOrder(
    _ entries: [ObjectIdentifier: OpenTransaction.Entry]
  ) -> [OpenTransaction.Entry] {
    observances.compactMap { entries[ObjectIdentifier($0)] }
  }

  private func retainPins(of entries: [ObjectIdentifier: OpenTransaction.Entry]) {
    for entry in entries.values { entry.pinned?.forEach(world.retain) }
  }

  private func releasePins(of entries: [ObjectIdentifier: OpenTransaction.Entry]) {
    for entry in entries.values.sorted(by: { $0.place < $1.place }) {
      entry.pinned?.forEach(world.release)
    }
  }

  // MARK: Restoring

  /// Records a property before it changes, for each level that may be rolled back.
  func noteForRestoring(_ change: Change) {
    guard let transaction = change.transaction, !transaction.isRestoring else { return }
    guard ReferenceKey.of(change.site.object, change.site.key)?.isComputed == false else { return }
    let value = world.value(change.site.object, change.site.key)
    for index in transaction.levels.indices where transaction.levels[index].model != nil {
      let isKnown = transaction.levels[index].records.contains { $0.site == change.site }
      if isKnown { continue }
      let pinned = World.objects(in: value)
      pinned.forEach(world.retain)
      transaction.levels[index].records.append(
        .init(site: change.site, value: value, pinned: pinned))
    }
  }

  /// The objects in the values that restoring replaces.
  private func replacedByRestoring(_ transaction: OpenTransaction) -> [Int] {
    let records = transaction.levels.last?.records ?? []
    return records.flatMap { record -> [Int] in
      let (id, key) = (record.site.object, record.site.key)
      guard world.isAlive(id), ReferenceKey.of(id, key)?.hasNoProperty == false else { return [] }
      return World.objects(in: world.stored(id, key))
    }
  }

  /// Makes the model what it was: first the properties that were set, the last one first, and then all that
  /// differs still.
  private func restore(_ transaction: OpenTransaction) {
    guard flaw != .noRestoring, let level = transaction.levels.last, let model = level.model else {
      return
    }
    let restored = flaw == .noRestoringUnobserved ? observedObjects : Set(world.alive)
    transaction.isRestoring = true
    for record in level.records.reversed() where restored.contains(record.site.object) {
      let (id, key) = (record.site.object, record.site.key)
      guard world.isAlive(id) else { continue }
      // A key without a property is restored to the value before it was first announced.
      let isProperty = ReferenceKey.of(id, key)?.hasNoProperty == false
      pinning([id]) { world.store(isProperty ? model.value(id, key) : record.value, id, key) }
    }
    for id in world.alive where restored.contains(id) {
      for key in ReferenceKey.storedOrder where ReferenceKey.of(id, key)?.hasNoProperty == false {
        let value = model.value(id, key)
        if world.stored(id, key) != value { world.store(value, id, key) }
      }
    }
    transaction.isRestoring = false
  }

  private var observedObjects: Set<Int> {
    let active = observances.filter { $0.isActive && world.isAlive($0.root) }
    return Set(
      active.flatMap { Reach($0.path, of: $0.root, in: world).sites.keys.map(\.object) })
  }

  // MARK: Changes

  /// Records a pending change of an observance.
  func begin(_ frozen: Change.Frozen, of change: Change, in transaction: OpenTransaction) {
    let observance = frozen.observance
    let identifier = ObjectIdentifier(observance)
    guard !transaction.isRestoring, observance.isActive, world.isAlive(observance.root) else {
      return
    }
    guard let entry = transaction.entries[identifier] else {
      let entry = firstEntry(frozen, of: change, in: transaction)
      transaction.entries[identifier] = entry
      if observance.options.contains(.prior), flaw != .noPriors {
        tell(observance, .setting, old: entry.old, new: nil, isPrior: true)
      }
      return
    }
    transaction.entries[identifier] = next(entry, frozen, of: change)
  }

  private func firstEntry(
    _ frozen: Change.Frozen, of change: Change, in transaction: OpenTransaction
  ) -> OpenTransaction.Entry {
    let observance = frozen.observance
    var entry = transaction.makeEntry(observance)
    guard frozen.isLeaf else {
      entry.old = value(of: observance)
      if observance.options.contains(.old) { keepOld(&entry) }
      return entry
    }
    let before = world.value(change.site.object, change.site.key)
    entry.site = change.site
    entry.old = before
    switch change.announcement {
    case .setting: break
    case .ordered where flaw == .noMerging: break
    case .ordered: entry.shape = .ordered((before.elements ?? []).indices.map { $0 })
    case .unordered: entry.shape = .unordered
    }
    // The old elements can be told from the inserted ones later, but a prior reads them at once.
    let isLate =
      change.announcement.kind == .insertion && change.announcement.indexes != nil
      && !observance.options.contains(.prior) && !transaction.mayMissChanges(observance)
    if wantsOld(observance), !isLate { keepOld(&entry) }
    return entry
  }

  private func next(
    _ entry: OpenTransaction.Entry, _ frozen: Change.Frozen, of change: Change
  ) -> OpenTransaction.Entry {
    var entry = entry
    let isSameSite = frozen.isLeaf && entry.site == change.site
    let isInsertion = change.announcement.kind == .insertion && change.announcement.indexes != nil
    let isCompared = entry.site != nil || entry.observance.options.contains(.old)
    if wantsOld(entry.observance), isCompared, entry.pinned == nil, !(isInsertion && isSameSite) {
      keepOld(&entry)
    }
    if !isSameSite { entry.site = nil }
    switch (entry.shape, change.announcement) {
    case (.ordered, .ordered) where isSameSite: break
    case (.unordered, .unordered) where isSameSite: break
    default: entry.shape = .whole
    }
    return entry
  }

  private func wantsOld(_ observance: Observance) -> Bool {
    !observance.options.isDisjoint(with: [.old, .elementChanges])
  }

  private func keepOld(_ entry: inout OpenTransaction.Entry) {
    let objects = World.objects(in: entry.old ?? .none).filter(world.isAlive)
    objects.forEach(world.retain)
    entry.pinned = objects
  }

  /// Records that a change has completed; false if it began in a part of the transaction that was rolled
  /// back.
  func complete(
    _ frozen: Change.Frozen, of change: Change, in transaction: OpenTransaction
  ) -> Bool {
    let identifier = ObjectIdentifier(frozen.observance)
    if transaction.isRestoring || !frozen.observance.isActive { return true }
    guard var entry = transaction.entries[identifier] else { return false }
    entry.hasChanged = true
    entry.shape = entry.shape.applying(change.announcement)
    transaction.entries[identifier] = entry
    return true
  }

  /// Postpones a change that wasn't announced beforehand; false if there is no transaction.
  func postpone(_ observance: Observance) -> Bool {
    guard let transaction else { return false }
    if transaction.isRestoring { return true }
    var entry =
      transaction.entries[ObjectIdentifier(observance)] ?? transaction.makeEntry(observance)
    entry.hasChanged = true
    entry.site = nil
    entry.shape = .whole
    transaction.entries[ObjectIdentifier(observance)] = entry
    return true
  }

  // MARK: The end

  private func tellAll(_ transaction: OpenTransaction) {
    let entries = inOrder(transaction.entries)
    var told: [(Observance, [OpenTransaction.Notice])] = []
    var pins: [Int] = []
    for entry in entries where entry.hasChanged {
      guard entry.observance.isActive, world.isAlive(entry.observance.root) else { continue }
      let notices = notices(entry)
      for notice in notices {
        let objects = notice.new.map(World.objects) ?? []
        if entry.observance.options.contains(.new) { pins += objects }
      }
      told.append((entry.observance, notices))
    }
    pins.forEach(world.retain)
    for (observance, notices) in flaw == .reversedPosts ? told.reversed() : told {
      for notice in notices {
        tell(
          observance, notice.kind, old: notice.old, new: notice.new, at: notice.indexes,
          isDeferred: true)
      }
    }
    pins.forEach(world.release)
    releasePins(of: transaction.entries)
  }

  private func notices(_ entry: OpenTransaction.Entry) -> [OpenTransaction.Notice] {
    guard let site = entry.site, world.isAlive(site.object) else {
      return [.init(old: entry.old, new: value(of: entry.observance))]
    }
    let old = entry.old ?? .none
    let new = world.value(site.object, site.key)
    switch entry.shape {
    case .ordered(let places) where places.count == new.elements?.count:
      return notices(of: places, old: old, new: new)
    case .unordered: return unorderedNotices(old: old, new: new)
    case .ordered, .whole:
      let steps =
        entry.observance.options.contains(.elementChanges)
        ? ElementStep.steps(from: old, to: new) : []
      if steps.isEmpty { return [.init(old: old, new: new)] }
      return steps.map {
        .init(kind: $0.kind, indexes: $0.indexes, old: $0.left, new: $0.entered)
      }
    }
  }

  private func notices(
    of places: [Int?], old: FuzzValue, new: FuzzValue
  ) -> [OpenTransaction.Notice] {
    let before = old.elements ?? []
    let after = new.elements ?? []
    let removed = before.indices.filter { !places.contains($0) }
    let inserted = places.indices.filter { places[$0] == nil }
    let left = FuzzValue.list(removed.map { before[$0] })
    let entered = FuzzValue.list(inserted.map { after[$0] })
    if removed.isEmpty, inserted.isEmpty { return [.init(old: old, new: new)] }
    if removed == inserted {
      return [.init(kind: .replacement, indexes: removed, old: left, new: entered)]
    }
    return
      (removed.isEmpty ? [] : [.init(kind: .removal, indexes: removed, old: left)])
      + (inserted.isEmpty ? [] : [.init(kind: .insertion, indexes: inserted, new: entered)])
  }

  private func unorderedNotices(old: FuzzValue, new: FuzzValue) -> [OpenTransaction.Notice] {
    let before = Set(old.elements ?? [])
    let after = Set(new.elements ?? [])
    let (left, entered) = (before.equalToNone(of: after), after.equalToNone(of: before))
    switch (left.isEmpty, entered.isEmpty) {
    case (true, true): return [.init(old: old, new: new)]
    case (true, false): return [.init(kind: .insertion, new: .bag(entered))]
    case (false, true): return [.init(kind: .removal, old: .bag(left))]
    case (false, false): return [.init(kind: .replacement, old: .bag(left), new: .bag(entered))]
    }
  }
}
