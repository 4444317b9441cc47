import KeyValueObserving

/// The objects and observers that events mention, and the edges between them.
///
/// It reads no object: a value is the last one that an event reported. So it shows only what was registered
/// or changed since tracing began.
struct Roster {
  /// An object with its keys and observers.
  struct Entry {
    let id: String
    let object: KeyValueTrace.Object
    let name: String
    var keys: [String: Key] = [:]
    /// In the order of their first registration.
    var observers: [Int] = []
    /// The number of the event of its death.
    var death: UInt64?
    /// The nodes of the last cause that reached one of its observers, origin first.
    var lastCause: [String] = []
    /// The number of the last event about it.
    var lastEvent: UInt64 = 0

    var hasDied: Bool { death != nil }
  }

  struct Key {
    private(set) var value: KeyValueTrace.Value?
    /// The event that produced the value.
    private(set) var origin: UInt64 = 0
    var changeCount = 0

    /// A nested change ends before the outer one, but its value is the later one.
    mutating func take(_ value: KeyValueTrace.Value, of origin: UInt64) {
      guard origin >= self.origin else { return }
      self.value = value
      self.origin = origin
    }
  }

  /// The registrations of one key path of one object that were made at one place.
  struct Observer {
    let id: Int
    let entry: String
    let keyPath: String
    let registration: KeyValueTrace.Registration
    var registeredCount = 0
    var endedCount = 0
    var deliveryCount = 0

    /// How many of its registrations have not ended.
    var activeCount: Int { max(0, registeredCount - endedCount) }
  }

  private struct ObserverKey: Hashable {
    let entry: String
    let keyPath: String
    let name: String
    let place: KeyValueTrace.Place?

    init(_ registration: KeyValueTrace.Registration, of entry: String) {
      self.entry = entry
      keyPath = registration.keyPath
      name = registration.name
      place = registration.place
    }
  }

  /// How one node leads to another.
  struct Edge: Hashable {
    enum Kind: String { case observes, depends, sets }
    let from: Node
    let to: Node
    let kind: Kind
  }

  struct EdgeState {
    var count = 0
    var lastEvent: UInt64 = 0
    var way = ""

    /// Adds another edge that's drawn as the same one.
    mutating func merge(_ other: EdgeState) {
      count += other.count
      guard other.lastEvent > lastEvent else { return }
      lastEvent = other.lastEvent
      way = other.way
    }
  }

  /// A key of an object, or the observers that were registered at one place.
  enum Node: Hashable {
    case key(object: String, key: String)
    case observer(Int)

    var id: String {
      switch self {
      case .key(let object, let key): "k\(object).\(key)"
      case .observer(let number): "o\(number)"
      }
    }
  }

  let objectLimit: Int
  private(set) var entries: [String: Entry] = [:]
  private(set) var observers: [Int: Observer] = [:]
  private(set) var edges: [Edge: EdgeState] = [:]
  /// How many objects were forgotten for lack of room.
  private(set) var leftOutCount = 0
  private(set) var revision = 0

  private var ids: [KeyValueTrace.Object: String] = [:]
  private var observerIDs: [ObserverKey: Int] = [:]
  /// How many objects of each class have been seen.
  private var numbers: [String: Int] = [:]
  private var lastID = 0
  private var lastObserver = 0

  init(objectLimit: Int) {
    self.objectLimit = objectLimit
  }

  // MARK: Taking events

  /// Adds an event; `outer` has the events that led to it, innermost first.
  mutating func take(_ event: KeyValueTrace.Event, inside outer: [KeyValueTrace.Event]) {
    guard let object = event.object, object.address != 0 else { return }
    let id = enter(object, of: event)
    entries[id]?.lastEvent = event.id
    switch event.kind {
    case .registered, .delivered: note(event, of: id, inside: outer)
    case .ended:
      if let observer = observer(of: event) { observers[observer]?.endedCount += 1 }
    case .changeBegan:
      entries[id]?.keys[event.keyPath, default: Key()].changeCount += 1
      if let maker = outer.first, maker.kind == .delivered, let observer = observer(of: maker) {
        add(
          .init(from: .observer(observer), to: .key(object: id, key: event.keyPath), kind: .sets),
          event: event.id)
      }
    case .changeEnded:
      if let value = event.newValue, event.changeKind == .setting {
        entries[id]?.keys[event.keyPath, default: Key()].take(value, of: event.cause ?? event.id)
      }
    case .died: entries[id]?.death = event.id
    case .returned, .deferred, .skipped, .violation: return
    }
    revision += 1
  }

  private mutating func note(
    _ event: KeyValueTrace.Event, of id: String, inside outer: [KeyValueTrace.Event]
  ) {
    guard let registration = event.registration else { return }
    let number = enter(registration, of: id)
    let observer = Node.observer(number)
    let observed = Node.key(object: id, key: registration.keyPath)
    if event.kind == .registered { observers[number]?.registeredCount += 1 }
    if let value = event.newValue, event.kind == .delivered, !event.isPrior,
      event.changeKind == .setting
    {
      entries[id]?.keys[registration.keyPath, default: Key()].take(
        value, of: event.isInitial ? event.id : event.cause ?? event.id)
    } else if entries[id]?.keys[registration.keyPath] == nil {
      entries[id]?.keys[registration.keyPath] = Key()
    }
    add(.init(from: observed, to: observer, kind: .observes), event: event.id)
    guard event.kind == .delivered else { return }
    observers[number]?.deliveryCount += 1
    // A deferred call is inside its deferral, which has the way to the observer.
    let deferrals = outer.prefix { $0.kind == .deferred }
    if let change = outer.dropFirst(deferrals.count).first, change.kind == .changeBegan,
      let source = node(of: change), source != observed
    {
      let way = ([event] + deferrals).map(\.way).first { !$0.isEmpty } ?? []
      add(
        .init(from: source, to: observed, kind: .depends), event: event.id,
        way: way.map { "\($0)" }.joined(separator: ", "))
    }
    let path = ([event] + outer).reversed().flatMap { nodes(of: $0) }
    // If a delivery's own change is of the observed key, the path contains the key only once.
    entries[id]?.lastCause = path.reduce(into: []) { path, node in
      if path.last != node.id { path.append(node.id) }
    }
  }

