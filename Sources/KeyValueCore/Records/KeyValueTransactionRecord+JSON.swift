extension KeyValueTransactionRecord {
  /// Creates the record that JSON spells, without Foundation.
  ///
  /// It reads what `JSONDecoder` reads, in a fraction of the time:
  ///
  /// ```swift
  /// let copy = try KeyValueTransactionRecord(json: record.json())
  /// print(copy == record)                           // true
  /// ```
  ///
  /// Fields may be in any order. Fields that a record or an edit of its kind doesn't have are ignored. A field that
  /// occurs twice is an error, and so is a text in UTF-16. It can be called on any thread.
  ///
  /// - Parameter json: The text in UTF-8: an array of bytes, `Data`, or a string's `utf8`.
  /// - Throws: `KeyValueJSONError`, which names the place and the path, if it isn't JSON, if a field is missing or
  ///   has a value of the wrong type, if an edit is of no kind or of two, if indexes aren't ascending ranges with as
  ///   many elements, or if a value's arrays and dictionaries are more than 128 levels deep.
  /// - Complexity: O(*n*), where *n* is the number of bytes.
  public init(json: some Sequence<UInt8>) throws(KeyValueJSONError) {
    self = try JSONReader.read(json) { reader throws(JSONReader.Fault) in try reader.record() }
  }

  /// Returns the record as JSON, without Foundation.
  ///
  /// The fields are ordered by name, the elements of sets by value. `JSONDecoder` reads it, too.
  ///
  /// ```swift
  /// let record = KeyValueTransactionRecord([.set(id, key: "count", old: 0, new: 1)])
  /// print(String(decoding: try record.json(), as: UTF8.self))
  /// // {"edits":[{"key":"count","new":1,"old":0,"set":"7f3c…4e12"}],"id":"0b8e…5e01","isTransaction":false}
  /// ```
  ///
  /// It can be called on any thread.
  ///
  /// - Returns: The text in UTF-8, without line breaks.
  /// - Throws: `KeyValueJSONError`, which names the edit and the key, if a value's arrays and dictionaries are more
  ///   than 128 levels deep.
  /// - Complexity: O(*n*), where *n* is the number of bytes, and O(*m* log *m*) for a set of *m* elements.
  public func json() throws(KeyValueJSONError) -> [UInt8] {
    var writer = JSONWriter()
    try writer.write(self)
    return writer.bytes
  }
}
