import Synchronization

/// A key that only the class's own `value(forUndefinedKey:)` or `value(forKey:)` answers, or that the class only
/// names or announces.
///
/// It changes by key-value coding, by manual pairs, and with what it depends on.
final class AnsweredProperty: Property, @unchecked Sendable {
  /// Whether the object may have no value for the key.
  fileprivate let isNamed: Bool

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

/// The keys that objects of a class have answered, each of which stays.
struct AnsweredProperties {
  /// In the order of their ids.
  private var properties: [AnsweredProperty] = []
  private var byKey: [String: AnsweredProperty] = [:]

  var count: Int { properties.count }

  subscript(key: String) -> AnsweredProperty? { byKey[key] }

  /// The property at a place in the order of ids; nil if there is none.
  subscript(place: Int) -> AnsweredProperty? {
    properties.indices.contains(place) ? properties[place] : nil
  }

  mutating func append(_ property: AnsweredProperty) {
    properties.append(property)
    byKey[property.key] = property
  }
}

extension KeyValueSchema {
  /// The property of a key, of one that the class only names, or of one that only the object's own coding
  /// answers.
  ///
  /// A class that declares its keys, and doesn't answer undefined ones, isn't asked.
  func property(_ key: String, answeredBy object: any KeyValueObservable) -> Property? {
    if let property = property(key) { return property }
    if let known = answeredProperty(key), known.isNamed { return known }
    guard mayAnswerUndefinedKeys, !key.hasPrefix("@"), key != PathComponent.identityName,
      propertyNamedIs(key) == nil
    else { return nil }
    let isNamed = names(key)
    guard isNamed || answers(key, object) else { return nil }
    if isNamed, !namesVisibly(key) {
      reportMisspelling(
        key, "the class announces keys by names that its body doesn't show")
    }
    return answer(key, isNamed: isNamed)
  }

  /// The property of a key that an object has announced; nil for a name that no key can have.
  ///
  /// Cocoa accepts every announcement, so an announced key is one, in classes with Cocoa's names. All of them answer
  /// undefined keys.
  func property(announced key: String) -> Property? {
    guard usesCocoaNaming, key.isKeyName, key != PathComponent.identityName,
      propertyNamedIs(key) == nil
    else { return nil }
    UndefinedKeyQuestion.isNeeded.store(true, ordering: .relaxed)
    reportMisspelling(key, "it was announced as changing")
    return answer(key, isNamed: true)
  }

  private func answer(_ key: String, isNamed: Bool) -> Property {
    answered.withLock { answered in
      if let known = answered[key] { return known }
      let property = AnsweredProperty(
        key, id: identity.id + 1 + answered.count, isNamed: isNamed)
      answered.append(property)
      return property
    }
  }

  private func reportMisspelling(_ key: String, _ reason: String) {
    let error = KeyValueCodingError.undefinedKey(key, in: self)
    guard !error.details.suggestions.isEmpty else { return }
    KeyValueViolation.report(
      .tolerated,
      "\(error) It is a key without a property now, because \(reason). If that's meant, name it in the class's "
        + "body by a literal or a constant.")
  }

  private func answers(_ key: String, _ object: any KeyValueObservable) -> Bool {
    UndefinedKeyQuestion.isAnswered { _ = try object.value(forKey: key) }
  }

  /// Whether an object of the class has answered a key when it was observed or announced.
  package func hasAnswered(_ key: String) -> Bool { answeredProperty(key) != nil }

  /// The property of a key that an object of the class has answered when it was observed or announced.
  func answeredProperty(_ key: String) -> AnsweredProperty? {
    mayAnswerUndefinedKeys ? answered.withLock { $0[key] } : nil
  }
}

extension String {
  /// Whether the text can be a key.
  var isKeyName: Bool { !isEmpty && !hasPrefix("@") && !contains(".") }
}
