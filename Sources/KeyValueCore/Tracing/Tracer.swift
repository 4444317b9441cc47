import Synchronization

// Mutable state and its guard: the list of sinks and the observed objects have a lock each; the list's
// version and the numbers of events and threads are atomic. A `ThreadTrace` belongs to its thread.

/// A receiver of events.
// Checked by hand: `isActive` is atomic; a subclass guards what it adds.
class TraceSink: @unchecked Sendable {
  private let active = Atomic<Bool>(true)

  final var isActive: Bool { active.load(ordering: .acquiring) }

  /// Whether the sink receives events of only some tasks or threads.
  var isSelective: Bool { false }

  /// Whether the sink receives events of the current task or thread.
  var hearsCurrentTask: Bool { true }

  /// Receives an event, on the thread on which it happened.
  func receive(_ event: KeyValueTrace.Event) {}

  /// Ends the sink; returns false if it has already ended.
  fileprivate final func end() -> Bool { active.exchange(false, ordering: .acquiringAndReleasing) }
}

/// Makes events and passes them to the sinks.
///
/// Tracing is one of the activities that `ThreadActivity` counts, so there is no separate check
/// while nothing is traced.
enum Tracer {
  fileprivate static let sinks = LockedValue<[TraceSink]>([])
  fileprivate static let version = Atomic<Int>(0)
  private static let count = Atomic<Int>(0)
  private static let lastID = Atomic<UInt64>(0)
  fileprivate static let lastThread = Atomic<Int>(0)
  fileprivate static let threads = ThreadLocal { ThreadTrace() }

  static var isOn: Bool { count.load(ordering: .relaxed) > 0 }

  /// The current thread's trace; nil while no sink receives its events, and while a sink runs.
  ///
  /// A recording of one task costs other tasks nothing: their changes aren't traced.
  static var thread: ThreadTrace? {
    guard isOn else { return nil }
    let thread = threads.value
    return thread.isReceiving || !thread.isHeard ? nil : thread
  }

  @discardableResult
  static func begin(_ sink: TraceSink) -> TraceSink {
    sinks.withLock { $0.append(sink) }
    version.add(1, ordering: .releasing)
    count.add(1, ordering: .relaxed)
    ThreadActivity.begin()
    return sink
  }

  static func end(_ sink: TraceSink) {
    guard sink.end() else { return }
    sinks.withLock { $0.removeAll { $0 === sink } }
    version.add(1, ordering: .releasing)
    count.subtract(1, ordering: .relaxed)
    ThreadActivity.end()
    // Other threads release the sink at their next event.
    threads.known?.forgetSinks()
  }

  /// The changes and deliveries in progress on this thread, outermost first.
  static var openEvents: [KeyValueTrace.Event] { threads.known?.keepOpenEvents() ?? [] }

  /// Emits an event for a call in progress that the observer ignores.
  static func skipOpenDelivery(_ reason: KeyValueTrace.SkipReason) {
    guard let thread, let delivery = thread.open.last?.event, delivery.kind == .delivered else {
      return
    }
    thread.emit(.skipped) { event in
      event.object = delivery.object
      event.keyPath = delivery.keyPath
      event.registration = delivery.registration
      event.reason = reason
    }
  }

  // MARK: Observed objects

  /// An object that was observed while events were traced.
  // Checked by hand: constants; the reference is only passed on.
  private struct ObservedObject: @unchecked Sendable {
    weak let reference: AnyObject?
    let object: KeyValueTrace.Object
  }

  /// The observed objects by registration number.
  private static let objects = LockedValue<[UInt64: ObservedObject]>([:])
  /// How many there are.
  private static let objectCount = Atomic<Int>(0)

  /// Whether the object of any registration is known.
  ///
  /// A registration that ends while another thread notes its object sees that, or is seen to have ended: all threads
  /// see these accesses in one order.
  static var knowsObjects: Bool { objectCount.load(ordering: .sequentiallyConsistent) > 0 }

