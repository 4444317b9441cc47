// Key-value coding of collections, as Cocoa's collections answer it (Parity K5).
extension Array {
  /// The elements' values for a key, nil where an element's is.
  ///
  /// `@count` is the number of elements; the other operators are components of key paths and not keys.
  ///
  /// ```swift
  /// print(try transactions.value(forKey: "payee") ?? "")       // ["Rent", "Food"]
  /// ```
  ///
  /// Cost: O(n). Threads: the elements are read on this one.
  ///
  /// - Throws: `KeyValueCodingError` where an element has no such key.
  ///
  /// Source of the behaviour: Cocoa's arrays, with nil for `NSNull`.
  public func value(forKey key: String) throws -> Any? {
    try ParsedKeyPath(key).singleKey().value(of: self)
  }

  /// The value at the end of a key path that begins in the elements, or with an operator.
  ///
  /// ```swift
  /// print(try transactions.value(forKeyPath: "@sum.amount") ?? 0)    // 1250.0
  /// ```
  ///
  /// - Throws: `KeyValueCodingError`, naming the component.
  public func value(forKeyPath keyPath: String) throws -> Any? {
    try ParsedKeyPath(keyPath).value(of: self)
  }

  /// Sets a key of every element; each announces it as an assignment does.
  ///
  /// ```swift
  /// try friends.setValue(40, forKey: "age")
  /// print(try friends.value(forKeyPath: "@sum.age") ?? 0)            // 80
  /// ```
  ///
  /// - Throws: The first element's error; the elements before it have been set.
  public func setValue(_ value: Any?, forKey key: String) throws {
    try ParsedKeyPath(key).singleKey().set(value, ofElements: self)
  }
}

extension Set {
  /// The elements' values for a key, each once and without nil.
  ///
  /// `@count` is the number of elements.
  /// ```swift
  /// print(try notes.value(forKey: "tag") as? Set<String> ?? [])      // ["urgent"]
  /// ```
  ///
  /// The result is a `Set<AnyHashable>`; an array where there are values that are not hashable.
  /// Cost: O(n).
  ///
  /// Source of the behaviour: Cocoa's sets.
  ///
  /// - Throws: `KeyValueCodingError` where an element has no such key.
  public func value(forKey key: String) throws -> Any? {
    try ParsedKeyPath(key).singleKey().value(of: self)
  }

  /// The value at the end of a key path that begins in the elements, or with an operator.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component.
  public func value(forKeyPath keyPath: String) throws -> Any? {
    try ParsedKeyPath(keyPath).value(of: self)
  }

  /// Sets a key of every element, in no particular order; each announces it as an assignment does.
  ///
  /// - Throws: The first error; the elements before it have been set.
  public func setValue(_ value: Any?, forKey key: String) throws {
    try ParsedKeyPath(key).singleKey().set(value, ofElements: self)
  }
}

extension Dictionary where Key == String {
  /// The value under a key; nil where there is none.
  ///
  /// Never throws; it says so only to be called like the others.
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

  /// The value at the end of a key path that begins with a key of the dictionary.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component.
  public func value(forKeyPath keyPath: String) throws -> Any? {
    try ParsedKeyPath(keyPath).value(of: self)
  }

  /// Puts a value under a key; nil takes the key out.
  ///
  /// ```swift
  /// var row: [String: Any] = ["payee": "Rent", "amount": 900]
  /// try row.setValue(nil, forKey: "payee")
  /// print(row)                                                       // ["amount": 900]
  /// ```
  ///
  /// - Throws: `KeyValueCodingError.typeMismatch` where the dictionary cannot hold the value.
  public mutating func setValue(_ value: Any?, forKey key: String) throws {
    guard let value = value.flatMap({ flattened($0) }) else {
      removeValue(forKey: key)
      return
    }
    guard let converted = ValueConversion.convert(value, to: Value.self),
      let typed = converted as? Value
    else {
      throw KeyValueCodingError.typeMismatch(
        .init(type: name(of: Self.self), key: key, expected: Value.self, value: value))
    }
    self[key] = typed
  }
}

extension ParsedKeyPath {
  /// Sets this key of every element, none of which may be a dictionary: the collection is not changed.
  fileprivate func set(_ value: Any?, ofElements collection: any ToMany) throws {
    try forEachLastObject(
      of: collection,
      inDictionary: { type in
        throw KeyValueCodingError.readOnly(
          .init(
            type: name(of: type), key: string,
            reason: "the dictionary is an element of a collection, which setting a key of its "
              + "elements does not change; set it through the key path of a property"))
      },
      { object, key in try object.setValue(value, forKey: key) })
  }

  /// The same, where it is one key and no operator but `@count`.
  fileprivate func singleKey() throws -> ParsedKeyPath {
    guard components.count == 1, components[0] == string,
      !CollectionOperator.isOperator(string) || string == CollectionOperator.countComponent
    else {
      throw KeyValueCodingError.malformedKeyPath(
        .init(
          type: "", key: string, keyPath: string,
          reason: "it is more than one key; use value(forKeyPath:)"))
    }
    return self
  }
}
