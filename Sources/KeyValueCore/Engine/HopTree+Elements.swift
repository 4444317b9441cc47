// Paths through collections: each element is attached to once, and membership follows the changes.
extension HopTree {
  /// The index at which the path continues in each element of a collection that is found at `start`; nil
  /// if an operator needs nothing from the elements.
  private func elementIndex(_ path: [PathComponent], from start: Int) -> Int? {
    guard path[start].isOperator else { return start }
    return start + 1 < path.count ? start + 1 : nil
  }

  /// Attaches the rest of the path to every element.
  func attachElements(
    of collection: any ToMany, from start: Int, behind hop: Hop
  ) throws -> Hop.Behind {
    guard let index = elementIndex(hop.path, from: start) else { return .nothing }
    try checkElementType(of: collection, behind: hop, at: index)
    let fan = FanOut(
      aggregate: start == hop.index + 1 ? makeAggregate(behind: hop) : nil, start: start)
    let update = FanUpdate(of: fan, to: collection, ElementCensus(collection), nil, isFirst: true)
    var attached = Attached()
    do {
      try attach(update, of: fan, behind: hop, at: index, &attached) { throw $0 }
    } catch {
      for hop in attached.hops { detach(hop) }
      throw error
    }
    let outcome = lock.withLock { update.apply(to: fan, attached) }
    finish(outcome, of: fan, attached)
    return .elements(fan)
  }

  /// Throws if a collection's elements can never be observed, even while it is empty.
  private func checkElementType(
    of collection: any ToMany, behind hop: Hop, at index: Int
  ) throws {
    let type = type(of: collection).elementType
    if !hop.isLenient, !hop.path[index].isIdentity, isPlainValue(type),
      member(at: index, behind: hop) == nil
    {
      throw notObservable(type, at: hop.index, behind: hop)
    }
  }

  /// Attaches behind an element that isn't an object: a dictionary, or a value with members.
  ///
  /// Other values can be read by `self`, but not observed.
  private func attachForeign(
    _ value: Any?, behind hop: Hop, at index: Int
  ) throws -> [Hop.Behind] {
    guard let value else { return [] }
    guard mayBeAttachedIn([value], behind: hop, at: index) else {
      if hop.isLenient || hop.path[index].isIdentity { return [] }
      throw notObservable(type(of: value), at: hop.index, behind: hop)
    }
    return [try attach(to: value, from: index, behind: hop, isElement: true)]
  }

  /// Whether the path may continue in any of these elements, which aren't objects.
  private func mayBeAttachedIn(_ values: [Any?], behind hop: Hop, at index: Int) -> Bool {
    if values.isEmpty { return false }
    if member(at: index, behind: hop) != nil { return true }
    return !hop.path[index].isIdentity
      && values.contains { $0.map { stringKeyed($0) != nil } ?? false }
  }

  /// Attaches to what an update brings in; `failed` receives each error.
  private func attach(
    _ update: FanUpdate, of fan: FanOut, behind hop: Hop, at index: Int,
    _ attached: inout Attached, failed: (any Error) throws -> Void
  ) throws {
    for value in update.foreign {
      do {
        attached.nested += try attachForeign(value, behind: hop, at: index)
      } catch { try failed(error) }
    }
    let objects = lock.withLock { update.arriving(in: fan) }
    attached.arrivals.reserveCapacity(objects.count)
    for object in objects {
      let member: FanOut.Member
      do {
        let next = try attach(
          hop.path, at: index, to: object, parent: hop, isLenient: hop.isLenient,
          isElement: true, endsObservedPath: false)
        member = FanOut.Member(hop: next, aggregate: fan.aggregate)
        member.contribution = fan.aggregate?.contribution(of: object, at: next) ?? .nothing
      } catch {
        try failed(error)
        // An object that can be observed may have the address of this one when it has died.
        member = FanOut.Member(
          hop: attachToDeath(of: object, behind: hop, at: index, isElement: true),
          aggregate: fan.aggregate)
        // With an element behind which the rest of the path can't be observed, no operator has a value.
        member.contribution = .invalid
      }
      attached.arrivals.append((object, member))
    }
  }

  /// Detaches from what has left, and reads again the contributions of elements that changed while they were
  /// being attached.
  private func finish(_ outcome: FanUpdate.Outcome, of fan: FanOut, _ attached: Attached) {
    guard case .applied(let obsolete, let changedEarly) = outcome else { return }
    fan.aggregate?.settle(lock)
    for hop in obsolete { detach(hop) }
    for hop in changedEarly {
      updateContributions(above: hop, of: attached.arrivals.first { $0.member.hop === hop }?.object)
    }
  }

