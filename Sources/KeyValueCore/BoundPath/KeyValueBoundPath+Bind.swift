// One-way bindings: the target follows the source.
extension KeyValueBoundPath {
  /// Makes the value of another path follow the value of this one.
  ///
  /// ```swift
  /// let binding = person.kvo.fullName.bind(to: label.kvo.text)
  /// print(label.text)                 // Ada Lovelace
  /// person.firstName = "Grace"
  /// print(label.text)                 // Grace Lovelace
  /// ```
  ///
  /// The current value is set at once. From then on each change of the source sets the target,
  /// synchronously and on the thread of the change; what is set is the source's value at that moment.
  /// Neither object is retained; the binding ends with either, and with its token.
  ///
  /// The target is a key, or a member of a value behind a key (`label.kvo.frame.origin.x`). Behind an
  /// optional owner nothing happens while that is nil; an owner that appears or is exchanged gets the
  /// source's value at once. An object of a class that is not observable is set in an
  /// `observe(options:changeHandler:)`.
  ///
  /// Bindings may form chains and circles. One that is reached again by the change that it is passing
  /// on passes the newer value on once more when it is done, and no further; so a circle comes to rest.
  ///
  /// Errors, of a transformation or of a validator, go to `onError`, and the target keeps its value.
  /// Without a handler they go to `KeyValueViolation` as tolerated. A target that cannot be set is the
  /// error `readOnly` at once, to `onError`, else to the violation handler; nothing is set then, and the
  /// binding is not valid.
  ///
  /// - Important: Bind objects that live in the same place: on one actor, or under one lock.
  ///
  /// - Parameters:
  ///   - target: The path that follows. Setting it notifies.
  ///   - validates: Whether the target's `validate<Key>(_:)`, where it has one, is asked first. It may
  ///     replace the value, or throw.
  ///   - onError: Called with each error, on the thread of the change.
  /// - Returns: The token; dropping it ends the binding.
  ///
  /// Source of the behaviour: Cocoa's `NSObject.bind(_:to:withKeyPath:options:)`; errors and deaths are
  /// ours.
  public func bind<Target>(
    to target: KeyValueBoundPath<Target, Value>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bound(to: target, .identity, validates, onError)
  }

  // Disfavoured: of two of equal rank the compiler says only that none matches.
  /// Makes the optional value of another path, or one behind an optional owner, follow the value of this
  /// one.
  ///
  /// ```swift
  /// let binding = person.kvo.age.bind(to: form.kvo.panel.number)     // panel is a Panel?
  /// ```
  ///
  /// Everything else is as for a target that is not optional.
  @_disfavoredOverload
  public func bind<Target>(
    to target: KeyValueBoundPath<Target, Value?>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bound(to: target, .oneWay { $0 }, validates, onError)
  }

  /// Makes the value of another path follow what a closure makes of the value of this one.
  ///
  /// ```swift
  /// let binding = person.kvo.age.bind(to: label.kvo.text) { "\($0) years" }
  /// ```
  ///
  /// What the closure throws is an error of the binding. Everything else is as without a closure.
  public func bind<Target, TargetValue>(
    to target: KeyValueBoundPath<Target, TargetValue>, validates: Bool = false,
    transform: @escaping (Value) throws -> TargetValue, onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bound(to: target, .oneWay(transform), validates, onError)
  }

  /// Makes the value of another path follow what a transformer makes of the value of this one.
  ///
  /// ```swift
  /// let binding = model.kvo.volume.bind(to: field.kvo.text, transformer: .volume)
  /// ```
  ///
  /// Everything else is as without a transformer.
  public func bind<Target, TargetValue>(
    to target: KeyValueBoundPath<Target, TargetValue>,
    transformer: KeyValueTransformer<Value, TargetValue>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    bound(to: target, BindingConversion(transformer), validates, onError)
  }

