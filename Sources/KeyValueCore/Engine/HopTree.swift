import Synchronization

/// The hops that an observance of a path, or of a key with dependencies, is attached to.
///
/// Getters run, and registrars are accessed, without the tree's lock, which guards only the links between
/// hops. A subtree is attached first and linked in afterwards. If another thread has linked in a later
/// one, the subtree is discarded.
// Checked by hand: `rootHop`, `brackets`, `deaths` and the hops' links are accessed only under `lock`, and the
// accesses can't overlap; the root is published by `isRootHeld`.
final class HopTree: @unchecked Sendable {
  unowned let observance: Observance
  // Set once, before `isRootHeld`.
  @exclusivity(unchecked) private weak var weakRoot: (any KeyValueObservable)?
  private let isRootHeld = Atomic<Bool>(false)
  /// The dependent key that is the whole path; its value is the observed one.
  let soleProperty: Property?
  let path: ObservedPath
  /// What the observance needs.
  private let observed: Needs
  /// What it needs of a change of anything but the observed value's own property.
  private let evaluated: Needs
  /// Whether the observed value is the sum, or the average, of a key of the elements.
  let addsKeys: Bool
  /// The observed object, dereferenced only where it is known to exist.
  private let unretainedRoot: UnretainedObject
  /// Whether this is a trial, which throws an error for what can't be observed and watches nothing.
  let isTrial: Bool
  let lock = UnfairLock()
  @exclusivity(unchecked) var rootHop: Hop?
  /// The changes in progress, at whose ends their hops are followed; a manual pair may never end, and doesn't count.
  @exclusivity(unchecked) private var brackets = 0
  /// The hops whose values have died in a change in progress, when what changes may not be readable.
  @exclusivity(unchecked) private var deaths: [Hop] = []

  init(
    root: any KeyValueObservable, observance: Observance,
    soleProperty: Property?, isTrial: Bool = false
  ) {
    self.isTrial = isTrial
    self.observance = observance
    path = observance.path
    observed = observance.needs
    // Elements' changes are found without the values.
    evaluated = Needs(observance.options.subtracting(.elementChanges)).evaluated
    addsKeys = path.boxAggregate != nil && path.addsKeys
    unretainedRoot = UnretainedObject(object: root)
    self.soleProperty = soleProperty
  }

  /// The observed object while it is alive; nil if the tree never leaves it.
  ///
  /// Only changes of other objects need it from here. The observed object's own changes supply it.
  var root: (any KeyValueObservable)? {
    isRootHeld.load(ordering: .acquiring) ? weakRoot : nil
  }

  /// Makes the observed object reachable from other objects' changes.
  ///
  /// Called while the tree is attached for the first time. A weak reference slows down every retain and
  /// release of the object, so a tree that doesn't need one has none.
  private func holdRoot(_ root: any KeyValueObservable) {
    if isRootHeld.load(ordering: .relaxed) { return }
    weakRoot = root
    isRootHeld.store(true, ordering: .releasing)
  }

  /// Whether the observed object has died, which its observances haven't been told yet.
  var isOrphaned: Bool { lock.withLock { rootHop?.storage }?.isOrphaned ?? false }

  /// The observed object while it is alive, wherever it is needed.
  var object: (any KeyValueObservable)? {
    root ?? lock.withLock { rootHop?.storage }?.retained(unretainedRoot)
  }

  /// A hop's object while it is alive, for everything except a change of the object itself.
  func object(of hop: Hop) -> (any KeyValueObservable)? {
    hop.isOnRoot ? root : hop.weakObject
  }

  // MARK: Attaching

  /// Attaches to the whole path, which begins with this property of the root.
  func attach(_ first: Property, of root: any KeyValueObservable) throws {
    try checkLength()
    do {
      let hop = try attach(
        path.keys, at: 0, to: root, first, parent: nil, isLenient: path.hasTail,
        endsObservedPath: !path.hasTail)
      lock.withLock { rootHop = hop }
    } catch let error as KeyValueCodingError {
      throw path.respelled(error)
    }
  }

