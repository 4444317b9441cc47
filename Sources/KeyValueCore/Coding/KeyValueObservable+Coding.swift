// Key-value coding: an object's properties by name.
extension KeyValueObservable {
  /// Sets the property with this name, and announces it exactly like an assignment.
  ///
  /// Numbers convert if the property's type represents them exactly; only 0 and 1 become `Bool`. An
  /// enum takes its case or its raw value. The elements of arrays and sets convert likewise. Nil for a
  /// property that can't be nil goes to `setNilValue(forKey:)`. A name that the class doesn't have goes
  /// to `setValue(_:forUndefinedKey:)`.
  ///
  /// ```swift
  /// try person.setValue(37, forKey: "age")
  /// try person.setValue("37", forKey: "age")
  /// // throws: Person.age was given a value of the wrong type: it holds Int, which cannot take "37" …
  /// ```
  ///
  /// A class may declare a method of this name itself, as with `value(forKey:)`; key paths and
  /// `setValues(forKeys:)` call that method, and so do proxies of keys that only that method can set.
  ///
  /// Source of the behaviour: Cocoa, which converts with loss where this throws.
  ///
  /// - Throws: `KeyValueCodingError`; then nothing has changed, and no observer was notified. A
  ///   setter that's less visible than its getter, `private(set)`, isn't called: `readOnly`. A `private`
  ///   or `fileprivate` property is unknown: `undefinedKey`.
  public func setValue(_ value: Any?, forKey key: String) throws {
    try setValue(value, forKey: key, privately: false)
  }

  /// Sets a key, as above; a private one only if private keys are meant too.
  func setValue(_ value: Any?, forKey key: String, privately: Bool) throws {
    let schema = schema
    if let coding = schema.ownCoding, try set(value, key, with: coding, schema) { return }
    try setDeclared(value, key, schema, privately: privately)
  }

  /// Sets a key, as above, without the class's own coding: what its `super.setValue(_:forKey:)` does.
  package func setInheritedValue(_ value: Any?, forKey key: String) throws {
    try setDeclared(value, key, schema, privately: false)
  }

  /// Sets a key, as above, without the class's own coding.
  @inline(__always)
  func setDeclared(
    _ value: Any?, _ key: String, _ schema: KeyValueSchema, privately: Bool
  ) throws {
    guard let property = schema.property(key, privately: privately) else {
      if key == PathComponent.identityName {
        throw KeyValueCodingError.readOnly(
          .init(
            type: schema.name, key: key,
            reason: "it is the object itself; set the property that refers to it"))
      }
      return try setAnswered(value, key, schema)
    }
    if case .accessors = property.origin { return try setAccessors(value, key, schema) }
    guard property.isSettable else { return try setReadOnly(value, key, schema) }
    guard let value = value.flatMap(flattened) else {
      if property.acceptsNil {
        return announcing(property) { property.setNil(of: self) }
      }
      return try setNilValue(forKey: key)
    }
    let type = property.valueType
    guard
      let converted = ValueConversion.convert(value, to: type)
        ?? (self as? any LenientConversion)?.converted(value, to: type)
    else {
      throw KeyValueCodingError.typeMismatch(
        .init(type: schema.name, key: key, expected: property.valueType, value: value))
    }
    announcing(property) { property.setAny(converted, of: self) }
  }

  /// Sets a key with the class's own method; false if there is none, or if it is the caller.
  private func set(
    _ value: Any?, _ key: String, with coding: OwnCoding, _ schema: KeyValueSchema
  ) throws -> Bool {
    // A class that only reads with its own method sets, and announces, through the library's.
    guard coding.setValue != nil else { return false }
    if schema.property(key) != nil || coding.isSetting(key, of: self) {
      return try coding.set(value, of: self, key)
    }
    return try announcingAnswered(key, schema) { try coding.set(value, of: self, key) }
  }

  /// Sets a key through the hook for undefined keys, and announces it if it has been observed.
  private func setAnswered(_ value: Any?, _ key: String, _ schema: KeyValueSchema) throws {
    try announcingAnswered(key, schema) { try setValue(value, forUndefinedKey: key) }
  }

