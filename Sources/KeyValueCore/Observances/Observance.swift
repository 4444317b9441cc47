import Synchronization

/// One registration: the path it observes, what it asks for, and whom to tell.
///
/// Nothing is retained but the handler: not the observed object, nor objects along the path.
// Checked by hand: the flags are atomic, and `source` is set once. Who gets here by way of a registrar has
// taken its lock since; who finds the observance before that only ends it, and looks at `isAttached` first.
@usableFromInline
package final class Observance: @unchecked Sendable {
  /// Where it stands in the order of all registrations.
  let sequence: UInt64
  let path: ObservedPath
  /// Nil for a closure that its token alone keeps.
  let policy: ObservancePolicy?
  private let sink: Delivery.Sink
  /// The options in half a word, so that they lie in the same word as the flags.
  @usableFromInline let optionBits: UInt32
  private let active = Atomic<Bool>(true)
  private let isDelivering = Atomic<Bool>(false)
  private let isAttached = Atomic<Bool>(false)
  @exclusivity(unchecked) private var source = Source.none

  #if DEBUG || KVO_AUDIT
    /// What the dependency audit knows of it.
    let audit = LockedValue(DependencyAudit.History())
  #endif

  private enum Source {
    case none
    /// The path is one property that depends on nothing.
    case property(WatchRegistry, id: Int, of: UnretainedObject)
    case tree(FollowedTree)
  }

  private let registeringThread = ThreadIdentity.current
  private static let sequenceCounter = Atomic<UInt64>(0)
  /// The sequence of the last registration on any thread.
  static var lastSequence: UInt64 { sequenceCounter.load(ordering: .relaxed) }

  init(
    _ path: ObservedPath, options: KeyValueObservingOptions, policy: ObservancePolicy? = nil,
    sink: @escaping Delivery.Sink
  ) {
    sequence = Observance.sequenceCounter.wrappingAdd(1, ordering: .relaxed).newValue
    self.path = path
    optionBits = UInt32(truncatingIfNeeded: options.rawValue)
    self.policy = policy
    self.sink = sink
  }

  @inlinable var options: KeyValueObservingOptions {
    KeyValueObservingOptions(rawValue: UInt(optionBits))
  }
  var keyPath: String { path.string }
  var needs: Needs { Needs(options) }
  /// Whether a change of the observed property needs nothing but its values.
  var needsOnlyValues: Bool { options.isDisjoint(with: [.prior, .elementChanges]) }
  /// Whether it was told an initial value by another thread than this one.
  var mayHaveMissedChange: Bool {
    options.contains(.initial) && registeringThread != .current
  }

  @usableFromInline var isActive: Bool { active.load(ordering: .acquiring) }

  /// The observed object, where the observance has to reach it through its path.
  var root: (any KeyValueObservable)? {
    if case .tree(let tree) = source { tree.root } else { nil }
  }

  /// The observed object, as long as it lives and the observance is in force.
  var object: (any KeyValueObservable)? {
    guard isActive else { return nil }
    switch source {
    case .none: return nil
    case .property(let registry, _, let object): return registry.retained(object)
    case .tree(let tree): return tree.root
    }
  }

  /// The observed property, where it is the whole path.
  var property: Property? {
    if case .property(let registry, let id, _) = source {
      registry.schema.property(id: id)
    } else {
      nil
    }
  }

  var tree: FollowedTree? {
    if case .tree(let tree) = source { tree } else { nil }
  }

  /// The maintained value of the path's operator, where there is one, in the box that the sink reads.
  func aggregate() -> AnyObject? {
    guard let box = path.boxAggregate, case .tree(let tree) = source else { return nil }
    return tree.aggregate(box)
  }

  func attach(to registry: WatchRegistry, id: Int, of object: any KeyValueObservable) {
    source = .property(registry, id: id, of: UnretainedObject(object: object))
    isAttached.store(true, ordering: .sequentiallyConsistent)
  }

  func attach(through tree: FollowedTree) {
    source = .tree(tree)
    isAttached.store(true, ordering: .sequentiallyConsistent)
  }

  /// Stops delivery and detaches from everything; any number of times, from any thread.
  ///
  /// - Returns: Whether this call ended it.
  @discardableResult
  package func end() -> Bool {
    guard active.exchange(false, ordering: .sequentiallyConsistent) else { return false }
    detach()
    didEnd()
    return true
  }

  /// Detaches again what another thread ended while it was being attached.
  ///
  /// One of the two sees what the other did, because these accesses have one order for all threads.
  func detachIfEnded() {
    if !active.load(ordering: .sequentiallyConsistent) { detach() }
  }

  /// Takes the observance out of every registrar that knows it; any number of times.
  func detach() {
    guard isAttached.load(ordering: .sequentiallyConsistent) else { return }
    switch source {
    case .none: break
    case .property(let registry, let id, _): registry.remove(self, nil, id: id)
    case .tree(let tree): tree.detach()
    }
  }

  // MARK: Delivery

  /// Calls the observer, unless the observance has ended.
  func deliver(_ delivery: Delivery, of root: AnyObject) {
    withUnsafePointer(to: delivery) { deliverInline($0, of: root) }
  }

  @inline(__always)
  func deliverInline(_ delivery: UnsafePointer<Delivery>, of root: AnyObject) {
    guard isActive, isObserverAlive, !isDelivering.load(ordering: .relaxed), ThreadContext.isQuiet
    else { return deliverSlowly(delivery, of: root) }
    isDelivering.store(true, ordering: .relaxed)
    sink(root, self, delivery)
    isDelivering.store(false, ordering: .relaxed)
  }

  @inline(never)
  private func deliverSlowly(_ delivery: UnsafePointer<Delivery>, of root: AnyObject) {
    guard isActive else { return }
    guard isObserverAlive else {
      end()
      return
    }
    if isDelivering.load(ordering: .relaxed) {
      // Re-entered, or running on another thread too: rare, so it may cost a table.
      guard DeliveryNesting.enter(self, on: root) else { return }
      defer { DeliveryNesting.leave() }
      ThreadContext.outsideOfMutations { sink(root, self, delivery) }
    } else {
      isDelivering.store(true, ordering: .relaxed)
      ThreadContext.outsideOfMutations { sink(root, self, delivery) }
      isDelivering.store(false, ordering: .relaxed)
    }
  }

  /// Tells the value as it is now, for a change that nothing announced beforehand: in a transaction at
  /// its end.
  ///
  /// `isMaintained` is whether the value of an operator is up to date.
  func deliverUnannounced(of root: AnyObject, isMaintained: Bool) {
    if ThreadContext.current?.transaction?.defers(unannounced: self) == true { return }
    deliverValue(of: root, isMaintained: isMaintained)
  }

  /// Tells the value as it is now, without one of before.
  func deliverValue(of root: AnyObject, isMaintained: Bool = false) {
    var delivery = Delivery(.deliver)
    let aggregate = isMaintained ? aggregate() : nil
    delivery.new = Delivery.Source(aggregate, else: .evaluate)
    withExtendedLifetime(aggregate) { deliver(delivery, of: root) }
  }

  /// The observed value at this moment, kept for later.
  func capture(from root: AnyObject) -> AnyObject? {
    if let value = aggregate() { return value }
    var result: AnyObject?
    withUnsafeMutablePointer(to: &result) { result in
      var delivery = Delivery(.capture)
      delivery.result = result
      withUnsafePointer(to: delivery) { sink(root, self, $0) }
    }
    return result
  }
}
