/// `Optional` without its type parameter, for use where only `Any` is known.
package protocol AnyOptional {
  static var wrappedType: Any.Type { get }
  static var absent: Any { get }
  /// The value at an address that holds this type, without any level of optionality.
  static func flattened(at address: UnsafeRawPointer) -> Any?
  var wrappedValue: Any? { get }
  /// Lends the wrapped value for a change in place; nil becomes the given value first.
  static func modifyWrapped(
    at address: UnsafeMutableRawPointer, orIfNil empty: @autoclosure () -> Any,
    _ body: (UnsafeMutableRawPointer, Any.Type) -> Void)
}

extension Optional: AnyOptional {
  package static var wrappedType: Any.Type { Wrapped.self }
  package static var absent: Any { Self.none as Any }

  package static func flattened(at address: UnsafeRawPointer) -> Any? {
    // Only the wrapped value may need a cast, and only if it's optional itself.
    switch address.assumingMemoryBound(to: Self.self).pointee {
    case .none: nil
    case .some(let value): KeyValueCore.flattened(value)
    }
  }

  package var wrappedValue: Any? {
    switch self {
    case .none: nil
    case .some(let value): value
    }
  }

  package static func modifyWrapped(
    at address: UnsafeMutableRawPointer, orIfNil empty: @autoclosure () -> Any,
    _ body: (UnsafeMutableRawPointer, Any.Type) -> Void
  ) {
    let optional = address.assumingMemoryBound(to: Self.self)
    guard var value = optional.pointee ?? (empty() as? Wrapped) else { return }
    optional.pointee = nil  // so that the value is uniquely referenced while it changes
    withUnsafeMutablePointer(to: &value) { body(UnsafeMutableRawPointer($0), Wrapped.self) }
    optional.pointee = value
  }
}

/// The value without any level of optionality; nil if any level is nil.
package func flattened(_ value: Any) -> Any? {
  var value = value
  while isOptional(type(of: value)), let optional = value as? any AnyOptional {
    guard let wrapped = optional.wrappedValue else { return nil }
    value = wrapped
  }
  return value
}

/// Nil of an optional type, without any level of optionality around it; `.none` if the type has no nil.
func nilValue<Value>(of type: Value.Type) -> Value? {
  guard isOptional(type), let optional = type as? any AnyOptional.Type else {
    // An existential may hold an optional.
    return Optional<Any>.none as? Value
  }
  return optional.absent as? Value
}

/// The type without its optionality.
package func unwrapped(_ type: Any.Type) -> Any.Type {
  var type = type
  while isOptional(type), let optional = type as? any AnyOptional.Type {
    type = optional.wrappedType
  }
  return type
}

/// The type under which a value was boxed: an object's class or a superclass, or an existential if
/// generic code made the box.
///
/// Costs a quarter of `type(of:)`, which finds the value's dynamic type.
func boxedType(of value: Any) -> Any.Type {
  func type<Value>(_ value: Value) -> Any.Type { Value.self }
  return _openExistential(value, do: type)
}

/// The value, if it's boxed as exactly this type; nil if it would need a cast.
func exactly<Wanted>(_ type: Wanted.Type, _ value: Any) -> Wanted? {
  func same<Value>(_ value: Value) -> Wanted? {
    Value.self == Wanted.self ? unsafeBitCast(value, to: Wanted.self) : nil
  }
  return _openExistential(value, do: same)
}

/// Whether a type is `Optional`, without looking for a conformance.
///
/// The first word of a type's metadata is its kind. Only `Optional` has this kind, which Swift's
/// ABI fixes.
func isOptional(_ type: Any.Type) -> Bool {
  unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee == 0x202
}

/// Whether a type is an existential, which may hold any conforming type; checked like `isOptional`.
func isExistential(_ type: Any.Type) -> Bool {
  unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee == 0x303
}

/// Whether a type is a class; checked like `isOptional`.
///
/// Casting a collection to a class-constrained protocol costs thousands of instructions if Foundation is
/// linked, because the cast first makes an object of it.
func isClass(_ type: Any.Type) -> Bool {
  let kind = unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee
  return kind == 0 || kind > 0x7FF
}
