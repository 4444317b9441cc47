/// A key that only the class's own `value(forUndefinedKey:)` or `value(forKey:)` answers, or that the class only
/// names.
///
/// It changes by key-value coding, by manual pairs, and with what it depends on.
final class AnsweredProperty: Property, @unchecked Sendable {
  /// Whether the object may have no value for the key.
  private let isNamed: Bool

  init(_ key: String, id: Int, isNamed: Bool) {
    self.isNamed = isNamed
    super.init(key: key, origin: .accessors, ownership: .strong, valueType: Any?.self)
    self.id = id
  }

  override func anyValue(of object: AnyObject) -> Any? {
    guard let object = object as? any KeyValueObservable else { return nil }
    guard isNamed else { return try? object.value(forKey: key) }
    var value: Any?
    return UndefinedKeyQuestion.isAnswered { value = try object.value(forKey: key) } ? value : nil
  }

  override func anyValue(at address: UnsafeRawPointer) -> Any? {
    address.assumingMemoryBound(to: Any?.self).pointee
  }

  override func capture(from object: AnyObject) -> any CapturedValue {
    ValueBox<Any?>(anyValue(of: object))
  }
}

extension KeyValueSchema {
  /// The property of a key, of one that the class only names, or of one that only the object's own coding
  /// answers.
  ///
  /// A class that doesn't answer undefined keys isn't asked.
  func property(_ key: String, answeredBy object: any KeyValueObservable) -> Property? {
    if let property = property(key) { return property }
    guard answersUndefinedKeys, !key.hasPrefix("@"), key != PathComponent.identityName,
      propertyNamedIs(key) == nil
    else { return nil }
    let isNamed = names(key)
    guard isNamed || answers(key, object) else { return nil }
    return answered.withLock { answered in
      if let known = answered.first(where: { $0.key == key }) { return known }
      let property = AnsweredProperty(
        key, id: identity.id + 1 + answered.count, isNamed: isNamed)
      answered.append(property)
      return property
    }
  }

  private func answers(_ key: String, _ object: any KeyValueObservable) -> Bool {
    UndefinedKeyQuestion.isAnswered { _ = try object.value(forKey: key) }
  }

  /// Whether an object of the class has answered a key when it was observed or announced.
  package func hasAnswered(_ key: String) -> Bool { answeredProperty(key) != nil }

  /// The property of a key that an object of the class has answered when it was observed or announced.
  func answeredProperty(_ key: String) -> Property? {
    answersUndefinedKeys ? answered.withLock { $0.first { $0.key == key } } : nil
  }
}
