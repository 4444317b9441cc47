/// One property of one object.
struct Site: Hashable {
  let object: Int
  let key: String
}

/// The ways in which a site matters to an observed path.
struct Roles: OptionSet {
  let rawValue: Int

  /// The path ends with the site, so that the site's value is the observed value.
  static let leaf = Roles(rawValue: 1)
  /// The path leads through the site.
  static let step = Roles(rawValue: 2)
  /// A key on the path depends on the site.
  static let source = Roles(rawValue: 4)
  /// A path leads through the site into a collection.
  static let intoCollection = Roles(rawValue: 8)
  /// Whatever lies behind the site, or depends on it, changes with it.
  static let hasMore = Roles(rawValue: 16)
  /// A change of the site may attach the path to other objects, or change a dependent key that does.
  static let attaches = Roles(rawValue: 32)
}

/// Everything that a path currently depends on, found by walking the path (Parity P, D).
struct Reach {
  private(set) var sites: [Site: Roles] = [:]
  /// The properties that refer to an object without keeping it alive, and those objects.
  private(set) var looseLinks: Set<Link> = []

  struct Link: Hashable {
    let site: Site
    let target: Int
    /// Whether a path ends there, so that only the death of the object matters.
    var isEnd = false
  }

  private struct Visit: Hashable {
    let list: KeyList
    let index: Int
    let object: Int
    let isObserved: Bool
    let isDirect: Bool
    /// Whether no change here attaches the path to other objects above.
    let isInertAbove: Bool

    var path: [String] { list.keys }

    static func == (left: Visit, right: Visit) -> Bool {
      left.list === right.list && left.index == right.index && left.object == right.object
        && left.isObserved == right.isObserved && left.isDirect == right.isDirect
        && left.isInertAbove == right.isInertAbove
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(ObjectIdentifier(list))
      hasher.combine(index)
      hasher.combine(object)
    }
  }

  private let world: World
  /// A dying object that weak references are still attached to.
  private let dying: Int?
  private var visited: Set<Visit> = []

  /// Whether the walk ends at a site, because the values behind it are about to be exchanged.
  private let isEnd: (Site) -> Bool
  /// The old values of properties that are being exchanged.
  private let former: [Site: FuzzValue]

  init(
    _ path: FuzzPath, of object: Int, in world: World, dying: Int? = nil,
    former: [Site: FuzzValue] = [:], isEnd: @escaping (Site) -> Bool = { _ in false }
  ) {
    self.former = former
    self.world = world
    self.dying = dying
    self.isEnd = isEnd
    walk(
      .init(
        list: path.list, index: 0, object: object, isObserved: true, isDirect: true,
        isInertAbove: true),
      countsValue: path.countsValue)
  }

  private mutating func walk(_ visit: Visit, countsValue: Bool) {
    // `self` alone is the object, which has no changes of its own.
    guard visit.index < visit.path.count else { return }
    let key = visit.path[visit.index]
    guard visited.insert(visit).inserted, let found = ReferenceKey.of(visit.object, key) else {
      return
    }
    let site = Site(object: visit.object, key: key)
    let isLast = visit.index + 1 == visit.path.count
    let dependencies = ReferenceKey.dependencies(of: visit.object, key)
    let hasDependencies = !dependencies.isEmpty
    sites[site, default: []].formUnion(
      roles(visit, isLast: isLast, countsValue, found, hasDependencies))

    let isEndOfDependency = isLast && !found.isWeak && (found.isPlainValue || !hasDependencies)
    for dependency in dependencies {
      walk(
        .init(
          list: dependency, index: 0, object: visit.object, isObserved: false, isDirect: false,
          isInertAbove: isEndOfDependency && visit.isInertAbove),
        countsValue: false)
    }
    if isEnd(site) { return }
    if isLast {
      // A weak key at the end of a path is notified of the death of its object (P5).
      guard found.isWeak else { return }
      for target in World.objects(in: attachedValue(site, found))
      where former.isEmpty || world.isAlive(target) {
        looseLinks.insert(.init(site: site, target: target, isEnd: true))
      }
      return
    }

    let value = attachedValue(site, found)
    var next = visit.index + 1
    var targets = Set(World.objects(in: value))
    if let entries = value.entries {
      // An entry of a dictionary changes together with the property that holds the dictionary.
      targets = Set(World.objects(in: entries[visit.path[next]] ?? .none))
      next += 1
    }
    if value.elements != nil, visit.path[next].hasPrefix("@") { next += 1 }
    guard next < visit.path.count else { return }
    for target in targets where former.isEmpty || world.isAlive(target) {
      if !found.keepsAlive { looseLinks.insert(.init(site: site, target: target)) }
      walk(
        .init(
          list: visit.list, index: next, object: target, isObserved: visit.isObserved,
          isDirect: visit.isDirect && value.elements == nil,
          isInertAbove: found.refersToOne && visit.isInertAbove),
        countsValue: countsValue)
    }
  }

  private func roles(
    _ visit: Visit, isLast: Bool, _ countsValue: Bool, _ found: ReferenceKey,
    _ hasDependencies: Bool
  ) -> Roles {
    var roles: Roles = []
    if !visit.isObserved {
      roles = .source
    } else {
      roles = isLast && visit.isDirect && !countsValue ? .leaf : .step
    }
    if !isLast, found.isToMany { roles.insert(.intoCollection) }
    let isBareEnd = isLast && !found.isWeak
    if !(isBareEnd && !hasDependencies && visit.isObserved) { roles.insert(.hasMore) }
    let attachesNothing = isBareEnd && visit.isInertAbove && found.isPlainValue
    if roles.contains(.hasMore), !attachesNothing { roles.insert(.attaches) }
    return roles
  }

  private func attachedValue(_ site: Site, _ found: ReferenceKey) -> FuzzValue {
    if let value = former[site] { return value }
    let value = world.value(site.object, site.key)
    guard value == .none, let dying else { return value }
    // The reference has just become nil, and paths are still attached to its object.
    if found.isWeak, world.stored(site.object, site.key) == .object(dying) { return .object(dying) }
    if site.key == "nearest", world.stored(site.object, "peer") == .object(dying) {
      return .object(dying)
    }
    return value
  }
}
