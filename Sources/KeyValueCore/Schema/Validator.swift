/// A class's `validate<Key>(_:)`, callable with `Any?`.
struct Validator {
  let validate: (AnyObject, inout Any?) throws -> Void

  init(_ validate: @escaping (AnyObject, inout Any?) throws -> Void) {
    self.validate = validate
  }

  /// Runs a typed method on an untyped value, which must convert as in a set.
  static func run<Root: AnyObject, Value>(
    _ method: (Root, inout Value) throws -> Void, on root: Root, with value: inout Any?, key: String
  ) throws {
    var typed: Value
    if let given = value {
      guard let converted = ValueConversion.convert(given, to: Value.self) as? Value else {
        throw KeyValueCodingError.typeMismatch(
          .init(
            type: name(of: type(of: root as AnyObject)), key: key, expected: Value.self,
            value: given))
      }
      typed = converted
    } else {
      guard let none = Optional<Any>.none as? Value else {
        throw KeyValueCodingError.nilValue(
          .init(
            type: name(of: type(of: root as AnyObject)), key: key, reason: "it holds \(Value.self)")
        )
      }
      typed = none
    }
    try method(root, &typed)
    value = flattened(typed)
  }
}
