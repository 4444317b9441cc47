// Two-way bindings: two properties that are kept in agreement.
extension KeyValueObservable {
  /// Keeps a key path and a property of another object in agreement, whichever of the two changes.
  ///
  /// ```swift
  /// let binding = model.bindTwoWay(\.volume, to: slider, \.value)
  /// slider.value = 7
  /// print(model.volume)               // 7
  /// model.volume = 3
  /// print(slider.value)               // 3
  /// ```
  ///
  /// This object wins at the start: its value is set on the target. From then on each change of either
  /// side sets the other, synchronously and on the thread of the change. What a binding sets does not
  /// come back through it, even where the value is changed on its way, or by the side that it is set
  /// on. Neither object is retained; the binding ends with either, and with its token.
  ///
  /// Where an object on the way to the source is nil, the target's changes go nowhere.
  ///
  /// - Important: Bind objects that live in the same place: on one actor, or under one lock. Changes of
  ///   both sides on two threads at once leave them in agreement only where the classes make reading
  ///   and writing safe.
  ///
  /// - Parameters:
  ///   - keyPath: Of this object. It ends in a key that can be set; another goes to the violation
  ///     handler, and the binding is not valid.
  ///   - target: The other object.
  ///   - targetKeyPath: Its property, one of its keys.
  ///   - validates: Whether the side that is set is asked first, where its class has a
  ///     `validate<Key>(_:)`. Where that puts another value in place, the side that was changed gets it
  ///     too.
  ///   - onError: Called with what a validator threw, on the thread of the change; the side that was to
  ///     be set keeps its value. Without it, `KeyValueViolation` gets the error as tolerated.
  /// - Returns: The token; dropping it ends the binding.
  @_disfavoredOverload
  public func bindTwoWay<Value, Target: KeyValueObservable>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>,
    validates: Bool = false, onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bindTwoWay(
      KeyValuePath(keyPath), to: target, targetKeyPath, transformer: .identity,
      validates: validates, onError: onError)
  }

  /// Keeps a key path that is written with `?` and a property of another object in agreement.
  @_disfavoredOverload
  public func bindTwoWay<Value, Target: KeyValueObservable>(
    // Optional, so that it loses against the form above where both fit.
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>?,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, Value?>,
    validates: Bool = false, onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bindTwoWay(
      spelled(keyPath), to: target, targetKeyPath, transformer: .identity,
      validates: validates, onError: onError)
  }

  /// Keeps a key path and a property of another object in agreement, through a transformer.
  ///
  /// ```swift
  /// let binding = model.bindTwoWay(
  ///   \.age, to: field, \.text,
  ///   transformer: KeyValueTransformer(forward: { String($0) }, backward: { try parse($0) }),
  ///   onError: { print($0) })
  /// print(field.text)                 // 36
  /// field.text = "37"
  /// print(model.age)                  // 37
  /// field.text = "x"                  // NotANumber()
  /// print(model.age, field.text)      // 37 x
  /// ```
  ///
  /// - Parameters:
  ///   - transformer: Makes each side's value of the other's. Where it throws, the error goes to
  ///     `onError`, and the side that was to be set keeps its value.
  public func bindTwoWay<Value, Target: KeyValueObservable, TargetValue>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, TargetValue>,
    transformer: KeyValueTransformer<Value, TargetValue>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bindTwoWay(
      KeyValuePath(keyPath), to: target, targetKeyPath, transformer: transformer,
      validates: validates, onError: onError)
  }

  /// Keeps a key path that is written with `?` and a property of another object in agreement, through a
  /// transformer.
  @_disfavoredOverload
  public func bindTwoWay<Value, Target: KeyValueObservable, TargetValue>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, TargetValue>,
    transformer: KeyValueTransformer<Value?, TargetValue>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bindTwoWay(
      KeyValuePath(keyPath), to: target, targetKeyPath, transformer: transformer,
      validates: validates, onError: onError)
  }

  /// Keeps a key path and a property of another object in agreement, and shows a placeholder there where
  /// the value is nil.
  ///
  /// ```swift
  /// let binding = person.bindTwoWay(\.nickname, to: field, \.text, placeholder: "")
  /// ```
  ///
  /// What the target is changed to becomes the source's value, a text that equals the placeholder too.
  public func bindTwoWay<Value, Target: KeyValueObservable>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value?>>,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>,
    placeholder: Value, validates: Bool = false, onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bindTwoWay(
      KeyValuePath(keyPath), to: target, targetKeyPath, transformer: .placeholder(placeholder),
      validates: validates, onError: onError)
  }

  /// Keeps a key path that is written with `?` and a property of another object in agreement, and shows a
  /// placeholder there where the value is nil.
  @_disfavoredOverload
  public func bindTwoWay<Value, Target: KeyValueObservable>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>,
    placeholder: Value, validates: Bool = false, onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bindTwoWay(
      KeyValuePath(keyPath), to: target, targetKeyPath, transformer: .placeholder(placeholder),
      validates: validates, onError: onError)
  }

  /// Keeps a path that is held in a value and a property of another object in agreement, through a
  /// transformer.
  public func bindTwoWay<Value, Target: KeyValueObservable, TargetValue>(
    _ path: KeyValuePath<Self, Value>, to target: Target,
    _ targetKeyPath: ReferenceWritableKeyPath<Target, TargetValue>,
    transformer: KeyValueTransformer<Value, TargetValue>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    guard let end = BindingEnd(path, of: self, validates: validates),
      let targetPath = KeyValuePath(naming: targetKeyPath)
    else {
      return KeyValueBinding(
        [KeyValueObservation(nil, keyPath: path.string)], keyPath: path.string, target: target)
    }
    let link = BindingLink(
      self, read: end.read, end: end, target,
      BindingEnd(targetKeyPath, of: target, validates: validates), transformer,
      onError: onError ?? reporter(path, target),
      onBackwardError: onError ?? backwardReporter(path, target, targetPath.string))
    let tokens = [
      observe(path, for: target, onChange: { source, _ in link.sourceChanged(source) }),
      target.observe(targetPath, for: self, onChange: link.targetChanged(_:isDeferred:)),
    ]
    if tokens.allSatisfy(\.isValid) { link.sourceChanged(self) }
    return KeyValueBinding(tokens, through: link.gate, keyPath: path.string, target: target)
  }
}

