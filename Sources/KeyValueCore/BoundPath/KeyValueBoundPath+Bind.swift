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
  /// The binding sets the target's value at once, and after each change of the source:
  /// synchronously, on the thread of the change, to the source's value at that moment. It retains
  /// neither object; it ends with either, and with its token.
  ///
  /// The target is a key, or a member of a value behind a key (`label.kvo.frame.origin.x`), but not
  /// of an optional value, such as a `Frame?`. A member of an object without the macro is set in that
  /// object, without an announcement. While an optional owner is nil, the binding does nothing; a new
  /// owner gets the source's value at once.
  ///
  /// Bindings may form chains and circles. If its own change reaches a binding again, the binding
  /// passes the newer value on once more and then stops, so a circle settles.
  ///
  /// If a transformation or a validator throws, the target keeps its value. Errors go to `onError`;
  /// without it, they go to `KeyValueViolation` as tolerated. A target that can't be set causes the
  /// error `readOnly`, which goes to `onError` at once, or to the violation handler. Then nothing
  /// is set, and the binding isn't valid.
  ///
  /// - Important: Bind objects that share an actor or a lock.
  ///
  /// - Parameters:
  ///   - target: The path to set. Setting it notifies its observers.
  ///   - validates: Whether to call the target's `validate<Key>(_:)` first, if it has one. The
  ///     validator may replace the value, or throw.
  ///   - onError: Called with each error, on the thread of the change.
  ///   - fileID: Where the binding is made, for ``KeyValueTrace``.
  ///   - line: The line there.
  /// - Returns: The token. Dropping it ends the binding.
  ///
  /// Source of the behaviour: Cocoa's `NSObject.bind(_:to:withKeyPath:options:)`; the handling of
  /// errors and of objects that die is this library's.
  public func bind<Target>(
    to target: KeyValueBoundPath<Target, Value>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding {
    bound(to: target, .identity, validates, onError, at: SourcePlace(fileID, line))
  }

  // Disfavoured: if two overloads have equal rank, the compiler reports only that none matches.
  /// Makes an optional value, or one behind an optional owner, follow the value of this path.
  ///
  /// ```swift
  /// let binding = person.kvo.age.bind(to: form.kvo.panel.number)     // panel is a Panel?
  /// ```
  ///
  /// Otherwise like `bind` to a target that isn't optional.
  @_disfavoredOverload
  public func bind<Target>(
    to target: KeyValueBoundPath<Target, Value?>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding {
    bound(to: target, .oneWay { $0 }, validates, onError, at: SourcePlace(fileID, line))
  }

  // Besides its use, it keeps the number of these overloads at that of the dynamic members: with fewer, the
  // compiler would look for this one first, and read a target that is declared with `!` through the `!`
  // (Architecture.md, decision (i2)).
  /// Makes the value at a path by string, whose type isn't named, follow the value of this path.
  ///
  /// ```swift
  /// let binding = person.kvo.age.bind(to: try form.kvo("fields.age"))
  /// ```
  ///
  /// The value is converted as in `setValue(_:forKey:)`; one that can't be converted is an error of the
  /// binding. Otherwise like `bind` to a target of the same type.
  @_disfavoredOverload
  public func bind<Target>(
    to target: KeyValueBoundPath<Target, Any?>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding {
    bound(to: target, .oneWay { flattened($0) }, validates, onError, at: SourcePlace(fileID, line))
  }

  /// Makes the value of another path follow the value of this one, through a closure.
  ///
  /// ```swift
  /// let binding = person.kvo.age.bind(to: label.kvo.text) { "\($0) years" }
  /// ```
  ///
  /// An error that the closure throws is an error of the binding. Otherwise like `bind` without a
  /// closure.
  public func bind<Target, TargetValue>(
    to target: KeyValueBoundPath<Target, TargetValue>, validates: Bool = false,
    transform: @escaping (Value) throws -> TargetValue, onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding {
    bound(to: target, .oneWay(transform), validates, onError, at: SourcePlace(fileID, line))
  }

  /// Makes the value of another path follow the value of this one, through a transformer.
  ///
  /// ```swift
  /// let binding = model.kvo.volume.bind(to: field.kvo.text, transformer: .volume)
  /// ```
  ///
  /// Otherwise like `bind` without a transformer.
  public func bind<Target, TargetValue>(
    to target: KeyValueBoundPath<Target, TargetValue>,
    transformer: KeyValueTransformer<Value, TargetValue>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding {
    bound(
      to: target, BindingConversion(transformer), validates, onError, at: SourcePlace(fileID, line))
  }

  /// Makes an optional value, or one behind an optional owner, follow the value of this path, through a
  /// transformer whose output isn't optional.
  ///
  /// ```swift
  /// let binding = model.kvo.volume.bind(to: form.kvo.panel.text, transformer: .volume)   // panel is a Panel?
  /// ```
  ///
  /// Otherwise like `bind` without a transformer.
  @_disfavoredOverload
  public func bind<Target, Wrapped>(
    to target: KeyValueBoundPath<Target, Wrapped?>,
    transformer: KeyValueTransformer<Value, Wrapped>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding {
    bound(
      to: target, .oneWay { try transformer.forward($0) }, validates, onError,
      at: SourcePlace(fileID, line))
  }

  /// Makes the value of another path follow the value of this one, with a placeholder for nil.
  ///
  /// ```swift
  /// let binding = person.kvo.nickname.bind(to: label.kvo.text, placeholder: "–")
  /// ```
  ///
  /// Otherwise like `bind` without a placeholder.
  public func bind<Target, Wrapped>(
    to target: KeyValueBoundPath<Target, Wrapped>, placeholder: Wrapped, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding where Value == Wrapped? {
    bound(to: target, .placeholder(placeholder), validates, onError, at: SourcePlace(fileID, line))
  }
}

extension KeyValueBoundPath where Value == Any {
  // The two overloads for optional targets fit equally well otherwise.
  /// Makes an optional value of any type, or one behind an optional owner, follow the value of this path.
  ///
  /// A nil inside the source's value is nil. Otherwise like `bind` to a target that isn't optional.
  public func bind<Target>(
    to target: KeyValueBoundPath<Target, Any?>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding {
    bound(to: target, .oneWay { flattened($0) }, validates, onError, at: SourcePlace(fileID, line))
  }
}

// Two-way bindings: the sides agree.
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
  /// First the target gets this side's value. Then each change of either side sets the other,
  /// synchronously and on the thread of the change. A change never comes back through its own
  /// binding, even if a transformer or the other side alters the value; only a validator's
  /// replacement is passed back, see `validates`. The binding retains neither object; it ends with
  /// either, and with its token.
  ///
  /// While an object on the way to one side is nil, changes of the other side have no effect. A new
  /// owner of the target gets the source's value at once, and doesn't set the source.
  ///
  /// - Important: Bind objects that share an actor or a lock. If both sides change on two threads
  ///   at once, they agree afterwards only if their classes make reading and writing safe.
  ///
  /// - Parameters:
  ///   - target: The other path. A side that can't be set causes the error `readOnly`, which goes
  ///     to `onError` at once, or to the violation handler; then the binding isn't valid.
  ///   - validates: Whether to call the `validate<Key>(_:)` of the side to be set first, if its
  ///     class has one. If that replaces the value, the changed side gets the replacement too.
  ///   - onError: Called with a validator's error, on the thread of the change; the side to be set
  ///     keeps its value. Without it, `KeyValueViolation` gets the error as tolerated.
  ///   - fileID: Where the binding is made, for ``KeyValueTrace``.
  ///   - line: The line there.
  /// - Returns: The token. Dropping it ends the binding.
  ///
  /// Source of the behaviour: this library's.
  public func bindTwoWay<Target>(
    to target: KeyValueBoundPath<Target, Value>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding {
    bound(to: target, .identity, validates, onError, at: SourcePlace(fileID, line), isTwoWay: true)
  }

  /// Keeps the values of two paths in agreement, through a transformer.
  ///
  /// ```swift
  /// let binding = model.kvo.volume.bindTwoWay(to: field.kvo.text, transformer: .volume)
  /// ```
  ///
  /// An error that the transformer throws is an error of the binding; each side then keeps its
  /// value until one of them changes. Otherwise like `bindTwoWay` without a transformer.
  public func bindTwoWay<Target, TargetValue>(
    to target: KeyValueBoundPath<Target, TargetValue>,
    transformer: KeyValueTransformer<Value, TargetValue>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding {
    bound(
      to: target, BindingConversion(transformer), validates, onError, at: SourcePlace(fileID, line),
      isTwoWay: true)
  }

  /// Keeps the values of two paths in agreement, with a placeholder at the target for nil.
  ///
  /// ```swift
  /// let binding = person.kvo.nickname.bindTwoWay(to: field.kvo.text, placeholder: "")
  /// ```
  ///
  /// The source gets every changed value of the target, even one that equals the placeholder.
  public func bindTwoWay<Target, Wrapped>(
    to target: KeyValueBoundPath<Target, Wrapped>, placeholder: Wrapped, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding where Value == Wrapped? {
    bound(
      to: target, .placeholder(placeholder), validates, onError, at: SourcePlace(fileID, line),
      isTwoWay: true)
  }
}

// Unavailable, for their messages.
extension KeyValueBoundPath {
  /// Unavailable; the message names the ways to bind an optional value to one that isn't.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "the source's value is optional and the target's is not: pass placeholder:, or transform:, or transformer:"
  )
  public func bind<Target, Wrapped>(
    to target: KeyValueBoundPath<Target, Wrapped>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding where Value == Wrapped? {
    refused(target)
  }

  /// Unavailable; the message names the ways to bind an optional value to one that isn't.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "the source's value is optional and the target's is not: pass placeholder: for nil, or transformer:"
  )
  public func bindTwoWay<Target, Wrapped>(
    to target: KeyValueBoundPath<Target, Wrapped>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding where Value == Wrapped? {
    refused(target)
  }

  /// Unavailable; the message says which transformer binds an optional value.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "the source's value is optional and the transformer's input is not: pass a transformer of the optional value, or transform:"
  )
  public func bind<Target, TargetValue, Wrapped>(
    to target: KeyValueBoundPath<Target, TargetValue>,
    transformer: KeyValueTransformer<Wrapped, TargetValue>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding where Value == Wrapped? {
    refused(target)
  }

  /// Unavailable; the message says which transformer binds an optional value.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "the source's value is optional and the transformer's input is not: pass a transformer of the optional value, which says what nil becomes"
  )
  public func bindTwoWay<Target, TargetValue, Wrapped>(
    to target: KeyValueBoundPath<Target, TargetValue>,
    transformer: KeyValueTransformer<Wrapped, TargetValue>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding where Value == Wrapped? {
    refused(target)
  }

  // There is no such overload for two optional values: it would make the message for a misspelt key worse.
  /// Unavailable; the message says which transformer binds to an optional value.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "the target's value is optional and the transformer's output is not: pass a transformer to the optional value, which says what nil becomes"
  )
  public func bindTwoWay<Target, Wrapped>(
    to target: KeyValueBoundPath<Target, Wrapped?>,
    transformer: KeyValueTransformer<Value, Wrapped>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding {
    refused(target)
  }

  /// Unavailable; the message names the way to bind a value to an optional one.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "the target's value is optional and the source's is not: pass transformer:, which says what nil becomes"
  )
  public func bindTwoWay<Target>(
    to target: KeyValueBoundPath<Target, Value?>, validates: Bool = false,
    onError: ((any Error) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueBinding {
    refused(target)
  }
}

// MARK: Making

extension KeyValueBoundPath {
  private func bound<Target, TargetValue>(
    to target: KeyValueBoundPath<Target, TargetValue>,
    _ conversion: BindingConversion<Value, TargetValue>, _ validates: Bool,
    _ onError: ((any Error) -> Void)?, at origin: SourcePlace, isTwoWay: Bool = false
  ) -> KeyValueBinding {
    let end = isTwoWay ? writableEnd(validates, isTwoWay: true, at: origin, onError) : nil
    guard !isTwoWay || end != nil,
      let targetEnd = target.writableEnd(validates, isTwoWay: isTwoWay, at: origin, onError)
    else {
      return refused(target)
    }
    let link = BindingLink(
      _object, read: _path.reading.read, end: end, target._object, targetEnd, conversion,
      onError: onError ?? reporter(target._object),
      onBackwardError: onError ?? backwardReporter(target))
    let policy = ObservancePolicy(
      owner: target._object, role: .binding, tracedName: target.tracedName)
    let isNewsOfSource = isTwoWay ? newsOfMember() : { _ in true }
    var tokens = [
      _object.observe(_path, for: policy, at: origin) { source, _ in
        if isNewsOfSource(source) { link.sourceChanged(source) }
      }
    ]
    let owner = target.makeOwner()
    if isTwoWay {
      let isNewsOfTarget = target.newsOfMember()
      let policy = ObservancePolicy(owner: _object, role: .bindingBack, tracedName: tracedName)
      tokens.append(
        target._object.observe(target._path, for: policy, at: origin) { target, delivery in
          let isNews = isNewsOfTarget(target)
          var hasKeyChanged: Bool? = true
          if let owner {
            // A new owner gets the source's value, and then has no change to report.
            if owner.isNew(of: target) { return link.ownerChanged(target) }
            hasKeyChanged = owner.hasKeyChanged(delivery, of: target)
          }
          guard isNews, hasKeyChanged != false else { return }
          link.targetChanged(target, mayBeOwn: delivery.isDeferred || hasKeyChanged == nil)
        })
    } else if let owner {
      tokens.append(target.observeOwner(owner, for: _object, at: origin, link.ownerChanged))
    }
    if tokens.allSatisfy(\.isValid) {
      // Another thread may have exchanged the owner before it was observed.
      _ = owner?.isNew(of: target._object)
      link.sourceChanged(_object)
    } else {
      // One side can't be observed, and the other must not set anything.
      link.gate.end()
      for token in tokens { token.invalidate() }
    }
    return KeyValueBinding(
      tokens, through: link.gate, keyPath: _path.observed.string, target: target._object,
      isTwoWay: isTwoWay)
  }

  /// Whether the path's value has changed since the last call.
  ///
  /// A change of the whole value notifies the observers of every member, even of members that stay
  /// the same, and a change of a dictionary those of every entry.
  private func newsOfMember() -> (Root) -> Bool {
    guard _path.observed.hasTail || _path.observed.isEntry(on: _object) else {
      return { _ in true }
    }
    let news = MemberNews(_path.reading.read, of: _object)
    return { news.isNew(of: $0) }
  }

  private func refused<Target, TargetValue>(
    _ target: KeyValueBoundPath<Target, TargetValue>
  ) -> KeyValueBinding {
    let keyPath = _path.observed.string
    return KeyValueBinding(
      [KeyValueObservation(refused: keyPath)], keyPath: keyPath, target: target._object)
  }

  /// Reports the errors of a binding that has no handler for them.
  private func reporter(_ target: AnyObject) -> (any Error) -> Void {
    let sides = "\(_object.schema.name).\(_path.observed.string) and \(name(of: type(of: target)))"
    return { error in
      KeyValueViolation.report(
        .tolerated,
        "The binding of \(sides) passed nothing on: \(sentence(error)) Give it onError: to handle that."
      )
    }
  }

  /// Reports the errors of a two-way binding's backward direction, if it has no handler for them.
  private func backwardReporter<Target, TargetValue>(
    _ target: KeyValueBoundPath<Target, TargetValue>
  ) -> (any Error) -> Void {
    let source = "\(_object.schema.name).\(_path.observed.string)"
    let target = "\(name(of: type(of: target._object))).\(target._path.observed.string)"
    return { error in
      KeyValueViolation.report(
        .tolerated,
        "\(target) was changed to a value that its binding could not pass back to \(source): \(sentence(error)) "
          + "Each keeps its own value until one of them changes. Give the binding onError: to handle that."
      )
    }
  }
}

/// An error's text with a full stop, which this library's errors have.
private func sentence(_ error: any Error) -> String {
  let text = "\(error)"
  return text.hasSuffix(".") ? text : text + "."
}