  static func note(_ object: AnyObject, of registration: UInt64) -> KeyValueTrace.Object {
    let described = KeyValueTrace.Object(object)
    let observed = ObservedObject(reference: object, object: described)
    objects.withLock { objects in
      objects[registration] = observed
      objectCount.store(objects.count, ordering: .sequentiallyConsistent)
    }
    return described
  }

  static func object(of registration: UInt64) -> KeyValueTrace.Object? {
    objects.withLock { $0[registration]?.object }
  }

  static func forgetObject(of registration: UInt64) {
    objects.withLock { objects in
      objects[registration] = nil
      objectCount.store(objects.count, ordering: .relaxed)
    }
  }

  /// The living observed objects, each once, in the order of their registrations.
  static var observedObjects: [AnyObject] {
    let all = objects.withLock { $0.sorted { $0.key < $1.key } }
    var seen: Set<ObjectIdentifier> = []
    return all.compactMap(\.value.reference).filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  fileprivate static func nextID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }
}

/// The tracing state of one thread.
// Its accesses can't overlap: only its own thread makes them, and only `emit`, which just reads,
// calls a sink.
final class ThreadTrace {
  private let number = Tracer.lastThread.add(1, ordering: .relaxed).newValue
  /// The changes and deliveries in progress on the thread, outermost first.
  @exclusivity(unchecked) fileprivate var open: [OpenEvent] = []
  /// Whether a sink is running.
  @exclusivity(unchecked) fileprivate(set) var isReceiving = false
  @exclusivity(unchecked) private var sinks: [TraceSink] = []
  /// The same sinks as unretained references.
  @exclusivity(unchecked) private var receivers: [Unmanaged<TraceSink>] = []
  /// Whether every sink receives events of only some tasks or threads.
  @exclusivity(unchecked) private var areSinksSelective = false
  @exclusivity(unchecked) private var version = -1
  @exclusivity(unchecked) private var lastTime: UInt64 = 0
  /// What is known about the next delivery in advance.
  @exclusivity(unchecked) var next = NextDelivery()
  /// Empty events, which the next events fill instead of allocating.
  @exclusivity(unchecked) private var spares: [KeyValueTrace.Event] = []

  fileprivate struct OpenEvent {
    var event: KeyValueTrace.Event
    /// Whether something else kept the event when it was emitted, or has been given it since.
    ///
    /// If so, the event that ends this one is a copy.
    var wasKept: Bool
  }

  struct NextDelivery {
    /// How the change reaches the observer.
    var way: [KeyValueTrace.Step] = []
    /// The event that deferred this delivery's call.
    var deferral: UInt64?
    /// Whether it delivers the initial value at a registration.
    var isInitial = false
  }

  // MARK: Events

  /// Emits an event inside the thread's innermost open event.
  ///
  /// `fill` sets the event's fields.
  ///
  /// - Returns: The event's number.
  @discardableResult
  @inline(__always)
  func emit(
    _ kind: KeyValueTrace.Event.Kind, _ fill: (inout KeyValueTrace.Event.Fields) -> Void
  ) -> UInt64 {
    var event = event(kind)
    event.change(fill)
    emit(event)
    let id = event.id
    recycle(&event)
    return id
  }

  /// Emits an event and opens it: later events happen inside it.
  ///
  /// `fill` sets the event's fields.
  ///
  /// - Returns: The event's number.
  @discardableResult
  @inline(__always)
  func enter(
    _ kind: KeyValueTrace.Event.Kind, _ fill: (inout KeyValueTrace.Event.Fields) -> Void
  ) -> UInt64 {
    var event = event(kind)
    event.change(fill)
    return enter(&event)
  }

  private func event(_ kind: KeyValueTrace.Event.Kind) -> KeyValueTrace.Event {
    lastTime = MonotonicTime.now
    var event = spares.popLast() ?? KeyValueTrace.Event()
    event.change { event in
      event.kind = kind
      event.id = Tracer.nextID()
      event.nanoseconds = lastTime
      event.thread = number
      event.depth = open.count
      event.cause = innermost
    }
    return event
  }

