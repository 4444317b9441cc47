import CGtk4
import KeyValueObserving

// The other way: a key path follows the property of a GObject.
extension KeyValueBoundPath where Value: GValueConvertible {
  /// Has the value of this path follow a property of a GObject.
  ///
  /// ```swift
  /// settings.kvo.isWide.follow(window, "maximized")
  /// ```
  ///
  /// The key is set at once and after each change of the property; its validator is called first. Refusals are
  /// shown as by `bindTwoWay`. The property isn't set, so it may be one that can only be read. The binding
  /// ends with either side, so its token need not be kept.
  ///
  /// - Parameters:
  ///   - object: A widget, or any other GObject.
  ///   - property: The property's name. If the object has none, or values of this type don't fit, the program
  ///     stops with a message that names both.
  ///   - onRefusal: Called with each error, and with nil when a change is accepted after one.
  ///   - fileID: Where the binding is made, for `KeyValueTrace`.
  ///   - line: The line there.
  /// - Returns: The token, with which the binding can be ended earlier.
  @MainActor @discardableResult
  public func follow(
    _ object: some GObjectPointer, _ property: String,
    onRefusal: (((any Error)?) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> GObjectBinding {
    follow(.plain(emptyIsNil: endMayBeNil), object, property, onRefusal, fileID, line)
  }
}

extension KeyValueBoundPath {
  /// Has the object of this path follow a property of a GObject that has the object's mirror.
  ///
  /// ```swift
  /// register.kvo.selected.follow(selection, "selected-item")    // a GtkSingleSelection
  /// ```
  ///
  /// NULL is nil. Otherwise like `follow` of a value.
  @MainActor @discardableResult
  public func follow<Object: KeyValueObservable>(
    _ object: some GObjectPointer, _ property: String,
    onRefusal: (((any Error)?) -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> GObjectBinding where Value == Object? {
    follow(.object(), object, property, onRefusal, fileID, line)
  }

  @MainActor
  private func follow(
    _ coding: GValueCoding<Value>, _ object: some GObjectPointer, _ property: String,
    _ onRefusal: (((any Error)?) -> Void)?, _ fileID: StaticString, _ line: UInt
  ) -> GObjectBinding {
    let name = debugDescription
    let target = GObjectTarget(object, property, for: name, coding, .reading)
    let binding = GObjectBinding(target, source: name, onRefusal: onRefusal)
    let side = GObjectProperty(coding, binding)
    side.readWidget()
    let token = side.kvo.state.bind(
      to: self, validates: true, transform: { try $0.get() },
      onError: { [weak binding] error in
        if !(error is GObjectProperty<Value>.Unset) { binding?.refuse(error) }
      }, fileID: fileID, line: line)
    binding.begin(token, side, of: _object, reading: side.readWidget)
    return binding
  }
}

extension KeyValueBoundPath {
  /// Whether nil may be set at the path's end; true if that's unknown.
  ///
  /// The value of a path through an optional is optional, whatever its end is.
  var endMayBeNil: Bool {
    var type: any KeyValueObservable.Type = Root.self
    var isOptional = true
    let keys = String(KeyValuePath(self)).split(separator: ".")
    for (place, key) in keys.enumerated() {
      guard let property = type.keyValueProperties.first(where: { $0.name == key })
      else { return true }
      isOptional = property.isOptional
      if place == keys.count - 1 { break }
      guard property.kind == .toOne, let related = property.relatedClass else { return true }
      type = related
    }
    return isOptional
  }
}