extension KeyValueObservable {
  /// The path that a literal with `?` spells; the literal is never missing.
  func spelled<Value>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>?
  ) -> KeyValuePath<Self, Value?> {
    guard let keyPath else {
      KeyValueViolation.fatal(.unobservablePath, "A key path literal names no path.")
    }
    return KeyValuePath(keyPath)
  }

  /// What happens to the errors of a two-way binding's way back, where it has no handler for them.
  fileprivate func backwardReporter<Value>(
    _ path: KeyValuePath<Self, Value>, _ target: AnyObject, _ targetPath: String
  ) -> (any Error) -> Void {
    let source = "\(schema.name).\(path.string)"
    let target = "\(name(of: type(of: target))).\(targetPath)"
    return { error in
      KeyValueViolation.report(
        .tolerated,
        "\(target) was changed to a value that its binding could not pass back to \(source): \(error) "
          + "Each keeps its own value until one of them changes. Give the binding onError: to handle that."
      )
    }
  }

  /// What happens to the errors of a binding that has no handler for them.
  func reporter<Value>(
    _ path: KeyValuePath<Self, Value>, _ target: AnyObject
  ) -> (any Error) -> Void {
    let sides = "\(schema.name).\(path.string) and \(name(of: type(of: target)))"
    return { error in
      KeyValueViolation.report(
        .tolerated,
        "The binding of \(sides) passed nothing on: \(error) Give it onError: to handle that.")
    }
  }
}