  // MARK: Changes

  /// Updates the elements after a change of the collection behind a hop; false if there was none or is
  /// none now.
  func reconcileElements(
    behind hop: Hop, of object: AnyObject, membership: Membership?
  ) -> Bool {
    var membership = membership
    while true {
      let (fan, version) = lock.withLock { (hop.currentFan(of: object), hop.version) }
      guard let fan, let index = elementIndex(hop.path, from: fan.start) else { return false }
      let update: FanUpdate
      if let membership, fan.start == hop.index + 1,
        let announced = announcement(membership, behind: hop, at: index)
      {
        update = announced
      } else {
        guard let (collection, start) = collection(behind: hop, of: object), start == fan.start
        else { return false }
        // The elements of an observable class are compared without looking at each. Those of another collection may
        // be made by its own code, which doesn't run under the lock.
        let elementType = type(of: collection).elementType as? any KeyValueObservable.Type
        let census = elementType == nil ? ElementCensus(collection) : nil
        update = lock.withLock { FanUpdate(of: fan, to: collection, census, elementType) }
      }
      var attached = Attached()
      try? attach(update, of: fan, behind: hop, at: index, &attached) { report($0, at: hop) }
      let outcome = lock.withLock { () -> FanUpdate.Outcome in
        guard hop.currentFan(of: object) === fan else { return .superseded }
        // A recount since the change was announced may already include its elements.
        guard update.isRelative ? hop.isExact : hop.version == version else { return .inconsistent }
        hop.version += 1
        if !update.isRelative { hop.noteRecount() }
        let outcome = update.apply(to: fan, attached)
        #if KVO_INVARIANTS
          if case .applied = outcome { fan.checkInvariants() }
        #endif
        return outcome
      }
      if case .applied = outcome {
        finish(outcome, of: fan, attached)
        return true
      }
      for hop in attached.hops { detach(hop) }
      if case .superseded = outcome { return true }
      // If the announced changes don't add up, the elements are compared.
      membership = nil
    }
  }

  /// An announced change, if it tells everything about what's attached in the elements.
  private func announcement(
    _ membership: Membership, behind hop: Hop, at index: Int
  ) -> FanUpdate? {
    let entered = ElementCensus(membership.entered)
    let left = ElementCensus(membership.left)
    if mayBeAttachedIn(entered.foreign + left.foreign, behind: hop, at: index) { return nil }
    return FanUpdate(membership, entered: entered, left: left)
  }

  /// Reads the contributions of the elements above a hop again.
  ///
  /// `object` is the hop's object, if the caller has it.
  func updateContributions(above hop: Hop, of object: AnyObject?) {
    // Only an operator needs contributions.
    if hop.isInertAbove || path.boxAggregate == nil { return }
    if hop.isElement { updateContribution(of: hop, object) }
    var above = hop.parent
    while let hop = above, !hop.isInertAbove {
      if hop.isElement { updateContribution(of: hop, nil) }
      above = hop.parent
    }
  }

  private func updateContribution(of hop: Hop, _ element: AnyObject?) {
    guard let element = element ?? hop.weakObject else { return }
    var isDone = false
    while !isDone {
      let count = hop.contributionCount.load(ordering: .acquiring)
      // An integer needs neither the aggregate nor a `Contribution`.
      let integer = addsKeys && hop.isLast ? hop.property.integer(of: element) : nil
      let aggregate = integer == nil ? lock.withLock { member(of: hop)?.aggregate } : nil
      if integer == nil, aggregate == nil { return }
      let contribution = aggregate?.contribution(of: element, at: hop) ?? .nothing
      isDone = lock.withLock { () -> Bool in
        guard let member = member(of: hop) else { return true }
        guard hop.contributionCount.load(ordering: .relaxed) == count else { return false }
        if let integer { member.setInteger(integer) } else { member.setContribution(contribution) }
        hop.contributionCount.store(count + 1, ordering: .releasing)
        return true
      }
      aggregate?.settle(lock)
    }
  }

  /// The fan-out's member for the element that a hop is on; the caller holds the lock.
  private func member(of hop: Hop) -> FanOut.Member? {
    if hop.member == nil { hop.changedEarly = true }
    return hop.member
  }
}

