import CGtk4
import KeyValueObserving

// One way: the property of a GObject follows a key path.
extension KeyValueBoundPath where Value: GValueConvertible {
  /// Has a property of a GObject follow the value of this path.
  ///
  /// ```swift
  /// person.kvo.name.bind(to: label, "label")
  /// ```
  ///
  /// The property is set at once and after each change, synchronously. The binding retains neither side and
  /// ends with either, so its token need not be kept.
  ///
  /// Threading: a change on another thread than the main one stops the program, with the key's name.
  ///
  /// - Parameters:
  ///   - object: A widget, or any other GObject.
  ///   - property: The property's name, as in GTK's documentation. If the object has none, or values of this
  ///     type don't fit, the program stops with a message that names both.
  ///   - fileID: Where the binding is made, for `KeyValueTrace`.
  ///   - line: The line there.
  /// - Returns: The token, with which the binding can be ended earlier.
  @MainActor @discardableResult
  public func bind(
    to object: some GObjectPointer, _ property: String,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> GObjectBinding {
    bind(.plain(), to: object, property, fileID, line) { $0 }
  }
}

extension KeyValueBoundPath {
  /// Has a property of a GObject follow the value of this path, through a closure.
  ///
  /// ```swift
  /// register.kvo.selected.bind(to: form, "sensitive") { $0 != nil }
  /// ```
  ///
  /// If the closure throws, the property keeps its value, and a widget shows the error as `bindTwoWay` does.
  /// Otherwise like `bind` without a closure.
  @MainActor @discardableResult
  public func bind<Shown: GValueConvertible>(
    to object: some GObjectPointer, _ property: String,
    fileID: StaticString = #fileID, line: UInt = #line,
    transform: @escaping (Value) throws -> Shown
  ) -> GObjectBinding {
    bind(.plain(), to: object, property, fileID, line, transform)
  }

  @MainActor
  func bind<Shown>(
    _ coding: GValueCoding<Shown>, to object: some GObjectPointer, _ property: String,
    _ fileID: StaticString, _ line: UInt, _ transform: @escaping (Value) throws -> Shown
  ) -> GObjectBinding {
    let name = debugDescription
    let target = GObjectTarget(object, property, for: name, coding, .writing)
    let binding = GObjectBinding(target, source: name)
    let side = GObjectProperty(coding, binding)
    let token = bind(
      to: side.kvo.state, transform: { .value(try transform($0)) },
      onError: { [weak binding] in binding?.refuse($0) }, fileID: fileID, line: line)
    binding.begin(token, side, of: _object)
    return binding
  }
}

// MARK: Enumerations that don't conform

// Disfavoured: an enumeration may conform to GValueConvertible as well.
extension KeyValueBoundPath where Value: RawRepresentable, Value.RawValue: GValueConvertible {
  /// Has a property of a GObject follow the raw value of an enumeration.
  ///
  /// Otherwise like `bind` of a number or a text.
  @MainActor @discardableResult @_disfavoredOverload
  public func bind(
    to object: some GObjectPointer, _ property: String,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> GObjectBinding {
    bind(.raw(Value.RawValue.self), to: object, property, fileID, line) { $0 }
  }
}

extension KeyValueBoundPath {
  /// Has a property of a GObject follow the raw value of an optional enumeration.
  ///
  /// Nil is the empty text, 0 or false. Otherwise like `bind` of a number or a text.
  @MainActor @discardableResult @_disfavoredOverload
  public func bind<Wrapped: RawRepresentable>(
    to object: some GObjectPointer, _ property: String,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> GObjectBinding where Value == Wrapped?, Wrapped.RawValue: GValueConvertible {
    bind(.optional(.raw(Wrapped.RawValue.self)), to: object, property, fileID, line) { $0 }
  }
}
