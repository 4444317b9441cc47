extension KeyValueTrace {
  /// Whether a key of any class in use is marked `@KeyValueRedacted`.
  ///
  /// For code that shows values from elsewhere than events, such as a log's records:
  ///
  /// ```swift
  /// let value = KeyValueTrace.isRedacted("pin") ? "redacted" : "\(pin)"
  /// ```
  ///
  /// A class is in use once one of its objects has been observed, logged or read by key.
  ///
  /// - Parameter key: The name of a key.
  /// - Returns: Whether values of keys with this name are kept out of traces.
  /// - Complexity: O(1).
  public static func isRedacted(_ key: String) -> Bool { RedactedKeys.contain(key) }
}
