import Synchronization

/// One property of one object that an observance is attached to: a step of its path, or a source of
/// such a step.
///
/// The hops of an observance form a tree. `behind` leads along a path to the object, or the elements,
/// that this property refers to; `sources` lead to what this property depends on.
// Checked by hand: once the hop is part of the tree, every `var` but `attachment` is accessed only under the
// tree's lock, where no two accesses can overlap; an element's hop keeps its object. `attachment` is accessed
// only under the lock of the registrar that has the hop's watch. The rest never changes.
final class Hop: @unchecked Sendable {
  let property: Property
  /// What a change of the property has to prepare.
  let needs: Needs
  /// Whether the property's value is the observed value.
  let isLeaf: Bool
  /// Whether the property belongs to the observed object itself.
  let isOnRoot: Bool
  /// Whether the hop, or one above it, is a source of the observed path, not a step of it.
  let isInDependency: Bool
  /// Whether every property from the root to this one announces its changes and leads to one object.
  ///
  /// If so, the path can be read along the hops.
  let isOnPlainWay: Bool

  /// The property's object, if anything but its own change may cause it to be read again.
  ///
  /// A change supplies the object, which the setter retains. Otherwise the reference is nil, because a
  /// weak reference slows down every retain and release of the object.
  weak let weakObject: (any KeyValueObservable)?
  /// The schema of the object's class.
  // A schema is never freed.
  unowned(unsafe) let schema: KeyValueSchema
  /// Where the property is watched; nil in a trial, while the hop moves to another object, and for an echo at
  /// its path's end.
  @exclusivity(unchecked) private(set) var storage: RegistrarStorage?
  /// The number of the hop's last attachment, by which the watches of one observance are found.
  @exclusivity(unchecked) var attachment: UInt64 = 0
  let parent: Hop?
  /// The path that contains this property, and the property's index in it.
  let path: [PathComponent]
  let index: Int
  /// Whether the parent's property depends on the path that begins here, instead of referring to this hop's
  /// object.
  let isSource: Bool
  /// Whether a value that can't be observed ends the path instead of causing an error.
  let isLenient: Bool
  /// Whether the parent's property leads to the object through a collection.
  let isElement: Bool
  /// Whether the last property of this hop's path is the observed value.
  let endsObservedPath: Bool

  /// What the rest of the path is attached to.
  enum Behind: Sendable {
    case nothing
    case object(Hop)
    case elements(FanOut)

    var hops: ShortList<Hop> {
      switch self {
      case .nothing: .none
      case .object(let hop): .one(hop)
      case .elements(let fan): .many(fan.hops)
      }
    }
  }

  @exclusivity(unchecked) var behind = Behind.nothing {
    didSet {
      (next, fan) = (nil, nil)
      switch behind {
      case .nothing: break
      case .object(let hop): next = .passUnretained(hop)
      case .elements(let elements): fan = .passUnretained(elements)
      }
    }
  }
  /// The hop or the fan-out in `behind`, available without a retain.
  @exclusivity(unchecked) private(set) var next: Unmanaged<Hop>?
  @exclusivity(unchecked) private(set) var fan: Unmanaged<FanOut>?
  @exclusivity(unchecked) var sources: [Hop] = []
  /// Counts the attachments behind this hop, so that the later of two threads wins.
  @exclusivity(unchecked) var version = 0
  @exclusivity(unchecked) var isLive = true
  /// How many echoes there may be until the detached ones are looked for.
  @exclusivity(unchecked) private var echoLimit: Int32 = 8
  /// Hops further down at the same property of the same object; whatever changes this hop's value changes
  /// theirs.
  @exclusivity(unchecked) var echoes: [Hop] = []
  /// The fan-out's member for the element that this hop is on, until the element leaves.
  @exclusivity(unchecked) var member: FanOut.Member?
  /// Counts the reads of the contribution of this hop's element, so that the later of two threads wins;
  /// changes only under the lock.
  let contributionCount = Atomic<Int>(0)
  /// Whether this hop's value changed before its element was linked in.
  @exclusivity(unchecked) var changedEarly = false
  /// How many changes of the property have been announced but not completed, and whether any two of them
  /// overlapped.
  @exclusivity(unchecked) private var openChanges = 0
  @exclusivity(unchecked) private var hasOverlap = false

