/// An observance that ends with an owner, which it holds weakly.
///
/// It notices the owner's death at the next delivery; until then it counts as ended wherever that's
/// visible.
final class OwnedObservance: Observance, @unchecked Sendable {
  // Checked by hand: everything here is set once.
  weak let owner: AnyObject?
  private let ownerName: String
  private let hearsEveryChange: Bool
  private let onEnd: (@Sendable (UInt64) -> Void)?

  /// With `hearsEveryChange`, it doesn't wait for the end of a transaction.
  ///
  /// `onEnd` is called once after the end, with the observance's sequence number, on the thread
  /// that ended it.
  init(
    _ owner: AnyObject, _ path: ObservedPath, options: KeyValueObservingOptions,
    boxAggregate: AggregateBox?, hearsEveryChange: Bool = false,
    onEnd: (@Sendable (UInt64) -> Void)? = nil,
    sink: @escaping Delivery.Sink
  ) {
    self.owner = owner
    self.hearsEveryChange = hearsEveryChange
    self.onEnd = onEnd
    ownerName = name(of: type(of: owner))
    super.init(
      keyPath: path.string, options: options, boxAggregate: boxAggregate, sink: sink)
  }

  override var participation: TransactionParticipation {
    hearsEveryChange ? .immediate : .deferred
  }

  override var isObserverAlive: Bool { owner != nil }
  override var observerDescription: String { ownerName }

  override func didEnd() {
    onEnd?(sequence)
  }
}

extension KeyValueObservable {
  /// Registers a typed handler that receives its owner.
  @inlinable
  func observe<Value, Owner: AnyObject>(
    _ path: KeyValuePath<Self, Value>, options: KeyValueObservingOptions, for owner: Owner,
    changeHandler: @escaping (Owner, Self, KeyValueObservedChange<Value>) -> Void
  ) -> KeyValueObservation {
    let sink = ownedSink(path, options, owner, changeHandler)
    return _observe(path.observed, options, path.boxAggregate, for: owner, sink)
  }

  /// Registers a handler for an owner that only learns that the value changed.
  func observe<Value>(
    _ path: KeyValuePath<Self, Value>, for owner: AnyObject,
    onChange: @escaping (Self, _ isDeferred: Bool) -> Void
  ) -> KeyValueObservation {
    let sink = Delivery.signalSink(path.reading.read, onChange)
    return _observe(path.observed, [], path.boxAggregate, for: owner, sink)
  }

  /// Registers a typed sink for an owner; errors go to the violation handler.
  @usableFromInline
  func _observe(
    _ path: ObservedPath, _ options: KeyValueObservingOptions, _ boxAggregate: AggregateBox?,
    for owner: AnyObject, _ sink: @escaping Delivery.Sink
  ) -> KeyValueObservation {
    _register(path) {
      OwnedObservance(owner, path, options: options, boxAggregate: boxAggregate, sink: sink)
    }
  }

  /// Registers an untyped handler that receives its owner.
  func observe<Owner: AnyObject>(
    _ keyPath: String, options: KeyValueObservingOptions, for owner: Owner,
    changeHandler: @escaping (Owner, Self, KeyValueObservedChange<Any?>) -> Void
  ) throws -> KeyValueObservation {
    let path = ObservedPath(try ParsedKeyPath(keyPath))
    let sink = ownedSink(path, options, owner, changeHandler)
    let observance = OwnedObservance(
      owner, path, options: options, boxAggregate: path.untypedBox, sink: sink)
    let token = KeyValueObservation(observance, keyPath: keyPath)
    try observance.register(on: self, path: path)
    return token
  }

  /// The sink of a typed handler that's called only while its owner is alive.
  @inlinable
  func ownedSink<Value, Owner: AnyObject>(
    _ path: KeyValuePath<Self, Value>, _ options: KeyValueObservingOptions, _ owner: Owner,
    _ handler: @escaping (Owner, Self, KeyValueObservedChange<Value>) -> Void
  ) -> Delivery.Sink {
    weak let owner = owner
    let (read, load) = path.reading
    return Delivery.sink(options, read: read, load: load) { object, change in
      if let owner { handler(owner, object, change) }
    }
  }

  /// The sink of an untyped handler that's called only while its owner is alive.
  func ownedSink<Owner: AnyObject>(
    _ path: ObservedPath, _ options: KeyValueObservingOptions, _ owner: Owner,
    _ handler: @escaping (Owner, Self, KeyValueObservedChange<Any?>) -> Void
  ) -> Delivery.Sink {
    weak let owner = owner
    return untypedSink(path, options) { object, change in
      if let owner { handler(owner, object, change) }
    }
  }
}
