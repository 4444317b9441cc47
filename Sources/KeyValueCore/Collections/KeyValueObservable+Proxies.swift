// Proxies of to-many keys.
extension KeyValueObservable {
  /// An ordered to-many key as an array whose changes are observed.
  ///
  /// Uses the class's `insertObject(_:in<Key>At:)` and the like if it has them, otherwise the property. A
  /// nil collection reads as empty; the first change creates it.
  ///
  /// ```swift
  /// try person.mutableArrayValue(forKey: "books").append("Dune")
  /// // insertion, indexes: 2, new: ["Dune"]
  /// _ = try person.mutableArrayValue(forKey: "age")
  /// // throws: Person.age is not a collection: it holds Int, and the class has no countOf and …
  /// ```
  ///
  /// A property whose setter is less visible than its getter, `private(set)`, needs such methods: the
  /// class decides what code outside it may do to the collection.
  ///
  /// Creating a proxy costs O(1). You may create it before the first observer, and keep it. For the cost
  /// of its operations, and the thread on which observers are called, see ``KeyValueMutableArray``.
  ///
  /// - Throws: `KeyValueCodingError`: `undefinedKey`, `notACollection` or `readOnly`.
  ///
  /// Source of the behaviour: Cocoa.
  public func mutableArrayValue(forKey key: String) throws -> KeyValueMutableArray<Any> {
    KeyValueMutableArray(try ToManyAccess(self, key, .ordered))
  }

  /// An ordered to-many key without duplicates, for Cocoa's proxy, which leaves out what is present.
  package func distinctArrayValue(forKey key: String) throws -> KeyValueMutableArray<Any> {
    KeyValueMutableArray(try ToManyAccess(self, key, .distinct))
  }

  /// The same for the last key of a path, taken from the object that the path leads to now.
  package func distinctArrayValue(forKeyPath keyPath: String) throws -> KeyValueMutableArray<Any> {
    KeyValueMutableArray(try access(keyPath, .distinct))
  }

  /// An unordered to-many key as a set whose changes are observed.
  ///
  /// Uses the class's `add<Key>Object(_:)` and the like if it has them, otherwise the property. A nil
  /// collection reads as empty; the first change creates it.
  ///
  /// ```swift
  /// try person.mutableSetValue(forKey: "tags").insert("new")       // insertion, new: ["new"]
  /// ```
  ///
  /// Creating a proxy costs O(1). For the rest, see ``KeyValueMutableSet``.
  ///
  /// - Throws: `KeyValueCodingError`: `undefinedKey`, `notACollection` or `readOnly`.
  public func mutableSetValue(forKey key: String) throws -> KeyValueMutableSet<AnyHashable> {
    KeyValueMutableSet(try ToManyAccess(self, key, .unordered))
  }

  /// The proxy of the last key of a path, taken from the object that the path leads to now.
  ///
  /// It remains the proxy of that object's collection if the path leads elsewhere later. Creating a
  /// proxy costs O(1) for each component.
  ///
  /// - Throws: `KeyValueCodingError`, also if an object on the way is nil, or the path leads to
  ///   several collections.
  public func mutableArrayValue(forKeyPath keyPath: String) throws -> KeyValueMutableArray<Any> {
    KeyValueMutableArray(try access(keyPath, .ordered))
  }

  /// The proxy of the last key of a path, taken from the object that the path leads to now.
  ///
  /// It remains the proxy of that object's collection if the path leads elsewhere later. Creating a
  /// proxy costs O(1) for each component.
  ///
  /// - Throws: `KeyValueCodingError`, also if an object on the way is nil, or the path leads to
  ///   several collections.
  public func mutableSetValue(forKeyPath keyPath: String) throws -> KeyValueMutableSet<AnyHashable>
  {
    KeyValueMutableSet(try access(keyPath, .unordered))
  }

