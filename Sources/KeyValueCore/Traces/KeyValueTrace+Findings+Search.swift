extension KeyValueTrace.Findings {
  init(of trace: KeyValueTrace, avalancheLimit: Int, growthLimit: Int) {
    let search = FindingSearch(trace.events)
    cycles = search.cycles()
    avalanches = search.avalanches(above: avalancheLimit)
    equalValues = search.equalValues()
    outdated = search.outdated()
    toldAgain = search.toldAgain()
    handlers = search.handlers()
    growing = search.growing(from: growthLimit)
    endedAtOnce = search.endedAtOnce()
  }
}

/// Searches the events of a record for what is probably unintended.
private struct FindingSearch {
  typealias Event = KeyValueTrace.Event

  private let events: [Event]
  private var indexByID: [UInt64: Int] = [:]
  /// The indexes of the events inside an event, by its ID.
  private var effects: [UInt64: [Int]] = [:]
  /// The changes that no change in the record led to.
  private var roots: [Int] = []

  init(_ events: [Event]) {
    self.events = events
    for (index, event) in events.enumerated() {
      indexByID[event.id] = index
      if let cause = event.cause { effects[cause, default: []].append(index) }
    }
    roots = events.indices.filter { events[$0].kind == .changeBegan && enclosing($0) == nil }
  }

  private func cause(of index: Int) -> Int? { events[index].cause.flatMap { indexByID[$0] } }

  /// The nearest change around an event.
  private func enclosing(_ index: Int) -> Int? {
    var current = cause(of: index)
    while let next = current {
      if events[next].kind == .changeBegan { return next }
      current = cause(of: next)
    }
    return nil
  }

  private func effects(of index: Int) -> [Int] { effects[events[index].id] ?? [] }

  /// The posts among the deliveries that a change led to, in order.
  private func deliveries(below root: Int) -> [Int] {
    var found: [Int] = []
    var rest = [root]
    while let index = rest.popLast() {
      if events[index].isPost { found.append(index) }
      rest += effects(of: index)
    }
    return found.sorted()
  }

  // MARK: Cycles

  private struct Link: Hashable {
    let object: KeyValueTrace.Object?
    let keyPath: String
    let registration: UInt64?

    init(_ event: Event) {
      object = event.object
      keyPath = event.keyPath
      registration = event.registration?.number
    }
  }

  func cycles() -> [KeyValueTrace.Cycle] {
    var cycles: [KeyValueTrace.Cycle] = []
    var known: [Set<Link>: Int] = [:]
    for index in events.indices where events[index].kind == .changeBegan {
      guard let round = round(endingAt: index) else { continue }
      let links = Set(round.map { Link(events[$0]) })
      if let position = known[links] {
        cycles[position].count += 1
      } else {
        known[links] = cycles.count
        cycles.append(KeyValueTrace.Cycle(events: round.map { events[$0] }))
      }
    }
    return cycles
  }

  /// The events from the nearest change of the same property to this one; nil if there is none.
  ///
  /// A change that is only part of a larger change of the same property isn't called by anything.
  /// Bindings alone, such as one that passes a validator's replacement back, come to rest.
  private func round(endingAt index: Int) -> [Int]? {
    var chain = [index]
    var isCalled = false
    while let next = cause(of: chain[chain.count - 1]) {
      chain.append(next)
      let event = events[next]
      if event.kind == .delivered, event.registration?.role.isBinding != true { isCalled = true }
      if event.kind == .changeBegan, event.object == events[index].object,
        event.keyPath == events[index].keyPath
      {
        return isCalled ? chain.reversed() : nil
      }
    }
    return nil
  }

  // MARK: Too many

  func avalanches(above limit: Int) -> [KeyValueTrace.Avalanche] {
    roots.compactMap { root in
      let (count, weight) = weighedDeliveries(below: root)
      // A sum of n-ths may be off by a rounding error.
      guard weight > Double(limit) + 1e-6 else { return nil }
      return KeyValueTrace.Avalanche(root: branch([root]), deliveryCount: count)
    }
  }