extension Hop {
  /// The fan-out behind the hop, if the hop is still attached to this object; the caller holds the lock.
  fileprivate func currentFan(of object: AnyObject) -> FanOut? {
    guard isLive, isAttached(to: object), case .elements(let fan) = behind else { return nil }
    return fan
  }

  /// The hop that continues the observed path in an element of its first collection, if this hop is that one
  /// or behind it.
  var outermostElement: Hop? {
    lineage.reduce(nil) { $1.isElement && !$1.isInDependency ? $1 : $0 }
  }
}

/// What has been attached in the elements that enter a collection, and isn't linked in yet.
private struct Attached {
  /// The entering elements that had no member, each once, with the member that was made for it.
  var arrivals: [(object: any KeyValueObservable, member: FanOut.Member)] = []
  /// What is attached in elements that are dictionaries.
  var nested: [Hop.Behind] = []

  var hops: [Hop] { arrivals.compactMap(\.member.hop) + nested.flatMap(\.hops) }
}

/// A change of a collection's membership.
private struct FanUpdate {
  enum Outcome {
    /// The hops to detach, and those whose values changed before they were linked in.
    case applied(obsolete: [Hop], changedEarly: [Hop])
    case superseded
    case inconsistent
  }

  /// The elements that entered and left, as often as they did; one that only moved may be in both.
  private let entered: [ObjectIdentifier]
  private let left: [ObjectIdentifier]
  /// The elements that aren't objects: those that entered, or all if the collection has been compared.
  let foreign: [Any?]
  private let foreignCount: Int
  /// Whether the update says only what has changed since the last one.
  let isRelative: Bool
  /// Brings the list of elements up to date; false if their order is unknown then.
  private let updateList: (inout ElementList) -> Bool
  /// Keeps the elements that entered alive.
  private let owner: Any
  /// The type of the elements, if it's an observable class.
  private let elementType: (any KeyValueObservable.Type)?
  /// The objects that entered, if there is an array of them.
  private let objects: [any KeyValueObservable]?

  /// A change that names its elements.
  init(_ membership: Membership, entered: ElementCensus, left: ElementCensus) {
    let identities = (left: left.identities, entered: entered.identities)
    self.entered = identities.entered
    self.left = identities.left
    foreign = entered.foreign
    foreignCount = entered.foreign.count - left.foreign.count
    isRelative = true
    updateList = { list in
      membership.indexes.map { list.update(at: $0, identities) } ?? false
    }
    owner = membership
    elementType = nil
    objects = entered.objects
  }

  /// A change found by comparing the collection with the fan-out's elements; the caller holds the lock.
  ///
  /// Without a census, the elements are of the observable class.
  init(
    of fan: FanOut, to collection: any ToMany, _ census: ElementCensus?,
    _ elementType: (any KeyValueObservable.Type)?, isFirst: Bool = false
  ) {
    self.elementType = elementType
    let identities = census?.identities
    let difference =
      if isFirst { ElementDifference(entered: identities ?? []) } else {
        identities?.withUnsafeBufferPointer(fan.difference)
          ?? collection.withIdentities(fan.difference) ?? ElementDifference(entered: [])
      }
    entered = difference.entered
    left = difference.left
    foreign = census?.foreign ?? []
    foreignCount = foreign.count
    isRelative = false
    updateList = { list in
      list.update(difference)
      return true
    }
    owner = census.map { $0 as Any } ?? collection
    objects = isFirst ? census?.objects : nil
  }

  /// The entering objects that have no member yet, each once; the caller holds the tree's lock.
  func arriving(in fan: FanOut) -> [any KeyValueObservable] {
    var known = IdentityTable<Void>()
    func isNew(_ element: ObjectIdentifier) -> Bool {
      fan.members[element] == nil && (entered.count == 1 || known.insert((), for: element))
    }
    if let objects { return objects.filter { isNew(ObjectIdentifier($0)) } }
    let strangers = entered.filter(isNew)
    // An identity is the object's address.
    func elements<Object: KeyValueObservable>(_ type: Object.Type) -> [any KeyValueObservable] {
      strangers.map { unsafeBitCast($0, to: Unmanaged<Object>.self).takeUnretainedValue() }
    }
    if let elementType { return elements(elementType) }
    return strangers.compactMap {
      unsafeBitCast($0, to: AnyObject.self) as? any KeyValueObservable
    }
  }

