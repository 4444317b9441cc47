// Observing with closures, in Foundation's spelling: by typed path, by a path held in a value, by plain key
// path, by string.
extension KeyValueObservable {
  /// Calls a closure when the value of a typed key path changes, in Foundation's spelling.
  ///
  /// It is the same as `person.kvo.account.balance.observe(options:changeHandler:)`.
  ///
  /// ```swift
  /// let observation = person.observe(\.account.balance, options: [.old, .new]) { person, change in
  ///   print(change)               // setting, old: 100.0, new: 120.0
  /// }
  /// person.account?.balance = 120
  /// ```
  ///
  /// The closure runs synchronously on the thread that changes the value; for an object that is shared
  /// between threads that may be any, so such a closure touches only what is safe from any.
  ///
  /// - Parameters:
  ///   - keyPath: Keys of observable classes, through optionals too, then any members of values.
  ///   - options: What the change carries, and which further callbacks come.
  ///   - changeHandler: Called with the observed object and the change.
  /// - Returns: The token; dropping it ends the observation.
  ///
  /// Errors: a component that the compiler accepts and that cannot be observed goes to the violation
  /// handler, which by default traps.
  ///
  /// Cost: about 2 µs for the literal, which is made anew each time (`person.kvo.account.balance` is not,
  /// nor is a ``KeyValuePath`` that is kept), and O(1) for each component; where the path goes through a
  /// collection, O(1) for each element. It does not depend on how many observations there are.
  ///
  /// The behaviour is that of Foundation's `observe(_:options:changeHandler:)`; paths through
  /// optionals and collections are ours.
  @inlinable
  public func observe<Value>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    options: KeyValueObservingOptions = [],
    changeHandler: @escaping (Self, KeyValueObservedChange<Value>) -> Void
  ) -> KeyValueObservation {
    observe(KeyValuePath(keyPath), options: options, changeHandler: changeHandler)
  }

  /// Calls a closure when the value of a key path that is written with `?` changes.
  ///
  /// The value of the path is optional once, however many `?` there are.
  ///
  /// ```swift
  /// let observation = person.observe(\.account?.balance, options: .new) { _, change in
  ///   print(change)               // setting, new: 120.0
  /// }
  /// person.account?.balance = 120
  /// ```
  ///
  /// Threads, errors and cost are those of the spelling without `?`.
  @inlinable
  @_disfavoredOverload
  public func observe<Value>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
    options: KeyValueObservingOptions = [],
    changeHandler: @escaping (Self, KeyValueObservedChange<Value?>) -> Void
  ) -> KeyValueObservation {
    observe(KeyValuePath(keyPath), options: options, changeHandler: changeHandler)
  }

  /// Calls a closure when the value of a path that is held in a value changes.
  ///
  /// ```swift
  /// let path = KeyValuePath<Person, Double?>(\.account.balance)
  /// let observation = person.observe(path, options: .new) { _, change in
  ///   print(change)               // setting, new: 7.0
  /// }
  /// person.account?.balance = 7
  /// ```
  ///
  /// This is the cheap way where registration is frequent: nothing is made of a literal. Threads and
  /// errors are those of the literal.
  @inlinable
  public func observe<Value>(
    _ keyPath: KeyValuePath<Self, Value>, options: KeyValueObservingOptions = [],
    changeHandler: @escaping (Self, KeyValueObservedChange<Value>) -> Void
  ) -> KeyValueObservation {
    let (read, load) = keyPath.reading
    let sink = Delivery.sink(options, read: read, load: load, handler: changeHandler)
    return _observe(keyPath.observed, options, sink)
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
  /// A plain key path must name one property; a longer one cannot be taken apart at run time and goes
  /// to the violation handler, which by default traps. Where that returns, the token is not valid.
  @inlinable
  @_disfavoredOverload
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>?, options: KeyValueObservingOptions = [],
    changeHandler: @escaping (Self, KeyValueObservedChange<Value>) -> Void
  ) -> KeyValueObservation {
    guard let path = keyPath.flatMap({ KeyValuePath(naming: $0) }) else {
      return KeyValueObservation(refused: "")
    }
    return observe(path, options: options, changeHandler: changeHandler)
  }

  /// Calls a closure when the value of a key path written as a string changes.
  ///
  /// ```swift
  /// let observation = try person.observe("account.balance", options: .new) { _, change in
  ///   print(change)               // setting, new: 120.0
  /// }
  /// ```
  ///
  /// Old and new values are read by name and boxed, which costs more than a typed path. Threads are
  /// those of a typed path.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component, if the path cannot be observed.
  public func observe(
    _ keyPath: String, options: KeyValueObservingOptions = [],
    changeHandler: @escaping (Self, KeyValueObservedChange<Any?>) -> Void
  ) throws -> KeyValueObservation {
    let path = ObservedPath(try ParsedKeyPath(keyPath))
    let sink = untypedSink(path, options, handler: changeHandler)
    return try register(Observance(path, options: options, sink: sink))
  }

  /// Registers an observance of an untyped path.
  func register(_ observance: Observance) throws -> KeyValueObservation {
    let token = KeyValueObservation(observance)
    try observance.register(on: self)
    return token
  }

  /// Registers a typed sink; what cannot work goes to the violation handler.
  @usableFromInline
  func _observe(
    _ path: ObservedPath, _ options: KeyValueObservingOptions, _ sink: @escaping Delivery.Sink
  ) -> KeyValueObservation {
    _register(Observance(path, options: options, sink: sink))
  }

  /// Registers an observance of a typed path; what cannot work goes to the violation handler.
  ///
  /// - Parameter willRegister: Gets the token before anybody can be called; answers whether to go on.
  func _register(
    _ observance: Observance, willRegister: (KeyValueObservation) -> Bool = { _ in true }
  ) -> KeyValueObservation {
    let path = observance.path
    if let problem = path.problem { KeyValueViolation.report(.unobservablePath, problem) }
    guard !path.keys.isEmpty else { return KeyValueObservation(refused: path.string) }
    let token = KeyValueObservation(observance)
    guard willRegister(token) else { return token }
    do {
      try observance.register(on: self)
    } catch {
      token.invalidate()
      KeyValueViolation.report(.unobservablePath, "\(error)")
    }
    return token
  }
}

extension KeyValuePath where Root: KeyValueObservable {
  /// The path of the one property that a plain key path names; nil, and reported, where it names
  /// something else.
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
