import Synchronization

/// What an observance of a path, or of a key that depends on others, is attached to.
///
/// Getters run and registrars are reached without the tree's lock; the lock guards only the links
/// between hops. A subtree is attached first and linked in afterwards, and thrown away where another
/// thread has linked in a later one.
// Checked by hand: `rootHop` and the hops' links are touched only under `lock`.
final class HopTree: @unchecked Sendable {
  weak let root: (any KeyValueObservable)?
  private unowned let observance: Observance
  private let keyPath: String
  private let lock = Mutex<Void>(())
  private var rootHop: Hop?

  init(root: any KeyValueObservable, observance: Observance, keyPath: String) {
    self.root = root
    self.observance = observance
    self.keyPath = keyPath
  }

  // MARK: Attaching

  /// Attaches to the whole path, from the root on.
  ///
  /// - Parameter hasTail: Whether the path goes on, behind these keys, into values that are no objects.
  func attach(_ keys: [String], hasTail: Bool) throws {
    guard let root else { return }
    let hop = try attach(
      keys, at: 0, to: root, role: .root, parent: nil, isLenient: hasTail,
      endsObservedPath: !hasTail)
    lock.withLock { _ in rootHop = hop }
  }

  private func attach(
    _ path: [String], at index: Int, to object: any KeyValueObservable, role: Hop.Role,
    parent: Hop?, isLenient: Bool, endsObservedPath: Bool
  ) throws -> Hop? {
    let key = path[index]
    let schema = object.schema
    guard let property = schema.property(key) else {
      if isLenient || key.hasPrefix("@") { return nil }
      throw KeyValueCodingError.undefinedKey(key, in: schema)
        .at(index + 1, of: path.joined(separator: "."))
    }
    let isInDependency = role == .source || parent?.isInDependency == true
    // A property that the branch already watches closes a cycle: what it depends on is attached. Only
    // the rest of a path through it (`dog` depends on `dog.name`) is not.
    let closesCycle = isInDependency && Hop.branch(from: parent, watches: property, of: object)
    if closesCycle, index == path.count - 1 { return nil }

    let traits = schema.traits(of: property)
    let hop = object._$kvoWithRegistrar { registrar in
      registrar.update(of: object) { storage, state in
        let hop = Hop(
          object: object, storage: storage, property: property, role: role, parent: parent,
          path: path, index: index, isLenient: isLenient, endsObservedPath: endsObservedPath)
        state.insert(
          Watch(observance: observance, hop: hop), id: property.id,
          isAutomatic: traits.isAutomatic)
        return hop
      }
    }
    do {
      var sources: [Hop] = []
      defer { lock.withLock { _ in hop.sources = sources } }
      for dependency in closesCycle ? [] : traits.dependencies {
        let source = try attach(
          dependency.components, at: 0, to: object, role: .source, parent: hop,
          isLenient: dependency.isLenient, endsObservedPath: false)
        if let source { sources.append(source) }
      }
      let next = try attachNext(behind: hop)
      lock.withLock { _ in hop.next = next }
    } catch {
      detach(hop)
      throw error
    }
    return hop
  }

  /// Attaches what comes after a hop to the object that its property refers to now.
  private func attachNext(behind hop: Hop) throws -> Hop? {
    guard !hop.isLast, let object = hop.object, let value = hop.property.anyValue(of: object) else {
      return nil
    }
    let key = hop.path[hop.index + 1]
    guard let next = value as? any KeyValueObservable else {
      if hop.isLenient || key.hasPrefix("@") || value is [String: Any] { return nil }
      throw KeyValueCodingError.notKeyValueObservable(
        .init(
          type: name(of: type(of: object)), key: hop.property.key,
          keyPath: hop.path.joined(separator: "."), position: hop.index + 1,
          reason: "its value is of type \(type(of: value)), which is not @KeyValueObservable"))
    }
    return try attach(
      hop.path, at: hop.index + 1, to: next, role: .next, parent: hop, isLenient: hop.isLenient,
      endsObservedPath: hop.endsObservedPath)
  }

  // MARK: Changes

  /// Attaches anew whatever lies behind properties whose values changed with this hop's.
  func valueChanged(at hop: Hop) {
    for changed in hop.changedWith where !changed.isLast {
      reattach(behind: changed)
    }
  }

  private func reattach(behind hop: Hop) {
    while true {
      let version = lock.withLock { _ in hop.isLive ? hop.version : nil }
      guard let version else { return }
      let replacement: Hop?
      do {
        replacement = try attachNext(behind: hop)
      } catch {
        replacement = nil
        KeyValueViolation.report(
          .unobservableValue,
          "\(error) '\(keyPath)' of \(root.map { name(of: type(of: $0)) } ?? "a dead object") "
            + "reads as nil from there until the value is replaced.")
      }
      let (obsolete, isDone) = lock.withLock { _ -> (Hop?, Bool) in
        guard hop.isLive else { return (replacement, true) }
        guard hop.version == version else { return (replacement, false) }
        let old = hop.next
        hop.next = replacement
        hop.version += 1
        return (old, true)
      }
      if let obsolete { detach(obsolete) }
      if isDone { return }
    }
  }

  /// Lets go of an object on the path that has died; true where nobody announced that before.
  func objectDied(at hop: Hop) -> Bool {
    guard let parent = hop.parent, hop.role == .next else { return false }
    let wasLinked = lock.withLock { _ -> Bool in
      guard parent.isLive, parent.next === hop else { return false }
      parent.next = nil
      parent.version += 1
      return true
    }
    detach(hop)
    guard wasLinked, !parent.property.keepsValueAlive else { return false }
    for changed in parent.changedWith.dropFirst() where !changed.isLast {
      reattach(behind: changed)
    }
    return true
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

  private func detach(_ hop: Hop) {
    let below = lock.withLock { _ -> [Hop] in
      hop.isLive = false
      let below = hop.sources + (hop.next.map { [$0] } ?? [])
      hop.sources = []
      hop.next = nil
      return below
    }
    hop.storage.remove(observance, hop, id: hop.property.id)
    for hop in below { detach(hop) }
  }
}

extension Hop {
  /// Whether this hop or one above it is a source of the observed path, not a step of it.
  var isInDependency: Bool {
    role == .source || parent?.isInDependency == true
  }
}
