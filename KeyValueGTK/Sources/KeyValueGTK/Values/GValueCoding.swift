import CGtk4

/// How the values of a Swift type travel to and from the property of a GObject.
struct GValueCoding<Value> {
  let gType: GType
  let fits: (GType) -> Bool
  let read: (UnsafePointer<GValue>) throws -> Value
  let write: (Value, UnsafeMutablePointer<GValue>) throws -> Void
}

extension GValueCoding where Value: GValueConvertible {
  static var plain: GValueCoding {
    GValueCoding(
      gType: Value.gType, fits: Value.fits, read: { try Value($0) },
      write: { try $0.write(to: $1) })
  }
}

extension GValueCoding {
  /// An enumeration, as its raw value.
  static func raw<Raw: GValueConvertible>(_: Raw.Type) -> GValueCoding
  where Value: RawRepresentable, Value.RawValue == Raw {
    GValueCoding(
      gType: Raw.gType, fits: Raw.fits,
      read: { value in
        let raw = try Raw(value)
        guard let known = Value(rawValue: raw) else {
          throw GValueError("“\(raw)” isn't \(Words.indefinite(Value.self)).")
        }
        return known
      },
      write: { try $0.rawValue.write(to: $1) })
  }

  /// An optional enumeration; empty text is nil.
  static func optional<Wrapped>(_ wrapped: GValueCoding<Wrapped>) -> GValueCoding
  where Value == Wrapped? {
    GValueCoding(
      gType: kvo_type_string, fits: wrapped.fits,
      read: { value in
        if value.pointee.g_type == kvo_type_string, String(value).trimmingSpaces.isEmpty {
          return nil
        }
        return try wrapped.read(value)
      },
      write: { optional, value in
        if let optional {
          try wrapped.write(optional, value)
        } else {
          try String?.none.write(to: value)
        }
      })
  }
}
