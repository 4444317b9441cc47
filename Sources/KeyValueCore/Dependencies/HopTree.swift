import Synchronization

/// What an observance of a path, or of a key that depends on others, is attached to.
///
/// Getters run and registrars are reached without the tree's lock; the lock guards only the links
/// between hops. A subtree is attached first and linked in afterwards, and thrown away where another
/// thread has linked in a later one.
// Checked by hand: `rootHop` and the hops' links are touched only under `lock`, in accesses that cannot
// overlap.
final class HopTree: @unchecked Sendable {
  weak let root: (any KeyValueObservable)?
  unowned let observance: Observance
  let path: ObservedPath
  let lock = Mutex<Void>(())
  @exclusivity(unchecked) var rootHop: Hop?

  init(root: any KeyValueObservable, observance: Observance, path: ObservedPath) {
    self.root = root
    self.observance = observance
    self.path = path
  }

  // MARK: Attaching

  /// Attaches to the whole path, from the root on.
  func attach() throws {
    guard let root else { return }
    let hop = try attach(
      path.keys, at: 0, to: root, role: .root, parent: nil, isLenient: path.hasTail,
      endsObservedPath: !path.hasTail)
    lock.withLock { _ in rootHop = hop }
  }

  func attach(
    _ path: [String], at index: Int, to object: any KeyValueObservable, role: Hop.Role,
    parent: Hop?, isLenient: Bool, endsObservedPath: Bool
  ) throws -> Hop? {
    guard index < path.count, path[index] != "self" else { return nil }
    let key = path[index]
    if role == .source, !isLenient { try CollectionOperator.check(path) }
    let schema = object.schema
    guard let property = schema.property(key) else {
      if isLenient || CollectionOperator.isOperator(key) { return nil }
      throw KeyValueCodingError.undefinedKey(key, in: schema)
        .at(index + 1, of: path.joined(separator: "."))
    }
    let isInDependency = role == .source || parent?.isInDependency == true
    // A property that the branch already watches closes a cycle: what it depends on is attached. Only
    // the rest of a path through it (`dog` depends on `dog.name`) is not.
    let ancestor =
      isInDependency ? Hop.ancestor(of: parent, watching: property, of: object) : nil
    if ancestor != nil, index == path.count - 1 { return nil }
    let isLeafType = self.path.leafType.map { $0 == property.valueType } ?? true

    let traits = schema.traits(of: property)
    let hop = object._$kvoWithRegistrar { registrar in
      registrar.update(of: object) { storage, state in
        let hop = Hop(
          object: object, storage: storage, property: property, role: role, parent: parent,
          path: path, index: index, isLenient: isLenient,
          endsObservedPath: endsObservedPath && (isLeafType || index < path.count - 1),
          hasDependencies: !traits.dependencies.isEmpty, observed: observance.needs)
        state.insert(
          Watch(observance: observance, hop: hop), property, isAutomatic: traits.isAutomatic)
        return hop
      }
    }
    if let ancestor { lock.withLock { _ in ancestor.echoes.append(hop) } }
    do {
      for dependency in ancestor == nil ? traits.dependencies : [] {
        let source = try attach(
          dependency.components, at: 0, to: object, role: .source, parent: hop,
          isLenient: dependency.isLenient, endsObservedPath: false)
        guard let source else { continue }
        let isWanted = lock.withLock { _ in
          if hop.isLive { hop.sources.append(source) }
          return hop.isLive
        }
        if !isWanted { detach(source) }
      }
      try link(behind: hop)
    } catch {
      detach(hop)
      throw error
    }
    return hop
  }

  /// Attaches the rest of the path behind a hop and lets go of what was attached there.
  ///
  /// Whoever reads the property last wins: a getter, or another thread, may change it while the rest is
  /// being attached.
  private func link(behind hop: Hop) throws {
    while true {
      let version = lock.withLock { _ in hop.isLive ? hop.version : nil }
      guard let version else { return }
      let replacement = try attachRest(behind: hop)
      let (obsolete, isDone) = lock.withLock { _ -> (Hop.Behind, Bool) in
        guard hop.isLive else { return (replacement, true) }
        guard hop.version == version else { return (replacement, false) }
        let old = hop.behind
        hop.behind = replacement
        hop.version += 1
        return (old, true)
      }
      obsolete.forEachHop(detach)
      if isDone { return readEarlyChanges(replacement) }
    }
  }

  /// Attaches what comes after a hop to what its property refers to now.
  private func attachRest(behind hop: Hop) throws -> Hop.Behind {
    guard !hop.isLast, let object = hop.object else { return .nothing }
    if let next = hop.property.observedObject(of: object) {
      return try next.map { try attach(next: $0, behind: hop) } ?? .nothing
    }
    guard let value = hop.property.anyValue(of: object) else {
      // Nil may be followed by something that can be observed, unless the type says never.
      if !hop.isLenient, hop.path[hop.index + 1] != "self", isPlainValue(hop.property.valueType) {
        throw notObservable(hop.property.valueType, at: hop, of: object)
      }
      return .nothing
    }
    switch value {
    case let next as any KeyValueObservable:
      return try attach(next: next, behind: hop)
    case let collection as any ToMany:
      return try attachElements(of: collection, behind: hop)
    default:
      if hop.isLenient || value is [String: Any] { return .nothing }
      throw notObservable(type(of: value), at: hop, of: object)
    }
  }

