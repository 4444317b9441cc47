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
    let census = ElementCensus(collection)
    let fan = FanOut(
      aggregate: start == hop.index + 1 ? makeAggregate(behind: hop) : nil, start: start)
    do {
      try insert(
        census.distinctObjects, counts: census.counts, into: fan, behind: hop, at: index)
      for value in census.foreign {
        let nested = try attachForeign(value, behind: hop, at: index)
        lock.withLock { _ = fan.setNested(fan.nested + nested) }
      }
    } catch {
      for hop in lock.withLock({ fan.hops }) { detach(hop) }
      throw error
    }
    fan.foreignCount = census.foreign.count
    fan.noteOrder(of: collection)
    // Until the elements are linked in, this is the only way to reach those that change in the meantime.
    if fan.aggregate != nil { fan.newcomers = census.objects }
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
    guard let value, mayBeAttachedIn([value], behind: hop, at: index) || !hop.isLenient else {
      return []
    }
    if hop.path[index].isIdentity { return [] }
    if !mayBeAttachedIn([value], behind: hop, at: index) {
      throw notObservable(type(of: value), at: hop.index, behind: hop)
    }
    let behind = try attach(to: value, from: index, behind: hop, isElement: true)
    if case .nothing = behind { return [] }
    return [behind]
  }

  /// Whether the path may continue in any of these elements, which aren't objects.
  private func mayBeAttachedIn(_ values: [Any?], behind hop: Hop, at index: Int) -> Bool {
    if values.isEmpty { return false }
    if member(at: index, behind: hop) != nil { return true }
    return !hop.path[index].isIdentity
      && values.contains { $0.map { stringKeyed($0) != nil } ?? false }
  }

  private func insert(
    _ objects: [any KeyValueObservable], counts: [ObjectIdentifier: Int], into fan: FanOut,
    behind hop: Hop, at index: Int
  ) throws {
    for object in objects {
      let member = try member(object, of: fan, behind: hop, at: index)
      lock.withLock {
        let element = ObjectIdentifier(object)
        _ = fan.insert(member, element, count: counts[element] ?? 0)
      }
      fan.aggregate?.settle(lock)
    }
  }

  /// Attaches to one element and returns its member, which isn't linked in yet.
  private func member(
    _ object: any KeyValueObservable, of fan: FanOut, behind hop: Hop, at index: Int
  ) throws -> FanOut.Member {
    let member = FanOut.Member(
      hop: try attach(
        hop.path, at: index, to: object, role: .next, parent: hop, isLenient: hop.isLenient,
        isElement: true, endsObservedPath: false), aggregate: fan.aggregate)
    member.contribution = fan.aggregate?.contribution(of: object, at: member.hop) ?? .nothing
    return member
  }

  // MARK: Changes

  /// Updates the elements after a change of the collection behind a hop; false if there was none or is
  /// none now.
  func reconcileElements(
    behind hop: Hop, of object: AnyObject, membership: Membership?
  ) -> Bool {
    while true {
      let (fan, version) = lock.withLock { () -> (FanOut?, Int) in
        guard hop.isLive, hop.isAttached(to: object), case .elements(let fan) = hop.behind else {
          return (nil, 0)
        }
        return (fan, hop.version)
      }
      guard let fan, let index = elementIndex(hop.path, from: fan.start) else { return false }
      let update: FanUpdate
      if let membership, fan.start == hop.index + 1,
        let announced = announcement(membership, behind: hop, at: index)
      {
        update = announced
      } else {
        guard let (collection, start) = collection(behind: hop, of: object), start == fan.start
        else { return false }
        let difference = lock.withLock {
          hop.version == version ? fan.list?.difference(to: collection) : nil
        }
        update = FanUpdate(collection, difference)
      }
      var arrivals: [FanOut.Arrival] = []
      var nested: [Hop.Behind] = []
      for value in update.foreign {
        reporting(at: hop) { nested += try attachForeign(value, behind: hop, at: index) }
      }
      for object in lock.withLock({ update.arriving(in: fan) }) {
        var arrival: FanOut.Member?
        reporting(at: hop) { arrival = try member(object, of: fan, behind: hop, at: index) }
        arrivals.append((object, arrival ?? .unobservable(fan.aggregate)))
      }
      let outcome = lock.withLock { () -> FanUpdate.Outcome in
        guard hop.isLive, hop.isAttached(to: object), case .elements(let current) = hop.behind,
          current === fan
        else { return .superseded }
        guard update.isRelative || hop.version == version else { return .retry }
        // A recount since the change was announced may already include its elements.
        guard !update.isRelative || hop.isExact else { return .inconsistent }
        hop.version += 1
        if !update.isRelative { hop.noteRecount() }
        let outcome = update.apply(to: fan, arrivals: arrivals)
        if case .applied = outcome, !update.isRelative { nested = fan.setNested(nested) }
        #if KVO_INVARIANTS
          if case .applied = outcome { fan.checkInvariants() }
        #endif
        return outcome
      }
      switch outcome {
      case .applied(let obsolete, let changedEarly):
        fan.aggregate?.settle(lock)
        for hop in obsolete { detach(hop) }
        for behind in nested { behind.forEachHop(detach) }
        for hop in changedEarly {
          let element = arrivals.first { $0.member.hop === hop }
          updateContributions(above: hop, of: element?.object)
        }
        return true
      case .superseded, .retry, .inconsistent:
        for hop in arrivals.compactMap(\.member.hop) { detach(hop) }
        for behind in nested { behind.forEachHop(detach) }
        if case .superseded = outcome { return true }
        // If the announced changes don't add up, the elements are recounted.
        if case .inconsistent = outcome {
          return reconcileElements(behind: hop, of: object, membership: nil)
        }
      }
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

  /// Reports an error about a later element, because the code that changes the collection isn't at fault.
  private func reporting(at hop: Hop, _ body: () throws -> Void) {
    do { try body() } catch { report(error, at: hop) }
  }

  /// Reads again the contributions of elements that changed while they were being attached.
  func readEarlyChanges(_ behind: Hop.Behind) {
    guard case .elements(let fan) = behind else { return }
    let (early, newcomers) = lock.withLock { () -> ([Hop], [any KeyValueObservable]) in
      defer { fan.newcomers = [] }
      return (fan.aggregate == nil ? [] : fan.hops.filter(\.changedEarly), fan.newcomers)
    }
    for hop in early {
      updateContributions(
        above: hop, of: newcomers.first { ObjectIdentifier($0) == hop.objectIdentity })
    }
  }

  /// Reads the contributions of the elements above a hop again.
  ///
  /// `object` is the hop's object, if the caller has it.
  func updateContributions(above hop: Hop, of object: AnyObject?) {
    // Only an operator needs contributions.
    if hop.isInertAbove || path.boxAggregate == nil { return }
    if hop.mayBeElement { updateContribution(of: hop, object) }
    var above = hop.parent
    while let hop = above, !hop.isInertAbove {
      if hop.mayBeElement { updateContribution(of: hop, nil) }
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

/// A change of a collection's membership: the elements that entered and left, or the new contents.
private struct FanUpdate {
  enum Outcome {
    /// The hops to detach, and those whose values changed before they were linked in.
    case applied(obsolete: [Hop], changedEarly: [Hop])
    case retry
    case superseded
    case inconsistent
  }

  private enum Source {
    /// A change that names its elements.
    case announced(Membership, entered: ElementCensus, left: ElementCensus)
    /// The collection, and in what it differs from the list.
    case compared(any ToMany, ElementDifference)
    /// The collection, whose elements have been counted.
    case counted(any ToMany, ElementCensus)
  }

  private let source: Source

  init(_ membership: Membership, entered: ElementCensus, left: ElementCensus) {
    source = .announced(membership, entered: entered, left: left)
  }

  init(_ collection: any ToMany, _ difference: ElementDifference?) {
    source =
      difference.map { .compared(collection, $0) }
      ?? .counted(collection, ElementCensus(collection))
  }

  /// Whether the update says only what has changed since the last one.
  var isRelative: Bool { if case .announced = source { true } else { false } }

  var foreign: [Any?] {
    switch source {
    case .announced(_, let entered, _): entered.foreign
    case .compared: []
    case .counted(_, let census): census.foreign
    }
  }

  /// The entering objects that have no member yet, each once; the caller holds the tree's lock.
  func arriving(in fan: FanOut) -> [any KeyValueObservable] {
    switch source {
    case .announced(_, let entered, _):
      return entered.distinctObjects.filter { fan.members[ObjectIdentifier($0)] == nil }
    case .counted(_, let census):
      return census.distinctObjects.filter { fan.members[ObjectIdentifier($0)] == nil }
    case .compared(_, let difference):
      var known = IdentityTable<Void>()
      let strangers = difference.entered.filter {
        fan.members[$0] == nil
          && (difference.entered.count == 1 || known.insert((), for: $0))
      }
      return strangers.isEmpty ? [] : fan.list?.elements(strangers) ?? []
    }
  }

  /// Brings the members up to date; the caller holds the tree's lock.
  func apply(to fan: FanOut, arrivals: [FanOut.Arrival]) -> Outcome {
    let (entered, left) = identities
    if isRelative, !fan.contains(left, besides: entered) { return .inconsistent }
    var obsolete: [Hop] = []
    var changedEarly: [Hop] = []
    // Often nothing enters that isn't new, once each.
    let onlyNew = arrivals.count == entered.count
    for (object, member) in arrivals {
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
    switch source {
    case .announced(let membership, let entered, let left):
      fan.foreignCount += entered.foreign.count - left.foreign.count
      fan.updateOrder(arrivals) { list in
        membership.indexes.map { list.update(at: $0, entered: entered.objects) } ?? false
      }
    case .compared(_, let difference):
      fan.updateOrder(arrivals) { list in
        list.update(difference)
        return true
      }
    case .counted(let collection, let census):
      let counts = census.counts
      for element in fan.members.identities {
        if let hop = fan.setCount(counts[element] ?? 0, of: element)?.hop { obsolete.append(hop) }
      }
      fan.foreignCount = census.foreign.count
      fan.noteOrder(of: collection)
    }
    return .applied(obsolete: obsolete, changedEarly: changedEarly)
  }

  /// The elements that entered and left; none if the elements have been counted.
  private var identities: (entered: [ObjectIdentifier], left: [ObjectIdentifier]) {
    switch source {
    case .announced(_, let entered, let left):
      (entered.objects.map { ObjectIdentifier($0) }, left.objects.map { ObjectIdentifier($0) })
    case .compared(_, let difference): (difference.entered, difference.left)
    case .counted: ([], [])
    }
  }
}