  /// `privately` means that private keys are meant too.
  func access(
    _ keyPath: String, _ kind: ToManyAccess.Kind, privately: Bool = false
  ) throws -> ToManyAccess {
    let path = try ParsedKeyPath(keyPath).reachingPrivateKeys(privately)
    var found: [ToManyAccess] = []
    try path.forEachLastObject(
      of: self,
      inDictionary: { type in
        throw KeyValueCodingError.readOnly(
          .init(
            type: name(of: type), key: path.components.last?.name ?? keyPath,
            reason: "a collection in a dictionary has no proxy; change the property that holds the "
              + "dictionary")
        ).at(path.position(of: path.components.count - 1), of: keyPath)
      },
      { object, key in
        found.append(try ToManyAccess(object, key, kind, privately: privately))
      })
    guard found.count == 1 else {
      throw KeyValueCodingError.notACollection(
        .init(
          type: schema.name, key: keyPath,
          reason: found.isEmpty
            ? "an object on the way to it is nil" : "the path leads to several collections"))
    }
    return found[0]
  }

  /// A non-optional ordered to-many property as an array whose changes are observed.
  ///
  /// ```swift
  /// person.mutableArrayValue(for: \.books).append("Dune")     // insertion, indexes: 2, new: ["Dune"]
  /// ```
  ///
  /// A property that has neither a setter nor accessor methods traps with the message of the error that
  /// the string variant throws.
  public func mutableArrayValue<Element>(
    for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, [Element]>>
  ) -> KeyValueMutableArray<Element> {
    KeyValueMutableArray(checkedAccess(KeyValuePath(keyPath).observed, .ordered))
  }

  /// A non-optional unordered to-many property as a set whose changes are observed.
  ///
  /// ```swift
  /// person.mutableSetValue(for: \.tags).insert("new")         // insertion, new: ["new"]
  /// ```
  ///
  /// A property that has neither a setter nor accessor methods traps with the message of the error that
  /// the string variant throws.
  public func mutableSetValue<Element>(
    for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Set<Element>>>
  ) -> KeyValueMutableSet<Element> {
    KeyValueMutableSet(checkedAccess(KeyValuePath(keyPath).observed, .unordered))
  }

  /// Unavailable; the message names the call for an optional array.
  @available(
    *, unavailable,
    message:
      "the array is optional: use mutableArrayValue(forKey:), for which nil is an empty array that the first change makes, or declare the property as [Element]"
  )
  public func mutableArrayValue<Element>(
    for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, [Element]?>>
  ) -> KeyValueMutableArray<Element> {
    KeyValueMutableArray(checkedAccess(KeyValuePath(keyPath).observed, .ordered))
  }

  /// Unavailable; the message names the call for an optional set.
  @available(
    *, unavailable,
    message:
      "the set is optional: use mutableSetValue(forKey:), for which nil is an empty set that the first change makes, or declare the property as Set<Element>"
  )
  public func mutableSetValue<Element>(
    for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Set<Element>?>>
  ) -> KeyValueMutableSet<Element> {
    KeyValueMutableSet(checkedAccess(KeyValuePath(keyPath).observed, .unordered))
  }

  /// The collection that a typed path leads to; traps if the path names none.
  func checkedAccess(_ path: ObservedPath, _ kind: ToManyAccess.Kind) -> ToManyAccess {
    if let problem = path.problem { KeyValueViolation.fatal(.unobservablePath, problem) }
    do {
      let privately = path.reachesPrivateKeys
      if path.isNamedByKeys { return try access(path.string, kind, privately: privately) }
      if !path.hasTail, !path.endsInMember, let (owner, key) = try path.lastKey(from: self) {
        return try owner.access(key, kind, privately: privately)
      }
    } catch {
      KeyValueViolation.fatal(.unobservablePath, "\(error)")
    }
    KeyValueViolation.fatal(
      .unobservablePath, "'\(path.string)' of \(schema.name) ends in no key that has a proxy.")
  }
}
