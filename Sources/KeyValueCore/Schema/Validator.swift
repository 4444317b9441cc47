/// A class's `validate<Key>(_:)`, callable with `Any?`.
typealias Validator = (AnyObject, inout Any?) throws -> Void

/// Runs a typed validator on an untyped value, which must convert as it would when set.
func validate<Root: AnyObject, Value>(
  _ value: inout Any?, key: String, of root: Root, _ method: (Root, inout Value) throws -> Void
) throws {
  let className = { name(of: type(of: root as AnyObject)) }
  var typed: Value
  // Nil inside of an `Any` is nil, as for a set.
  if let given = value.flatMap(flattened) {
    guard let converted = ValueConversion.converted(given, to: Value.self) else {
      throw KeyValueCodingError.typeMismatch(
        .init(
          type: className(), key: key, expected: Value.self, value: given,
          holder: holder(of: Value.self, root, key)))
    }
    typed = converted
  } else {
    guard let none = nilValue(of: Value.self) else {
      throw KeyValueCodingError.nilValue(
        .init(
          type: className(), key: key,
          reason: "\(holder(of: Value.self, root, key)) \(Value.self)"))
    }
    typed = none
  }
  try method(root, &typed)
  value = flattened(typed)
}

/// What an error says to have the type that a validator takes: the key, unless its own type is another one.
private func holder(of type: Any.Type, _ root: AnyObject, _ key: String) -> String {
  let property = (root as? any KeyValueObservable)?.schema.property(key)
  return property == nil || property?.valueType == type ? "it holds" : "its validator takes"
}
