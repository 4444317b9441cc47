/// A class's `validate<Key>(_:)`, callable with `Any?`.
typealias Validator = (AnyObject, inout Any?) throws -> Void

/// Runs a typed validator on an untyped value, which must convert as it would when set.
func validate<Root: AnyObject, Value>(
  _ value: inout Any?, key: String, of root: Root, _ method: (Root, inout Value) throws -> Void
) throws {
  let className = { name(of: type(of: root as AnyObject)) }
  var typed: Value
  if let given = value {
    guard let converted = ValueConversion.converted(given, to: Value.self) else {
      throw KeyValueCodingError.typeMismatch(
        .init(
          type: className(), key: key, expected: Value.self, value: given,
          holder: takes(Value.self, of: root, key) ? "it holds" : "its validator takes"))
    }
    typed = converted
  } else {
    guard let none = nilValue(of: Value.self) else {
      throw KeyValueCodingError.nilValue(
        .init(
          type: className(), key: key,
          reason: (takes(Value.self, of: root, key) ? "it holds" : "its validator takes")
            + " \(Value.self)"))
    }
    typed = none
  }
  try method(root, &typed)
  value = flattened(typed)
}

/// Whether the key has the type that its validator takes.
private func takes(_ type: Any.Type, of root: AnyObject, _ key: String) -> Bool {
  (root as? any KeyValueObservable)?.schema.property(key).map { $0.valueType == type } ?? true
}
