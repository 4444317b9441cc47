/// What an element has, an object or an array of objects, without keeping them alive.
private final class WeakValue {
  private weak let object: AnyObject?
  /// What an array has, in order; nil if the value isn't an array.
  private let elements: [WeakValue]?

  /// Creates the reference to a value that has nothing but objects, arrays and nil.
  init(_ value: Any) {
    let value = flattened(value)
    let array: (any OrderedToMany)? = value.flatMap {
      isClass(type(of: $0)) ? nil : $0 as? any OrderedToMany
    }
    object = array == nil ? value.map { $0 as AnyObject } : nil
    elements = array?.anyElements.map { WeakValue($0 as Any) }
  }

  /// The value, with nil in place of each object that has died.
  private var present: Any? {
    if let elements { return elements.map(\.present) }
    return object.map { $0 as Any }
  }

  func value<Value>(_ type: Value.Type) -> Value? {
    guard let present else { return nil }
    return (present as? Value) ?? ValueConversion.converted(present, to: type)
  }

  /// The value in place of one whose objects have died: nil, or an empty array.
  static func none<Value>(of type: Value.Type) -> Value? {
    nilValue(of: type) ?? (type as? any ToMany.Type)?.empty as? Value
  }
}

extension BoxBroadcast.Keeping {
  /// Keeps values, each of which is an object, nil or an array of them, without the objects.
  static func weak<Value>(valuesOf type: Value.Type) -> BoxBroadcast.Keeping {
    guard let none = WeakValue.none(of: type) else { return .strongly }
    return .weakly(
      BoxBroadcast.WeakKeeping(
        kept: { WeakValue(unsafeDowncast($0, to: ValueBox<Value>.self).value) },
        restored: { kept in
          let value = unsafeDowncast(kept, to: WeakValue.self).value(type)
          return ValueBox<Value>(value ?? none)
        }))
  }

  /// Keeps settings, whose new value is an object, nil or an array of them, without the objects.
  static func weak<Value>(settingsOf type: Value.Type) -> BoxBroadcast.Keeping {
    typealias Setting = KeyValueObservedChange<Value>
    guard let none = WeakValue.none(of: type) else { return .strongly }
    return .weakly(
      BoxBroadcast.WeakKeeping(
        kept: { WeakValue(unsafeDowncast($0, to: ValueBox<Setting>.self).value.newValue ?? none) },
        restored: { kept in
          let value = unsafeDowncast(kept, to: WeakValue.self).value(type)
          return ValueBox<Setting>(Setting(kind: .setting, newValue: value ?? none))
        }))
  }
}