  /// Brings the members up to date; the caller holds the tree's lock.
  func apply(to fan: FanOut, _ attached: Attached) -> Outcome {
    if isRelative, !fan.contains(left, besides: entered) { return .inconsistent }
    var obsolete: [Hop] = []
    var changedEarly: [Hop] = []
    // Often nothing enters that isn't new, once each.
    let onlyNew = attached.arrivals.count == entered.count
    for (object, member) in attached.arrivals {
      // Another thread may already have inserted the same element.
      guard fan.insert(member, ObjectIdentifier(object), count: onlyNew ? 1 : 0) else {
        if let hop = member.hop { obsolete.append(hop) }
        if onlyNew { _ = fan.changeCount(by: 1, of: ObjectIdentifier(object)) }
        continue
      }
      if let hop = member.hop, hop.changedEarly { changedEarly.append(hop) }
    }
    // Those that enter come first, so that an element that only moved stays attached.
    if !onlyNew { for element in entered { _ = fan.changeCount(by: 1, of: element) } }
    for element in left {
      if let hop = fan.changeCount(by: -1, of: element)?.hop { obsolete.append(hop) }
    }
    if isRelative {
      // The change's indexes count those that aren't objects, too.
      if fan.foreignCount > 0 || foreignCount > 0 { fan.list = nil }
      fan.foreignCount += foreignCount
    } else {
      fan.foreignCount = foreignCount
      obsolete += fan.nested.flatMap(\.hops)
      fan.nested = attached.nested
    }
    if fan.list != nil, !updateList(&fan.list!) { fan.list = nil }
    return .applied(obsolete: obsolete, changedEarly: changedEarly)
  }
}

/// An element of the first collection on an observed path, whose part of the value changes.
///
/// It doesn't retain the element: a transaction keeps it until its end.
struct ChangedElement {
  /// The hop that continues the path in the element.
  let hop: Hop
  /// The element, if the hop doesn't refer to it.
  private let own: (storage: RegistrarStorage, object: UnretainedObject)?

  /// The element of a hop, and the object that was mutated, which may be that element.
  init(_ hop: Hop, mutated object: AnyObject) {
    self.hop = hop
    if hop.isAttached(to: object), let storage = hop.storage,
      let object = object as? any KeyValueObservable
    {
      own = (storage, UnretainedObject(object: object))
    } else {
      own = nil
    }
  }

  /// The element while it is alive.
  var object: (any KeyValueObservable)? {
    if let own { own.storage.retained(own.object) } else { hop.weakObject }
  }
}

/// The elements whose parts of an observed value change, each once.
struct ChangedElements {
  /// Nil if anything but elements has changed, or might have.
  private var elements: [ObjectIdentifier: ChangedElement]? = [:]

  mutating func insert(_ element: ChangedElement) {
    elements?[ObjectIdentifier(element.hop)] = element
  }

  mutating func formUnion(_ others: ChangedElements) {
    guard let added = others.elements else { return becomeUnknown() }
    elements?.merge(added) { $1 }
  }

  mutating func becomeUnknown() { elements = nil }

  /// The elements, to be lent to an observer; nil if they're unknown.
  func lent(by tree: HopTree?) -> IndexRanges? {
    guard let tree, let elements, let hops = tree.inOrder(elements.values.map(\.hop)) else {
      return nil
    }
    return IndexRanges(
      lending: LentElements(hops.compactMap { elements[ObjectIdentifier($0)]?.object }))
  }
}

extension HopTree {
  /// The elements' hops in the order of their collection; nil if one of them is in the collection no longer.
  fileprivate func inOrder(_ hops: [Hop]) -> [Hop]? {
    guard lock.withLock({ hops.allSatisfy { $0.member != nil } }) else { return nil }
    guard hops.count > 1, let parent = hops[0].parent,
      let places = places(of: hops.map(\.objectIdentity), behind: parent)
    else { return hops }
    return hops.sorted { places[$0.objectIdentity] ?? 0 < places[$1.objectIdentity] ?? 0 }
  }

  /// Where each of these elements is first in the collection behind a hop; nil if that can't be read any more.
  private func places(
    of elements: [ObjectIdentifier], behind hop: Hop
  ) -> [ObjectIdentifier: Int]? {
    let listed = lock.withLock { hop.fan?.takeUnretainedValue().list?.places(of: elements) }
    if let listed { return listed }
    guard let object = object(of: hop), let (collection, _) = collection(behind: hop, of: object)
    else { return nil }
    var list = ElementList(ElementCensus(collection).identities)
    return list.places(of: elements)
  }
}