  /// Attaching follows a path one call inside another.
  private func checkLength() throws {
    let (count, limit) = (path.keys.count, 500)
    if count <= limit { return }
    throw KeyValueCodingError.malformedKeyPath(
      .init(
        type: "", key: "\(path.string.prefix(40))…", keyPath: path.string,
        reason: "it has \(count) components, and an observed one has at most \(limit)"))
  }

  /// Attaches the rest of the path behind a new hop, and checks what no object answers for yet.
  ///
  /// - Throws: An error that the declared classes already prove, and while the path is attached for the first time,
  ///   what is wrong with its objects. What is wrong with one object on a dependency's path is reported instead,
  ///   because the key's other sources are not at fault. So is what a later object has: the hop that stays hears of
  ///   its replacement.
  private func linkFirst(behind hop: Hop, of object: AnyObject) throws {
    guard hop.leadsOn else { return }
    do {
      try link(behind: hop, of: object)
    } catch {
      guard hop.isInDependency || lock.withLock({ rootHop != nil }) else { throw error }
      if hop.isInDependency { try checkDeclarations(behind: hop) }
      return report(error, at: hop)
    }
    if lock.withLock({ hop.behind.hops.isEmpty }) { try checkDeclarations(behind: hop) }
  }

  /// Attaches to the rest of a path, from the component at the index on.
  ///
  /// `property` is the property at the index, if the component isn't the name of a key. `mustBeKey` means
  /// that the component has to be a key, even if the path is lenient.
  func attach(
    _ path: [PathComponent], at index: Int, to object: any KeyValueObservable,
    _ property: Property? = nil, parent: Hop?, isSource: Bool = false, isLenient: Bool,
    mustBeKey: Bool = false, isElement: Bool = false, endsObservedPath: Bool
  ) throws -> Hop? {
    guard index < path.count else { return nil }
    let component = path[index]
    if isSource, !isLenient { try path.checkOperators() }
    let schema = object.schema
    let found = property ?? schema.property(component.name, answeredBy: object)
    // A dependency is the class's own code.
    let isInDependency = isSource || parent?.isInDependency == true
    guard let property = found, isInDependency || self.path.mayReach(property) else {
      if isLenient && !mustBeKey || component.isOperator || component.isIdentity { return nil }
      throw KeyValueCodingError.undefinedKey(component.name, in: schema)
        .at(index + 1, of: path.string)
    }
    // A property that the branch already watches closes a cycle: its dependencies are already attached.
    // Only the rest of a path through it (`dog` depends on `dog.name`) isn't. A path's end may need a hop below an
    // element of that property: the element stays attached when the collection changes, and the hop leads to
    // what depends on the collection there.
    let ancestor =
      isInDependency
      ? lock.withLock {
        parent?.lineage.first { $0.isAttached(to: object) && $0.property.key == property.key }
      } : nil
    let isEnd = index == path.count - 1
    if let ancestor, isEnd, let parent {
      let isNeeded =
        parent.isInElement(of: ancestor)
        && (self.path.boxAggregate != nil || parent.mayLeadOn(from: ancestor, isSource: isSource))
      if !isNeeded { return nil }
    }
    let isLeafType = self.path.leafType.map { $0 == property.valueType } ?? true

    let traits = schema.traits(of: property)
    #if (DEBUG || KVO_AUDIT) && os(Linux)
      if !schema.declaresKeys(schema.type) { UnannotatedClasses.check(property, of: schema) }
    #endif
    let hop = insertHop(
      property, of: object, schema, parent: parent, isSource: isSource, path, at: index,
      isLenient: isLenient, isElement: isElement,
      endsObservedPath: endsObservedPath && (isLeafType || !isEnd),
      isWatched: ancestor == nil || !isEnd, traits)
    // What is attached below a detached hop is discarded.
    if let ancestor { lock.withLock { if ancestor.isLive { ancestor.add(echo: hop) } } }
    do {
      for dependency in ancestor == nil ? traits.dependencies : [] {
        let source = try attach(
          dependency.components, at: 0, to: object, parent: hop, isSource: true,
          isLenient: dependency.isLenient, mustBeKey: dependency.origin == .checked,
          endsObservedPath: false)
        guard let source else { continue }
        let isWanted = lock.withLock {
          if hop.isLive { hop.sources.append(source) }
          return hop.isLive
        }
        if !isWanted { detach(source) }
      }
      try linkFirst(behind: hop, of: object)
    } catch {
      detach(hop)
      throw error
    }
    return hop
  }

