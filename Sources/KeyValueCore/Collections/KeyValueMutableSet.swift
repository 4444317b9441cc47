/// An unordered to-many key as a set, whose changes are observed with what entered and what left.
///
/// The proxy stands for the key, not for a copy, and can be used from a `let`.
///
/// ```swift
/// let tags = person.mutableSetValue(for: \.tags)
/// print(tags)                         // ["urgent"]
/// tags.formUnion(["new", "urgent"])   // insertion, new: ["new"]
/// tags.subtract(["new", "old"])       // removal, old: ["new"]
/// tags.replaceAll(with: ["done"])     // replacement, old: ["urgent"], new: ["done"]
/// ```
///
/// Each method is one notification; one that changes nothing is announced with empty values. An element
/// that the set cannot hold traps before any observer is called.
///
/// Cost: in proportion to the elements given; `formIntersection(_:)`, `replaceAll(with:)` and
/// `removeAll()` also to those that are there. The set is copied, O(n), where the object is of a
/// subclass of the class that declares the property, where the key has a getter and a setter only or
/// is marked `@NotifiesManually`, and where the property's declaration does not show a collection.
///
/// Threading: the object's own rules apply. Observers are called on the thread that makes the change.
///
/// Source of the behaviour: Cocoa's `mutableSetValueForKey:`.
public struct KeyValueMutableSet<Element: Hashable> {
  private let access: ToManyAccess
  /// Reads the whole set where the property is exactly one of this element type.
  private let read: ((AnyObject) -> Set<Element>)?

  init(_ access: ToManyAccess) {
    self.access = access
    read = access.property.reader(of: Set<Element>.self)
  }

  private func apply(
    _ kind: KeyValueSetMutationKind, _ elements: some Sequence<Element>, isSingle: Bool = false
  ) {
    access.apply(.algebra(kind, Set(elements.map { AnyHashable($0) })), isSingle: isSingle)
  }

  /// Adds an element.
  public func insert(_ element: Element) {
    apply(.union, CollectionOfOne(element), isSingle: true)
  }

  /// Removes an element.
  public func remove(_ element: Element) {
    apply(.minus, CollectionOfOne(element), isSingle: true)
  }

  /// Adds elements.
  public func formUnion(_ elements: some Sequence<Element>) {
    apply(.union, elements)
  }

  /// Removes elements.
  public func subtract(_ elements: some Sequence<Element>) {
    apply(.minus, elements)
  }

  /// Removes all elements but these.
  public func formIntersection(_ elements: some Sequence<Element>) {
    apply(.intersect, elements)
  }

  /// Replaces all elements with these; one replacement.
  public func replaceAll(with elements: some Sequence<Element>) {
    apply(.set, elements)
  }

  /// Removes all elements.
  public func removeAll() {
    apply(.intersect, EmptyCollection())
  }

  /// Whether the element is there.
  public func contains(_ element: Element) -> Bool {
    snapshot.contains(element)
  }

  /// The number of elements.
  public var count: Int { access.count }

  /// Whether there are none.
  public var isEmpty: Bool { count == 0 }

  private var snapshot: Set<Element> {
    if let read { return read(access.object) }
    return Set(
      access.elements.compactMap { element in
        element as? Element ?? (element as? AnyHashable) as? Element
      })
  }
}

extension KeyValueMutableSet: Sequence {
  /// Iterates over the elements that are there now.
  public func makeIterator() -> Set<Element>.Iterator {
    snapshot.makeIterator()
  }
}

extension KeyValueMutableSet: CustomStringConvertible {
  /// The elements, as a set prints them.
  public var description: String { "\(snapshot)" }
}
