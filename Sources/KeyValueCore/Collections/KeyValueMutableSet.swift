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
/// Each method notifies once; if it changes nothing, it notifies with empty values. An element that the
/// set can't hold traps before any observer is called.
///
/// Cost: proportional to the number of given elements, and for `formIntersection(_:)`,
/// `replaceAll(with:)` and `removeAll()` also to the number of existing ones. Each change copies the set,
/// O(n), if the object's class is a subclass of the one that declares the property, if the key has only
/// a getter and a setter or is marked `@NotifiesManually`, or if the property's declaration shows no
/// collection type.
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

  /// Removes all elements except these.
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

  /// Whether the element is present.
  public func contains(_ element: Element) -> Bool {
    snapshot.contains(element)
  }

  /// The number of elements.
  public var count: Int { access.count }

  /// Whether the set has no elements.
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
  /// Iterates over the current elements.
  public func makeIterator() -> Set<Element>.Iterator {
    snapshot.makeIterator()
  }
}

extension KeyValueMutableSet: CustomStringConvertible {
  /// The elements, as a set prints them.
  public var description: String { "\(snapshot)" }
}