  /// Watches one property of an object.
  ///
  /// `isWatched` is false for an echo with nothing behind it: the watch of the hop that it echoes is enough.
  func insertHop(
    _ property: Property, of object: any KeyValueObservable, _ schema: KeyValueSchema,
    parent: Hop?, isSource: Bool = false, _ path: [PathComponent], at index: Int,
    isLenient: Bool, isElement: Bool = false,
    endsObservedPath: Bool, isWatched: Bool = true, _ traits: KeyTraits
  ) -> Hop {
    func makeHop(_ storage: RegistrarStorage?) -> Hop {
      Hop(
        object: object, schema, storage: storage, property: property, parent: parent,
        isSource: isSource, path: path, index: index, isLenient: isLenient, isElement: isElement,
        endsObservedPath: endsObservedPath, traits, observed: observed, evaluated: evaluated)
    }
    if isTrial || !isWatched { return makeHop(nil) }
    return object._$kvoWithRegistrar { registrar in
      registrar.update(of: object, schema) { storage, state in
        let hop = makeHop(storage)
        // The hops behind this one have to find the root.
        if hop.isOnRoot, hop.leadsOn { holdRoot(object) }
        state.insert(
          Watch(observance: observance, hop: hop), property, isAutomatic: traits.isAutomatic)
        return hop
      }
    }
  }

  /// Attaches the rest of the path behind a hop, and detaches what was attached there.
  ///
  /// The last reader of the property wins, because a getter or another thread may change it while the
  /// rest is being attached.
  ///
  /// - Throws: What is wrong with the last value; then nothing is attached.
  private func link(behind hop: Hop, of object: AnyObject) throws {
    while true {
      let version = lock.withLock { hop.isLive && hop.isAttached(to: object) ? hop.version : nil }
      guard let version else { return }
      do {
        let replacement = try attachRest(behind: hop, of: object)
        if replace(behind: hop, by: replacement, since: version) { return }
      } catch {
        if replace(behind: hop, by: .nothing, since: version) { throw error }
      }
    }
  }

  /// Links what has been attached behind a hop and detaches what was there; false, with the opposite done, if
  /// another thread has linked something since that version.
  private func replace(
    behind hop: Hop, by replacement: Hop.Behind, since version: Int
  ) -> Bool {
    let (obsolete, isDone) = lock.withLock { () -> (Hop.Behind, Bool) in
      guard hop.isLive else { return (replacement, true) }
      guard hop.version == version else { return (replacement, false) }
      let old = hop.behind
      hop.behind = replacement
      hop.version += 1
      hop.noteRecount()
      return (old, true)
    }
    obsolete.hops.forEach(detach)
    return isDone
  }

  // MARK: Changes

  /// One property on the path to its end, and the object that it is known to refer to.
  private struct Step {
    let property: Unmanaged<Property>
    let next: ObjectIdentifier
  }

