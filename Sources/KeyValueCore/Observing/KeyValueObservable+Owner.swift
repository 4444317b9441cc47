extension KeyValueObservable {
  /// Registers a typed handler that receives its owner.
  @inlinable
  func observe<Value, Owner: AnyObject>(
    _ path: KeyValuePath<Self, Value>, options: KeyValueObservingOptions, for owner: Owner,
    at origin: SourcePlace,
    changeHandler: @escaping (Owner, Self, KeyValueObservedChange<Value>) -> Void
  ) -> KeyValueObservation {
    let sink = ownedSink(path, options, owner, changeHandler)
    return _observe(path.observed, options, for: owner, at: origin, sink)
  }

  /// Registers a binding's handler, which is notified that the value changed but doesn't receive it.
  func observe<Value>(
    _ path: KeyValuePath<Self, Value>, for policy: ObservancePolicy, at origin: SourcePlace,
    onChange: @escaping (Self, Delivery) -> Void
  ) -> KeyValueObservation {
    let sink = Delivery.signalSink(path.reading.read, onChange)
    return _register(
      Observance(path.observed, options: [], policy: policy, at: origin, sink: sink))
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
