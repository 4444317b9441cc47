/// A dictionary whose keys are components of key paths.
package protocol StringKeyed {
  static var valueType: Any.Type { get }
  /// The value of a key, unwrapped.
  func anyValue(under key: String) -> Any?
  /// A copy of the dictionary with another value for a key; without the key if the value is nil.
  func replacing(_ value: Any?, under key: String) throws -> Any
}

/// The value as a dictionary whose keys are components of key paths; nil if it isn't one.
func stringKeyed(_ value: Any) -> (any StringKeyed)? {
  value as? any StringKeyed ?? (value is any ToMany ? nil : value as? [String: Any])
}

extension Dictionary: StringKeyed where Key == String {
  package static var valueType: Any.Type { Value.self }

  package func anyValue(under key: String) -> Any? {
    self[key].flatMap { flattened($0) }
  }

  package func replacing(_ value: Any?, under key: String) throws -> Any {
    var copy = self
    try copy.setValue(value, forKey: key)
    return copy
  }
}

// Key-value coding of one key. `Coding` has that of key paths, which may lead into objects.
extension Dictionary where Key == String {
  /// The value of a key; nil if there is none.
  ///
  /// Never throws; it's declared `throws` to match the other collections' methods.
  ///
  /// ```swift
  /// let row: [String: Any] = ["payee": "Rent", "amount": 900]
  /// print(try row.value(forKey: "payee") ?? "none")                  // Rent
  /// ```
  ///
  /// Source of the behaviour: Cocoa's dictionaries, except that a key that begins with `@` is not
  /// special.
  public func value(forKey key: String) throws -> Any? {
    self[key].flatMap { flattened($0) }
  }

  /// Sets the value of a key; nil removes the key.
  ///
  /// ```swift
  /// var row: [String: Any] = ["payee": "Rent", "amount": 900]
  /// try row.setValue(nil, forKey: "payee")
  /// print(row)                                                       // ["amount": 900]
  /// ```
  ///
  /// - Throws: `KeyValueCodingError.typeMismatch` if the dictionary can't hold the value.
  public mutating func setValue(_ value: Any?, forKey key: String) throws {
    guard let value = value.flatMap({ flattened($0) }) else {
      removeValue(forKey: key)
      return
    }
    guard let typed = ValueConversion.converted(value, to: Value.self) else {
      throw KeyValueCodingError.typeMismatch(
        .init(type: name(of: Self.self), key: key, expected: Value.self, value: value))
    }
    self[key] = typed
  }
}