  /// Makes the value of another path follow the value of this one, and shows a placeholder there where
  /// that is nil.
  ///
  /// ```swift
  /// let binding = person.kvo.nickname.bind(to: label.kvo.text, placeholder: "–")
  /// ```
  ///
  /// Everything else is as without a placeholder.
  public func bind<Target, Wrapped>(
    to target: KeyValueBoundPath<Target, Wrapped>, placeholder: Wrapped, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding where Value == Wrapped? {
    bound(to: target, .placeholder(placeholder), validates, onError)
  }
}

// Two-way bindings: both sides agree.
extension KeyValueBoundPath {
  /// Keeps the values of two paths in agreement, whichever of the two changes.
  ///
  /// ```swift
  /// let binding = model.kvo.volume.bindTwoWay(to: slider.kvo.value)
  /// slider.value = 7
  /// print(model.volume)               // 7
  /// model.volume = 3
  /// print(slider.value)               // 3
  /// ```
  ///
  /// This side wins at the start: its value is set on the target. From then on each change of either
  /// side sets the other, synchronously and on the thread of the change. What a binding sets does not
  /// come back through it, even where the value is changed on its way, or by the side that it is set
  /// on. Neither object is retained; the binding ends with either, and with its token.
  ///
  /// Where an object on the way to one side is nil, the other side's changes go nowhere. A target's owner
  /// that appears or is exchanged gets the source's value at once.
  ///
  /// - Important: Bind objects that live in the same place: on one actor, or under one lock. Changes of
  ///   both sides on two threads at once leave them in agreement only where the classes make reading
  ///   and writing safe.
  ///
  /// - Parameters:
  ///   - target: The other path. Both sides can be set; one that cannot is the error `readOnly` at once,
  ///     to `onError`, else to the violation handler, and the binding is not valid.
  ///   - validates: Whether the side that is set is asked first, where its class has a
  ///     `validate<Key>(_:)`. Where that puts another value in place, the side that was changed gets it
  ///     too.
  ///   - onError: Called with what a validator threw, on the thread of the change; the side that was to
  ///     be set keeps its value. Without it, `KeyValueViolation` gets the error as tolerated.
  /// - Returns: The token; dropping it ends the binding.
  ///
  /// Source of the behaviour: this library's.
  public func bindTwoWay<Target>(
    to target: KeyValueBoundPath<Target, Value>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    boundTwoWay(to: target, .identity, validates, onError)
  }

  /// Keeps the values of two paths in agreement, through a transformer.
  ///
  /// ```swift
  /// let binding = model.kvo.volume.bindTwoWay(to: field.kvo.text, transformer: .volume)
  /// ```
  ///
  /// What the transformer throws is an error of the binding; each side then keeps its value until one of
  /// them changes. Everything else is as without a transformer.
  public func bindTwoWay<Target, TargetValue>(
    to target: KeyValueBoundPath<Target, TargetValue>,
    transformer: KeyValueTransformer<Value, TargetValue>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding {
    boundTwoWay(to: target, BindingConversion(transformer), validates, onError)
  }

  /// Keeps the values of two paths in agreement, and shows a placeholder at the target where the source's
  /// value is nil.
  ///
  /// ```swift
  /// let binding = person.kvo.nickname.bindTwoWay(to: field.kvo.text, placeholder: "")
  /// ```
  ///
  /// What the target is changed to becomes the source's value, a text that equals the placeholder too.
  public func bindTwoWay<Target, Wrapped>(
    to target: KeyValueBoundPath<Target, Wrapped>, placeholder: Wrapped, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil
  ) -> KeyValueBinding where Value == Wrapped? {
    boundTwoWay(to: target, .placeholder(placeholder), validates, onError)
  }
}

// MARK: Making

extension KeyValueBoundPath {
  private func bound<Target, TargetValue>(
    to target: KeyValueBoundPath<Target, TargetValue>,
    _ conversion: BindingConversion<Value, TargetValue>, _ validates: Bool,
    _ onError: ((any Error) -> Void)?
  ) -> KeyValueBinding {
    guard let targetEnd = target.writableEnd(validates, onError) else { return refused(target) }
    let link = BindingLink(
      _object, read: _path.reading.read, end: nil, target._object, targetEnd, conversion,
      onError: onError ?? reporter(target._object))
    var tokens = [
      _object.observe(_path, for: target._object) { source, _ in link.sourceChanged(source) }
    ]
    if let owner = target.observeOwner(for: _object, link.sourceChanged) { tokens.append(owner) }
    return begun(tokens, link, target, isTwoWay: false)
  }

