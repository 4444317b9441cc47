// Key-value coding: a property's value by name. Setting announces changes, so `Coding` has it.
extension KeyValueObservable {
  /// The value of the property with this name.
  ///
  /// Looks for a property, then for the accessor methods `get<Key>()`, `<key>()`, `is<Key>()` and
  /// `countOf<Key>()` with `objectIn<Key>(at:)`, then for a property `is<Key>`, then calls
  /// `value(forUndefinedKey:)`. `self` is the object, unless the class has a key of that name.
  ///
  /// ```swift
  /// print(try person.value(forKey: "firstName") ?? "none")         // Ada
  /// ```
  ///
  /// A class may declare a method of this name itself. Key paths and `dictionaryWithValues` then
  /// call that method, and so does `(self as any KeyValueObservable).value(forKey:)`. A proxy reads a
  /// key with it only where the class doesn't declare the key as a collection that can be set.
  /// Inside the method, for the same key, that call reaches this one:
  ///
  /// ```swift
  /// func value(forKey key: String) throws -> Any? {
  ///   if key == "guests" { return guestList() }
  ///   return try (self as any KeyValueObservable).value(forKey: key)
  /// }
  /// ```
  ///
  /// The value is read on this thread, as by the getter.
  ///
  /// Source of the behaviour: Cocoa, without its access to instance variables.
  ///
  /// - Returns: The value, an optional one unwrapped.
  /// - Throws: `KeyValueCodingError.undefinedKey`, unless the class overrides that hook; also for a `private`
  ///   or `fileprivate` property.
  ///
  /// - Complexity: A look-up by name and a box for the value.
  public func value(forKey key: String) throws -> Any? {
    if let property = KeyValueSchema.plainProperty(key, hash: key.quickHash, of: self) {
      return property._withUnsafeGuaranteedRef { $0.anyValue(of: self) }
    }
    return try value(forKey: key, privately: false)
  }

  /// The value of a key, as above, without the class's own coding: what its `super.value(forKey:)` answers.
  package func inheritedValue(forKey key: String) throws -> Any? {
    if let property = KeyValueSchema.plainProperty(key, hash: key.quickHash, of: self) {
      return property._withUnsafeGuaranteedRef { $0.anyValue(of: self) }
    }
    return try declaredValue(key, schema, privately: false)
  }

  /// The value of a key, as above; of a private one only if private keys are meant too.
  func value(forKey key: String, privately: Bool) throws -> Any? {
    let schema = schema
    if let value = try schema.ownCoding?.value(of: self, key) { return value }
    return try declaredValue(key, schema, privately: privately)
  }

  @inline(__always)
  private func declaredValue(
    _ key: String, _ schema: KeyValueSchema, privately: Bool
  ) throws -> Any? {
    guard
      let property = schema.property(key, privately: privately)
        ?? schema.propertyNamedIs(key, privately: privately)
    else {
      return key == PathComponent.identityName ? self : try value(forUndefinedKey: key)
    }
    if case .accessors = property.origin, let accessors = schema.accessors(key) {
      guard let value = accessors.read(self) else { return try value(forUndefinedKey: key) }
      return value
    }
    return property.anyValue(of: self)
  }
}
