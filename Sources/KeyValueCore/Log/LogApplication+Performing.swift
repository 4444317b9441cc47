/// Makes the changes of a record that has been prepared.
extension LogApplication {
  var changeCount: Int { steps.count }

  /// Whether the steps are one change, or what a proxy's operation does to a collection, such as a move, and what weak
  /// keys refer to as objects arrive and leave with it.
  var isOneOperation: Bool {
    let changes = steps.filter { !$0.setsWeakKey }
    let isOfOneCollection = changes.allSatisfy { step in
      if case .edit = step.action { step.place == changes[0].place } else { false }
    }
    // Each place is changed once, but for the collection's.
    let further = max(changes.count - 1, 0)
    return (changes.count <= 1 || isOfOneCollection)
      && Set(steps.map(\.place)).count == steps.count - further
  }

  func perform() {
    fill()
    // They enter first, so that what changes them is recorded.
    for entry in returning { graph.hold(entry) }
    defer { for entry in returning { graph.release(entry) } }
    for step in steps {
      collector.expected = [step.place]
      perform(step)
    }
    collector.isApplying = false
    collector.endExpecting()
  }

  /// Makes one change, or those of an operation, and what happens to weak keys with the last.
  ///
  /// The observers are told each change as it is, which a transaction wouldn't do, and before those of weak keys. All
  /// of a change is stored when they're called.
  func performAsOneOperation() {
    fill()
    let earlier = changeIndexes.dropLast()
    if earlier.isEmpty { return performLast(isOnly: true) }
    ChangeScope.group(scopes) {
      for index in earlier {
        expect { $0 == index }
        perform(steps[index])
      }
      performLast(isOnly: false)
      // What another record changed until here would belong to the group's record.
      collector.isApplying = false
    }
  }

  /// The scopes that the steps concern, each once: this log's, and those of other logs and of recorders.
  private var scopes: [ChangeScope] {
    var scopes: [ChangeScope] = [collector]
    for step in steps {
      let (object, property) = (step.entry.object, step.key.property)
      let watches = object._$kvoWithRegistrar { $0.watches(of: property.id).0 }
      watches.forEach { watch in
        guard let scope = watch.observance.scope, !scopes.contains(where: { $0 === scope }) else {
          return
        }
        scopes.append(scope)
      }
    }
    return scopes
  }

  private var changeIndexes: [Int] { steps.indices.filter { !steps[$0].setsWeakKey } }

  /// Has the collector expect some of the steps, whose order is that of their edits in the record.
  private func expect(_ isExpected: (Int) -> Bool) {
    collector.expected = steps.indices.map { isExpected($0) ? steps[$0].place : nil }
  }

  /// Makes the last change of a collection, or the only change, and what happens to weak keys with it.
  private func performLast(isOnly: Bool) {
    let change = steps.last { !$0.setsWeakKey } ?? (steps.count == 1 ? steps[0] : nil)
    let weak = steps.filter { $0.entry !== change?.entry || $0.key !== change?.key }
    let earlier = changeIndexes.dropLast()
    expect { !earlier.contains($0) }
    defer { collector.endExpecting() }
    if weak.isEmpty, let change { return perform(change, isLast: isOnly) }
    let mutations = weak.map { ManualMutation($0.entry.object, $0.key.property, .setting) }
    let scopes = scopes
    ChangeScope.enter(scopes)
    defer { ChangeScope.leave(scopes) }
    let journaled = mutations.map { $0.start(isSilent: true) }
    let observed = zip(weak, mutations).map { step, mutation in
      ThreadContext.ofThisThread.leavingOutOfJournals(step.place) { mutation.start() }
    }
    func setWeakKeys() {
      for step in weak {
        if case .store(let value) = step.action { put(value, step.entry, step.key) }
      }
      for (mutation, started) in zip(mutations, journaled) { mutation.finish(started) }
    }
    if let change {
      perform(change, isLast: isOnly, setWeakKeys)
    } else {
      setWeakKeys()
      if isOnly { collector.isApplying = false }
    }
    for (mutation, started) in zip(mutations, observed) { mutation.finish(started) }
  }

  /// Gives new objects their values, before they belong to a graph.
  func performArrivals() { fill() }

