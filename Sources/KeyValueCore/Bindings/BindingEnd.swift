/// Whether two sides of a binding that have these values agree; nil if that can't be known.
///
/// An observable object is the same only as itself, in a collection too, and another value only as one with the same
/// data: a type's own equality may leave out what the other side should get. The type's own equality decides where
/// the data can't be compared.
func isSameForBindings(_ value: Any, _ other: Any) -> Bool? {
  isUnchanged(flattened(value), in: flattened(other)) ?? isEqualOrCopy(value, other)
}

/// Whether a validator has replaced a value; false if that can't be known.
func isReplaced(_ value: Any, by valid: Any) -> Bool {
  !(isSameForBindings(valid, value) ?? (isEqual(valid, value) != false))
}

/// One side of a binding: how to read and write its value.
///
/// A class, so that passing it around needs no generic metadata.
final class BindingEnd<Object: AnyObject, Value> {
  let read: (Object) -> Value
  private let set: (Object, Value) throws -> Void
  /// Sets a value as the validator leaves it, and returns whether that's another one; nil if there's no validator.
  private let setValidated: ((Object, Value) throws -> Bool)?
  /// Tells whether there's something to set the value in; nil if there always is.
  private let place: ((Object) -> Bool)?

  init(
    read: @escaping (Object) -> Value, set: @escaping (Object, Value) throws -> Void,
    hasPlace: ((Object) -> Bool)?, setValidated: ((Object, Value) throws -> Bool)? = nil
  ) {
    self.read = read
    self.set = set
    place = hasPlace
    self.setValidated = setValidated
  }

  convenience init(
    read: @escaping (Object) -> Value, set: @escaping (Object, Value) throws -> Void,
    hasPlace: ((Object) -> Bool)?, validate: @escaping (Object, Value) throws -> Value
  ) {
    self.init(
      read: read, set: set, hasPlace: hasPlace,
      setValidated: { object, value in
        let valid = try validate(object, value)
        try set(object, valid)
        return isReplaced(value, by: valid)
      })
  }

  /// Whether there's something to set the value in: no object on the way to it is nil.
  func hasPlace(in object: Object) -> Bool { place?(object) ?? true }

  /// Validates a value, if there is a validator, and writes it.
  ///
  /// - Returns: Whether the validator replaced the value.
  /// - Throws: The validator's error.
  func write(_ value: Value, to object: Object) throws -> Bool {
    if let setValidated { return try setValidated(object, value) }
    try set(object, value)
    return false
  }
}
