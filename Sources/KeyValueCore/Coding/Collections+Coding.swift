// Key-value coding of collections, as Cocoa's collections do it (Parity K5).
extension ToMany {
  /// The elements' values for a key, for collections of other modules.
  package func codedValue(forKey key: String) throws -> Any? {
    try ParsedKeyPath(key).singleKey().value(of: self)
  }

  /// The value at the end of a key path that begins in the elements, for collections of other modules.
  package func codedValue(forKeyPath keyPath: String) throws -> Any? {
    try ParsedKeyPath(keyPath).value(of: self)
  }
}

extension Array {
  /// The elements' values for a key; nil if an element's value is nil.
  ///
  /// `@count` is the number of elements; the other operators belong in key paths.
  ///
  /// ```swift
  /// print(try transactions.value(forKey: "payee") ?? "")       // ["Rent", "Food"]
  /// ```
  ///
  /// The elements are read on this thread.
  ///
  /// - Returns: An array of the values; for `@count` an `Int`.
  /// - Throws: `KeyValueCodingError` if an element has no such key.
  ///
  /// - Complexity: O(*n*).
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
  /// - Returns: An array of the values, or the operator's value.
  /// - Throws: `KeyValueCodingError`, naming the component.
  public func value(forKeyPath keyPath: String) throws -> Any? {
    try ParsedKeyPath(keyPath).value(of: self)
  }

  /// Sets a key of every element; each announces it like an assignment.
  ///
  /// ```swift
  /// try friends.setValue(40, forKey: "age")
  /// print(try friends.value(forKeyPath: "@sum.age") ?? 0)            // 80
  /// ```
  ///
  /// - Throws: The first element's error; the elements before it stay set.
  public func setValue(_ value: Any?, forKey key: String) throws {
    try ParsedKeyPath(key).singleKey(toSet: true).set(value, ofElements: self)
  }
}

extension Set {
  /// The elements' distinct values for a key, without nil.
  ///
  /// `@count` is the number of elements.
  ///
  /// ```swift
  /// print(try notes.value(forKey: "tag") as? Set<String> ?? [])      // ["urgent"]
  /// ```
  ///
  /// Source of the behaviour: Cocoa's sets.
  ///
  /// - Returns: A `Set<AnyHashable>`; an array if a value isn't hashable; for `@count` an `Int`.
  /// - Throws: `KeyValueCodingError` if an element has no such key.
  ///
  /// - Complexity: O(*n*).
  public func value(forKey key: String) throws -> Any? {
    try ParsedKeyPath(key).singleKey().value(of: self)
  }

  /// The value at the end of a key path that begins in the elements, or with an operator.
  ///
  /// - Returns: A set of the values, or the operator's value.
  /// - Throws: `KeyValueCodingError`, naming the component.
  public func value(forKeyPath keyPath: String) throws -> Any? {
    try ParsedKeyPath(keyPath).value(of: self)
  }

  /// Sets a key of every element, in no particular order; each announces it like an assignment.
  ///
  /// - Throws: The first error; the elements before it stay set.
  public func setValue(_ value: Any?, forKey key: String) throws {
    try ParsedKeyPath(key).singleKey(toSet: true).set(value, ofElements: self)
  }
}

extension Dictionary where Key == String {
  /// The value at the end of a key path that begins with a key of the dictionary.
  ///
  /// - Returns: The value; nil if a key on the path has none.
  /// - Throws: `KeyValueCodingError`, naming the component.
  public func value(forKeyPath keyPath: String) throws -> Any? {
    try ParsedKeyPath(keyPath).value(of: self)
  }
}

extension ParsedKeyPath {
  /// Sets this key of every element.
  ///
  /// Elements can't be dictionaries, as the collection isn't changed.
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

  /// This path, if it's one key and no operator except `@count`; Cocoa's collections have more keys behind an `@`.
  ///
  /// `toSet` is whether the key is set and not read, which decides what an error advises.
  fileprivate func singleKey(toSet: Bool = false) throws -> ParsedKeyPath {
    let isPath = components.count > 1 || components[0].name != string
    let readsOwnKey = CodedValues.areRead && isOwnKey(at: 0)
    let reason: String? =
      if toSet, hasOperator, !readsOwnKey {
        "an operator's value can't be set"
      } else if isPath {
        "it's a key path of several components"
          + (toSet
            ? ". Set it in each element: "
              + "for element in … { try element.setValue(…, forKeyPath: \"\(string)\") }"
            : "; use value(forKeyPath:)")
      } else if hasOperator, components[0].operation != .count, !readsOwnKey {
        "an operator belongs in a key path; use value(forKeyPath:)"
      } else {
        nil
      }
    guard let reason else { return self }
    // Without a key path, the error is about a key.
    throw KeyValueCodingError.malformedKeyPath(.init(type: "", key: string, reason: reason))
  }
}