  private func boundTwoWay<Target, TargetValue>(
    to target: KeyValueBoundPath<Target, TargetValue>,
    _ conversion: BindingConversion<Value, TargetValue>, _ validates: Bool,
    _ onError: ((any Error) -> Void)?
  ) -> KeyValueBinding {
    guard let end = writableEnd(validates, onError),
      let targetEnd = target.writableEnd(validates, onError)
    else { return refused(target) }
    let link = BindingLink(
      _object, read: end.read, end: end, target._object, targetEnd, conversion,
      onError: onError ?? reporter(target._object),
      onBackwardError: onError ?? backwardReporter(target))
    var tokens = [
      _object.observe(_path, for: target._object) { source, _ in link.sourceChanged(source) }
    ]
    // Before the target itself: a new owner gets the source's value, and then has nothing to tell.
    let owner = target.observeOwner(for: _object, link.sourceChanged)
    if let owner { tokens.append(owner) }
    let mayBeOwn = owner != nil
    let isNews = target.newsOfMember()
    tokens.append(
      target._object.observe(target._path, for: _object) { target, isDeferred in
        if isNews(target) { link.targetChanged(target, isDeferred: isDeferred || mayBeOwn) }
      })
    return begun(tokens, link, target, isTwoWay: true)
  }

  /// Whether the path's value has changed since it was asked last.
  ///
  /// The change of a whole value is told to the observers of each member, and need not be one of theirs.
  private func newsOfMember() -> (Root) -> Bool {
    guard _path.observed.hasTail else { return { _ in true } }
    let read = _path.reading.read
    var last = read(_object)
    return { object in
      let value = read(object)
      defer { last = value }
      return isEqual(last, value) != true
    }
  }

  private func begun<Target, TargetValue>(
    _ tokens: [KeyValueObservation], _ link: BindingLink<Root, Value, Target, TargetValue>,
    _ target: KeyValueBoundPath<Target, TargetValue>, isTwoWay: Bool
  ) -> KeyValueBinding {
    if tokens.allSatisfy(\.isValid) { link.sourceChanged(_object) }
    return KeyValueBinding(
      tokens, through: link.gate, keyPath: _path.observed.string, target: target._object,
      isTwoWay: isTwoWay)
  }

  private func refused<Target, TargetValue>(
    _ target: KeyValueBoundPath<Target, TargetValue>
  ) -> KeyValueBinding {
    let keyPath = _path.observed.string
    return KeyValueBinding(
      [KeyValueObservation(refused: keyPath)], keyPath: keyPath, target: target._object)
  }

  /// What happens to the errors of a binding that has no handler for them.
  private func reporter(_ target: AnyObject) -> (any Error) -> Void {
    let sides = "\(_object.schema.name).\(_path.observed.string) and \(name(of: type(of: target)))"
    return { error in
      KeyValueViolation.report(
        .tolerated,
        "The binding of \(sides) passed nothing on: \(error) Give it onError: to handle that.")
    }
  }

  /// What happens to the errors of a two-way binding's way back, where it has no handler for them.
  private func backwardReporter<Target, TargetValue>(
    _ target: KeyValueBoundPath<Target, TargetValue>
  ) -> (any Error) -> Void {
    let source = "\(_object.schema.name).\(_path.observed.string)"
    let target = "\(name(of: type(of: target._object))).\(target._path.observed.string)"
    return { error in
      KeyValueViolation.report(
        .tolerated,
        "\(target) was changed to a value that its binding could not pass back to \(source): \(error) "
          + "Each keeps its own value until one of them changes. Give the binding onError: to handle that."
      )
    }
  }
}
