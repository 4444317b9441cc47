// One-way bindings: a property of any object follows the value of a key path.
extension KeyValueObservable {
  /// Makes a property of another object follow the value of a key path.
  ///
  /// ```swift
  /// let binding = person.bind(\.fullName, to: label, \.text)
  /// print(label.text)                 // Ada Lovelace
  /// person.firstName = "Grace"
  /// print(label.text)                 // Grace Lovelace
  /// ```
  ///
  /// The current value is set at once. From then on each change of the source sets the target,
  /// synchronously and on the thread of the change; what is set is the source's value at that moment.
  /// Neither object is retained; the binding ends with either, and with its token.
  ///
  /// Bindings may form chains and circles. One that is reached again by the change that it is passing
  /// on passes the newer value on once more when it is done, and no further; so a circle comes to rest.
  ///
  /// Errors, of a transformation or of a validator, go to `onError`, and the target keeps its value.
  /// Without a handler they go to `KeyValueViolation` as tolerated.
  ///
  /// - Important: Bind objects that live in the same place: on one actor, or under one lock.
  ///
  /// - Parameters:
  ///   - keyPath: Of this object, as for `observe(_:options:changeHandler:)`.
  ///   - target: Whose property follows, of any class.
  ///   - targetKeyPath: The property that follows. Where it is a key, setting it notifies.
  ///   - validates: Whether the target's `validate<Key>(_:)`, where it has one, is asked first. It may
  ///     replace the value, or throw.
  ///   - onError: Called with each error, on the thread of the change.
  /// - Returns: The token; dropping it ends the binding.
  @_disfavoredOverload
  public func bind<Value, Target: AnyObject>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>,
    validates: Bool = false, onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bind(KeyValuePath(keyPath), to: target, targetKeyPath, validates: validates, onError: onError)
  }

  /// Makes a property of another object follow the value of a key path that is written with `?`.
  ///
  /// ```swift
  /// let binding = person.bind(\.account?.balance, to: label, \.number)     // a Double?
  /// ```
  @_disfavoredOverload
  public func bind<Value, Target: AnyObject>(
    // Optional, so that it loses against the form above where both fit.
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>?,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, Value?>,
    validates: Bool = false, onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bind(spelled(keyPath), to: target, targetKeyPath, validates: validates, onError: onError)
  }

  /// Makes a property of another object follow the value of a path that is held in a value.
  @_disfavoredOverload
  public func bind<Value, Target: AnyObject>(
    _ path: KeyValuePath<Self, Value>, to target: Target,
    _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bound(path, target, targetKeyPath, validates, .identity, onError)
  }
}

// With a transformation.
extension KeyValueObservable {
  /// Makes a property of another object follow what a closure makes of the value of a key path.
  ///
  /// ```swift
  /// let binding = person.bind(\.age, to: label, \.text) { "\($0) years" }
  /// print(label.text)                 // 36 years
  /// ```
  ///
  /// - Parameters:
  ///   - transform: Makes the target's value; may throw, and then the target keeps what it has. For a
  ///     target that is optional where the source is not, it is `{ $0 }`.
  ///   - onError: Called with what `transform` or the validator threw.
  public func bind<Value, Target: AnyObject, TargetValue>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, TargetValue>,
    validates: Bool = false, transform: @escaping (Value) throws -> TargetValue,
    onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bind(
      KeyValuePath(keyPath), to: target, targetKeyPath, validates: validates,
      transform: transform, onError: onError)
  }

  /// Makes a property of another object follow what a closure makes of the value of a key path that is
  /// written with `?`.
  @_disfavoredOverload
  public func bind<Value, Target: AnyObject, TargetValue>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, TargetValue>,
    validates: Bool = false, transform: @escaping (Value?) throws -> TargetValue,
    onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bind(
      KeyValuePath(keyPath), to: target, targetKeyPath, validates: validates,
      transform: transform, onError: onError)
  }

  /// Makes a property of another object follow what a closure makes of the value of a path that is held
  /// in a value.
  public func bind<Value, Target: AnyObject, TargetValue>(
    _ path: KeyValuePath<Self, Value>, to target: Target,
    _ targetKeyPath: ReferenceWritableKeyPath<Target, TargetValue>, validates: Bool = false,
    transform: @escaping (Value) throws -> TargetValue, onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    let transformer = KeyValueTransformer<Value, TargetValue>(
      forward: transform, backward: { _ in throw OneWay() })
    return bound(path, target, targetKeyPath, validates, transformer, onError)
  }
}

// With a placeholder for nil.
extension KeyValueObservable {
  /// Makes a property of another object follow the value of a key path, and shows a placeholder where
  /// that is nil.
  ///
  /// ```swift
  /// let binding = person.bind(\.nickname, to: label, \.text, placeholder: "no nickname")
  /// print(label.text)                 // no nickname
  /// ```
  public func bind<Value, Target: AnyObject>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value?>>,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>,
    placeholder: Value, validates: Bool = false, onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bound(
      KeyValuePath(keyPath), target, targetKeyPath, validates, .placeholder(placeholder), onError)
  }

  /// Makes a property of another object follow the value of a key path that is written with `?`, and
  /// shows a placeholder where that is nil.
  @_disfavoredOverload
  public func bind<Value, Target: AnyObject>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>,
    placeholder: Value, validates: Bool = false, onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bound(
      KeyValuePath(keyPath), target, targetKeyPath, validates, .placeholder(placeholder), onError)
  }

  /// Makes a property of another object follow what a closure makes of the value of a key path, and
  /// shows a placeholder where that is nil.
  ///
  /// ```swift
  /// let binding = person.bind(\.account.balance, to: label, \.text, placeholder: "–") { "\($0) €" }
  /// ```
  public func bind<Value, Target: AnyObject, TargetValue>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value?>>,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, TargetValue>,
    placeholder: TargetValue, validates: Bool = false,
    transform: @escaping (Value) throws -> TargetValue, onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bind(
      KeyValuePath(keyPath), to: target, targetKeyPath, validates: validates,
      transform: { try $0.map(transform) ?? placeholder }, onError: onError)
  }

  /// Makes a property of another object follow what a closure makes of the value of a key path that is
  /// written with `?`, and shows a placeholder where that is nil.
  @_disfavoredOverload
  public func bind<Value, Target: AnyObject, TargetValue>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, TargetValue>,
    placeholder: TargetValue, validates: Bool = false,
    transform: @escaping (Value) throws -> TargetValue, onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bind(
      KeyValuePath(keyPath), to: target, targetKeyPath, validates: validates,
      transform: { try $0.map(transform) ?? placeholder }, onError: onError)
  }
}

/// Never seen: nothing comes back through a one-way binding.
private struct OneWay: Error {}

extension KeyValueObservable {
  private func bound<Value, Target: AnyObject, TargetValue>(
    _ path: KeyValuePath<Self, Value>, _ target: Target,
    _ targetKeyPath: ReferenceWritableKeyPath<Target, TargetValue>, _ validates: Bool,
    _ transformer: KeyValueTransformer<Value, TargetValue>, _ onError: ((any Error) -> Void)?
  ) -> KeyValueBinding {
    let link = BindingLink(
      self, read: path.reading.read, end: nil, target,
      BindingEnd(targetKeyPath, of: target, validates: validates), transformer,
      onError: onError ?? reporter(path, target))
    let token = observe(path, for: target, onChange: { source, _ in link.sourceChanged(source) })
    if token.isValid { link.sourceChanged(self) }
    return KeyValueBinding([token], through: link.gate, keyPath: path.string, target: target)
  }
}
