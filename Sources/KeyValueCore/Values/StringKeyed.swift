/// A dictionary whose keys are components of key paths.
protocol StringKeyed {
  static var valueType: Any.Type { get }
  /// What stands under a key, without its optionality.
  func anyValue(under key: String) -> Any?
  /// The same dictionary with another value under a key, or without the key where that is nil.
  func replacing(_ value: Any?, under key: String) throws -> Any
}

/// A value as a dictionary whose keys are components of key paths; nil where it is none.
func stringKeyed(_ value: Any) -> (any StringKeyed)? {
  value as? any StringKeyed ?? (value is any ToMany ? nil : value as? [String: Any])
}

extension Dictionary: StringKeyed where Key == String {
  static var valueType: Any.Type { Value.self }

  func anyValue(under key: String) -> Any? {
    self[key].flatMap { flattened($0) }
  }

  func replacing(_ value: Any?, under key: String) throws -> Any {
    var copy = self
    try copy.setValue(value, forKey: key)
    return copy
  }
}
