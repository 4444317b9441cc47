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
  /// Each method notifies once unless its description says otherwise, and not at all if there is nothing
  /// to add, remove or reorder. An index out of range, or an element that the collection can't hold,
  /// traps before any observer is called. If the class has accessor methods but none that replaces
  /// several elements at once, a new order is a removal and an insertion.
  ///
  /// Cost: as for ``KeyValueMutableArray``. Looking an element up, which `append(_:)`, `insert(_:at:)`,
  /// `replace(at:with:)` and `remove(_:)` do first, costs O(1) in an `OrderedSet`, and O(n) in an array
  /// or through accessor methods. The methods that take several elements read an array, or what accessor
  /// methods return, once for all of them.
  ///
  /// Threading: the object's own rules apply. Observers are called on the thread that makes the change.
  ///
  /// Source of the behaviour: Cocoa's `mutableOrderedSetValueForKey:`; the operations beyond those of
  /// `NSMutableOrderedSet` are this library's.
  public struct KeyValueMutableOrderedSet<Element: Hashable> {
    private let access: ToManyAccess
    let elements: KeyValueMutableArray<Element>

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
      elements.append(contentsOf: absent(newElements))
    }

    /// Inserts an element before the one at an index unless it's present; returns whether it was inserted.
    @discardableResult
    public func insert(_ element: Element, at index: Int) -> Bool {
      guard !contains(element) else { return false }
      elements.insert(element, at: index)
      return true
    }

    /// Inserts the elements that aren't present before the one at an index, in one notification.
    public func insert(contentsOf newElements: some Sequence<Element>, at index: Int) {
      elements.insert(contentsOf: absent(newElements), at: index)
    }

    /// The elements that aren't present, each once.
    private func absent(_ newElements: some Sequence<Element>) -> [Element] {
      let index = lookUp
      var entering: Set<Element> = []
      return newElements.map { access.held($0) }
        .filter { index($0) == nil && entering.insert($0).inserted }
    }

    /// Finds the current index of an element in O(1).
    ///
    /// It's valid until the collection changes.
    private var lookUp: (Element) -> Int? {
      if access.findsElements { return firstIndex }
      let indexes = Dictionary(elements.enumerated().map { ($1, $0) }) { first, _ in first }
      return { indexes[access.held($0)] }
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

    /// Removes the first element; the collection must not be empty.
    @discardableResult
    public func removeFirst() -> Element {
      elements.removeFirst()
    }

    /// Removes this many elements at the start; the collection must have them.
    public func removeFirst(_ count: Int) {
      elements.removeFirst(count)
    }

    /// Removes the last element; the collection must not be empty.
    @discardableResult
    public func removeLast() -> Element {
      elements.removeLast()
    }

    /// Removes this many elements at the end; the collection must have them.
    public func removeLast(_ count: Int) {
      elements.removeLast(count)
    }

    /// Removes the elements in a range, in one notification.
    public func removeSubrange(_ bounds: some RangeExpression<Int>) {
      elements.removeSubrange(bounds)
    }

    /// Removes all elements; doesn't notify if there are none.
    public func removeAll() {
      elements.removeAll()
    }

    /// Removes the elements that satisfy a condition, in one notification.
    ///
    /// - Throws: The condition's error; then nothing has changed.
    public func removeAll(where isRemoved: (Element) throws -> Bool) rethrows {
      try elements.removeAll(where: isRemoved)
    }

    /// Replaces the element at an index, unless the new element is present elsewhere; returns whether it
    /// was replaced.
    @discardableResult
    public func replace(at index: Int, with element: Element) -> Bool {
      if let present = firstIndex(of: element), present != index { return false }
      elements[index] = element
      return true
    }
  }

  // MARK: Set algebra

  extension KeyValueMutableOrderedSet {
    /// Appends the elements that aren't present, in their order; one insertion.
    ///
    /// ```swift
    /// print(chapters)                                 // ["Preface", "One"]
    /// chapters.formUnion(["One", "Two", "Three"])
    /// // insertion, indexes: 2–3, new: ["Two", "Three"]
    /// ```
    public func formUnion(_ other: some Sequence<Element>) {
      append(contentsOf: other)
    }

    /// Removes all elements except these; one removal.
    public func formIntersection(_ other: some Sequence<Element>) {
      let staying = Set(other.map { access.held($0) })
      removeAll { !staying.contains($0) }
    }

    /// Removes these elements; one removal.
    ///
    /// ```swift
    /// print(chapters)                                 // ["Preface", "One", "Two", "Three"]
    /// chapters.subtract(["Three", "Preface", "Four"])
    /// // removal, indexes: 0, 3, old: ["Preface", "Three"]
    /// ```
    public func subtract(_ other: some Sequence<Element>) {
      var indexes = RangeSet<Int>()
      for index in other.compactMap(lookUp).sorted() {
        indexes.insert(contentsOf: index..<index + 1)
      }
      remove(at: indexes)
    }

    /// Removes the given elements that are present, and appends those that aren't: a removal and an
    /// insertion, each announced only if it changes something.
    ///
    /// ```swift
    /// print(chapters)                                 // ["One", "Two"]
    /// chapters.formSymmetricDifference(["Three", "One"])
    /// // removal, indexes: 0, old: ["One"]
    /// // insertion, indexes: 1, new: ["Three"]
    /// ```
    public func formSymmetricDifference(_ other: some Sequence<Element>) {
      let other = Array(other)
      let entering = absent(other)
      elements.access.together {
        subtract(other)
        // Looked up again: an observer of the removal may have added one of them.
        append(contentsOf: entering)
      }
    }
  }

  // MARK: Order

  extension KeyValueMutableOrderedSet {
    /// Exchanges two elements; one replacement.
    public func swapAt(_ first: Int, _ second: Int) {
      elements.swapAt(first, second)
    }

    /// Moves an element so that it has the second index afterwards: a removal and an insertion.
    ///
    /// Doesn't notify if the element is there already.
    public func move(from source: Int, to destination: Int) {
      if source == destination, indices.contains(source) { return }
      elements.move(from: source, to: destination)
    }

    /// Moves elements so that they are consecutive, in their order, before the element that's now at an
    /// index; a removal and an insertion.
    ///
    /// Doesn't notify if the elements are there already.
    ///
    /// - Returns: The elements' new indexes.
    @discardableResult
    public func moveSubranges(_ indexes: RangeSet<Int>, to insertionPoint: Int) -> Range<Int> {
      elements.moveSubranges(indexes, to: insertionPoint)
    }

    /// Sorts the elements; one replacement of all of them.
    ///
    /// ```swift
    /// print(chapters)                                 // ["Two", "One"]
    /// chapters.sort(by: <)
    /// // replacement, indexes: 0–1, old: ["Two", "One"], new: ["One", "Two"]
    /// ```
    public func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
      try reorder { try $0.sort(by: areInIncreasingOrder) }
    }

    /// Reverses the order of the elements; one replacement of all of them.
    public func reverse() {
      reorder { $0.reverse() }
    }

    /// Puts the elements in a random order; one replacement of all of them.
    public func shuffle() {
      reorder { $0.shuffle() }
    }

    /// Puts the elements in an order that a generator makes random; one replacement of all of them.
    public func shuffle(using generator: inout some RandomNumberGenerator) {
      reorder { $0.shuffle(using: &generator) }
    }

    /// Puts the elements that satisfy a condition behind the others; one replacement of all of them.
    ///
    /// - Returns: The index of the first element that satisfies the condition; `endIndex` if none does.
    /// - Throws: The condition's error; then nothing has changed.
    public func partition(by isSecond: (Element) throws -> Bool) rethrows -> Int {
      try reorder { try $0.partition(by: isSecond) }
    }

    private func reorder<Result>(_ body: (inout [Element]) throws -> Result) rethrows -> Result {
      let current = Array(elements)
      var reordered = current
      let result = try body(&reordered)
      if reordered != current { elements.replaceSubrange(0..<current.count, with: reordered) }
      return result
    }
  }

  extension KeyValueMutableOrderedSet where Element: Comparable {
    /// Sorts the elements; one replacement of all of them.
    public func sort() {
      sort(by: <)
    }
  }

  // MARK: Reading

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
      KeyValueMutableOrderedSet(try ToManyAccess(self, key, .distinct))
    }

    /// The proxy of the last key of a path, taken from the object that the path leads to now.
    ///
    /// - Throws: `KeyValueCodingError`, also if an object on the way is nil.
    public func mutableOrderedSetValue(forKeyPath keyPath: String) throws
      -> KeyValueMutableOrderedSet<AnyHashable>
    {
      KeyValueMutableOrderedSet(try access(keyPath, .distinct))
    }

    /// An ordered to-many property without duplicates as an ordered set whose changes are observed.
    ///
    /// A property that has neither a setter nor accessor methods traps with the message of the error that
    /// the string variant throws.
    public func mutableOrderedSetValue<Element>(
      for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, OrderedSet<Element>>>
    ) -> KeyValueMutableOrderedSet<Element> {
      KeyValueMutableOrderedSet(checkedAccess(KeyValuePath(keyPath).observed, .distinct))
    }
  }
#endif