  private func emit(_ event: KeyValueTrace.Event) {
    // What a sink does isn't traced, but it may end a change that began before.
    if isReceiving { return }
    updateSinks()
    isReceiving = true
    for index in 0..<receivers.count {
      receivers[index]._withUnsafeGuaranteedRef { if $0.isActive { $0.receive(event) } }
    }
    isReceiving = false
  }

  /// Empties the event for another use, unless something keeps it.
  private func recycle(_ event: inout KeyValueTrace.Event) {
    if event.isKept || spares.count == ThreadTrace.mostSpares { return }
    event.change { $0 = KeyValueTrace.Event.Fields() }
    spares.append(event)
  }

  /// As many as are open at once in a change whose delivery changes something else.
  private static let mostSpares = 4

  private func enter(_ event: inout KeyValueTrace.Event) -> UInt64 {
    emit(event)
    let wasKept = event.isKept
    open.append(OpenEvent(event: event, wasKept: wasKept))
    return event.id
  }

  /// The innermost open event.
  private var innermost: UInt64? {
    open.isEmpty ? nil : open[open.count - 1].event.id
  }

  /// The open events, outermost first, for others to keep.
  fileprivate func keepOpenEvents() -> [KeyValueTrace.Event] {
    for index in open.indices { open[index].wasKept = true }
    return open.map(\.event)
  }

  /// Opens an event again: later events happen inside it.
  func reenter(_ event: KeyValueTrace.Event) {
    open.append(OpenEvent(event: event, wasKept: true))
  }

  /// Leaves an event: later events don't happen inside it.
  @discardableResult
  func leave(_ id: UInt64) -> KeyValueTrace.Event? {
    take(id)?.event
  }

  private func take(_ id: UInt64) -> OpenEvent? {
    if innermost == id { return open.removeLast() }
    guard let index = open.lastIndex(where: { $0.event.id == id }) else { return nil }
    return open.remove(at: index)
  }

  /// Leaves an event, and emits its end with its duration.
  func end(
    _ id: UInt64, _ kind: KeyValueTrace.Event.Kind, newValue: KeyValueTrace.Value? = nil
  ) {
    guard var begun = take(id) else { return }
    // A change ends right after its last delivery, so it shares that delivery's time.
    if kind == .returned || lastTime <= begun.event.nanoseconds { lastTime = MonotonicTime.now }
    if begun.wasKept { begun.event = begun.event.copy() }
    begun.event.change { event in
      event.kind = kind
      event.id = Tracer.nextID()
      event.cause = id
      event.depth += 1
      event.duration = lastTime - event.nanoseconds
      event.nanoseconds = lastTime
      if kind == .changeEnded { event.newValue = newValue }
    }
    emit(begun.event)
    recycle(&begun.event)
  }

  /// Returns what is known about the current delivery, and resets it for the next one.
  func takeNext() -> NextDelivery {
    defer { next = NextDelivery() }
    return next
  }

  // MARK: Sinks

  /// Whether a sink receives the thread's current events.
  fileprivate var isHeard: Bool {
    updateSinks()
    return !areSinksSelective || sinks.contains { $0.hearsCurrentTask && $0.isActive }
  }

  @inline(__always)
  private func updateSinks() {
    let current = Tracer.version.load(ordering: .acquiring)
    guard version != current else { return }
    version = current
    // Ended sinks are released last: releasing one may run code that emits an event.
    let ended = sinks
    sinks = Tracer.sinks.withLock { $0 }
    receivers = sinks.map { .passUnretained($0) }
    areSinksSelective = sinks.allSatisfy(\.isSelective)
    withExtendedLifetime(ended) {}
  }

  fileprivate func forgetSinks() {
    version = -1
    // A sink that ends itself is still being called; the next event releases it.
    if isReceiving { return }
    receivers = []
    sinks = []
    spares = []
  }
}