  @exclusivity(unchecked) private(set) var objectIdentity: ObjectIdentifier
  /// Whether the property's accessors announce its changes.
  let isAutomatic: Bool
  /// Whether the hop can move to another object of the same class, where all that it knows still applies.
  private let isMovable: Bool
  /// Whether the property ends its path and reads nil once the object that it refers to has died.
  let followsDeath: Bool
  /// Whether the path always ends here.
  private let isEnd: Bool
  /// Whether no other hop's value depends on this one's, except for echoes.
  let changesAlone: Bool
  /// Whether nothing above needs an update when the property changes.
  let isInertAbove: Bool
  /// Whether nothing below, and no other hop's value, needs an update when the property changes.
  let isInertBelow: Bool

  init(
    object: any KeyValueObservable, _ schema: KeyValueSchema, storage: RegistrarStorage?,
    property: Property, parent: Hop?, isSource: Bool, path: [PathComponent], index: Int,
    isLenient: Bool, isElement: Bool, endsObservedPath: Bool, _ traits: KeyTraits, observed: Needs,
    evaluated: Needs
  ) {
    let hasDependencies = !traits.dependencies.isEmpty
    isAutomatic = traits.isAutomatic
    self.storage = storage
    self.isSource = isSource
    self.parent = parent
    self.path = path
    self.index = index
    self.isLenient = isLenient
    self.isElement = isElement
    self.endsObservedPath = endsObservedPath
    self.schema = schema
    objectIdentity = ObjectIdentifier(object)
    let isLast = index + 1 == path.count
    // Cocoa doesn't announce that a weak reference has become nil.
    followsDeath = isLast && property.ownership == .weak && !schema.usesCocoaNaming
    self.property = property
    isOnRoot = parent.map { isSource && $0.isOnRoot } ?? true
    isInDependency = isSource || parent?.isInDependency == true
    // A property is attached again when one of its dependencies changes, and an echo when the property
    // that it echoes changes. If a value dies unannounced, its owner is looked up. A union reads its
    // collection for the order.
    let leadsOnUnasked =
      (!isLast || followsDeath)
      && (hasDependencies || isInDependency || !property.keepsValueAlive || !property.refersToOne)
    // An element's contribution is read again when something behind it, or a dependency of it, changes.
    let contributesUnasked = isElement && (!isLast || hasDependencies)
    // The tree holds the root.
    let isAskedFor = !isOnRoot && (leadsOnUnasked || contributesUnasked)
    weakObject = isAskedFor ? object : nil
    isOnPlainWay =
      property.origin == .stored && traits.isAutomatic && !hasDependencies && !isSource
      && (isLast || property.refersToOne) && index == (parent.map { $0.index + 1 } ?? 0)
      && parent?.isOnPlainWay ?? true
    isMovable =
      parent != nil && !isElement && !isInDependency && !hasDependencies && !followsDeath
      && !isAskedFor && storage != nil
    changesAlone = !isSource && parent?.changesAlone ?? true
    let leadsIntoCollection = !isLast && property.isCollection
    isEnd = isLast && !followsDeath && (property.isPlainValue || !hasDependencies)
    isInertBelow = isLast && !followsDeath && !hasDependencies && changesAlone
    isInertAbove =
      parent.map { (isSource ? $0.isEnd : $0.property.refersToOne) && $0.isInertAbove } ?? true
    let own = endsObservedPath && isLast ? observed : evaluated
    var tells: Needs = []
    if observed.contains(.elements) {
      let isBehindTelling = parent.map { $0.needs.contains(.elements) && !$0.isLeaf } ?? false
      // An operator's value isn't made of the elements' parts.
      let isInElement =
        isElement && !isInDependency && !path[..<index].contains(where: \.isOperator)
      if isBehindTelling || isInElement { tells = .elements }
    }
    // In a change of what a dependency reads, an object on another path may die.
    let isInert = isEnd && isInertAbove && (property.isPlainValue || !isInDependency)
    isLeaf = endsObservedPath && isLast
    needs = own.union(tells).union(
      isInert
        ? []
        : isInertBelow
          ? .contribution : leadsIntoCollection ? [.structure, .membership] : .structure)
  }

  // MARK: Moving

  /// Whether the hop may leave its object now: no change of the property is in progress, and what lies
  /// behind the hop updates by itself.
  private var canLeave: Bool {
    isMovable && isLive && openChanges == 0 && echoes.isEmpty && fan == nil
  }

  /// The hop behind this one, if it may move to another object.
  var movableNext: Hop? {
    guard isLive, let next, next._withUnsafeGuaranteedRef({ $0.index == index + 1 && $0.canLeave })
    else { return nil }
    return next.takeUnretainedValue()
  }

