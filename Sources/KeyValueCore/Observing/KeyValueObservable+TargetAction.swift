// Observing with a target and one of its methods.
extension KeyValueObservable {
  /// Calls a target's method when the value of a typed key path changes.
  ///
  /// ```swift
  /// final class ProfileView {
  ///   var observation: KeyValueObservation?
  ///
  ///   init(_ person: Person) {
  ///     observation = person.observe(\.name, target: self, action: ProfileView.nameChanged)
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
  ///   - keyPath: As for `observe(_:options:changeHandler:)`.
  ///   - options: What the change carries, and which further callbacks come.
  ///   - target: Whose method is called.
  ///   - action: The method, as its class names it: `ProfileView.nameChanged`.
  /// - Returns: The token; dropping it ends the observation too.
  @inlinable
  public func observe<Value, Target: AnyObject>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    options: KeyValueObservingOptions = [], target: Target,
    action: @escaping (Target) -> () -> Void
  ) -> KeyValueObservation {
    observe(KeyValuePath(keyPath), options: options, for: target) { target, _, _ in
      action(target)()
    }
  }

  /// Calls a target's method with the observed object when the value of a typed key path changes.
  ///
  /// ```swift
  /// // func changed(_ person: Person)
  /// observation = person.observe(\.name, target: self, action: ProfileView.changed)
  /// ```
  @inlinable
  public func observe<Value, Target: AnyObject>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    options: KeyValueObservingOptions = [], target: Target,
    action: @escaping (Target) -> (Self) -> Void
  ) -> KeyValueObservation {
    observe(KeyValuePath(keyPath), options: options, for: target) { target, object, _ in
      action(target)(object)
    }
  }

  /// Calls a target's method with the observed object and the change when the value of a typed key
  /// path changes.
  ///
  /// ```swift
  /// // func changed(_ person: Person, _ change: KeyValueObservedChange<String>)
  /// observation = person.observe(\.name, options: .new, target: self, action: ProfileView.changed)
  /// ```
  @inlinable
  public func observe<Value, Target: AnyObject>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    options: KeyValueObservingOptions = [], target: Target,
    action: @escaping (Target) -> (Self, KeyValueObservedChange<Value>) -> Void
  ) -> KeyValueObservation {
    observe(KeyValuePath(keyPath), options: options, for: target) { target, object, change in
      action(target)(object, change)
    }
  }
}

// The same for key paths that are written with `?`.
extension KeyValueObservable {
  /// Calls a target's method when the value of a key path that is written with `?` changes.
  @inlinable
  @_disfavoredOverload
  public func observe<Value, Target: AnyObject>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
    options: KeyValueObservingOptions = [], target: Target,
    action: @escaping (Target) -> () -> Void
  ) -> KeyValueObservation {
    observe(KeyValuePath(keyPath), options: options, for: target) { target, _, _ in
      action(target)()
    }
  }

  /// Calls a target's method with the observed object when the value of a key path that is written
  /// with `?` changes.
  @inlinable
  @_disfavoredOverload
  public func observe<Value, Target: AnyObject>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
    options: KeyValueObservingOptions = [], target: Target,
    action: @escaping (Target) -> (Self) -> Void
  ) -> KeyValueObservation {
    observe(KeyValuePath(keyPath), options: options, for: target) { target, object, _ in
      action(target)(object)
    }
  }

  /// Calls a target's method with the observed object and the change when the value of a key path that
  /// is written with `?` changes.
  @inlinable
  @_disfavoredOverload
  public func observe<Value, Target: AnyObject>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
    options: KeyValueObservingOptions = [], target: Target,
    action: @escaping (Target) -> (Self, KeyValueObservedChange<Value?>) -> Void
  ) -> KeyValueObservation {
    observe(KeyValuePath(keyPath), options: options, for: target) { target, object, change in
      action(target)(object, change)
    }
  }
}

// The same for key paths written as strings.
extension KeyValueObservable {
  /// Calls a target's method when the value of a key path written as a string changes.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component, if the path cannot be observed.
  public func observe<Target: AnyObject>(
    _ keyPath: String, options: KeyValueObservingOptions = [], target: Target,
    action: @escaping (Target) -> () -> Void
  ) throws -> KeyValueObservation {
    try observe(keyPath, options: options, for: target) { target, _, _ in action(target)() }
  }

  /// Calls a target's method with the observed object when the value of a key path written as a string
  /// changes.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component, if the path cannot be observed.
  public func observe<Target: AnyObject>(
    _ keyPath: String, options: KeyValueObservingOptions = [], target: Target,
    action: @escaping (Target) -> (Self) -> Void
  ) throws -> KeyValueObservation {
    try observe(keyPath, options: options, for: target) { target, object, _ in
      action(target)(object)
    }
  }

  /// Calls a target's method with the observed object and the change when the value of a key path
  /// written as a string changes.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component, if the path cannot be observed.
  public func observe<Target: AnyObject>(
    _ keyPath: String, options: KeyValueObservingOptions = [], target: Target,
    action: @escaping (Target) -> (Self, KeyValueObservedChange<Any?>) -> Void
  ) throws -> KeyValueObservation {
    try observe(keyPath, options: options, for: target) { target, object, change in
      action(target)(object, change)
    }
  }
}
