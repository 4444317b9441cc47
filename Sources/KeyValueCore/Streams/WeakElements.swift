/// An object that an element has, without keeping it alive.
private final class WeakObject {
  weak let object: AnyObject?

  /// Creates the reference to the object that the value is; the value isn't anything else, unless it's nil.
  init(_ value: Any) {
    object = flattened(value).map { $0 as AnyObject }
  }

  /// The value that is the object; nil if that has died.
  func value<Value>(_ type: Value.Type) -> Value? {
    guard let object else { return nil }
    let value: Any = object
    return value as? Value
  }
}

extension BoxBroadcast.Keeping {
  /// Keeps values, each of which is an object or nil, without the object.
  static func weak<Value>(valuesOf type: Value.Type) -> BoxBroadcast.Keeping {
    guard let none = nilValue(of: type) else { return .strongly }
    return .weakly(
      BoxBroadcast.WeakKeeping(
        kept: { WeakObject(unsafeDowncast($0, to: ValueBox<Value>.self).value) },
        restored: { kept in
          let value = unsafeDowncast(kept, to: WeakObject.self).value(type)
          return ValueBox<Value>(value ?? none)
        }))
  }

  /// Keeps settings, whose new value is an object or nil, without the object.
  static func weak<Value>(settingsOf type: Value.Type) -> BoxBroadcast.Keeping {
    typealias Setting = KeyValueObservedChange<Value>
    guard let none = nilValue(of: type) else { return .strongly }
    return .weakly(
      BoxBroadcast.WeakKeeping(
        kept: { WeakObject(unsafeDowncast($0, to: ValueBox<Setting>.self).value.newValue ?? none) },
        restored: { kept in
          let value = unsafeDowncast(kept, to: WeakObject.self).value(type)
          return ValueBox<Setting>(Setting(kind: .setting, newValue: value ?? none))
        }))
  }
}
