import KeyValueCore

/// The live set behind `mutableSetValue(forKey:)`: reads and changes the collection of its owner.
///
/// Foundation's own implementations of the non-primitive methods use storage that a subclass doesn't have, so
/// this class overrides each of them.
final class KeyValueSet: NSMutableSet {
  private var base: KeyValueMutableSet<AnyHashable>?
  private var key = ""
  private var holdsNil = false

  /// Creates the set of an object's key.
  convenience init(_ base: KeyValueMutableSet<AnyHashable>, _ key: String, of owner: Any?) {
    self.init(capacity: 0)
    self.base = base
    self.key = key
    holdsNil = Self.holdsNil(key, of: owner)
  }

  /// Whether the key's type has optional elements.
  private static func holdsNil(_ key: String, of owner: Any?) -> Bool {
    guard let owner = owner as? any KeyValueObservable,
      let property = KeyValueSchema.schema(of: type(of: owner)).property(key),
      let collection = unwrapped(property.valueType) as? any ToMany.Type
    else { return false }
    return collection.elementType is any AnyOptional.Type
  }

  /// Unavailable only while Foundation initialises the object.
  private var proxy: KeyValueMutableSet<AnyHashable> {
    guard let base else {
      Exception.internalInconsistency.raise("The set of a key is made by mutableSetValue(forKey:).")
    }
    return base
  }

  /// An object as an element; nil if no set can hold it, or if it stands for nil and this set's elements aren't
  /// optional.
  private func known(_ object: Any) -> AnyHashable? {
    let element = Bridging.element(object)
    return holdsNil || element != Bridging.null ? element : nil
  }

  private func element(_ object: Any) -> AnyHashable {
    if let element = known(object) { return element }
    Exception.invalidArgument.raise(
      Bridging.element(object) == nil
        ? "\(type(of: object)) isn't Hashable, so no set can hold it."
        : "The set of the key '\(key)' can't hold nil, which NSNull stands for. Leave it out, or "
          + "declare the key as a Set of optional elements.")
  }

  private var elements: [Any] { Bridging.members(proxy.lazy.map(\.base)) }

  // MARK: Reading

  override var count: Int { base?.count ?? 0 }

  override func member(_ object: Any) -> Any? {
    guard let element = Bridging.hashable(object) else { return nil }
    if let known = known(object), let member = proxy.member(equalTo: known) {
      return Bridging.present(member.base)
    }
    // Only a value may be equal to what an object of Foundation's stands for.
    if object is any KeyValueObservable { return nil }
    return proxy.first { Bridging.hashable($0.base) == element }.map { Bridging.present($0.base) }
  }

  override func contains(_ anObject: Any) -> Bool { member(anObject) != nil }

  override func objectEnumerator() -> NSEnumerator {
    NSArray(array: elements).objectEnumerator()
  }

  override var allObjects: [Any] { elements }

  override func anyObject() -> Any? { elements.first }

  override var description: String { NSSet(array: elements).description }

  private var hashed: Set<AnyHashable> { Bridging.hashables(proxy.lazy.map(\.base)) }

  override func isEqual(_ value: Any?) -> Bool {
    switch value {
    // Foundation makes a Swift set of a proxy empty, so the order of the cases matters.
    case let other as NSSet:
      other.count == count && hashed == Bridging.hashables(other.allObjects)
    case let other as Set<AnyHashable>: isEqual(to: other)
    default: false
    }
  }

  override func isEqual(to otherSet: Set<AnyHashable>) -> Bool {
    hashed == Bridging.hashables(otherSet)
  }

  override func isSubset(of otherSet: Set<AnyHashable>) -> Bool {
    hashed.isSubset(of: Bridging.hashables(otherSet))
  }

  override func intersects(_ otherSet: Set<AnyHashable>) -> Bool {
    !hashed.isDisjoint(with: Bridging.hashables(otherSet))
  }

  override func adding(_ anObject: Any) -> Set<AnyHashable> { addingObjects(from: [anObject]) }

  override func addingObjects(from other: Set<AnyHashable>) -> Set<AnyHashable> {
    addingObjects(from: other.map(\.base))
  }

  override func addingObjects(from other: [Any]) -> Set<AnyHashable> {
    let keys = hashed
    let new = other.map(element).filter { element in
      Bridging.hashable(element.base).map { !keys.contains($0) } ?? false
    }
    return Set(proxy.compactMap { Bridging.element($0.base) }).union(new)
  }

  // MARK: Changing

  override func add(_ object: Any) { proxy.insert(element(object)) }

  override func remove(_ object: Any) {
    guard let element = known(object) else { return proxy.subtract(EmptyCollection()) }
    proxy.remove(element)
  }

  override func addObjects(from array: [Any]) { proxy.formUnion(array.map(element)) }

  override func removeAllObjects() { proxy.removeAll() }

  override func union(_ otherSet: Set<AnyHashable>) {
    proxy.formUnion(otherSet.map { element($0.base) })
  }

  override func minus(_ otherSet: Set<AnyHashable>) {
    proxy.subtract(otherSet.compactMap { known($0.base) })
  }

  override func intersect(_ otherSet: Set<AnyHashable>) {
    proxy.formIntersection(otherSet.compactMap { known($0.base) })
  }

  override func setSet(_ otherSet: Set<AnyHashable>) {
    proxy.replaceAll(with: otherSet.map { element($0.base) })
  }

  // MARK: Copies

  override func copy(with zone: NSZone? = nil) -> Any { NSSet(array: elements) }

  override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableSet(array: elements) }
}
