import CGtk4
import KeyValueObserving

// Two ways: a key path and the property of a GObject agree.
extension KeyValueBoundPath where Value: GValueConvertible {
  /// Keeps the value of this path and a property of a GObject in agreement, whichever of the two changes.
  ///
  /// ```swift
  /// person.kvo.name.bindTwoWay(to: nameEntry, "text")
  /// person.kvo.age.bindTwoWay(to: ageEntry, "text", commit: .onEnd)
  /// person.kvo.isMember.bindTwoWay(to: checkButton, "active")
  /// ```
  ///
  /// First the property gets the key's value. Then each change of either side sets the other. If the key's
  /// class has a `validate<Key>(_:)`, that's called first; it may replace the value, and the widget then
  /// shows the replacement.
  ///
  /// If the validator throws, or the text isn't a value of the key's type, the key keeps its value, and what
  /// has been typed stays. A widget then has the style class `error`, and the error's description as its
  /// tooltip, until a change is accepted. If several bindings of the widget have an error, it shows the last
  /// one. With `onRefusal`, that is called instead.
  ///
  /// The empty text is nil for a key that may be nil. While an object on the way to the key is nil, the property
  /// has the empty text, 0 or false, and changes of it have no effect. The binding retains neither side and
  /// ends with either, so its token need not be kept.
  ///
  /// Threading: a change on another thread than the main one stops the program, with the key's name.
  ///
  /// - Parameters:
  ///   - object: A widget, or any other GObject.
  ///   - property: The property's name, as in GTK's documentation. If the object has none, or values of this
  ///     type don't fit, the program stops with a message that names both.
  ///   - commit: When the key is set: after each change of the property, or at the end of an edit.
  ///   - onRefusal: Called with each error, and with nil when a change is accepted after one.
  ///   - fileID: Where the binding is made, for `KeyValueTrace`.
  ///   - line: The line there.
  /// - Returns: The token, with which the binding can be ended earlier, and an edit be committed.
  @MainActor @discardableResult
  public func bindTwoWay(
    to object: some GObjectPointer, _ property: String,
    commit: GObjectBinding.Commit = .onEachChange, onRefusal: (((any Error)?) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> GObjectBinding {
    let coding = GValueCoding<Value>.plain(emptyIsNil: endMayBeNil)
    return bindTwoWay(coding, .holding(), to: object, property, commit, onRefusal, fileID, line)
  }
}

extension KeyValueBoundPath {
  /// Keeps the value of this path and a property of a GObject in agreement, through a transformer.
  ///
  /// ```swift
  /// let percent = KeyValueTransformer<Double, String>(
  ///   forward: { "\(Int($0 * 100)) %" }, backward: { try parsedPercentage($0) })
  /// account.kvo.rate.bindTwoWay(to: entry, "text", transformer: percent)
  /// ```
  ///
  /// Errors of the transformer are refusals. Otherwise like `bindTwoWay` without a transformer.
  @MainActor @discardableResult
  public func bindTwoWay<Shown: GValueConvertible>(
    to object: some GObjectPointer, _ property: String,
    transformer: KeyValueTransformer<Value, Shown>,
    commit: GObjectBinding.Commit = .onEachChange, onRefusal: (((any Error)?) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> GObjectBinding {
    let holding = KeyValueTransformer<Value, GObjectProperty<Shown>.State>(
      forward: { .value(try transformer.forward($0)) },
      backward: { try transformer.backward($0.get()) })
    return bindTwoWay(.plain(), holding, to: object, property, commit, onRefusal, fileID, line)
  }

  /// Keeps an optional value and a property of a GObject in agreement, with a placeholder for nil.
  ///
  /// ```swift
  /// register.kvo.selected.balance.bindTwoWay(to: spinButton, "value", placeholder: 100)
  /// ```
  ///
  /// The key gets every changed value of the property, even one that equals the placeholder. Otherwise like
  /// `bindTwoWay` without a placeholder.
  @MainActor @discardableResult
  public func bindTwoWay<Wrapped: GValueConvertible & Sendable>(
    to object: some GObjectPointer, _ property: String, placeholder: Wrapped,
    commit: GObjectBinding.Commit = .onEachChange, onRefusal: (((any Error)?) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> GObjectBinding where Value == Wrapped? {
    let holding = KeyValueTransformer<Value, GObjectProperty<Wrapped>.State>(
      forward: { .value($0 ?? placeholder) }, backward: { try $0.get() })
    return bindTwoWay(.plain(), holding, to: object, property, commit, onRefusal, fileID, line)
  }

  @MainActor
  func bindTwoWay<Shown>(
    _ coding: GValueCoding<Shown>,
    _ transformer: KeyValueTransformer<Value, GObjectProperty<Shown>.State>,
    to object: some GObjectPointer, _ property: String, _ commit: GObjectBinding.Commit,
    _ onRefusal: (((any Error)?) -> Void)?, _ fileID: StaticString, _ line: UInt
  ) -> GObjectBinding {
    let name = debugDescription
    let target = GObjectTarget(object, property, for: name, coding, .both)
    let binding = GObjectBinding(target, source: name, commit: commit, onRefusal: onRefusal)
    let side = GObjectProperty(coding, binding)
    let token = bindTwoWay(
      to: side.kvo.state, transformer: transformer, validates: true,
      onError: { [weak binding] in binding?.refuse($0) }, fileID: fileID, line: line)
    binding.begin(
      token, side, of: _object, reading: side.readWidget, writingAgain: side.writeWidget)
    return binding
  }
}

extension KeyValueTransformer {
  /// A value as the state of a property.
  static func holding() -> KeyValueTransformer where Output == GObjectProperty<Input>.State {
    KeyValueTransformer(forward: { .value($0) }, backward: { try $0.get() })
  }
}

// MARK: Objects

extension KeyValueBoundPath {
  /// Keeps the object of this path and a property of a GObject that has the object's mirror in agreement.
  ///
  /// ```swift
  /// register.kvo.selected.bindTwoWay(to: selection, "selected-item")    // a GtkSingleSelection
  /// ```
  ///
  /// The `selected-item` of a GtkSingleSelection or a GtkDropDown can't be set in GTK. Here it can: the object's row
  /// in the `model` is selected. Nil selects none, and so does an object that the model doesn't have. A
  /// GtkSingleSelection selects that object's row when it enters the model, if nothing else has been selected until
  /// then.
  ///
  /// A GtkSingleSelection whose `autoselect` is true, as it is at first, and a GtkDropDown select a row whenever the
  /// model changes and none is selected; the key follows. Some versions of GTK select none only if `autoselect` is
  /// false and `can-unselect` true. Otherwise like `bindTwoWay` of a value.
  ///
  /// - Complexity: O(*n*) to select a row among *n*, whose mirrors are looked at.
  @MainActor @discardableResult
  public func bindTwoWay<Object: KeyValueObservable>(
    to object: some GObjectPointer, _ property: String,
    onRefusal: (((any Error)?) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> GObjectBinding where Value == Object? {
    var coding = GValueCoding<Value>.object()
    coding.isSame = { $0 === $1 }
    return bindTwoWay(
      coding, .holding(), to: object, property, .onEachChange, onRefusal, fileID, line)
  }
}

// MARK: Enumerations that don't conform

// Disfavoured: an enumeration may conform to GValueConvertible as well.
extension KeyValueBoundPath where Value: RawRepresentable, Value.RawValue: GValueConvertible {
  /// Keeps an enumeration and a property of a GObject in agreement, by its raw value.
  ///
  /// ```swift
  /// task.kvo.priority.bindTwoWay(to: dropDown, "selected")
  /// ```
  ///
  /// A raw value without a case is refused. Otherwise like `bindTwoWay` of a number or a text.
  @MainActor @discardableResult @_disfavoredOverload
  public func bindTwoWay(
    to object: some GObjectPointer, _ property: String,
    commit: GObjectBinding.Commit = .onEachChange, onRefusal: (((any Error)?) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> GObjectBinding {
    let coding = GValueCoding<Value>.raw(Value.RawValue.self)
    return bindTwoWay(coding, .holding(), to: object, property, commit, onRefusal, fileID, line)
  }
}

extension KeyValueBoundPath {
  /// Keeps an optional enumeration and a property of a GObject in agreement, by its raw value.
  ///
  /// Nil is the empty text, 0 or false. Otherwise like `bindTwoWay` of an enumeration.
  @MainActor @discardableResult @_disfavoredOverload
  public func bindTwoWay<Wrapped: RawRepresentable>(
    to object: some GObjectPointer, _ property: String,
    commit: GObjectBinding.Commit = .onEachChange, onRefusal: (((any Error)?) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> GObjectBinding where Value == Wrapped?, Wrapped.RawValue: GValueConvertible {
    let coding = GValueCoding<Value>.optional(
      .raw(Wrapped.RawValue.self), emptyIsNil: endMayBeNil)
    return bindTwoWay(coding, .holding(), to: object, property, commit, onRefusal, fileID, line)
  }
}