  /// The object and the property that the path ends at now, found along the hops from a changed one on;
  /// nil if the path has to be read from the observed object.
  func end(behind hop: Hop, of object: AnyObject) -> PathEnd? {
    guard hop.isOnPlainWay, path.members.isEmpty else { return nil }
    return withUnsafeTemporaryAllocation(of: Step.self, capacity: hop.path.count) { steps in
      guard let (count, last) = way(behind: hop, of: object, steps) else { return nil }
      var object = object
      for step in steps[..<count] {
        let next = step.property._withUnsafeGuaranteedRef { $0.reference(of: object) }
        guard let next, ObjectIdentifier(next) == step.next else { return nil }
        object = next
      }
      return PathEnd(property: last.takeUnretainedValue(), object: object)
    }
  }

  /// Collects the steps to the end of the path, and the last property; the schemas retain the properties.
  private func way(
    behind hop: Hop, of object: AnyObject, _ steps: UnsafeMutableBufferPointer<Step>
  ) -> (count: Int, last: Unmanaged<Property>)? {
    lock.withLock {
      guard hop.isLive, hop.isAttached(to: object) else { return nil }
      // Each hop keeps the next one alive while the lock is held.
      var (current, count) = (Unmanaged.passUnretained(hop), 0)
      while !current._withUnsafeGuaranteedRef({ $0.isLeaf }) {
        guard let next = current._withUnsafeGuaranteedRef({ $0.next }),
          next._withUnsafeGuaranteedRef({ $0.isOnPlainWay })
        else { return nil }
        steps.initializeElement(
          at: count,
          to: Step(
            property: current._withUnsafeGuaranteedRef { .passUnretained($0.property) },
            next: next._withUnsafeGuaranteedRef { $0.objectIdentity }))
        (current, count) = (next, count + 1)
      }
      return (count, current._withUnsafeGuaranteedRef { .passUnretained($0.property) })
    }
  }

  /// Called before a change of a property that something may be attached behind or depend on.
  ///
  /// `isBracket` is whether the change is sure to end.
  func valueWillChange(at hop: Hop, isBracket: Bool) {
    if hop.isInertBelow { return }
    lock.withLock {
      hop.beginChange()
      if isBracket { brackets += 1 }
    }
  }

  /// Ends a change; the caller holds the lock.
  ///
  /// - Returns: Whether `followDeaths` has to be called, without the lock.
  private func endBracket() -> Bool {
    brackets -= 1
    return !deaths.isEmpty
  }

  /// Reattaches what lies behind properties whose values changed with this hop's, and reads the contributions of
  /// the elements above them.
  ///
  /// `object` is the object that has changed.
  func valueChanged(at hop: Hop, of object: AnyObject) {
    var followed: Set<ObjectIdentifier>?
    valueChanged(at: hop, of: object, isBracket: false, membership: nil, besides: &followed)
  }

  /// The same for a hop that may be one of several at the changed property.
  ///
  /// `isBracket` is as it was before the change, and false for a hop that wasn't attached then. `membership` is what
  /// entered and left the collection behind the hop, if that is known. `followed` has the other hops that the change
  /// has been followed at; nil spares the set where this is the only hop. All that the change has stored is there, so
  /// it's followed once at each.
  func valueChanged(
    at hop: Hop, of object: AnyObject, isBracket: Bool, membership: Membership?,
    besides followed: inout Set<ObjectIdentifier>?
  ) {
    if hop.isInertBelow { return updateContributions(above: hop, of: object) }
    // A change that names elements stays open until they have been applied, because a recount in the
    // meantime includes them.
    let (isCurrent, isExact, changesAlone, hasDeaths) = lock.withLock {
      // The hop may have moved to another object since the change began.
      let isCurrent = hop.isAttached(to: object)
      let isExact = isCurrent && membership != nil && hop.isExact
      if !isExact { hop.endChange() }
      let hasDeaths = isBracket && endBracket()
      return (isCurrent, isExact, hop.changesAlone && hop.echoes.isEmpty, hasDeaths)
    }
    if isCurrent {
      let membership = isExact ? membership : nil
      reattach(behind: hop, of: object, membership: membership)
      if isExact { lock.withLock { hop.endChange() } }
      if changesAlone || followOthers(changedWith: hop, besides: &followed) {
        updateContributions(above: hop, of: object)
      }
    }
    if hasDeaths { followDeaths() }
  }