  /// Announces the set of a key that only the class's own code knows, if the key has been observed or may be
  /// taken back.
  private func announcingAnswered<Answer>(
    _ key: String, _ schema: KeyValueSchema, _ set: () throws -> Answer
  ) throws -> Answer {
    let mayBeTakenBack = ThreadContext.current?.transaction?.mayRollBack == true
    let answered =
      schema.answeredProperty(key)
      ?? (mayBeTakenBack ? schema.property(key, answeredBy: self) : nil)
    guard let property = answered, schema.traits(of: property).isAutomatic
    else { return try set() }
    return try ManualMutation(self, property, .setting).announcing(set)
  }

  /// Refuses a key that can only be read; a class with Cocoa's names asks its hook, as Cocoa does.
  private func setReadOnly(_ value: Any?, _ key: String, _ schema: KeyValueSchema) throws {
    guard schema.usesCocoaNaming else { throw KeyValueCodingError.readOnly(key, of: self) }
    try setValue(value, forUndefinedKey: key)
  }

  /// Sets a key that only methods implement, through the hook for undefined keys.
  private func setAccessors(_ value: Any?, _ key: String, _ schema: KeyValueSchema) throws {
    do {
      try setValue(value, forUndefinedKey: key)
    } catch let error as KeyValueCodingError where error == .undefinedKey(key, of: self) {
      // The hook's default error denies a key that can be read.
      throw schema.accessors(key)?.isReadable == true ? .readOnly(key, of: self) : error
    }
  }

  /// Announces a set that nothing else announces: of a computed property without dependencies or with constant ones,
  /// of one that's announced by key and not by its setter, or of one whose override may store the value elsewhere.
  @inline(__always)
  private func announcing(_ property: Property, _ set: () -> Void) {
    let isComputed = if case .computed = property.origin { true } else { false }
    if isComputed || property.mayBeAnnouncedByKey { announceSetting(property, set) } else { set() }
  }

  @inline(never)
  private func announceSetting(_ property: Property, _ set: () -> Void) {
    let traits = schema.traits(of: property)
    guard traits.isAutomatic, !traits.isAffected || property.isAnnouncedByKey else {
      return set()
    }
    var isPart = traits.infersDependencies
    switch property.setterAnnouncement {
    case .whole where property.isAnnouncedByKey: return set()
    // The superclass announces its property once, and then what the property depends on.
    case .one where traits.statesDependencies: return set()
    case .one: isPart = true
    // An override that sets `super` is announced by the superclass, and another one isn't.
    case .whole where property.isOverridden: isPart = true
    case .whole, nil: break
    }
    let mutation = ManualMutation(self, property, .setting)
    let started = mutation.start()
    if let started, isPart {
      // Cocoa infers no dependencies, and announces an override itself: those are part of this change.
      mutation.muting(started, during: set)
    } else {
      set()
    }
    mutation.finish(started)
  }

  /// The value at the end of a key path; nil if an object on the way is nil.
  ///
  /// ```swift
  /// print(try person.value(forKeyPath: "account.balance") ?? "no account")     // 100.0
  /// ```
  ///
  /// Through a collection the path reads all elements; an operator makes one value of them.
  ///
  /// - Returns: The value, an optional one unwrapped.
  /// - Throws: `KeyValueCodingError`, naming the component and its position.
  ///
  /// - Complexity: O(1) for each component and for each element of a collection on the path.
  public func value(forKeyPath keyPath: String) throws -> Any? {
    try ParsedKeyPath.parsed(keyPath).value(ofObject: self)
  }

