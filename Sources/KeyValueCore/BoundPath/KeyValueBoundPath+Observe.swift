// Observing: with a closure, until a closure returns true, or with a target and its method.
extension KeyValueBoundPath {
  /// Calls a closure when the value of the path changes.
  ///
  /// ```swift
  /// let observation = person.kvo.account.balance.observe(options: [.old, .new]) { person, change in
  ///   print(change)               // setting, old: 100.0, new: 120.0
  /// }
  /// person.account?.balance = 120
  /// ```
  ///
  /// The closure runs synchronously on the thread that changes the value. If threads share the
  /// object, that may be any of them, so the closure must be safe on any thread.
  ///
  /// - Parameters:
  ///   - options: What the change carries, and which further calls are made.
  ///   - fileID: Where the observer is registered, for ``KeyValueTrace``.
  ///   - line: The line there.
  ///   - changeHandler: Called with the observed object and the change.
  /// - Returns: The token. Dropping it ends the observation.
  ///
  /// Errors: a component that compiles but isn't observable goes to the violation handler, which
  /// traps by default. If the handler returns, the token isn't valid.
  ///
  /// - Complexity: O(1) for each component, and for each element of a collection on the path;
  ///   independent of the number of observations.
  ///
  /// Source of the behaviour: Foundation's `observe(_:options:changeHandler:)`.
  @inlinable
  public func observe(
    options: KeyValueObservingOptions = [],
    fileID: StaticString = #fileID, line: UInt = #line,
    changeHandler: @escaping (Root, KeyValueObservedChange<Value>) -> Void
  ) -> KeyValueObservation {
    _object.observe(
      _path, options: options, fileID: fileID, line: line, changeHandler: changeHandler)
  }

  // Disfavoured, so that a trailing closure is a change handler.
  /// Calls a closure when the value of the path changes, until the closure returns true.
  ///
  /// ```swift
  /// let observation = person.kvo.age.observe(options: .new, until: { person, change in
  ///   print(change)
  ///   return person.age >= 18
  /// })
  /// person.age = 17                   // setting, new: 17
  /// person.age = 18                   // setting, new: 18
  /// person.age = 19                   // (nothing)
  /// print(observation)                // KeyValueObservation(age, ended)
  /// ```
  ///
  /// Once it has returned true, the closure isn't called again, not even for the second half of a
  /// change after its prior, or for an enclosing change. With `initial`, the first call may already
  /// return true. A call that is running on another thread may finish.
  ///
  /// - Important: Write `until:`. A trailing closure is a change handler; its result is ignored.
  ///
  /// - Parameters:
  ///   - options: What the change carries, and which further calls are made.
  ///   - fileID: Where the observer is registered, for ``KeyValueTrace``.
  ///   - line: The line there.
  ///   - handler: Called with the observed object and the change; true ends the observation.
  /// - Returns: The token. Dropping it ends the observation too.
  ///
  /// Threading, errors and cost are as for `observe(options:changeHandler:)`.
  @inlinable
  @_disfavoredOverload
  public func observe(
    options: KeyValueObservingOptions = [],
    fileID: StaticString = #fileID, line: UInt = #line,
    until handler: @escaping (Root, KeyValueObservedChange<Value>) -> Bool
  ) -> KeyValueObservation {
    let (read, load) = _path.reading
    let end = EndSignal()
    let sink = Delivery.sink(options, read: read, load: load, handler: end.asked(after: handler))
    return _object._observe(
      _path.observed, options, at: SourcePlace(fileID, line), end.ending(sink))
  }
}

extension KeyValueBoundPath {
  /// Calls a target's method when the value of the path changes.
  ///
  /// ```swift
  /// final class ProfileView {
  ///   var observation: KeyValueObservation?
  ///
  ///   init(_ person: Person) {
  ///     observation = person.kvo.name.observe(target: self, action: ProfileView.nameChanged)
  ///   }
  ///
  ///   func nameChanged() { print("redraw") }
  /// }
  /// let view = ProfileView(person)
  /// person.name = "Grace"             // redraw
  /// ```
  ///
  /// The observation holds the target weakly, so keeping the token in the target makes no retain
  /// cycle. It keeps the target alive while its method runs, and ends with the target. The method
  /// may also take the observed object, or the object and the change.
  ///
  /// If the method is overloaded, name its type:
  /// `ProfileView.changed as (ProfileView) -> () -> Void`.
  ///
  /// - Important: The method runs on the thread that changes the value. A method named this way
  ///   loses its actor, so the compiler doesn't check that a main-actor target is called on the
  ///   main actor. Observe objects that change there.
  ///
  /// - Parameters:
  ///   - options: What the change carries, and which further calls are made.
  ///   - fileID: Where the observer is registered, for ``KeyValueTrace``.
  ///   - line: The line there.
  ///   - target: The object to call, held weakly.
  ///   - action: The method, as its class names it: `ProfileView.nameChanged`.
  /// - Returns: The token. Dropping it ends the observation too.
  ///
  /// Errors and cost are as for `observe(options:changeHandler:)`.
  @inlinable
  public func observe<Target: AnyObject>(
    options: KeyValueObservingOptions = [], fileID: StaticString = #fileID, line: UInt = #line,
    target: Target,
    action: @escaping (Target) -> () -> Void
  ) -> KeyValueObservation {
    _object.observe(_path, options: options, for: target, at: SourcePlace(fileID, line)) {
      target, _, _ in action(target)()
    }
  }

