// Observing: with a closure, until a closure has seen what it waits for, with a target and its method.
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
  /// The closure runs synchronously on the thread that changes the value; for an object that is shared
  /// between threads that may be any, so such a closure touches only what is safe from any.
  ///
  /// - Parameters:
  ///   - options: What the change carries, and which further callbacks come.
  ///   - changeHandler: Called with the observed object and the change.
  /// - Returns: The token; dropping it ends the observation.
  ///
  /// Errors: a component that the compiler accepts and that cannot be observed goes to the violation
  /// handler, which by default traps. Where that returns, the token is not valid.
  ///
  /// - Complexity: O(1) for each component; where the path goes through a collection, O(1) for each
  ///   element. It does not depend on how many observations there are.
  ///
  /// The behaviour is that of Foundation's `observe(_:options:changeHandler:)`.
  @inlinable
  public func observe(
    options: KeyValueObservingOptions = [],
    changeHandler: @escaping (Root, KeyValueObservedChange<Value>) -> Void
  ) -> KeyValueObservation {
    _object.observe(_path, options: options, changeHandler: changeHandler)
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
  /// Once it has returned true it is not called again, whatever is being delivered at that moment: the
  /// second half of a change whose prior it was told of, or a change that encloses this one. With
  /// `initial` it may say so to the very first call. A call that is running on another thread then may
  /// finish.
  ///
  /// - Important: Say `until:`. A trailing closure is a change handler, whose result is not looked at.
  ///
  /// - Parameters:
  ///   - options: What the change carries, and which further callbacks come.
  ///   - handler: Called with the observed object and the change; true ends the observation.
  /// - Returns: The token; dropping it ends the observation too.
  ///
  /// Threads, errors and cost are those of `observe(options:changeHandler:)`.
  @inlinable
  @_disfavoredOverload
  public func observe(
    options: KeyValueObservingOptions = [],
    until handler: @escaping (Root, KeyValueObservedChange<Value>) -> Bool
  ) -> KeyValueObservation {
    let (read, load) = _path.reading
    let end = EndSignal()
    let sink = Delivery.sink(options, read: read, load: load, handler: end.asked(after: handler))
    return _object._observe(_path.observed, options, end.ending(sink))
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
  /// The target is held weakly, so keeping the token in it makes no cycle; the observation ends with
  /// it. While its method runs the target is kept alive. The method may also take the observed object,
  /// or the object and the change.
  ///
  /// Of a method that has overloads, say which is meant: `ProfileView.changed as (ProfileView) -> () ->
  /// Void`.
  ///
  /// - Important: The method runs on the thread that changes the value. A method named this way loses its
  ///   actor, so the compiler does not check that a main-actor target is told on the main actor: give it
  ///   objects that are changed there.
  ///
  /// - Parameters:
  ///   - options: What the change carries, and which further callbacks come.
  ///   - target: Whose method is called.
  ///   - action: The method, as its class names it: `ProfileView.nameChanged`.
  /// - Returns: The token; dropping it ends the observation too.
  ///
  /// Errors and cost are those of `observe(options:changeHandler:)`.
  @inlinable
  public func observe<Target: AnyObject>(
    options: KeyValueObservingOptions = [], target: Target,
    action: @escaping (Target) -> () -> Void
  ) -> KeyValueObservation {
    _object.observe(_path, options: options, for: target) { target, _, _ in action(target)() }
  }

  /// Calls a target's method with the observed object when the value of the path changes.
  ///
  /// ```swift
  /// // func changed(_ person: Person)
  /// observation = person.kvo.name.observe(target: self, action: ProfileView.changed)
  /// ```
  ///
  /// Everything else is as for a method without arguments.
  @inlinable
  public func observe<Target: AnyObject>(
    options: KeyValueObservingOptions = [], target: Target,
    action: @escaping (Target) -> (Root) -> Void
  ) -> KeyValueObservation {
    _object.observe(_path, options: options, for: target) { target, object, _ in
      action(target)(object)
    }
  }

  /// Calls a target's method with the observed object and the change when the value of the path changes.
  ///
  /// Everything else is as for a method without arguments.
  @inlinable
  public func observe<Target: AnyObject>(
    options: KeyValueObservingOptions = [], target: Target,
    action: @escaping (Target) -> (Root, KeyValueObservedChange<Value>) -> Void
  ) -> KeyValueObservation {
    _object.observe(_path, options: options, for: target) { target, object, change in
      action(target)(object, change)
    }
  }
}

extension KeyValueBoundPath where Value: Sendable {
  /// Calls a closure elsewhere when the value of the path changes: on the main actor, on another actor,
  /// or on a queue.
  ///
  /// ```swift
  /// let observation = person.kvo.age.observe(options: [.old, .new], on: .mainActor) { change in
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
  /// - Important: A string path has values of type `Any?`, which cannot be sent elsewhere safely; ask for
  ///   a type: `try person.kvo("age", as: Int.self)`.
  ///
  /// - Parameters:
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
  public func observe<Handler>(
    options: KeyValueObservingOptions = [], on delivery: KeyValueDelivery<Value, Handler>,
    changeHandler: Handler
  ) -> KeyValueObservation {
    switch delivery.route(changeHandler) {
    case .immediate(let handler):
      return observe(options: options) { _, change in handler(change) }
    case .queued(let isAlive, let schedule):
      let path = _path.observed
      guard options.canBeRelayed(path.string) else {
        return KeyValueObservation(refused: path.string)
      }
      let queue = DeliveryQueue<Value>(options, schedule: schedule)
      let (read, load) = _path.reading
      let sink = Delivery.sink(options, read: read, load: load) { (_: Root, change) in
        queue.append(change)
      }
      let policy = ObservancePolicy(isReceiverAlive: isAlive) {
        if queue.isInvalidated { queue.discard() }
      }
      let observance = Observance(
        path, options: options, policy: policy,
        sink: Delivery.opening(queue, options, read: read, then: sink))
      return _object._register(observance) { token in
        queue.follow(token)
        return true
      }
    }
  }
}