  /// Sets the property at the end of a key path; does nothing if an object on the way is nil.
  ///
  /// ```swift
  /// try person.setValue(150, forKeyPath: "account.balance")
  /// print(person.account?.balance ?? 0)                                        // 150.0
  /// ```
  ///
  /// Through a collection, this sets every element and stops at the first error; earlier elements
  /// stay set and announced. Through a dictionary, this changes a copy and sets the property that
  /// holds the dictionary, which is announced once. Conversion and announcement are as for
  /// `setValue(_:forKey:)`.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component and its position.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) throws {
    try ParsedKeyPath.parsed(keyPath).set(value, of: self)
  }

  /// Checks whether a value may be set for a key; the class's `validate<Key>(_:)` may replace it or
  /// throw.
  ///
  /// Setting a value doesn't call this, and this sets nothing. Without a validator every value is
  /// valid.
  ///
  /// ```swift
  /// // func validateAge(_ value: inout Int) throws { value = min(value, 150) }
  /// var age: Any? = 200
  /// try person.validateValue(&age, forKey: "age")
  /// print(age ?? "nil")                                                        // 150
  /// ```
  ///
  /// Source of the behaviour: Cocoa, which considers any value valid for an undefined key.
  ///
  /// - Throws: The validator's error; `undefinedKey` if the class has neither such a key nor a validator
  ///   for it; `typeMismatch` or `nilValue` if the validator can't take the value.
  public func validateValue(_ value: inout Any?, forKey key: String) throws {
    try validateValue(&value, forKey: key, privately: false)
  }

  /// Validates a value, as above; for a private key only if private keys are meant too.
  func validateValue(_ value: inout Any?, forKey key: String, privately: Bool) throws {
    let schema = schema
    let validator = schema.validator(key)
    let isOpen = privately || schema.property(key)?.restrictedAccess == nil
    guard isOpen, validator != nil || schema.property(key) != nil else {
      throw KeyValueCodingError.undefinedKey(key, of: self)
    }
    #if (DEBUG || KVO_AUDIT) && os(Linux)
      MisplacedHooks.check(.validator, of: key, in: schema)
    #endif
    try validator?(self, &value)
  }

  /// Checks whether a value may be set at the end of a key path; the last object's class decides.
  ///
  /// - Throws: The validator's error, or `KeyValueCodingError` for the path.
  public func validateValue(_ value: inout Any?, forKeyPath keyPath: String) throws {
    let path = try ParsedKeyPath.parsed(keyPath)
    // A dictionary takes any value, as in Cocoa.
    try path.forEachLastObject(of: self, inDictionary: { _ in }) { object, key in
      try object.validateValue(&value, forKey: key)
    }
  }

  /// The values of several keys, read in sorted order; nil values stay nil.
  ///
  /// ```swift
  /// let values = try person.dictionaryWithValues(forKeys: ["age", "firstName"])
  /// print(values.count)                                                        // 2
  /// ```
  ///
  /// - Returns: The values by key.
  /// - Throws: The first error, which names its key.
  public func dictionaryWithValues(forKeys keys: [String]) throws -> [String: Any?] {
    var values: [String: Any?] = [:]
    for key in keys.sorted() { values.updateValue(try value(forKey: key), forKey: key) }
    return values
  }

  /// Sets several keys in sorted order, each as in `setValue(_:forKey:)`.
  ///
  /// ```swift
  /// try person.setValues(forKeys: ["age": 40, "firstName": "Grace"])
  /// print(person.firstName, person.age)                                        // Grace 40
  /// ```
  ///
  /// - Throws: The first error, which names its key; earlier keys stay set.
  public func setValues(forKeys values: [String: Any?]) throws {
    for (key, value) in values.sorted(by: { $0.key < $1.key }) { try setValue(value, forKey: key) }
  }
}

extension ManualMutation {
  /// Announces what code of the class does as this mutation, whatever that announces itself.
  ///
  /// If it fails, observers are told only if they know of the mutation's beginning.
  func announcing<Answer>(_ change: () throws -> Answer) throws -> Answer {
    guard let started = start() else {
      let answer = try change()
      finish(nil)
      return answer
    }
    var answer: Answer?
    var failure: (any Error)?
    // A change that the class announces itself is part of this one.
    muting(started) {
      do { answer = try change() } catch { failure = error }
    }
    if failure == nil || started.isNoticed {
      finish(started)
    } else {
      started.change.context?.end()
    }
    guard let answer else {
      throw failure ?? KeyValueCodingError.undefinedKey(property.key, of: object)
    }
    return answer
  }
}