  /// Leaves it to the transaction to follow a change of a collection that ends; false if it has to be followed at
  /// once.
  func postpone(
    at hop: Hop, of object: AnyObject, to transaction: any OpenTransaction
  ) -> Bool {
    guard hop.needs.contains(.membership) else { return false }
    if transaction.hasPostponed(hop) {
      let hasDeaths = lock.withLock {
        hop.endChange()
        return endBracket()
      }
      if hasDeaths { followDeaths() }
      return true
    }
    let storage = lock.withLock {
      hop.isLive && hop.isAttached(to: object) && hop.fan != nil ? hop.storage : nil
    }
    guard let storage, let observable = object as? any KeyValueObservable else { return false }
    let unretained = UnretainedObject(object: observable)
    if lock.withLock(endBracket) { followDeaths() }
    transaction.postpone(hop) { [self] in
      // The change is complete only now. If the object has died, nothing is attached any more.
      guard let object = storage.retained(unretained) else { return }
      valueChanged(at: hop, of: object)
    }
    return true
  }

  /// Follows a change at the other hops whose values change with this hop's, though their own objects haven't
  /// changed: at the properties that depend on it, and at the echoes.
  ///
  /// - Returns: Whether the contributions above the hop have to be read. Those above a hop that was followed before
  ///   have been.
  private func followOthers(
    changedWith hop: Hop, besides followed: inout Set<ObjectIdentifier>?
  ) -> Bool {
    followed?.insert(ObjectIdentifier(hop))
    var isNew = true
    var changed = [hop]
    for dependent in hop.dependents {
      isNew = followed?.insert(ObjectIdentifier(dependent)).inserted ?? true
      if !isNew { continue }
      changed.append(dependent)
      if let object = object(of: dependent) { reattach(behind: dependent, of: object) }
    }
    let echoes = lock.withLock { () -> [Hop] in
      for hop in changed where !hop.echoes.isEmpty { hop.removeDetachedEchoes() }
      return changed.flatMap(\.echoes)
    }
    if echoes.isEmpty { return isNew }
    // Echoes may lead to each other.
    if followed == nil { followed = Set(changed.map(ObjectIdentifier.init)) }
    for echo in echoes {
      guard followed?.insert(ObjectIdentifier(echo)).inserted == true else { continue }
      if let object = object(of: echo) { reattach(behind: echo, of: object) }
      if followOthers(changedWith: echo, besides: &followed) {
        updateContributions(above: echo, of: nil)
      }
    }
    return isNew
  }

  private func reattach(
    behind hop: Hop, of object: AnyObject, membership: Membership? = nil
  ) {
    guard hop.leadsOn, !moveNext(behind: hop, of: object),
      !reconcileElements(behind: hop, of: object, membership: membership)
    else { return }
    do {
      try link(behind: hop, of: object)
    } catch {
      report(error, at: hop)
    }
  }

  /// Moves the hop behind another to the object that the property now refers to; false if a new hop is
  /// needed.
  ///
  /// Two threads are ordered as in `link(behind:)`: a thread that read the property before another thread
  /// linked its own reading starts again.
  private func moveNext(behind hop: Hop, of object: AnyObject) -> Bool {
    guard path.members.isEmpty, hop.property.refersToOne else { return false }
    let noted = lock.withLock { hop.movableNext.map { (hop.version, $0) } }
    guard let (version, next) = noted, let target = hop.property.observedObject(of: object) ?? nil,
      ObjectIdentifier(type(of: target)) == ObjectIdentifier(next.schema.type)
    else { return false }
    let (isPossible, old) = lock.withLock { () -> (Bool, RegistrarStorage?) in
      guard hop.version == version, hop.movableNext === next, hop.isAttached(to: object) else {
        return (false, nil)
      }
      if next.isAttached(to: target) { return (true, nil) }
      hop.behind = .nothing
      hop.version += 1
      return (true, next.leave(for: target))
    }
    if !isPossible { return false }
    if let old {
      old.remove(observance, next, id: next.property.id)
      let new = watch(next, of: target)
      let isLinked = lock.withLock { () -> Bool in
        next.arrive(in: new)
        guard hop.isLive, hop.version == version + 1 else { return false }
        hop.behind = .object(next)
        hop.version += 1
        hop.noteRecount()
        return true
      }
      guard isLinked else {
        detach(next)
        return false
      }
    }
    reattach(behind: next, of: target)
    return true
  }

