import Synchronization

// Mutable state and its guard: the list of sinks, a lock; its version and the numbers of events and
// threads are atomic. A `ThreadTrace` belongs to its thread.

/// Where events go.
// Checked by hand: `isActive` is atomic; a subclass guards what it adds.
class TraceSink: @unchecked Sendable {
  private let active = Atomic<Bool>(true)

  final var isActive: Bool { active.load(ordering: .acquiring) }

  /// Whether it hears only some tasks or threads.
  var isSelective: Bool { false }

  /// Whether it hears the current task, or thread.
  var hearsCurrentTask: Bool { true }

  /// Takes an event, on the thread on which it happened.
  func receive(_ event: KeyValueTrace.Event) {}

  /// Whether this call ended it.
  fileprivate final func end() -> Bool { active.exchange(false, ordering: .acquiringAndReleasing) }
}

/// Makes events and hands them to those that trace.
///
/// Tracing is one of the activities that `ThreadActivity` counts, so that what traces nothing asks
/// nothing.
enum Tracer {
  private static let sinks = LockedValue<[TraceSink]>([])
  private static let version = Atomic<Int>(0)
  private static let count = Atomic<Int>(0)
  private static let lastID = Atomic<UInt64>(0)
  private static let lastThread = Atomic<Int>(0)
  fileprivate static let threads = ThreadLocal { ThreadTrace() }

  static var isOn: Bool { count.load(ordering: .relaxed) > 0 }

  /// What the thread has to be told to trace; nil while no sink hears it, and in what a sink does.
  ///
  /// A recording of one task leaves what others do as it is: a traced change keeps its old value until
  /// it ends.
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
    // The other threads let go of the sink with their next event.
    threads.known?.forgetSinks()
  }

  /// The changes and deliveries that this thread is in the middle of, the outermost first.
  static var openEvents: [KeyValueTrace.Event] { threads.known?.open ?? [] }

  /// Tells that the observer that is being called ignores the call.
  static func skipOpenDelivery(_ reason: KeyValueTrace.SkipReason) {
    guard let thread, let delivery = thread.open.last, delivery.kind == .delivered else { return }
    let event = thread.event(.skipped)
    event.object = delivery.object
    event.keyPath = delivery.keyPath
    event.registration = delivery.registration
    event.reason = reason
    thread.emit(event)
  }

  // MARK: Observed objects

  /// An object that was observed while events were traced.
  // Checked by hand: constants, and the reference is only handed on.
  private struct ObservedObject: @unchecked Sendable {
    weak let reference: AnyObject?
    let object: KeyValueTrace.Object
  }

  /// By the number of the registration.
  private static let objects = LockedValue<[UInt64: ObservedObject]>([:])

  static func note(_ object: AnyObject, of registration: UInt64) -> KeyValueTrace.Object {
    let described = KeyValueTrace.Object(object)
    let observed = ObservedObject(reference: object, object: described)
    objects.withLock { $0[registration] = observed }
    return described
  }

  static func object(of registration: UInt64) -> KeyValueTrace.Object? {
    objects.withLock { $0[registration]?.object }
  }

  static func forgetObject(of registration: UInt64) {
    objects.withLock { $0[registration] = nil }
  }

  /// The observed objects that are alive, each once, in the order of their registrations.
  static var observedObjects: [AnyObject] {
    let all = objects.withLock { $0.sorted { $0.key < $1.key } }
    var seen: Set<ObjectIdentifier> = []
    return all.compactMap(\.value.reference).filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  // MARK: Numbers

  fileprivate static func nextID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }

  fileprivate static func nextThread() -> Int { lastThread.add(1, ordering: .relaxed).newValue }

  fileprivate static var currentVersion: Int { version.load(ordering: .acquiring) }

  fileprivate static var currentSinks: [TraceSink] { sinks.withLock { $0 } }
}

/// One thread's part in tracing.
// Its accesses can't overlap: only its own thread makes them, and none calls a sink but `emit`, which
// only reads.
final class ThreadTrace {
  private let number = Tracer.nextThread()
  /// The changes and deliveries that the thread is in the middle of, the outermost first.
  @exclusivity(unchecked) fileprivate(set) var open: [KeyValueTrace.Event] = []
  /// Whether a sink is running.
  @exclusivity(unchecked) fileprivate(set) var isReceiving = false
  @exclusivity(unchecked) private var sinks: [TraceSink] = []
  /// Whether each sink hears only some tasks or threads.
  @exclusivity(unchecked) private var areSinksSelective = false
  @exclusivity(unchecked) private var version = -1
  @exclusivity(unchecked) private var lastTime: UInt64 = 0
  /// What is known of the next delivery before it is made.
  @exclusivity(unchecked) var next = NextDelivery()

  struct NextDelivery {
    /// How the change gets to the observer.
    var way: [KeyValueTrace.Step] = []
    /// The deferred call that it makes up for.
    var deferral: UInt64?
    /// Whether it tells the value at a registration.
    var isInitial = false
  }

  // MARK: Events

  /// An event that happens now, inside of what the thread is in the middle of.
  func event(_ kind: KeyValueTrace.Event.Kind) -> KeyValueTrace.Event {
    lastTime = MonotonicTime.now
    let event = KeyValueTrace.Event(kind, id: Tracer.nextID())
    event.nanoseconds = lastTime
    event.thread = number
    event.depth = open.count
    event.cause = open.last?.id
    return event
  }

  func emit(_ event: KeyValueTrace.Event) {
    updateSinks()
    isReceiving = true
    // A copy: a sink may end itself.
    let sinks = sinks
    for sink in sinks where sink.isActive { sink.receive(event) }
    isReceiving = false
  }

  /// Emits an event; what happens from now on happens inside of it.
  func enter(_ event: KeyValueTrace.Event) {
    emit(event)
    open.append(event)
  }

  /// Continues with what happens inside of an event that was left before.
  func reenter(_ event: KeyValueTrace.Event) {
    open.append(event)
  }

  /// What happens from now on doesn't happen inside of this event.
  @discardableResult
  func leave(_ id: UInt64) -> KeyValueTrace.Event? {
    guard let index = open.lastIndex(where: { $0.id == id }) else { return nil }
    return open.remove(at: index)
  }

  /// The event that ends another, with how long that took.
  func end(
    of begun: KeyValueTrace.Event, _ kind: KeyValueTrace.Event.Kind
  ) -> KeyValueTrace.Event {
    let event = KeyValueTrace.Event(kind, id: Tracer.nextID(), like: begun)
    // What ends a change comes right after its last delivery.
    if kind == .returned || lastTime <= begun.nanoseconds { lastTime = MonotonicTime.now }
    event.nanoseconds = lastTime
    event.duration = lastTime - begun.nanoseconds
    event.cause = begun.id
    event.depth = begun.depth + 1
    return event
  }

  /// What is known of the delivery that is being made; nothing is known of the one after it.
  func takeNext() -> NextDelivery {
    defer { next = NextDelivery() }
    return next
  }

  // MARK: Sinks

  /// Whether a sink hears what the thread does now.
  fileprivate var isHeard: Bool {
    updateSinks()
    return !areSinksSelective || sinks.contains { $0.hearsCurrentTask && $0.isActive }
  }

  @inline(__always)
  private func updateSinks() {
    let current = Tracer.currentVersion
    guard version != current else { return }
    version = current
    sinks = Tracer.currentSinks
    areSinksSelective = sinks.allSatisfy(\.isSelective)
  }

  fileprivate func forgetSinks() {
    sinks = []
    version = -1
  }
}