  /// An event with its part of the weight.
  private struct Weighed {
    let index: Int
    /// What a delivery here weighs.
    var weight: Double
    /// How many elements the change around it has.
    var elementCount: Int
  }

  /// The number of posts that a change led to, and their weight.
  ///
  /// The observers of a change of elements weigh 1 each. What they cause is for its elements: they
  /// may set a property of each of four elements. Initial calls don't weigh anything, because a
  /// registration asks for them.
  private func weighedDeliveries(below root: Int) -> (count: Int, weight: Double) {
    var (count, weight) = (0, 0.0)
    var rest = [Weighed(index: root, weight: 1, elementCount: 1)]
    while var current = rest.popLast() {
      let event = events[current.index]
      if event.isPost {
        count += 1
        if !event.isInitial { weight += current.weight }
      }
      switch event.kind {
      case .changeBegan:
        current.elementCount = max(current.elementCount, elementCount(of: current.index))
      case .delivered:
        current.weight /= Double(current.elementCount)
        current.elementCount = 1
      default: break
      }
      rest += effects(of: current.index).map { index in
        Weighed(index: index, weight: current.weight, elementCount: current.elementCount)
      }
    }
    return (count, weight)
  }

  /// How many elements come, go or are set in a change; 1 if it isn't one of a collection.
  private func elementCount(of change: Int) -> Int {
    let event = events[change]
    if let indexes = event.indexes { return max(1, indexes.ranges.reduce(0) { $0 + $1.count }) }
    // A collection that observers ask for is in their deliveries, and not read for the change.
    let told = effects(of: change).map { events[$0] }
      .filter { $0.object == event.object && $0.keyPath == event.keyPath }
    let counts = ([event] + told).flatMap { [$0.oldValue, $0.newValue] }
      .compactMap { $0?.elementCount }
    return max(1, counts.max() ?? 1)
  }

  private struct BranchKey: Hashable {
    let kind: Event.Kind
    let className: String
    let keyPath: String
    let place: KeyValueTrace.Place?
    let observer: String?

    init(_ event: Event) {
      kind = event.kind
      className = event.object?.className ?? ""
      keyPath = event.keyPath
      place = event.registration?.place
      observer = event.registration?.name
    }
  }

  /// A branch of similar events, with everything that they led to.
  ///
  /// It ends at some depth: calls that a queue makes may lead to one another for as long as the program runs.
  private func branch(_ indexes: [Int], depth: Int = 1) -> KeyValueTrace.Avalanche.Branch {
    var order: [BranchKey] = []
    var groups: [BranchKey: [Int]] = [:]
    for effect in indexes.flatMap(effects(of:)) {
      switch events[effect].kind {
      case .changeBegan, .delivered, .deferred, .died:
        let key = BranchKey(events[effect])
        if groups[key] == nil { order.append(key) }
        groups[key, default: []].append(effect)
      case .registered, .ended, .changeEnded, .returned, .skipped, .violation: break
      }
    }
    return KeyValueTrace.Avalanche.Branch(
      event: events[indexes[0]], count: indexes.count,
      branches: depth == 200
        ? [] : order.compactMap { groups[$0].map { branch($0, depth: depth + 1) } })
  }

  // MARK: For nothing

  func equalValues() -> [KeyValueTrace.Repetition] {
    repetitions { event in
      guard event.isPost, event.changeKind == .setting, !event.isInitial else { return false }
      if let old = event.oldValue, let new = event.newValue { return old.isKnownToEqual(new) }
      // The observer asked for no values, but the change has them.
      guard event.way.isEmpty, let id = event.cause,
        let end = effects[id]?.last.map({ events[$0] }), end.kind == .changeEnded,
        end.keyPath == event.keyPath, let old = end.oldValue, let new = end.newValue
      else { return false }
      return old.isKnownToEqual(new)
    }
  }

  /// A handler in the source: registrations of one key path at one place share it.
  private enum Handler: Hashable {
    case place(KeyValueTrace.Place, subject: String, observer: String)
    case registration(UInt64)

    init?(_ event: Event) {
      guard let registration = event.registration else { return nil }
      if let place = registration.place {
        self = .place(place, subject: event.subject, observer: registration.name)
      } else {
        self = .registration(registration.number)
      }
    }
  }

