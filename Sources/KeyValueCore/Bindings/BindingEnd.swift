/// One side of a binding: how to read and write its value.
///
/// A class, so that passing it around needs no generic metadata.
final class BindingEnd<Object: AnyObject, Value> {
  let read: (Object) -> Value
  private let set: (Object, Value) throws -> Void
  private let validate: ((Object, Value) throws -> Value)?

  init(
    read: @escaping (Object) -> Value, set: @escaping (Object, Value) throws -> Void,
    validate: ((Object, Value) throws -> Value)?
  ) {
    self.read = read
    self.set = set
    self.validate = validate
  }

  /// Validates a value, if there is a validator, and writes it.
  ///
  /// - Returns: Whether the validator replaced the value.
  /// - Throws: The validator's error.
  func write(_ value: Value, to object: Object) throws -> Bool {
    guard let validate else {
      try set(object, value)
      return false
    }
    let valid = try validate(object, value)
    try set(object, valid)
    return isEqual(valid, value) == false
  }
}