  /// Makes a change; `others` is called when its priors have been, before it's stored.
  ///
  /// `isLast` is whether all of the record is stored with it, so that its observers may apply another one.
  private func perform(_ step: Step, isLast: Bool = false, _ others: (() -> Void)? = nil) {
    let (object, property) = (step.entry.object, step.key.property)
    let edit = step.hashed.flatMap { $0.refersToObjects ? $0 : nil }
    let hashed = edit.flatMap { try? action(of: $0, step.key) }
    switch hashed ?? step.action {
    case .store(let value): store(value, step.entry, step.key, isLast: isLast, others)
    case .edit(let edit): change(edit, step.entry, step.key, isLast: isLast, others)
    case .amend(let removal, let insertion):
      let left = property.fitting(removal, of: object)
      let edits = [left, property.fitting(insertion, of: object, behind: left.ranges)]
      let value =
        property.valueStorage?.captureStored(object, after: edits)
        ?? property.captureStored(from: object)
      store(value, step.entry, step.key, isLast: isLast, others)
    case .exchange(let old, let new):
      var present: Set<AnyHashable> = []
      property.captureStored(from: object).withAddress {
        present = (property.anyValue(at: $0) as? any ToMany)?.anyElements.hashableElements ?? []
      }
      change(
        .algebra(.set, present.subtracting(old).union(new)), step.entry, step.key, isLast: isLast,
        others)
    case .entry(let place, let data):
      guard
        let whole = try? step.key.dictionary(of: object, setting: place, to: data, graph)
      else { return leaveOut(isLast: isLast, others) }
      store(whole, step.entry, step.key, isLast: isLast, others)
    }
  }

  /// Does what else belongs to a change of which nothing is left to make or tell.
  private func leaveOut(isLast: Bool, _ others: (() -> Void)?) {
    others?()
    if isLast { collector.isApplying = false }
  }

  private func store(
    _ value: any CapturedValue, _ entry: LogGraph.Entry, _ key: LoggedKey, isLast: Bool = false,
    _ others: (() -> Void)? = nil
  ) {
    let mutation = ManualMutation(entry.object, key.property, .setting)
    let started = mutation.start()
    others?()
    put(value, entry, key)
    if isLast { collector.isApplying = false }
    mutation.finish(started)
  }

  private func runsPropertyObservers(of entry: LogGraph.Entry) -> Bool {
    runsPropertyObservers
      || !observing.isEmpty && entry.type.lineage.contains(where: observing.contains)
  }

  private func put(_ value: any CapturedValue, _ entry: LogGraph.Entry, _ key: LoggedKey) {
    if runsPropertyObservers(of: entry), let storage = key.property.valueStorage {
      storage.store(value, in: entry.object)
    } else {
      key.property.storeSilently(value, in: entry.object)
    }
  }

  /// Makes an edit, or what of it the collection can take now.
  private func change(
    _ edit: Edit, _ entry: LogGraph.Entry, _ key: LoggedKey, isLast: Bool,
    _ others: (() -> Void)?
  ) {
    let (object, property) = (entry.object, key.property)
    var present = property.fitting(edit, of: object)
    if present.isOfNothing, !edit.isOfNothing {
      return leaveOut(isLast: isLast, others)
    }
    let isAdjusted =
      runsPropertyObservers(of: entry) && property.valueStorage?.hasPropertyObservers == true
    func mutation(_ edit: Edit) -> ManualMutation {
      ManualMutation(
        object, property, edit, isChecked: true, adjustment: isAdjusted ? .property : .nothing)
    }
    var announced = mutation(present)
    let started = announced.start()
    others?()
    if others != nil || started?.mayHaveCalledOut == true {
      // A prior's handler may have changed the collection, too. Observers are told the edit as it was announced.
      present = property.fitting(present, of: object)
      announced = mutation(present)
    }
    // An edit that was empty when it was recorded makes an empty collection of nil.
    if !present.isOfNothing || edit.isOfNothing { put(present, entry, key) }
    if isLast { collector.isApplying = false }
    announced.finish(started)
  }

  private func put(_ edit: Edit, _ entry: LogGraph.Entry, _ key: LoggedKey) {
    if runsPropertyObservers(of: entry), let storage = key.property.valueStorage {
      storage.store(storage.captureStored(entry.object, after: [edit]), in: entry.object)
    } else {
      key.property.editSilently(edit, in: entry.object)
    }
  }

  /// Gives the new objects their values; those that may hash objects last, when these have theirs.
  private func fill() {
    var last: [NewValue] = []
    for new in newValues {
      if new.key.hashesObjects, new.data.refersToObjects {
        last.append(new)
      } else {
        store(new.value, new.entry, new.key)
      }
    }
    // A structure comes before a collection: it may be what distinguishes an object.
    for isStructure in [true, false] {
      for new in last where (new.key.relation == .nothing) == isStructure {
        let value = (try? new.key.value(of: new.data, graph)) ?? new.value
        store(value, new.entry, new.key)
      }
    }
  }
}

extension KeyValueLogValue {
  fileprivate var refersToObjects: Bool {
    var refers = false
    forEachReference { _ in refers = true }
    return refers
  }
}

extension KeyValueEdit {
  /// Whether a value of the edit, before or after it, refers to an object.
  fileprivate var refersToObjects: Bool {
    var refers = false
    for edit in [self, inverse] { edit.forEachReference { _ in refers = true } }
    return refers
  }
}