  private func attach(next: any KeyValueObservable, behind hop: Hop) throws -> Hop.Behind {
    let next = try attach(
      hop.path, at: hop.index + 1, to: next, role: .next, parent: hop,
      isLenient: hop.isLenient, endsObservedPath: hop.endsObservedPath)
    return next.map { .object($0) } ?? .nothing
  }

  func notObservable(
    _ type: Any.Type, at hop: Hop, of object: any KeyValueObservable
  ) -> KeyValueCodingError {
    .notKeyValueObservable(
      .init(
        type: object.schema.name, key: hop.property.key,
        keyPath: hop.path.joined(separator: "."), position: hop.index + 1,
        reason: "its value is of type \(unwrapped(type)), which is not @KeyValueObservable"))
  }

  // MARK: Changes

  /// Called before a property changes that something is attached behind or depends on.
  func valueWillChange(at hop: Hop) {
    lock.withLock { _ in hop.beginChange() }
  }

  /// Attaches anew whatever lies behind properties whose values changed with this hop's.
  ///
  /// - Parameter membership: What entered and left the collection behind the hop, where that is known.
  func valueChanged(at hop: Hop, membership: Membership?) {
    let (isExact, changesAlone) = lock.withLock { _ in
      (hop.endChange(), hop.changesAlone && hop.echoes.isEmpty)
    }
    let membership = isExact ? membership : nil
    if changesAlone {
      if !hop.isLast { reattach(behind: hop, membership: membership) }
    } else {
      for changed in changed(with: hop) where !changed.isLast {
        reattach(behind: changed, membership: changed === hop ? membership : nil)
      }
    }
    updateContributions(above: hop)
  }

  /// The hops whose own value has changed when this hop's has, those that echo them included.
  private func changed(with hop: Hop) -> [Hop] {
    let changed = hop.changedWith
    let echoes = lock.withLock { _ -> [Hop] in
      for hop in changed where !hop.echoes.isEmpty { hop.echoes.removeAll { !$0.isLive } }
      return changed.flatMap(\.echoes)
    }
    return echoes.isEmpty
      ? changed : changed + echoes.filter { echo in !changed.contains { $0 === echo } }
  }

  private func reattach(behind hop: Hop, membership: Membership?) {
    if membership == nil { lock.withLock { _ in hop.noteRecount() } }
    if reconcileElements(behind: hop, membership: membership) { return }
    do {
      try link(behind: hop)
    } catch {
      unlink(hop)
      report(error)
    }
  }

  /// Lets go of what is attached behind a hop whose new value cannot be observed.
  private func unlink(_ hop: Hop) {
    let obsolete = lock.withLock { _ in
      let obsolete = hop.behind
      hop.behind = .nothing
      hop.version += 1
      return obsolete
    }
    obsolete.forEachHop(detach)
  }

  func report(_ error: any Error) {
    KeyValueViolation.report(
      .unobservableValue,
      "\(error) '\(path.string)' of \(root.map { name(of: type(of: $0)) } ?? "a dead object") "
        + "reads as nil from there until the value is replaced.")
  }

  /// Lets go of an object on the path that has died; true where nobody announced that before.
  func objectDied(at hop: Hop) -> Bool {
    guard let parent = hop.parent, hop.role == .next else { return false }
    var isAnnounced = false
    var aggregate: Aggregate?
    let wasLinked = lock.withLock { _ -> Bool in
      guard parent.isLive else { return false }
      isAnnounced = parent.isChangingOnTheWay
      switch parent.behind {
      case .nothing: return false
      case .object(let next):
        guard next === hop else { return false }
        parent.behind = .nothing
      case .elements(let fan):
        guard fan.members[hop.objectIdentity]?.hop === hop else { return false }
        _ = fan.setCount(0, of: hop.objectIdentity)
        aggregate = fan.aggregate
      }
      parent.version += 1
      return true
    }
    aggregate?.settle(lock)
    detach(hop)
    // An object that refers to itself weakly, or whose owner dies with it: that owner's death counts.
    guard wasLinked, !parent.property.keepsValueAlive, parent.object != nil else { return false }
    for changed in changed(with: parent) where changed !== parent && !changed.isLast {
      reattach(behind: changed, membership: nil)
    }
    // Also where a change is going on above, because that leaves the elements alone which remain.
    updateContributions(above: parent)
    return !isAnnounced
  }

  // MARK: Detaching

  /// Detaches from everything that was attached; no property is read.
  func detach() {
    let hop = lock.withLock { _ in
      let hop = rootHop
      rootHop = nil
      return hop
    }
    if let hop { detach(hop) }
  }

  func detach(_ hop: Hop) {
    let (sources, behind) = lock.withLock { _ -> ([Hop], Hop.Behind) in
      hop.isLive = false
      let below = (hop.sources, hop.behind)
      hop.sources = []
      hop.behind = .nothing
      hop.echoes = []  // they lead back here by their parents
      return below
    }
    hop.storage.remove(observance, hop, id: hop.property.id)
    for hop in sources { detach(hop) }
    behind.forEachHop(detach)
  }
}
