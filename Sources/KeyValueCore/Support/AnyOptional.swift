/// `Optional` as a type that can be taken apart where only `Any` is known.
package protocol AnyOptional {
  static var wrappedType: Any.Type { get }
  /// The value at an address that holds this type, with every level of optionality removed.
  static func flattened(at address: UnsafeRawPointer) -> Any?
  var wrappedValue: Any? { get }
  /// Lends the wrapped to-many value, made empty where there is none, to be changed in place.
  static func modifyWrapped(
    at address: UnsafeMutableRawPointer, _ body: (UnsafeMutableRawPointer, Any.Type) -> Void)
}

extension Optional: AnyOptional {
  package static var wrappedType: Any.Type { Wrapped.self }

  package static func flattened(at address: UnsafeRawPointer) -> Any? {
    KeyValueCore.flattened(address.assumingMemoryBound(to: Self.self).pointee as Any)
  }

  package var wrappedValue: Any? {
    switch self {
    case .none: nil
    case .some(let value): value
    }
  }
}

/// A value with every level of optionality removed; nil where any level is nil.
package func flattened(_ value: Any) -> Any? {
  var value = value
  while isOptional(type(of: value)), let optional = value as? any AnyOptional {
    guard let wrapped = optional.wrappedValue else { return nil }
    value = wrapped
  }
  return value
}

/// A type without its optionality.
package func unwrapped(_ type: Any.Type) -> Any.Type {
  var type = type
  while isOptional(type), let optional = type as? any AnyOptional.Type {
    type = optional.wrappedType
  }
  return type
}

/// Whether a type is `Optional`, told without asking for a conformance.
///
/// The first word of a type's metadata says what kind of type it is; this kind is `Optional` alone, and
/// fixed by Swift's ABI.
func isOptional(_ type: Any.Type) -> Bool {
  unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee == 0x202
}

/// Whether a type is an existential, whose values may be of any conforming type; told as `isOptional` is.
func isExistential(_ type: Any.Type) -> Bool {
  unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee == 0x303
}