  /// Watches a hop's property in an object.
  private func watch(_ hop: Hop, of object: any KeyValueObservable) -> RegistrarStorage {
    object._$kvoWithRegistrar { registrar in
      registrar.update(of: object, hop.schema) { storage, state in
        state.insert(
          Watch(observance: observance, hop: hop), hop.property, isAutomatic: hop.isAutomatic)
        return storage
      }
    }
  }

  /// Removes a dead object from the path; true if no change has announced that.
  ///
  /// `storage` is the dying object's.
  func objectDied(at hop: Hop, in storage: RegistrarStorage) -> Bool {
    guard let parent = hop.parent, !hop.isSource else { return false }
    var isAnnounced = false
    var isLeft = false
    var aggregate: Aggregate?
    var hasMoved = false
    let wasLinked = lock.withLock { () -> Bool in
      hasMoved = hop.storage !== storage
      guard !hasMoved, parent.isLive else { return false }
      isAnnounced = parent.isChangingOnTheWay
      switch parent.behind {
      case .nothing: return false
      case .object(let next):
        guard next === hop else { return false }
        parent.behind = .nothing
      case .elements(let fan):
        if fan.removeDead(hop) {
          aggregate = fan.aggregate
        } else if !fan.removeNested(hop) {
          return false
        }
      }
      parent.version += 1
      if brackets > 0, !parent.property.keepsValueAlive {
        deaths.append(parent)
        isLeft = true
      }
      return true
    }
    if hasMoved { return false }
    aggregate?.settle(lock)
    detach(hop)
    // If an object refers to itself weakly, or its owner dies with it, the owner's death counts.
    guard wasLinked, !isLeft, !parent.property.keepsValueAlive, object(of: parent) != nil else {
      return false
    }
    // This runs even during a pair above, because its change doesn't touch the elements that remain.
    followDeath(behind: parent)
    return !isAnnounced
  }

  /// Follows the deaths that changes have left until the end of the last one.
  private func followDeaths() {
    let dead = lock.withLock { () -> [Hop] in
      if brackets > 0 { return [] }
      defer { deaths = [] }
      return deaths
    }
    for hop in dead { followDeath(behind: hop) }
  }

  /// Follows the death of a hop's value.
  private func followDeath(behind hop: Hop) {
    guard lock.withLock({ hop.isLive }), let owner = object(of: hop) else { return }
    var followed: Set<ObjectIdentifier>?
    _ = followOthers(changedWith: hop, besides: &followed)
    updateContributions(above: hop, of: owner)
  }

  // MARK: Detaching

  /// Detaches from everything without reading a property.
  func detach() {
    if let hop = lock.withLock({ rootHop.take() }) { detach(hop) }
  }

  func detach(_ hop: Hop) {
    let (storage, sources, behind) = lock.withLock {
      () -> (RegistrarStorage?, [Hop], Hop.Behind) in
      hop.isLive = false
      let below = (hop.storage, hop.sources, hop.behind)
      hop.sources = []
      hop.behind = .nothing
      hop.echoes = []  // they lead back here by their parents
      hop.member = nil  // it leads back here
      return below
    }
    storage?.remove(observance, hop, id: hop.property.id)
    for hop in sources { detach(hop) }
    behind.hops.forEach(detach)
  }
}