  /// A change inside another one is delivered in full first; then the observers that come later are
  /// notified of the outer change.
  func outdated() -> [KeyValueTrace.Repetition] {
    var last: [UInt64: Int] = [:]
    var ids: Set<UInt64> = []
    for (index, event) in events.enumerated() where event.isPost {
      guard let registration = event.registration, let change = enclosing(index) else { continue }
      defer { last[registration.number] = index }
      guard registration.options.contains(.new), let earlier = last[registration.number],
        earlier > change, events[earlier].thread == event.thread, enclosing(earlier) != change
      else { continue }
      ids.insert(event.id)
    }
    return repetitions { ids.contains($0.id) }
  }

  private func repetitions(_ isCounted: (Event) -> Bool) -> [KeyValueTrace.Repetition] {
    var order: [Handler] = []
    var found: [Handler: (first: Event, count: Int)] = [:]
    for event in events where isCounted(event) {
      guard let handler = Handler(event) else { continue }
      if found[handler] == nil { order.append(handler) }
      found[handler, default: (event, 0)].count += 1
    }
    return order.compactMap { handler in
      found[handler].map { KeyValueTrace.Repetition(event: $0.first, count: $0.count) }
    }
  }

  func toldAgain() -> [KeyValueTrace.Repetition] {
    var order: [Handler] = []
    var most: [Handler: KeyValueTrace.Repetition] = [:]
    for root in roots {
      let told = deliveries(below: root).filter { events[$0].changeKind == .setting }
      let groups = Dictionary(grouping: told) { events[$0].registration?.number ?? 0 }
      for (_, told) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
        guard let handler = Handler(events[told[0]]),
          told.count > max(1, most[handler]?.count ?? 1)
        else { continue }
        if most[handler] == nil { order.append(handler) }
        most[handler] = KeyValueTrace.Repetition(event: events[told[0]], count: told.count)
      }
    }
    return order.compactMap { most[$0] }
  }

  // MARK: Time

  func handlers() -> [KeyValueTrace.HandlerTime] {
    var order: [Handler: Int] = [:]
    var times: [Handler: KeyValueTrace.HandlerTime] = [:]
    for event in events where event.kind == .returned {
      guard let duration = event.duration else { continue }
      let begun = event.cause.flatMap { indexByID[$0] }.map { events[$0] } ?? event
      guard let handler = Handler(begun) else { continue }
      let known = times[handler]
      if known == nil { order[handler] = order.count }
      times[handler] = KeyValueTrace.HandlerTime(
        event: known?.event ?? begun, count: (known?.count ?? 0) + 1,
        total: (known?.total ?? 0) + duration, longest: max(known?.longest ?? 0, duration))
    }
    return times.sorted {
      ($1.value.total, order[$0.key] ?? 0) < ($0.value.total, order[$1.key] ?? 0)
    }.map(\.value)
  }

  // MARK: Registrations

  func growing(from limit: Int) -> [KeyValueTrace.Growth] {
    let ended = Set(events.filter { $0.kind == .ended }.compactMap { $0.registration?.number })
    return byPlace { _ in true }.filter { growth in
      growth.count >= limit
        && !registrations(at: growth.event.registration?.place).contains { ended.contains($0) }
    }
  }

  private func registrations(at place: KeyValueTrace.Place?) -> [UInt64] {
    events.filter { $0.kind == .registered && $0.registration?.place == place }
      .compactMap { $0.registration?.number }
  }

  func endedAtOnce() -> [KeyValueTrace.Growth] {
    var ends: [UInt64: Int] = [:]
    for (index, event) in events.enumerated() where event.kind == .ended {
      if let number = event.registration?.number { ends[number] = index }
    }
    return byPlace { index in
      let event = events[index]
      guard let number = event.registration?.number, let end = ends[number],
        events[end].thread == event.thread
      else { return false }
      if let cause = cause(of: end).map({ events[$0] }) {
        // An observer may end itself once it has been told.
        let isOwn = cause.kind == .delivered && cause.registration?.number == number
        if isOwn || cause.kind == .died { return false }
      }
      // Only the registration's own initial call came in between.
      return events[index..<end].allSatisfy { between in
        between.thread != event.thread || between.registration?.number == number
      }
    }
  }

  private struct Property: Hashable {
    let object: KeyValueTrace.Object?
    let keyPath: String

    init(_ event: Event) {
      object = event.object
      keyPath = event.keyPath
    }
  }

  /// The registrations for which the closure returns true, grouped by place.
  private func byPlace(_ isCounted: (Int) -> Bool) -> [KeyValueTrace.Growth] {
    let counted = events.indices.filter { events[$0].kind == .registered && isCounted($0) }
    let groups: [KeyValueTrace.Place?: [Event]] = Dictionary(grouping: counted.map { events[$0] }) {
      $0.registration?.place
    }
    let atPlaces: [[Event]] = groups.filter { $0.key != nil }.map(\.value)
    return atPlaces.sorted { $0[0].id < $1[0].id }
      .map { (alike: [Event]) in
        KeyValueTrace.Growth(
          event: alike[0], count: alike.count, objectCount: Set(alike.map(\.object)).count,
          propertyCount: Set(alike.map { Property($0) }).count)
      }
  }
}

