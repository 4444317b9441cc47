import Synchronization

/// One registration: its path, its options and its sink.
///
/// It retains only the handler, not the observed object or objects along the path.
// Checked by hand: the flags are atomic, and `attachment` is set once. Code that finds the observance in
// a registrar has taken the registrar's lock since then. Code that has the observance earlier only ends
// it, and checks `isAttached` first.
@usableFromInline
package final class Observance: @unchecked Sendable {
  /// The observance's position in the order of all registrations.
  let number: UInt64
  let path: ObservedPath
  /// Nil for a closure that only its token keeps alive.
  let policy: ObservancePolicy?
  private let sink: Delivery.Sink
  /// Where it was registered.
  let origin: SourcePlace
  /// The options in a byte, so that they lie in the same word as the flags and the property's number.
  @usableFromInline let optionBits: UInt8
  private let active = Atomic<Bool>(true)
  private let isDelivering = Atomic<Bool>(false)
  private let isAttached = Atomic<Bool>(false)
  /// The observed property's number, if the path is a single property without dependencies.
  @exclusivity(unchecked) private var propertyID: Int32 = 0
  @exclusivity(unchecked) private var attachment = Attachment.none

  #if DEBUG || KVO_AUDIT
    /// The dependency audit's history of the observance.
    let audit = LockedValue(DependencyAudit.History())
    /// How often it was attached to a property, or detached from one.
    let attachmentChanges = Atomic<UInt64>(0)
  #endif

  private let registeringThread = ThreadIdentity.current
  /// The observances of journals have lower numbers, so that they come first.
  private static let numberCounter = Atomic<UInt64>(1 << 40)
  private static let journalCounter = Atomic<UInt64>(0)
  /// Set in the numbers of the observances that come last.
  private static let lastBit: UInt64 = 1 << 63
  /// The number of the last registration on any thread.
  static var lastNumber: UInt64 { numberCounter.load(ordering: .relaxed) }

  /// What the observance is attached to; retained here, and lent without another retain.
  private enum Attachment {
    case none
    /// Where the property is registered, if the path is a single property without dependencies.
    case property(Unmanaged<RegistrarStorage>, of: UnretainedObject)
    /// The tree that the observance follows otherwise.
    case tree(Unmanaged<HopTree>)
  }

  init(
    _ path: ObservedPath, options: KeyValueObservingOptions, policy: ObservancePolicy? = nil,
    at origin: SourcePlace = .unknown, sink: @escaping Delivery.Sink
  ) {
    let count = Observance.numberCounter.wrappingAdd(1, ordering: .relaxed).newValue
    number = options.contains(.last) ? count | Observance.lastBit : count
    self.path = path
    optionBits = Observance.bits(options, policy)
    self.policy = policy
    self.origin = origin
    // `map` and `??` would return a wrapped closure, and each delivery would go through the wrapping.
    if let box = path.boxLeaf {
      self.sink = Delivery.boxing(box, for: sink)
    } else {
      self.sink = sink
    }
  }

  /// Creates the observance of one key of a journal, which is never attached: tables of journals have its
  /// watch.
  init(journal: Journal, options: KeyValueObservingOptions, sink: @escaping Delivery.Sink) {
    number = Observance.journalCounter.wrappingAdd(1, ordering: .relaxed).newValue
    path = Observance.journalPath
    let policy = ObservancePolicy(of: journal)
    optionBits = Observance.bits(options, policy)
    self.policy = policy
    origin = .unknown
    self.sink = sink
  }

  private static let journalPath = ObservedPath([])

  private static func bits(
    _ options: KeyValueObservingOptions, _ policy: ObservancePolicy?
  ) -> UInt8 {
    let options = policy?.scope == nil ? options : options.union(.scope)
    return UInt8(truncatingIfNeeded: options.rawValue)
  }

  /// What has to know that observers of a change are being called.
  var scope: ChangeScope? { options.contains(.scope) ? policy?.scope : nil }
  /// The journal that the observance belongs to.
  var journal: Journal? { scope as? Journal }

  deinit {
    switch attachment {
    case .none: break
    case .property(let storage, _): storage.release()
    case .tree(let tree): tree.release()
    }
  }

  @inlinable var options: KeyValueObservingOptions {
    KeyValueObservingOptions(rawValue: UInt(optionBits))
  }
  /// Whether a sole audience needs the value before, or after, a mutation; for inlined code.
  @inlinable var wantsOld: Bool { options.contains(.old) }
  @inlinable var wantsNew: Bool { options.contains(.new) }
  /// The options that it was registered with.
  var requestedOptions: KeyValueObservingOptions { options.subtracting(.scope) }
  var keyPath: String { path.string }
  var needs: Needs { Needs(options) }
  var observerDescription: String { policy?.observer ?? ObservancePolicy.closure }
  var context: UnsafeMutableRawPointer? { policy?.registration?.context }
  /// Whether there is still an observer to call.
  var isObserverAlive: Bool { policy?.isAlive ?? true }
  /// Whether it's notified of each change in a transaction as it happens, and not once at the end.
  var isImmediate: Bool { options.contains(.scope) }
  /// Whether it received an initial value on a thread other than this one.
  var mayHaveMissedChange: Bool {
    options.contains(.initial) && registeringThread != .current
  }

  @usableFromInline var isActive: Bool { active.load(ordering: .acquiring) }

  /// The observed object, if changes of other objects have to reach it.
  @inline(__always)
  var root: AnyObject? {
    // Converted where it is owned, so without a retain.
    withTree { tree -> AnyObject? in tree.root }
  }

  /// Whether the observed object has died, which the observance hasn't been told yet.
  var isOrphaned: Bool {
    switch attachment {
    case .none: false
    case .property(let storage, _): storage._withUnsafeGuaranteedRef(\.isOrphaned)
    case .tree(let tree): tree._withUnsafeGuaranteedRef(\.isOrphaned)
    }
  }

  /// The observed object while it is alive and the observance is active.
  var object: (any KeyValueObservable)? {
    guard isActive else { return nil }
    switch attachment {
    case .none: return nil
    case .property(let storage, let object):
      return storage._withUnsafeGuaranteedRef { $0.retained(object) }
    case .tree(let tree): return tree._withUnsafeGuaranteedRef(\.object)
    }
  }

  /// The observed property, if it is the whole path.
  var property: Property? {
    guard case .property(let storage, _) = attachment else { return nil }
    return storage._withUnsafeGuaranteedRef { $0.schema.property(id: Int(propertyID)) }
  }

  var tree: HopTree? {
    if case .tree(let tree) = attachment { tree.takeUnretainedValue() } else { nil }
  }

  /// Lends the tree, if there is one.
  @inline(__always)
  func withTree<Result>(_ body: (HopTree) -> Result?) -> Result? {
    if case .tree(let tree) = attachment { tree._withUnsafeGuaranteedRef(body) } else { nil }
  }

  /// Lends the maintained value of the path's operator, if there is one, in the form that the sink reads.
  func withAggregate(_ body: (Delivery.ValueLocation) -> Void) {
    guard let box = path.boxAggregate else { return body(.evaluate) }
    if box.takesIntegers, let integer = withTree({ $0.maintainedInteger }) {
      return body(.bits(UInt64(truncatingIfNeeded: integer)))
    }
    guard let value = withTree({ $0.maintainedValue }) else { return body(.evaluate) }
    if let bits = box.bits(of: value) { return body(.bits(bits)) }
    let boxed = box(value)
    withExtendedLifetime(boxed) { body(Delivery.ValueLocation(boxed, else: .evaluate)) }
  }

  /// Attaches to a property without dependencies.
  func attach(
    to property: Property, of object: any KeyValueObservable, in schema: KeyValueSchema
  ) {
    let isAutomatic =
      property.traits.withLoaded { $0.isAutomatic } ?? schema.traits(of: property).isAutomatic
    object._$kvoWithRegistrar { registrar in
      registrar.update(of: object) { storage, state in
        propertyID = Int32(property.id)
        attachment = .property(.passRetained(storage), of: UnretainedObject(object: object))
        isAttached.store(true, ordering: .sequentiallyConsistent)
        state.insert(Watch(observance: self, hop: nil), property, isAutomatic: isAutomatic)
      }
    }
  }

  func attach(through tree: HopTree) {
    attachment = .tree(.passRetained(tree))
    isAttached.store(true, ordering: .sequentiallyConsistent)
  }

  /// Stops delivery and detaches from everything; may be called repeatedly, on any thread.
  ///
  /// - Returns: Whether this call ended the observance.
  @discardableResult
  package func end() -> Bool {
    guard active.exchange(false, ordering: .sequentiallyConsistent) else { return false }
    detach()
    if !ThreadContext.isQuiet { traceEnd() }
    // It may have been registered while events were traced.
    if Tracer.knowsObjects { Tracer.forgetObject(of: number) }
    policy?.didEnd(self)
    return true
  }

  /// Detaches again an observance that another thread ended while it was being attached.
  ///
  /// One of the two threads sees what the other did, because all threads see these accesses in one order.
  func detachIfEnded() {
    if !active.load(ordering: .sequentiallyConsistent) { detach() }
  }

  /// Whether the observance has ever been attached; it may have been detached since.
  var hasBeenAttached: Bool { isAttached.load(ordering: .sequentiallyConsistent) }

  /// Removes the observance from every registrar that has it; may be called repeatedly.
  func detach() {
    guard isAttached.load(ordering: .sequentiallyConsistent) else { return }
    switch attachment {
    case .none: break
    case .property(let storage, _):
      storage._withUnsafeGuaranteedRef { $0.remove(self, nil, id: Int(propertyID)) }
    case .tree(let tree): tree._withUnsafeGuaranteedRef { $0.detach() }
    }
  }

  // MARK: Delivery

  /// Calls the observer, unless the observance has ended.
  func deliver(_ delivery: Delivery, of root: AnyObject) {
    withUnsafePointer(to: delivery) { deliverInline($0, of: root) }
  }

  /// Calls the observer, with the indexes of the elements that the change concerns.
  func deliver(_ delivery: Delivery, at ranges: IndexRanges?, of root: AnyObject) {
    guard let ranges else { return deliver(delivery, of: root) }
    withUnsafePointer(to: ranges) { ranges in
      var delivery = delivery
      delivery.ranges = ranges
      deliver(delivery, of: root)
    }
  }

  @inline(__always)
  func deliverInline(_ delivery: UnsafePointer<Delivery>, of root: AnyObject) {
    guard isActive, isObserverAlive, !isDelivering.load(ordering: .relaxed), ThreadContext.isQuiet
    else { return deliverSlowly(delivery, of: root) }
    noteDelivery(delivery)
    isDelivering.store(true, ordering: .relaxed)
    sink(root, self, delivery)
    isDelivering.store(false, ordering: .relaxed)
  }

  @inline(never)
  private func deliverSlowly(_ delivery: UnsafePointer<Delivery>, of root: AnyObject) {
    guard isActive else { return traceSkip(.ended, delivery, of: root) }
    guard isObserverAlive else {
      traceSkip(.observerDied, delivery, of: root)
      end()
      return
    }
    // Re-entered, or also running on another thread. Both are rare, so a table is affordable.
    let isNested = isDelivering.load(ordering: .relaxed)
    if isNested, !DeliveryNesting.enter(self, on: root) {
      return traceSkip(.runaway, delivery, of: root)
    }
    isDelivering.store(true, ordering: .relaxed)
    ThreadContext.outsideOfMutations { callMarked(delivery, of: root) }
    if isNested { DeliveryNesting.leave() } else { isDelivering.store(false, ordering: .relaxed) }
  }

  /// Calls the observer with the change's author.
  private func callMarked(_ delivery: UnsafePointer<Delivery>, of root: AnyObject) {
    guard let author = ThreadContext.current?.author, author != 0 else {
      return call(delivery, of: root)
    }
    var marked = delivery.pointee
    marked.mark.author = author
    withUnsafePointer(to: marked) { call($0, of: root) }
  }

  @inline(__always)
  private func call(_ delivery: UnsafePointer<Delivery>, of root: AnyObject) {
    noteDelivery(delivery)
    if let thread = Tracer.thread {
      callTraced(delivery, of: root, thread)
    } else {
      sink(root, self, delivery)
    }
  }

  @inline(__always)
  private func noteDelivery(_ delivery: UnsafePointer<Delivery>) {
    #if DEBUG || KVO_AUDIT
      if !delivery.pointee.isPrior { OutdatedDelivery.note(self) }
    #endif
  }

  private func callTraced(
    _ delivery: UnsafePointer<Delivery>, of root: AnyObject, _ thread: ThreadTrace
  ) {
    let next = thread.takeNext()
    // A journal isn't an observer of the program's: a log changes nothing in a trace.
    if journal != nil { return sink(root, self, delivery) }
    guard tracesNewValue, case .evaluate = delivery.pointee.new, !delivery.pointee.isPrior else {
      return traceCall(delivery, of: root, next, thread) { sink(root, self, delivery) }
    }
    // The value is read here instead of by the sink, so it's read only once.
    let box = read(from: root)
    var read = delivery.pointee
    read.new = Delivery.ValueLocation(box, else: .evaluate)
    withExtendedLifetime(box) {
      withUnsafePointer(to: read) { delivery in
        guard isActive else { return traceSkip(.ended, delivery, of: root, next) }
        traceCall(delivery, of: root, next, thread) { sink(root, self, delivery) }
      }
    }
  }

  /// Delivers the current value, for a change that wasn't announced beforehand; in a transaction, at its end.
  ///
  /// `isMaintained` means that the value of an operator is up to date.
  func deliverUnannounced(of root: AnyObject, isMaintained: Bool) {
    if ThreadContext.current?.transaction?.defers(unannounced: self) == true { return }
    deliverValue(of: root, isMaintained: isMaintained)
  }

  /// Delivers the current value, without an old one.
  func deliverValue(of root: AnyObject, isMaintained: Bool = false) {
    var delivery = Delivery()
    delivery.new = .evaluate
    guard isMaintained else { return deliver(delivery, of: root) }
    withAggregate { value in
      delivery.new = value
      deliver(delivery, of: root)
    }
  }

  /// The current observed value, kept for later.
  func capture(from root: AnyObject) -> AnyObject? {
    if let box = path.boxAggregate, let value = withTree({ $0.maintainedValue }) {
      return box(value)
    }
    return read(from: root)
  }

  /// The observed value as the sink reads it.
  private func read(from root: AnyObject) -> AnyObject? {
    var result: AnyObject?
    withUnsafeMutablePointer(to: &result) { result in
      var delivery = Delivery()
      delivery.result = result
      withUnsafePointer(to: delivery) { sink(root, self, $0) }
    }
    return result
  }
}

