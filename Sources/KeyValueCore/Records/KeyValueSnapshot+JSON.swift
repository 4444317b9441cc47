extension KeyValueSnapshot {
  /// Creates the snapshot that JSON spells, without Foundation.
  ///
  /// It reads what `JSONDecoder` reads, with a fifth of the instructions:
  ///
  /// ```swift
  /// let bytes = try log.snapshot().json()
  /// let snapshot = try KeyValueSnapshot(json: bytes)
  /// let copy = try KeyValueChangeLog(restoring: snapshot, as: Company.self)
  /// ```
  ///
  /// Fields may be in any order. Fields that a snapshot doesn't have are ignored. A field that occurs twice is an
  /// error, and so is a text in UTF-16. Whether references lead to objects isn't checked.
  ///
  /// It can be called on any thread.
  ///
  /// - Parameter json: The text in UTF-8: an array of bytes, `Data`, or a string's `utf8`.
  /// - Throws: `KeyValueJSONError`, which names the place and the path, if it isn't JSON, if a field is missing or
  ///   has a value of the wrong type, if there are two objects of one id, or if a value's arrays and dictionaries
  ///   are more than 128 levels deep.
  /// - Complexity: O(*n*), where *n* is the number of bytes.
  public init(json: some Sequence<UInt8>) throws(KeyValueJSONError) {
    self = try JSONReader.read(json) { reader throws(JSONReader.Fault) in try reader.snapshot() }
  }

  /// Returns the snapshot as JSON, without Foundation.
  ///
  /// The objects are ordered by id and all fields by name, so the same snapshot always has the same text. A number
  /// that's whole is written without a fraction. `JSONDecoder` reads the text, too.
  ///
  /// ```swift
  /// let snapshot = KeyValueSnapshot(
  ///   root: id, objects: [id: .init(class: "Counter", values: ["count": 0])])
  /// print(String(decoding: try snapshot.json(), as: UTF8.self))
  /// // {"objects":{"7f3c…4e12":{"class":"Counter","values":{"count":0}}},"root":"7f3c…4e12","schema":0}
  /// ```
  ///
  /// It can be called on any thread.
  ///
  /// - Returns: The text in UTF-8, without line breaks.
  /// - Throws: `KeyValueJSONError`, which names the object and the key, if a value's arrays and dictionaries are
  ///   more than 128 levels deep.
  /// - Complexity: O(*n* + *m* log *m*), where *n* is the number of bytes and *m* that of objects.
  public func json() throws(KeyValueJSONError) -> [UInt8] {
    var writer = JSONWriter()
    try writer.write(self)
    return writer.bytes
  }
}