extension KeyValueTrace.Event {
  /// Whether this is a delivery other than a prior.
  fileprivate var isPost: Bool { kind == .delivered && !isPrior }
}

// MARK: - Text

extension KeyValueTrace.Findings: CustomStringConvertible {
  /// The findings as text, each with its places; the handlers' times come last.
  public var description: String {
    let parts =
      cycles.map { "\($0)" } + avalanches.map { "\($0)" }
      + equalValues.map { "Equal values, told \(times($0.count)): \($0.event.told)" }
      + outdated.map { "Values out of date, told \(times($0.count)): \($0.event.told)" }
      + toldAgain.map { "Told \(times($0.count)) by one cause: \($0.event.told)" }
      + growing.map {
        "Only growing, \($0.count) registrations \($0.objects), of which none has ended: "
          + $0.event.told
      }
      + endedAtOnce.map {
        "Ended before anything could be told, \(times($0.count)): \($0.event.told)"
      }
      + handlers.prefix(10).map { "\($0)" }
    return parts.isEmpty ? "Nothing was found." : parts.joined(separator: "\n")
  }
}

private func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

extension KeyValueTrace.Event {
  /// The observer, what it observes and where it was registered.
  fileprivate var told: String {
    "\(registration.map { "\($0)" } ?? "an observer") of \(subject)"
  }
}

extension KeyValueTrace.Growth {
  /// The text after the number of registrations: `on 3 objects`.
  fileprivate var objects: String {
    if objectCount == count { return "on as many objects" }
    let objects = objectCount == 1 ? "one object" : "\(objectCount) objects"
    return propertyCount == count ? "for as many keys of \(objects)" : "on \(objects)"
  }
}

extension KeyValueTrace.Cycle: CustomStringConvertible {
  /// The round, one line per step, and the delivery that closes it.
  public var description: String {
    let lines = events.flatMap(\.steps).map { "  \($0)" }
    return "A cycle, seen \(times(count)), closed by \(closing.told):\n"
      + lines.joined(separator: "\n")
  }
}

extension KeyValueTrace.Avalanche: CustomStringConvertible {
  /// The tree, one line per branch.
  public var description: String {
    "An avalanche of \(deliveryCount) deliveries:\n"
      + root.lines(indent: "  ").joined(separator: "\n")
  }
}

extension KeyValueTrace.Avalanche.Branch {
  fileprivate func lines(indent: String) -> [String] {
    let step = event.steps.joined(separator: ", ")
    return ["\(indent)\(count > 1 ? "\(count) × " : "")\(step)"]
      + branches.flatMap { $0.lines(indent: indent + "  ") }
  }
}

extension KeyValueTrace.HandlerTime: CustomStringConvertible {
  /// The time, the number of calls and the observer.
  public var description: String {
    "\(KeyValueTrace.text(nanoseconds: total)) in \(count == 1 ? "one call" : "\(count) calls"), "
      + "longest \(KeyValueTrace.text(nanoseconds: longest)): \(event.told)"
  }
}
