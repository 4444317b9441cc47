import CGtk4
import KeyValueObserving

/// How the values of a Swift type travel to and from the property of a GObject.
struct GValueCoding<Value> {
  let fits: (GType) -> Bool
  let read: (UnsafePointer<GValue>) throws -> Value
  let write: (Value, UnsafeMutablePointer<GValue>) throws -> Void
  /// Whether a property that tells of the second value, after the first, hasn't changed.
  var isSame: (Value, Value) -> Bool = { _, _ in false }
}

extension GValueCoding where Value: GValueConvertible {
  /// The type's own; if it's optional, empty text is nil, or isn't.
  static func plain(emptyIsNil: Bool = true) -> GValueCoding {
    GValueCoding(
      fits: Value.fits, read: { try ._reading($0, emptyIsNil: emptyIsNil) },
      write: { try $0.write(to: $1) })
  }
}

extension GValueCoding {
  /// An enumeration, as its raw value.
  static func raw<Raw: GValueConvertible>(_: Raw.Type) -> GValueCoding
  where Value: RawRepresentable, Value.RawValue == Raw {
    GValueCoding(
      fits: Raw.fits,
      read: { value in
        let raw = try Raw(value)
        guard let known = Value(rawValue: raw) else {
          throw GValueError("“\(raw)” isn't \(Words.indefinite(Value.self)).")
        }
        return known
      },
      write: { try $0.rawValue.write(to: $1) })
  }

  /// An optional enumeration.
  static func optional<Wrapped>(
    _ wrapped: GValueCoding<Wrapped>, emptyIsNil: Bool = true
  ) -> GValueCoding
  where Value == Wrapped? {
    GValueCoding(
      fits: wrapped.fits,
      read: { emptyIsNil && $0.hasEmptyText ? nil : try wrapped.read($0) },
      write: { optional, value in
        if let optional {
          try wrapped.write(optional, value)
        } else {
          try String?.none.write(to: value)
        }
      })
  }

  /// An object, as its mirror.
  @MainActor static func object<Object: KeyValueObservable>() -> GValueCoding
  where Value == Object? {
    GValueCoding(
      fits: { g_type_is_a($0, kvo_type_object) != 0 || g_type_is_a($0, kvo_type_interface) != 0 },
      read: { value in
        guard let pointer = g_value_get_object(value) else { return nil }
        guard let object = onMainActor(pointer, { GObjectMirror.object(of: $0, as: Object.self) })
        else { throw GValueError("The object is no mirror of \(Words.indefinite(Object.self)).") }
        return object
      },
      write: { object, value in
        guard let object else { return }
        let mirror = onMainActor(object) { Mirror.retained(of: $0, isRow: true) }
        g_value_take_object(value, mirror)
      })
  }
}