  /// Calls a target's method with the observed object when the value of the path changes.
  ///
  /// ```swift
  /// // func changed(_ person: Person)
  /// observation = person.kvo.name.observe(target: self, action: ProfileView.changed)
  /// ```
  ///
  /// Otherwise like `observe` with a method that has no arguments.
  @inlinable
  public func observe<Target: AnyObject>(
    options: KeyValueObservingOptions = [], fileID: StaticString = #fileID, line: UInt = #line,
    target: Target,
    action: @escaping (Target) -> (Root) -> Void
  ) -> KeyValueObservation {
    _object.observe(_path, options: options, for: target, at: SourcePlace(fileID, line)) {
      target, object, _ in
      action(target)(object)
    }
  }

  /// Calls a target's method with the object and the change when the value of the path changes.
  ///
  /// Otherwise like `observe` with a method that has no arguments.
  @inlinable
  public func observe<Target: AnyObject>(
    options: KeyValueObservingOptions = [], fileID: StaticString = #fileID, line: UInt = #line,
    target: Target,
    action: @escaping (Target) -> (Root, KeyValueObservedChange<Value>) -> Void
  ) -> KeyValueObservation {
    _object.observe(_path, options: options, for: target, at: SourcePlace(fileID, line)) {
      target, object, change in
      action(target)(object, change)
    }
  }
}

extension KeyValueBoundPath where Value: Sendable {
  /// Calls a closure on the main actor, another actor or a queue when the value of the path
  /// changes.
  ///
  /// ```swift
  /// let observation = person.kvo.age.observe(options: [.old, .new], on: .mainActor) { change in
  ///   ageLabel.text = "\(change)"
  /// }
  /// person.age = 37                   // soon, on the main actor: setting, old: 36, new: 37
  /// ```
  ///
  /// The values are those at the time of the change. The object isn't sent. One observation's
  /// changes arrive one at a time, in the order in which an immediate observer gets them. The
  /// initial change is delivered the same way and arrives first.
  ///
  /// If the observation ends at the destination itself, by `invalidate()` or with its token,
  /// nothing arrives afterwards, not even pending changes. If it ends elsewhere, a call that has
  /// begun may finish. Changes that are pending when the observed object dies still arrive.
  ///
  /// - Important: A string path's values are `Any?`, which can't be sent safely. Name a type:
  ///   `try person.kvo("age", as: Int.self)`.
  ///
  /// - Parameters:
  ///   - options: What the change carries. `prior` could only arrive after the change. Unless
  ///     delivery is immediate, it goes to the violation handler; if the handler returns, the token
  ///     isn't valid.
  ///   - delivery: `.mainActor`, `.actor(_:)`, `.queue(_:)` or `.immediate`.
  ///   - fileID: Where the observer is registered, for ``KeyValueTrace``.
  ///   - line: The line there.
  ///   - changeHandler: Called with the change; with `.actor(_:)`, with the actor and the change.
  /// - Returns: The token. Dropping it ends the observation.
  ///
  /// - Complexity: A lock for each change, and a task or a block for each batch of pending changes.
  ///
  /// Source of the behaviour: this library's.
  public func observe<Handler>(
    options: KeyValueObservingOptions = [], on delivery: KeyValueDelivery<Value, Handler>,
    fileID: StaticString = #fileID, line: UInt = #line,
    changeHandler: Handler
  ) -> KeyValueObservation {
    switch delivery.route(changeHandler) {
    case .immediate(let handler):
      return observe(options: options, fileID: fileID, line: line) { _, change in handler(change) }
    case .queued(let isAlive, let schedule):
      let path = _path.observed
      guard options.allowLaterDelivery(path.string) else {
        return KeyValueObservation(refused: path.string)
      }
      let queue = DeliveryQueue<Value>(options, schedule: schedule)
      let (read, load) = _path.reading
      let sink = Delivery.sink(options, read: read, load: load) { (_: Root, change) in
        queue.append(change)
      }
      let policy = ObservancePolicy(
        isReceiverAlive: isAlive, destination: delivery.description
      ) {
        if queue.isInvalidated { queue.discard(.ended) }
      }
      let observance = Observance(
        path, options: options, policy: policy, at: SourcePlace(fileID, line),
        sink: Delivery.initialFirst(queue, options, read: read, then: sink))
      return _object._register(observance) { token in
        queue.follow(token)
        return true
      }
    }
  }
}