  /// Detaches the hop from its object; the caller unlinks it, and removes the watch from the result.
  func leave(for object: any KeyValueObservable) -> RegistrarStorage? {
    defer { storage = nil }
    isLive = false
    version += 1
    objectIdentity = ObjectIdentifier(object)
    return storage
  }

  /// Records where the property is watched now.
  func arrive(in storage: RegistrarStorage) {
    self.storage = storage
    isLive = true
  }

  /// The hop and those that lead to it, nearest first.
  var lineage: some Sequence<Hop> { sequence(first: self, next: \.parent) }

  /// The dependent keys between this property and the observed path, nearest first.
  var way: [KeyValueTrace.Step] {
    guard isInDependency else { return [] }
    return lineage.compactMap { hop in
      guard hop.isSource, let parent = hop.parent else { return nil }
      return KeyValueTrace.Step(
        className: parent.schema.name, key: parent.property.key, path: hop.path.string)
    }
  }

  /// The index of the component of the observed path whose value changes with the property.
  var component: Int { (lineage.first { !$0.isInDependency } ?? self).index }

  /// The first hop of the dependency's path that this hop is on; nil if it's on the observed path.
  var dependency: Hop? { lineage.first(where: \.isSource) }

  /// Whether the hop is attached to this object.
  func isAttached(to object: AnyObject) -> Bool { objectIdentity == ObjectIdentifier(object) }

  /// Whether this property is the last component of its path.
  var isLast: Bool { index + 1 == path.count }

  /// Whether anything may be attached behind this property.
  var leadsOn: Bool { !isLast || followsDeath }

  /// Whether the path passes through a collection before this hop.
  var isBehindCollection: Bool {
    guard let parent, !isSource else { return false }
    return isElement || parent.isBehindCollection
  }

  /// Whether a change of the property, or of something that it depends on, is in progress.
  var isChanging: Bool {
    openChanges > 0 || sources.contains { $0.isChangingAlongItsPath }
  }

  /// Whether this property, or one that leads to it, is changing.
  ///
  /// If so, what lies behind is reattached, and observers are notified, when that change is complete.
  var isChangingOnTheWay: Bool {
    // A property that depends on a source doesn't lead to it.
    isChanging || lineage.contains { !$0.isSource && $0.parent?.isChanging == true }
  }

  private var isChangingAlongItsPath: Bool {
    isChanging || behind.hops.contains { $0.isChangingAlongItsPath }
  }

  /// Whether the path leads to this hop through an element of the collection behind another hop.
  ///
  /// When that collection changes, the element stays attached if it stays in the collection.
  func isInElement(of other: Hop) -> Bool {
    lineage.contains { $0.isElement && $0.parent === other }
  }

  /// Whether a path may continue from a key below another hop that depends on a hop behind this one.
  ///
  /// `isSource` is whether this hop's property depends on it directly.
  func mayLeadOn(from other: Hop, isSource: Bool) -> Bool {
    var (current, isDependent) = (self, isSource)
    while current !== other {
      if isDependent, !current.property.isPlainValue { return true }
      guard let parent = current.parent else { return false }
      (current, isDependent) = (parent, current.isSource)
    }
    return false
  }

  /// Adds an echo; the detached ones are removed whenever the number has doubled.
  func add(echo: Hop) {
    if echoes.count >= Int(echoLimit) {
      removeDetachedEchoes()
      echoLimit = max(8, Int32(clamping: 2 * echoes.count))
    }
    echoes.append(echo)
  }

  func removeDetachedEchoes() { echoes.removeAll { !$0.isLive } }

  /// Records that a change of the property has been announced.
  func beginChange() {
    openChanges += 1
    if openChanges > 1 { hasOverlap = true }
  }

  /// Whether the change in progress names everything that happened to the elements: since it began, no
  /// other change was announced and nothing was recounted.
  var isExact: Bool { openChanges == 1 && !hasOverlap }

  /// Records that a change is complete, and that what lies behind is up to date.
  func endChange() {
    openChanges = max(0, openChanges - 1)
    if openChanges == 0 { hasOverlap = false }
  }

  /// Records that the hops behind were linked from a fresh read, which may include elements that an open
  /// change will name.
  func noteRecount() {
    if openChanges > 0 { hasOverlap = true }
  }

  /// The hops of the properties that depend on the path that this hop is part of, nearest first.
  var dependents: [Hop] {
    var dependents: [Hop] = []
    var current = self
    while let parent = current.parent {
      if current.isSource { dependents.append(parent) }
      current = parent
    }
    return dependents
  }
}
