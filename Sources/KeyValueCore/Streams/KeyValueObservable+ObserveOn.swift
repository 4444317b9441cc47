// Observing with a handler that is called elsewhere than where the change is made.
extension KeyValueObservable {
  /// Calls a closure elsewhere when the value of a typed key path changes: on the main actor, on another
  /// actor, or on a queue.
  ///
  /// ```swift
  /// let observation = person.observe(\.age, options: [.old, .new], on: .mainActor) { change in
  ///   ageLabel.text = "\(change)"
  /// }
  /// person.age = 37                   // soon, on the main actor: setting, old: 36, new: 37
  /// ```
  ///
  /// The values are those of the change, taken where and when it was made. The object itself does not
  /// travel. Changes of one observation arrive in the order in which they were told, one at a time;
  /// the initial one, which comes the same way, is the first.
  ///
  /// Once `invalidate()` has been called, or the token let go of, at the destination itself, nothing is
  /// delivered any more, whatever is pending. From elsewhere, a call that has begun may finish. What was
  /// pending when the observed object died is still delivered.
  ///
  /// - Important: A string path's values are `Any?`, which cannot be sent elsewhere safely, so there is
  ///   no such method for it. A path that is held in a ``KeyValuePath`` will do.
  ///
  /// - Parameters:
  ///   - keyPath: As for `observe(_:options:changeHandler:)`.
  ///   - options: What the change carries. `prior` is refused, as it could only arrive after the
  ///     change, and goes to the violation handler, unless delivery is immediate; where that returns, the
  ///     token is not valid.
  ///   - delivery: `.mainActor`, `.actor(_:)`, `.queue(_:)` or `.immediate`.
  ///   - changeHandler: Called with the change; with `.actor(_:)`, with the actor and the change.
  /// - Returns: The token; dropping it ends the observation.
  ///
  /// Cost: a lock for each change, and a task or a block for each batch of changes that are pending at
  /// the same time.
  ///
  /// Source of the behaviour: this library's.
  public func observe<Value: Sendable, Handler>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    options: KeyValueObservingOptions = [], on delivery: KeyValueDelivery<Value, Handler>,
    changeHandler: Handler
  ) -> KeyValueObservation {
    observe(KeyValuePath(keyPath), options: options, on: delivery, changeHandler: changeHandler)
  }

  /// Calls a closure elsewhere when the value of a key path that is written with `?` changes.
  ///
  /// ```swift
  /// observation = person.observe(\.account?.balance, options: .new, on: .queue(queue)) { change in … }
  /// ```
  @_disfavoredOverload
  public func observe<Value: Sendable, Handler>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
    options: KeyValueObservingOptions = [], on delivery: KeyValueDelivery<Value?, Handler>,
    changeHandler: Handler
  ) -> KeyValueObservation {
    observe(KeyValuePath(keyPath), options: options, on: delivery, changeHandler: changeHandler)
  }

  /// Calls a closure elsewhere when the value of a path that is held in a value changes.
  public func observe<Value: Sendable, Handler>(
    _ keyPath: KeyValuePath<Self, Value>, options: KeyValueObservingOptions = [],
    on delivery: KeyValueDelivery<Value, Handler>, changeHandler: Handler
  ) -> KeyValueObservation {
    switch delivery.route(changeHandler) {
    case .immediate(let handler):
      return observe(keyPath, options: options) { _, change in handler(change) }
    case .queued(let isAlive, let schedule):
      let path = keyPath.observed
      guard options.canBeRelayed(path.string) else {
        return KeyValueObservation(nil, keyPath: path.string)
      }
      let queue = DeliveryQueue<Value>(options, schedule: schedule)
      let (read, load) = keyPath.reading
      let sink = Delivery.sink(options, read: read, load: load) { (_: Self, change) in
        queue.append(change)
      }
      let observance = RelayedObservance(
        path, options: options, boxAggregate: keyPath.boxAggregate, isReceiverAlive: isAlive,
        onEnd: { if queue.isInvalidated { queue.discard() } },
        sink: Delivery.opening(queue, options, read: read, then: sink))
      return _register(
        path,
        willRegister: { token in
          queue.follow(token)
          return true
        }, { observance })
    }
  }

  /// Calls a closure elsewhere when the property that a plain key path names changes.
  ///
  /// A plain key path must name one property; another goes to the violation handler.
  @_disfavoredOverload
  public func observe<Value: Sendable, Handler>(
    _ keyPath: KeyPath<Self, Value>?, options: KeyValueObservingOptions = [],
    on delivery: KeyValueDelivery<Value, Handler>, changeHandler: Handler
  ) -> KeyValueObservation {
    guard let path = keyPath.flatMap({ KeyValuePath(naming: $0) }) else {
      return KeyValueObservation(nil, keyPath: "")
    }
    return observe(path, options: options, on: delivery, changeHandler: changeHandler)
  }
}