/// How an observance ends, joins transactions and appears in traces.
///
/// A closure that only its token keeps alive has no policy.
// Checked by hand: everything is set once, the variables before the observance is published.
final class ObservancePolicy: @unchecked Sendable {
  /// The object that the observance ends with.
  ///
  /// Its death is noticed at the next delivery; until then the observance counts as ended wherever
  /// that's visible.
  weak let owner: AnyObject?
  /// Whether the receiver can still be called, if the observance ends with one instead of an owner.
  private let isReceiverAlive: (@Sendable () -> Bool)?
  /// How `observationInfo` and messages name the observer.
  let observer: String
  /// The identity and the context that an observer object registered with.
  let registration: (observer: ObjectIdentifier, context: UnsafeMutableRawPointer?)?
  /// The kind of observer that traces report.
  let role: KeyValueTrace.Registration.Role
  /// How traces name the observer, if not by `observer`.
  let tracedName: String?
  /// The queue or actor that the calls are made on later; nil if the sink makes them.
  let destination: String?
  private let onEnd: (@Sendable (_ number: UInt64) -> Void)?
  /// What has to know that observers of a change are being called.
  let scope: ChangeScope?
  /// The storage in which an observer object's registration is looked up.
  var index: RegistrarStorage?
  /// Whether the sink reads the whole value itself, so that all that a transaction did is one change to it.
  var readsWholeValue = false