  /// The nodes that an event goes through: a delivery's observed key, then its observer.
  private func nodes(of event: KeyValueTrace.Event) -> [Node] {
    switch event.kind {
    case .changeBegan: return node(of: event).map { [$0] } ?? []
    case .delivered:
      guard let number = observer(of: event), let observer = observers[number] else { return [] }
      return [.key(object: observer.entry, key: observer.keyPath), .observer(number)]
    default: return []
    }
  }

  /// The nodes of an event, as the page names them.
  func nodeIDs(of event: KeyValueTrace.Event) -> [String] { nodes(of: event).map(\.id) }

  private func node(of change: KeyValueTrace.Event) -> Node? {
    change.object.flatMap { ids[$0] }.map { .key(object: $0, key: change.keyPath) }
  }

  private mutating func add(_ edge: Edge, event: UInt64, way: String = "") {
    edges[edge, default: EdgeState()].count += 1
    edges[edge]?.lastEvent = event
    if !way.isEmpty { edges[edge]?.way = way }
  }

  // MARK: Names and room

  /// The object's number and name, if it's known.
  func entry(of object: KeyValueTrace.Object?) -> Entry? {
    object.flatMap { ids[$0] }.flatMap { entries[$0] }
  }

  /// An event's value in words; an object that the roster knows appears under its name.
  ///
  /// If the known object died before the event, the value is another one at its address.
  func words(for value: KeyValueTrace.Value, of event: UInt64) -> String {
    guard let entry = entry(of: value.object), event < entry.death ?? .max else {
      return value.description
    }
    return entry.name
  }

  /// A key's last value in words; nil if no event reported one.
  func words(for key: Key) -> String? {
    key.value.map { words(for: $0, of: key.origin) }
  }

  /// The number of an event's object.
  ///
  /// A living object at the address of one that has died is another one.
  private mutating func enter(
    _ object: KeyValueTrace.Object, of event: KeyValueTrace.Event
  ) -> String {
    if let id = ids[object] {
      guard let death = entries[id]?.death, death < event.id, event.needsLivingObject else {
        return id
      }
    }
    if entries.count >= objectLimit { makeRoom() }
    lastID += 1
    let id = String(lastID)
    let className = object.className
    numbers[className, default: 0] += 1
    ids[object] = id
    entries[id] = Entry(id: id, object: object, name: "\(className) \(numbers[className] ?? 0)")
    return id
  }

  /// Forgets a quarter of the objects: first deallocated ones, then those without observers, then those that
  /// events mentioned least recently.
  private mutating func makeRoom() {
    func worth(_ entry: Entry) -> (Int, UInt64) {
      let isObserved = entry.observers.contains { (observers[$0]?.activeCount ?? 0) > 0 }
      return (entry.hasDied ? 0 : isObserved ? 2 : 1, entry.lastEvent)
    }
    let ranked = entries.values.map { (worth($0), $0) }.sorted { $0.0 < $1.0 }
    for (_, entry) in ranked.prefix(max(1, objectLimit / 4)) {
      leftOutCount += 1
      entries[entry.id] = nil
      if ids[entry.object] == entry.id { ids[entry.object] = nil }
      for number in entry.observers {
        guard let observer = observers.removeValue(forKey: number) else { continue }
        observerIDs[ObserverKey(observer.registration, of: entry.id)] = nil
      }
    }
    func isKnown(_ node: Node) -> Bool {
      switch node {
      case .key(let object, _): entries[object] != nil
      case .observer(let number): observers[number] != nil
      }
    }
    edges = edges.filter { isKnown($0.key.from) && isKnown($0.key.to) }
  }

  private mutating func enter(_ registration: KeyValueTrace.Registration, of entry: String) -> Int {
    let key = ObserverKey(registration, of: entry)
    if let number = observerIDs[key] { return number }
    lastObserver += 1
    observerIDs[key] = lastObserver
    observers[lastObserver] = Observer(
      id: lastObserver, entry: entry, keyPath: registration.keyPath, registration: registration)
    entries[entry]?.observers.append(lastObserver)
    return lastObserver
  }

  private func observer(of event: KeyValueTrace.Event) -> Int? {
    guard let registration = event.registration, let id = event.object.flatMap({ ids[$0] })
    else { return nil }
    return observerIDs[ObserverKey(registration, of: id)]
  }
}

extension KeyValueTrace.Event {
  /// Whether only a living object has such an event.
  ///
  /// An object's death ends its registrations, and a queue or an actor may get earlier changes after it.
  fileprivate var needsLivingObject: Bool {
    switch kind {
    case .registered, .changeBegan, .deferred: true
    case .delivered: destination == nil
    case .ended, .changeEnded, .returned, .skipped, .died, .violation: false
    }
  }
}
