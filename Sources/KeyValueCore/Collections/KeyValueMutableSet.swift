/// An unordered to-many key as a set; observers receive the inserted and the removed elements.
///
/// The proxy represents the key, not a copy of its value, so a `let` can hold it.
///
/// ```swift
/// let tags = person.mutableSetValue(for: \.tags)
/// print(tags)                         // ["urgent"]
/// tags.formUnion(["new", "urgent"])   // insertion, new: ["new"]
/// tags.subtract(["new", "old"])       // removal, old: ["new"]
/// tags.replaceAll(with: ["done"])     // replacement, old: ["urgent"], new: ["done"]
/// ```
///
/// Each method notifies once; if it changes nothing, it notifies with empty values. An element that's
/// added and that the set can't hold traps before any observer is called; removing it removes nothing.
///
/// If a setter, or the property's `didSet`, stores something other than the proxy was asked for, observers are
/// notified of a setting with the whole sets from before and after. If the class's accessor methods do, observers
/// are notified of what the proxy was asked for; logs and recorders record a setting.
///
/// Cost: proportional to the number of given elements, and for `formIntersection(_:)`,
/// `formSymmetricDifference(_:)`, `replaceAll(with:)` and `removeAll()` also to the number of existing
/// ones. Each change copies the set, O(n), if a class overrides the property, or may because it's a subclass
/// without the macro; if the key has only a getter and a setter or is marked `@NotifiesManually`; if the
/// property's declaration shows no collection type; or if the property is observed and has `willSet` or
/// `didSet`. With accessor methods, a change is O(n) while a log or a recorder records the key.
/// `insert(_:)`, `remove(_:)` and `contains(_:)` look one element up, O(1), if the property's type is
/// a set whose elements aren't optional, and otherwise read the whole set.
///
/// Threading: the object's own rules apply. Observers are called on the thread that makes the change.
///
/// Source of the behaviour: Cocoa's `mutableSetValueForKey:`.
public struct KeyValueMutableSet<Element: Hashable> {
  private let access: ToManyAccess
  /// Reads the whole set if the property's type is exactly `Set<Element>`.
  private let read: ((AnyObject) -> Set<Element>)?

  init(_ access: ToManyAccess) {
    self.access = access
    read = access.property.reader(of: Set<Element>.self)
  }

  private func apply(
    _ kind: KeyValueSetMutationKind, _ elements: some Sequence<Element>, isSingle: Bool = false
  ) {
    let others = elements.map { element in
      let other = AnyHashable(element)
      return isHeld(element) ? other : access.held(other)
    }
    access.apply(.algebra(kind, Set(others)), isSingle: isSingle)
  }

  /// Whether the collection holds the element as it's given.
  ///
  /// A proxy by key may be given one that the property's type converts. An optional one has the hash value of what it
  /// wraps, and any hashable value may be optional.
  private func isHeld(_ element: Element) -> Bool {
    if read == nil || isOptional(Element.self) { return false }
    return Element.self != AnyHashable.self || !isOptional(type(of: AnyHashable(element).base))
  }

  /// Adds an element.
  ///
  /// ```swift
  /// print(tags.insert("urgent").inserted)       // true
  /// ```
  ///
  /// - Returns: What `Set.insert(_:)` returns: whether the element was added, and the set's member that
  ///   equals it.
  @discardableResult
  public func insert(_ element: Element) -> (inserted: Bool, memberAfterInsert: Element) {
    let member = member(equalTo: element)
    apply(.union, CollectionOfOne(element), isSingle: true)
    // The member is the element as the set holds it.
    if member == nil, !isHeld(element) { return (true, access.held(element)) }
    return (member == nil, member ?? element)
  }

  /// Removes an element.
  ///
  /// - Returns: The removed member; nil if the set had none that equals the element.
  @discardableResult
  public func remove(_ element: Element) -> Element? {
    let member = member(equalTo: element)
    apply(.minus, CollectionOfOne(element), isSingle: true)
    return member
  }

  /// Adds elements.
  public func formUnion(_ elements: some Sequence<Element>) {
    apply(.union, elements)
  }

  /// Removes elements.
  public func subtract(_ elements: some Sequence<Element>) {
    apply(.minus, elements)
  }

  /// Removes all elements except these.
  public func formIntersection(_ elements: some Sequence<Element>) {
    apply(.intersect, elements)
  }

  /// Removes the given elements that are present, and adds those that aren't; one replacement.
  ///
  /// ```swift
  /// print(tags)                                 // ["urgent"]
  /// tags.formSymmetricDifference(["urgent", "new"])
  /// // replacement, old: ["urgent"], new: ["new"]
  /// ```
  public func formSymmetricDifference(_ elements: some Sequence<Element>) {
    let elements = elements.map { access.held($0) }
    apply(.set, snapshot.symmetricDifference(elements))
  }

  /// Replaces all elements with these; one replacement.
  public func replaceAll(with elements: some Sequence<Element>) {
    apply(.set, elements)
  }

  /// Removes all elements.
  public func removeAll() {
    apply(.intersect, EmptyCollection())
  }

  /// Whether the element is present.
  public func contains(_ element: Element) -> Bool {
    member(equalTo: element) != nil
  }

  /// The set's member that equals an element.
  ///
  /// Doesn't keep the set, because a change would copy it then.
  package func member(equalTo element: Element) -> Element? {
    let held = isHeld(element) ? element : access.held(element)
    if read == nil, let members = access.members(equalTo: AnyHashable(held)) {
      return members.first.flatMap { Self.element($0) }
    }
    let elements = snapshot
    return elements.firstIndex(of: held).map { elements[$0] }
  }

  private static func element(_ element: Any?) -> Element? {
    element as? Element ?? asHashable(element) as? Element
  }

  /// The number of elements.
  public var count: Int { access.count }

  /// Whether the set has no elements.
  public var isEmpty: Bool { count == 0 }

  private var snapshot: Set<Element> {
    if let read { return read(access.object) }
    return Set(access.elements.compactMap { Self.element($0) })
  }
}

extension ToManyAccess {
  /// An element of a proxy by key as the collection holds it: an enum's case for its raw value.
  ///
  /// Other proxies are given elements of the collection's own type.
  func held<Element: Hashable>(_ element: Element) -> Element {
    guard Element.self == AnyHashable.self,
      let type = unwrapped(property.valueType) as? any ToMany.Type
    else { return element }
    return type.held(AnyHashable(element)) as? Element ?? element
  }
}

extension KeyValueMutableSet: Sequence {
  /// Iterates over the current elements.
  public func makeIterator() -> Set<Element>.Iterator {
    snapshot.makeIterator()
  }
}

extension KeyValueMutableSet: CustomStringConvertible {
  /// The elements, as a set prints them.
  public var description: String { "\(snapshot)" }
}