  static let closure = "closure"

  /// The observance ends with an owner.
  ///
  /// `onEnd` is called once after the end, on the thread that ended the observance.
  init(
    owner: AnyObject, role: KeyValueTrace.Registration.Role = .observer,
    tracedName: String? = nil, scope: ChangeScope? = nil,
    onEnd: (@Sendable (UInt64) -> Void)? = nil
  ) {
    self.owner = owner
    observer = name(of: type(of: owner))
    self.role = role
    readsWholeValue = role.isBinding
    self.tracedName = tracedName
    self.scope = scope
    self.onEnd = onEnd
    // A recorder's sink looks for its recorder itself.
    let isAlive: @Sendable () -> Bool = { true }
    isReceiverAlive = scope == nil ? nil : isAlive
    (registration, destination) = (nil, nil)
  }

  /// The observance of an observer object, which is looked up by the object, the path and the context.
  init(observer: AnyObject, context: UnsafeMutableRawPointer?) {
    let identity = ObjectIdentifier(observer)
    let address = String(UInt(bitPattern: identity), radix: 16)
    owner = observer
    self.observer = "\(name(of: type(of: observer)))@0x\(address)"
    registration = (identity, context)
    role = .observer
    (isReceiverAlive, tracedName, destination, scope, onEnd) = (nil, nil, nil, nil, nil)
  }

  /// The observance delivers elsewhere, or later.
  ///
  /// - Parameters:
  ///   - isReceiverAlive: Whether the receiver can still be called.
  ///   - destination: The queue or actor that the calls are made on.
  ///   - onEnd: Called once after the observance has ended, on the thread that ended it.
  init(
    isReceiverAlive: @escaping @Sendable () -> Bool = { true }, destination: String? = nil,
    onEnd: @escaping @Sendable () -> Void
  ) {
    self.isReceiverAlive = isReceiverAlive
    observer = ObservancePolicy.closure
    role = .receiver
    self.destination = destination
    self.onEnd = { _ in onEnd() }
    (owner, registration, tracedName, scope) = (nil, nil, nil, nil)
  }

  /// The observance of a journal is notified of each change, and no list or trace shows it.
  init(of journal: Journal) {
    isReceiverAlive = { true }
    observer = ObservancePolicy.closure
    role = .observer
    scope = journal
    (owner, registration, tracedName, destination, onEnd) = (nil, nil, nil, nil, nil)
  }

  var isAlive: Bool { isReceiverAlive?() ?? (owner != nil) }

  func didEnd(_ observance: Observance) {
    onEnd?(observance.number)
    index?.update { $0.observers.remove(observance) }
  }
}
