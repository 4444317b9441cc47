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
