extension KeyValueLogValue {
  /// Creates the value that JSON spells, without Foundation.
  ///
  /// ```swift
  /// print(try KeyValueLogValue(json: #"{"name": "Ada", "scores": [1, 2.5, null]}"#.utf8))
  /// // ["name": "Ada", "scores": [1, 2.5, nil]]
  /// ```
  ///
  /// It can be called on any thread.
  ///
  /// - Parameter json: The text in UTF-8: an array of bytes, `Data`, or a string's `utf8`.
  /// - Throws: `KeyValueJSONError`, which names the place and the path, if it isn't JSON, if a field occurs twice, if
  ///   a field whose name begins with "@" isn't one that a value can have, or if arrays and dictionaries are more
  ///   than 128 levels deep.
  /// - Complexity: O(*n*), where *n* is the number of bytes.
  public init(json: some Sequence<UInt8>) throws(KeyValueJSONError) {
    self = try JSONReader.read(json) { reader throws(JSONReader.Fault) in try reader.value() }
  }

  /// Returns the value as JSON, without Foundation, a dictionary's keys in ascending order.
  ///
  /// ```swift
  /// let value: KeyValueLogValue = ["name": "Ada", "scores": [1, 2.5, nil]]
  /// print(String(decoding: try value.json(), as: UTF8.self))
  /// // {"name":"Ada","scores":[1,2.5,null]}
  /// ```
  ///
  /// It can be called on any thread.
  ///
  /// - Returns: The text in UTF-8, without line breaks.
  /// - Throws: `KeyValueJSONError` if arrays and dictionaries are more than 128 levels deep.
  /// - Complexity: O(*n*), where *n* is the number of bytes.
  public func json() throws(KeyValueJSONError) -> [UInt8] {
    var writer = JSONWriter()
    try writer.write(self)
    return writer.bytes
  }
}
