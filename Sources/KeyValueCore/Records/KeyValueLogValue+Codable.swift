extension KeyValueLogValue: Codable {
  /// Decodes a value of any kind.
  ///
  /// ```swift
  /// let json = Data(#"{"name": "Ada", "scores": [1, 2.5, null]}"#.utf8)
  /// print(try JSONDecoder().decode(KeyValueLogValue.self, from: json))
  /// // ["name": "Ada", "scores": [1, 2.5, nil]]
  /// ```
  ///
  /// - Throws: `DecodingError` if a field whose name begins with "@" isn't one that a value can have, or
  ///   if arrays and dictionaries are more than 128 levels deep.
  public init(from decoder: any Decoder) throws {
    var reader = LogValueReader()
    self = try reader.value(from: decoder)
  }

  /// Encodes the value as what it is.
  ///
  /// - Throws: `EncodingError` if arrays and dictionaries are more than 128 levels deep.
  public func encode(to encoder: any Encoder) throws {
    try LogValueWriter.write(self, to: encoder)
  }
}
