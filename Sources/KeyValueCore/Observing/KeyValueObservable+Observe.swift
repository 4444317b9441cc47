// Observing with closures in Foundation's spelling: by typed path, stored path, plain key path or
// string.
extension KeyValueObservable {
  /// Calls a closure when the value of a typed key path changes, in Foundation's spelling.
  ///
  /// Equivalent to `person.kvo.account.balance.observe(options:changeHandler:)`.
  ///
  /// ```swift
  /// let observation = person.observe(\.account.balance, options: [.old, .new]) { person, change in
  ///   print(change)               // setting, old: 100.0, new: 120.0
  /// }
  /// person.account?.balance = 120
  /// ```
  ///
  /// The closure runs synchronously on the thread that changes the value. If threads share the
  /// object, that may be any of them, so the closure must be safe on any thread.
  ///
  /// - Parameters:
  ///   - keyPath: Keys of observable classes, through optionals too, then any members of values.
  ///   - options: What the change carries, and which further calls are made.
  ///   - fileID: Where the observer is registered, for ``KeyValueTrace``.
  ///   - line: The line there.
  ///   - changeHandler: Called with the observed object and the change.
  /// - Returns: The token. Dropping it ends the observation.
  ///
  /// Errors: a component that compiles but isn't observable goes to the violation handler, which
  /// traps by default.
  ///
  /// - Complexity: O(1) for each component, and for each element of a collection on the path;
  ///   independent of the number of observations. Each call creates the literal again, which takes
  ///   about 2 µs and more; `person.kvo.account.balance` and a stored ``KeyValuePath`` avoid that.
  ///
  /// Source of the behaviour: Foundation's `observe(_:options:changeHandler:)`; paths through
  /// optionals and collections are this library's.
  @inlinable
  public func observe<Value>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    options: KeyValueObservingOptions = [],
    fileID: StaticString = #fileID, line: UInt = #line,
    changeHandler: @escaping (Self, KeyValueObservedChange<Value>) -> Void
  ) -> KeyValueObservation {
    observe(
      KeyValuePath(keyPath), options: options, fileID: fileID, line: line,
      changeHandler: changeHandler)
  }

  /// Calls a closure when the value of a key path that is written with `?` changes.
  ///
  /// The path's value is a single optional, however many `?` there are.
  ///
  /// ```swift
  /// let observation = person.observe(\.account?.balance, options: .new) { _, change in
  ///   print(change)               // setting, new: 120.0
  /// }
  /// person.account?.balance = 120
  /// ```
  ///
  /// Threads, errors and cost are as for the spelling without `?`.
  @inlinable
  @_disfavoredOverload
  public func observe<Value>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
    options: KeyValueObservingOptions = [],
    fileID: StaticString = #fileID, line: UInt = #line,
    changeHandler: @escaping (Self, KeyValueObservedChange<Value?>) -> Void
  ) -> KeyValueObservation {
    observe(
      KeyValuePath(keyPath), options: options, fileID: fileID, line: line,
      changeHandler: changeHandler)
  }

  /// Calls a closure when the value of a stored path changes.
  ///
  /// ```swift
  /// let path = KeyValuePath<Person, Double?>(\.account.balance)
  /// let observation = person.observe(path, options: .new) { _, change in
  ///   print(change)               // setting, new: 7.0
  /// }
  /// person.account?.balance = 7
  /// ```
  ///
  /// Cheap if you register often: no literal is created. Threads and errors are as for the literal.
  @inlinable
  public func observe<Value>(
    _ keyPath: KeyValuePath<Self, Value>, options: KeyValueObservingOptions = [],
    fileID: StaticString = #fileID, line: UInt = #line,
    changeHandler: @escaping (Self, KeyValueObservedChange<Value>) -> Void
  ) -> KeyValueObservation {
    let (read, load) = keyPath.reading
    let sink = Delivery.sink(options, read: read, load: load, handler: changeHandler)
    return _observe(keyPath.observed, options, at: SourcePlace(fileID, line), sink)
  }

  /// Calls a closure when the property that a plain key path names changes.
  ///
  /// ```swift
  /// let keyPath = \Person.age
  /// let observation = person.observe(keyPath, options: .new) { _, change in
  ///   print(change)               // setting, new: 41
  /// }
  /// person.age = 41
  /// ```
  ///
  /// A plain key path must name one property. A longer one can't be decomposed at run time and goes
  /// to the violation handler, which traps by default. If that returns, the token isn't valid.
  @inlinable
  @_disfavoredOverload
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>?, options: KeyValueObservingOptions = [],
    fileID: StaticString = #fileID, line: UInt = #line,
    changeHandler: @escaping (Self, KeyValueObservedChange<Value>) -> Void
  ) -> KeyValueObservation {
    guard let path = keyPath.flatMap({ KeyValuePath(naming: $0) }) else {
      return KeyValueObservation(refused: "")
    }
    return observe(
      path, options: options, fileID: fileID, line: line, changeHandler: changeHandler)
  }

  /// Calls a closure when the value of a string key path changes.
  ///
  /// ```swift
  /// let observation = try person.observe("account.balance", options: .new) { _, change in
  ///   print(change)               // setting, new: 120.0
  /// }
  /// ```
  ///
  /// Old and new values are read by name and boxed, which costs more than a typed path. Threads are
  /// as for a typed path.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component, if the path isn't observable.
  public func observe(
    _ keyPath: String, options: KeyValueObservingOptions = [],
    fileID: StaticString = #fileID, line: UInt = #line,
    changeHandler: @escaping (Self, KeyValueObservedChange<Any?>) -> Void
  ) throws -> KeyValueObservation {
    let path = ObservedPath(try ParsedKeyPath(keyPath))
    let sink = untypedSink(path, options, handler: changeHandler)
    let observance = Observance(path, options: options, at: SourcePlace(fileID, line), sink: sink)
    let token = KeyValueObservation(observance)
    try observance.register(on: self)
    return token
  }

  /// Registers a typed sink, for an owner if it has one; errors go to the violation handler.
  @usableFromInline
  func _observe(
    _ path: ObservedPath, _ options: KeyValueObservingOptions, for owner: AnyObject? = nil,
    at origin: SourcePlace, _ sink: @escaping Delivery.Sink
  ) -> KeyValueObservation {
    let policy = owner.map { ObservancePolicy(owner: $0) }
    return _register(
      Observance(path, options: options, policy: policy, at: origin, sink: sink))
  }

  /// Registers an observance of a typed path; errors go to the violation handler.
  ///
  /// `willRegister` gets the token before any call of the handler, and returns whether to register.
  func _register(
    _ observance: Observance, willRegister: (KeyValueObservation) -> Bool = { _ in true }
  ) -> KeyValueObservation {
    let path = observance.path
    if let problem = path.problem {
      KeyValueViolation.report(.unobservablePath, problem, at: observance.origin)
    }
    // A problem may be behind the first keys, which could be observed.
    guard path.problem == nil, !path.keys.isEmpty else {
      return KeyValueObservation(refused: path.string)
    }
    let token = KeyValueObservation(observance)
    guard willRegister(token) else { return token }
    do {
      try observance.register(on: self)
    } catch {
      token.invalidate()
      KeyValueViolation.report(.unobservablePath, "\(error)", at: observance.origin)
    }
    return token
  }
}

// Handlers that have an owner.
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

extension KeyValuePath where Root: KeyValueObservable {
  /// The path of the property that a plain key path names; nil, after a report, if it names none.
  @usableFromInline
  init?(naming keyPath: KeyPath<Root, Value>) {
    self = KeyValuePath<Root, Root>.start(of: Root.self).step(keyPath)
    guard let step = steps.last else { return nil }
    guard case .key = step.kind else {
      KeyValueViolation.report(.unobservablePath, step.explanationOfPlain(keyPath))
      return nil
    }
  }
}
