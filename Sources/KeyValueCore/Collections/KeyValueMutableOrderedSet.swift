#if OrderedCollections
  import OrderedCollections

  /// An ordered to-many key without duplicates as an ordered set; observers receive the kind and indexes
  /// of each change.
  ///
  /// The proxy represents the key, not a copy of its value, so a `let` can hold it. Adding an element
  /// that's already present does nothing and notifies no observer.
  ///
  /// ```swift
  /// let chapters = book.mutableOrderedSetValue(for: \.chapters)
  /// chapters.append("Preface")          // observers: insertion, indexes: 0, new: ["Preface"]
  /// ```
  ///
  /// Cost: as for ``KeyValueMutableArray``. Looking an element up, which `append(_:)`, `insert(_:at:)`,
  /// `replace(at:with:)` and `remove(_:)` do first, costs O(1) in an `OrderedSet`, and O(n) in an array
  /// or through accessor methods.
  ///
  /// Threading: the object's own rules apply. Observers are called on the thread that makes the change.
  ///
  /// Source of the behaviour: Cocoa's `mutableOrderedSetValueForKey:`.
  public struct KeyValueMutableOrderedSet<Element: Hashable> {
    private let access: ToManyAccess
    private let elements: KeyValueMutableArray<Element>

    init(_ access: ToManyAccess) {
      self.access = access
      elements = KeyValueMutableArray(access)
    }

    /// The index of an element, found in O(1) in an `OrderedSet`; nil if the element isn't present.
    public func firstIndex(of element: Element) -> Int? {
      access.index(of: AnyHashable(element))
    }

    /// Whether the element is present, found in O(1) in an `OrderedSet`.
    public func contains(_ element: Element) -> Bool {
      firstIndex(of: element) != nil
    }

    /// Inserts an element at the end unless it's present; returns whether it was inserted.
    @discardableResult
    public func append(_ element: Element) -> Bool {
      insert(element, at: endIndex)
    }

    /// Appends the elements that aren't present, in one notification.
    public func append(contentsOf newElements: some Sequence<Element>) {
      var entering: Set<Element> = []
      elements.append(
        contentsOf: newElements.filter { !contains($0) && entering.insert($0).inserted })
    }

    /// Inserts an element before the one at an index unless it's present; returns whether it was inserted.
    @discardableResult
    public func insert(_ element: Element, at index: Int) -> Bool {
      guard !contains(element) else { return false }
      elements.insert(element, at: index)
      return true
    }

    /// Removes the element at an index, and returns it.
    @discardableResult
    public func remove(at index: Int) -> Element {
      elements.remove(at: index)
    }

    /// Removes an element, if it's present, and returns it.
    @discardableResult
    public func remove(_ element: Element) -> Element? {
      firstIndex(of: element).map { elements.remove(at: $0) }
    }

    /// Removes the elements at these indexes.
    public func remove(at indexes: RangeSet<Int>) {
      elements.remove(at: indexes)
    }

    /// Replaces the element at an index, unless the new element is present elsewhere; returns whether it
    /// was replaced.
    @discardableResult
    public func replace(at index: Int, with element: Element) -> Bool {
      if let present = firstIndex(of: element), present != index { return false }
      elements[index] = element
      return true
    }

    /// Moves an element so that it has the second index afterwards: a removal and an insertion.
    public func move(from source: Int, to destination: Int) {
      elements.move(from: source, to: destination)
    }

    /// Removes all elements; doesn't notify if there are none.
    public func removeAll() {
      elements.removeAll()
    }
  }

  extension KeyValueMutableOrderedSet: RandomAccessCollection {
    /// The position of the first element.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { elements.endIndex }
    /// The number of elements.
    public var count: Int { endIndex }
    /// The element at an index.
    public subscript(index: Int) -> Element { elements[index] }
  }

  extension KeyValueMutableOrderedSet: CustomStringConvertible {
    /// The elements, as an array prints them.
    public var description: String { elements.description }
  }

  extension KeyValueObservable {
    /// An ordered to-many key without duplicates as an ordered set whose changes are observed.
    ///
    /// - Throws: `KeyValueCodingError`: `undefinedKey`, `notACollection` or `readOnly`.
    public func mutableOrderedSetValue(forKey key: String) throws
      -> KeyValueMutableOrderedSet<AnyHashable>
    {
      KeyValueMutableOrderedSet(try ToManyAccess(self, key, .ordered))
    }

    /// The proxy of the last key of a path, taken from the object that the path leads to now.
    ///
    /// - Throws: `KeyValueCodingError`, also if an object on the way is nil.
    public func mutableOrderedSetValue(forKeyPath keyPath: String) throws
      -> KeyValueMutableOrderedSet<AnyHashable>
    {
      KeyValueMutableOrderedSet(try access(keyPath, .ordered))
    }

    /// An ordered to-many property without duplicates as an ordered set whose changes are observed.
    ///
    /// A property that has neither a setter nor accessor methods traps with the message of the error that
    /// the string variant throws.
    public func mutableOrderedSetValue<Element>(
      for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, OrderedSet<Element>>>
    ) -> KeyValueMutableOrderedSet<Element> {
      KeyValueMutableOrderedSet(checkedAccess(KeyValuePath(keyPath).observed, .ordered))
    }
  }
#endif
