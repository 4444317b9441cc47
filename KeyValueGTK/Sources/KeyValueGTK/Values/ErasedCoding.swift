import CGtk4

/// How the values of a key, whose type is known at run time only, travel to and from a GObject's property.
///
/// The values are those of key-value coding: an optional is unwrapped or nil.
struct ErasedCoding {
  let gType: GType
  /// Nil is written as the empty text, 0 or false.
  let write: (Any?, UnsafeMutablePointer<GValue>) throws -> Void
  let read: (UnsafePointer<GValue>) throws -> Any?

  /// The coding of a type; nil if GObject has no such values.
  init?(of type: Any.Type) {
    if let optional = type as? any OptionalValue.Type {
      guard let wrapped = ErasedCoding(of: optional.wrapped) else { return nil }
      // Text has an empty value, which numbers have not.
      self.init(
        gType: kvo_type_string, write: wrapped.write,
        read: { $0.hasEmptyText ? nil : try wrapped.read($0) })
    } else if let type = type as? any GValueConvertible.Type {
      self = .plain(type)
    } else if let type = type as? any RawRepresentable.Type, let coding = ErasedCoding.raw(type) {
      self = coding
    } else {
      return nil
    }
  }

  private init(
    gType: GType, write: @escaping (Any?, UnsafeMutablePointer<GValue>) throws -> Void,
    read: @escaping (UnsafePointer<GValue>) throws -> Any?
  ) {
    (self.gType, self.write, self.read) = (gType, write, read)
  }

  private static func plain<Value: GValueConvertible>(_ type: Value.Type) -> ErasedCoding {
    ErasedCoding(
      gType: type.gType,
      write: { try ($0 as? Value).write(to: $1) },
      read: { try Value($0) })
  }

  private static func raw<Value: RawRepresentable>(_ type: Value.Type) -> ErasedCoding? {
    func coding<Raw: GValueConvertible>(_ raw: Raw.Type) -> ErasedCoding {
      ErasedCoding(
        gType: raw.gType,
        write: { try (($0 as? Value)?.rawValue as? Raw).write(to: $1) },
        read: { value in
          let raw = try Raw(value)
          guard let known = (raw as? Value.RawValue).flatMap(Value.init(rawValue:)) else {
            throw GValueError("“\(raw)” isn't \(Words.indefinite(Value.self)).")
          }
          return known
        })
    }
    return (Value.RawValue.self as? any GValueConvertible.Type).map { coding($0) }
  }
}

/// An optional, whatever it wraps.
protocol OptionalValue {
  static var wrapped: Any.Type { get }
}

extension Optional: OptionalValue {
  static var wrapped: Any.Type { Wrapped.self }
}
