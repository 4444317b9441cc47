/// One side of a binding: how its value is read and written.
///
/// A class, so that handing it around asks for no generic metadata.
final class BindingEnd<Object: AnyObject, Value> {
  let read: (Object) -> Value
  private let set: (Object, Value) throws -> Void
  private let validate: ((Object, Value) throws -> Value)?

  private init(
    read: @escaping (Object) -> Value, set: @escaping (Object, Value) throws -> Void,
    validate: ((Object, Value) throws -> Value)?
  ) {
    self.read = read
    self.set = set
    self.validate = validate
  }

  /// The side that a plain key path names, of any class.
  init(
    _ keyPath: ReferenceWritableKeyPath<Object, Value>, of object: Object, validates: Bool
  ) {
    let property = (object as? any KeyValueObservable)?.schema.property(keyPath)
    if let property, case .stored = property.origin,
      let reader = property.reader(of: Value.self), let writer = property.writer(of: Value.self)
    {
      // Several times faster than by key path, and the same accessors.
      read = reader
      set = writer
    } else {
      read = { $0[keyPath: keyPath] }
      set = { $0[keyPath: keyPath] = $1 }
    }
    validate = validates ? property.flatMap { validation($0.key, of: object) } : nil
  }

  /// Writes a value, as its validator has it where there is one.
  ///
  /// - Returns: Whether the validator put another value in its place.
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

extension BindingEnd where Object: KeyValueObservable {
  /// The side that a typed path leads to; nil, and reported, where it cannot be set.
  convenience init?(_ path: KeyValuePath<Object, Value>, of object: Object, validates: Bool) {
    guard case .key(let property)? = path.steps.last?.kind, property.isSettable else {
      // What is no path at all is reported by whoever observes it.
      if path.observed.problem == nil, !path.observed.isUncertain {
        KeyValueViolation.report(
          .unobservablePath,
          "'\(path.string)' of \(object.schema.name) cannot be set, so it cannot be bound both ways. "
            + "Bind it with bind(_:to:_:), or name a property that can be set.")
      }
      return nil
    }
    let string = path.string
    var set: (Object, Value) throws -> Void = { object, value in
      try object.setValue(flattened(value), forKeyPath: string)
    }
    let observed = path.observed
    if !observed.isNamedByKeys {
      set = { object, value in
        guard let (owner, key) = try observed.lastKey(from: object) else { return }
        try owner.setValue(flattened(value), forKey: key)
      }
    }
    if path.steps.count == 1, case .stored = property.origin,
      let writer = property.writer(of: Value.self)
    {
      set = writer
    }
    self.init(
      read: path.reading.read, set: set, validate: validates ? validation(string, of: object) : nil)
  }
}

/// Asks the class about a value; nil where it has no method for that.
private func validation<Object: AnyObject, Value>(
  _ keyPath: String, of object: Object
) -> ((Object, Value) throws -> Value)? {
  guard let schema = (object as? any KeyValueObservable)?.schema else { return nil }
  if schema.property(keyPath) != nil, schema.validator(keyPath) == nil { return nil }
  return { object, value in
    guard let object = object as? any KeyValueObservable else { return value }
    var answer = flattened(value)
    try object.validateValue(&answer, forKeyPath: keyPath)
    guard let answer else {
      guard let none = Optional<Any>.none as? Value else {
        throw KeyValueCodingError.nilValue(keyPath, of: object)
      }
      return none
    }
    guard let converted = ValueConversion.convert(answer, to: Value.self) as? Value else {
      throw KeyValueCodingError.typeMismatch(
        .init(type: object.schema.name, key: keyPath, expected: Value.self, value: answer))
    }
    return converted
  }
}

/// Whether two values are equal; nil where their type does not say.
func isEqual(_ left: Any, _ right: Any) -> Bool? {
  guard let left = flattened(left), let right = flattened(right) else {
    return flattened(left) == nil && flattened(right) == nil
  }
  func isEqual<Left: Equatable>(_ left: Left) -> Bool { left == right as? Left }
  if let left = left as? any Equatable { return isEqual(left) }
  return type(of: left) is AnyClass ? left as AnyObject === right as AnyObject : nil
}
