/// An ordered to-many key as an array; observers receive the kind and indexes of each change.
///
/// The proxy represents the key, not a copy of its value: every use reads or changes the object. You can
/// keep it in a `let` as long as you like, and create it before the first observer.
///
/// ```swift
/// let books = person.mutableArrayValue(for: \.books)
/// books.append("Notes")         // insertion, indexes: 0, new: ["Notes"]
/// books[0] = "Sketch"           // replacement, indexes: 0, old: ["Notes"], new: ["Sketch"]
/// ```
///
/// Each method notifies once unless its description says otherwise, and not at all if there is nothing
/// to do. If the class has accessor methods but none for replacing, a replacement is a removal and an
/// insertion. An index out of range, or an element that the collection can't hold, traps before any
/// observer is called; an ordered set can't hold an element twice. If an observer makes the collection
/// shorter in a change's prior, or between a removal and the insertion that belongs to it, elements
/// enter at its end, and what isn't there any more isn't removed. A replacement of elements that
/// aren't all there any more replaces none. The change carries the indexes of its prior.
///
/// If a setter, or the property's `didSet`, stores something other than the proxy was asked for, observers are
/// notified of a setting with the whole arrays from before and after. If the class's accessor methods do, observers
/// are notified of what the proxy was asked for; logs and recorders record a setting.
///
/// Cost: that of the same operation on an array, plus a copy of the affected elements if an observer asks
/// for them. An append is O(1) amortised whatever observers ask for. Each change copies the array, O(n), if
/// a class overrides the property, or may because it's a subclass without the macro; if the key has only a getter
/// and a setter or is marked `@NotifiesManually`; if the property's declaration shows no collection
/// type; or if the property is observed and has `willSet` or `didSet`. With accessor methods, the cost is
/// theirs, and O(n) while a log or a recorder records the key. Iterating reads a key with a getter once, and a
/// subscript reads it at each use.
///
/// Threading: the object's own rules apply. Observers are called on the thread that makes the change.
///
/// Source of the behaviour: Cocoa's `mutableArrayValueForKey:`; the operations beyond those of
/// `NSMutableArray` are this library's.
public struct KeyValueMutableArray<Element> {
  let access: ToManyAccess
  /// Reads the whole array if the property's type is exactly `[Element]`.
  private let read: ((AnyObject) -> [Element])?
  /// The array itself, if changing it needs and runs no code of the class.
  private let storage: ArrayStorage<Element>?

  init(_ access: ToManyAccess) {
    self.access = access
    read = access.property.reader(of: [Element].self)
    storage =
      access.adjustment == .nothing ? access.property.elements as? ArrayStorage<Element> : nil
  }
}

// MARK: Reading

extension KeyValueMutableArray: RandomAccessCollection, MutableCollection {
  /// The position of the first element.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int {
    storage?.count(access.object) ?? read?(access.object).count ?? access.count
  }

  /// The number of elements; calls accessor methods once.
  public var count: Int { endIndex }

  /// Iterates over the current elements; through accessor methods, over what they return meanwhile.
  public func makeIterator() -> Iterator {
    Iterator(access.isCounted ? .proxy(self) : .elements(snapshot.makeIterator()))
  }

  /// Iterates over the elements of a proxy.
  public struct Iterator: IteratorProtocol {
    fileprivate enum Source {
      case elements(IndexingIterator<[Element]>)
      /// Accessor methods may make elements as they're asked for them.
      case proxy(KeyValueMutableArray)
    }

    private var source: Source
    private var index = 0

    fileprivate init(_ source: Source) {
      self.source = source
    }

    /// The next element; nil at the end.
    public mutating func next() -> Element? {
      switch source {
      case .elements(var elements):
        defer { source = .elements(elements) }
        return elements.next()
      case .proxy(let proxy):
        guard index < proxy.endIndex else { return nil }
        defer { index += 1 }
        return proxy.present(index)
      }
    }
  }

  /// The current elements, for which a getter is called once.
  private var snapshot: [Element] {
    if let read { return read(access.object) }
    guard access.isCounted else {
      return access.elements.map { typedElement($0 ?? Optional<Any>.none as Any) }
    }
    return (0..<access.count).map(present)
  }

  /// The element at an index; setting one is a replacement.
  public subscript(index: Int) -> Element {
    get {
      check(index, within: endIndex, "read")
      return present(index)
    }
    nonmutating set {
      check(index, within: endIndex, "replacement")
      replace(index..<index + 1, with: [newValue])
    }
  }

  private func replace(_ range: Range<Int>, with elements: [Element]) {
    guard let storage else { return access.apply(.replacement(IndexRanges(range), elements)) }
    // Released after the change: an element's `deinit` may change what others compute from the collection.
    let leaving = range.map(present)
    access.apply(.replacement, at: range) { range in
      storage.replace(access.object, range, elements)
    }
    withExtendedLifetime(leaving) {}
  }

  /// The element at an index that has been checked.
  private func present(_ index: Int) -> Element {
    if let storage { return storage.element(access.object, index) }
    if let read { return read(access.object)[index] }
    // A nil element belongs to an optional element type.
    return typedElement(access.element(at: index) ?? Optional<Any>.none as Any)
  }

  /// `growth` is the number of elements that the operation itself adds.
  private func check(
    _ range: Range<Int>, within count: Int, growth: Int = 0, _ operation: String
  ) {
    if range.lowerBound >= 0, range.upperBound - growth <= count { return }
    refuse(operation, at: range.isEmpty ? "\(range.lowerBound)" : listing(RangeSet(range)), count)
  }

  private func check(_ index: Int, within count: Int, _ operation: String) {
    if index >= 0, index < count { return }
    refuse(operation, at: "\(index)", count)
  }

  private func refuse(_ operation: String, at place: String, _ count: Int) -> Never {
    KeyValueViolation.fatal(
      .indexOutOfRange,
      "\(access.object.schema.name).\(access.property.key) has \(count) elements, so there can be no "
        + "\(operation) at \(place).")
  }

  private func checkRemoval(of count: Int) {
    if count < 0 { refuse("removal", at: "\(count) places", endIndex) }
  }

  private func check(
    _ indexes: RangeSet<Int>, within count: Int, growth: Int = 0, _ operation: String
  ) {
    if let first = indexes.ranges.first, let last = indexes.ranges.last {
      check(first.lowerBound..<last.upperBound, within: count, growth: growth, operation)
    }
  }
}

// MARK: Changing

extension KeyValueMutableArray {
  /// Inserts an element at the end.
  public func append(_ element: Element) {
    insertChecked(element, at: endIndex)
  }

  /// Inserts elements at the end.
  public func append(contentsOf elements: some Sequence<Element>) {
    insert(contentsOf: Array(elements), at: endIndex)
  }

  /// Inserts an element before the one at an index.
  public func insert(_ element: Element, at index: Int) {
    check(index..<index, within: endIndex, "insertion")
    insertChecked(element, at: index)
  }

  /// Inserts an element at an index that has been checked.
  private func insertChecked(_ element: Element, at index: Int) {
    guard let storage else {
      return access.apply(.insertion(IndexRanges(index..<index + 1), [element]))
    }
    access.apply(.insertion, at: index..<index + 1) { range in
      storage.insert(access.object, element, range.lowerBound)
    }
  }

  /// Inserts consecutive elements before the one at an index.
  public func insert(contentsOf elements: some Collection<Element>, at index: Int) {
    check(index..<index, within: endIndex, "insertion")
    guard !elements.isEmpty else { return }
    let range = index..<index + elements.count
    guard let storage else { return access.apply(.insertion(IndexRanges(range), Array(elements))) }
    let elements = Array(elements)
    access.apply(.insertion, at: range) { range in
      storage.replace(access.object, range.lowerBound..<range.lowerBound, elements)
    }
  }

  /// Inserts elements so that each has one of these indexes afterwards.
  ///
  /// ```swift
  /// print(books)                                                    // ["Emma", "Ulysses"]
  /// books.insert(contentsOf: ["A", "B"], at: RangeSet([0..<1, 3..<4]))
  /// // insertion, indexes: 0, 3, new: ["A", "B"]
  /// print(books)                                                    // ["A", "Emma", "Ulysses", "B"]
  /// ```
  ///
  /// Traps if the numbers of indexes and elements differ, or if an index is out of range afterwards.
  public func insert(contentsOf elements: some Collection<Element>, at indexes: RangeSet<Int>) {
    let count = IndexRanges(indexes).count
    guard count == elements.count else {
      KeyValueViolation.fatal(
        .indexOutOfRange,
        "\(elements.count) elements were to be inserted at \(count) indexes; give one index for each."
      )
    }
    check(indexes, within: endIndex, growth: count, "insertion")
    guard count > 0 else { return }
    access.apply(.insertion(IndexRanges(indexes), Array(elements)))
  }

  /// Removes the element at an index, and returns it.
  @discardableResult
  public func remove(at index: Int) -> Element {
    check(index, within: endIndex, "removal")
    let element = present(index)
    guard let storage else {
      access.apply(.removal(IndexRanges(index..<index + 1)))
      return element
    }
    access.apply(.removal, at: index..<index + 1) { range in
      storage.replace(access.object, range, [])
    }
    return element
  }

  /// Removes the elements at these indexes; all indexes are those before the removal.
  public func remove(at indexes: RangeSet<Int>) {
    check(indexes, within: endIndex, "removal")
    guard !indexes.isEmpty else { return }
    access.apply(.removal(IndexRanges(indexes)))
  }

  /// Removes the last element; the collection must not be empty.
  @discardableResult
  public func removeLast() -> Element {
    remove(at: endIndex - 1)
  }

  /// Removes the first element; the collection must not be empty.
  @discardableResult
  public func removeFirst() -> Element {
    remove(at: 0)
  }

  /// Removes this many elements at the end; the collection must have them.
  public func removeLast(_ count: Int) {
    checkRemoval(of: count)
    removeSubrange(endIndex - count..<endIndex)
  }

  /// Removes this many elements at the start; the collection must have them.
  public func removeFirst(_ count: Int) {
    checkRemoval(of: count)
    removeSubrange(0..<count)
  }

  /// Removes the elements in a range, in one notification.
  public func removeSubrange(_ bounds: some RangeExpression<Int>) {
    remove(at: RangeSet(bounds.relative(to: self)))
  }

  /// Removes all elements; doesn't notify if there are none.
  public func removeAll() {
    remove(at: RangeSet(0..<endIndex))
  }

  /// Removes the elements that satisfy a condition, in one notification.
  ///
  /// ```swift
  /// print(books)                             // ["A", "Emma", "Ulysses", "B"]
  /// books.removeAll { $0.count == 1 }        // removal, indexes: 0, 3, old: ["A", "B"]
  /// ```
  ///
  /// - Throws: The condition's error; then nothing has changed.
  public func removeAll(where isRemoved: (Element) throws -> Bool) rethrows {
    var indexes = RangeSet<Int>()
    for (index, element) in snapshot.enumerated() where try isRemoved(element) {
      indexes.insert(contentsOf: index..<index + 1)
    }
    remove(at: indexes)
  }

  /// Replaces elements with others: one replacement if the counts are equal, otherwise a removal and an
  /// insertion, each announced only if it changes something.
  ///
  /// ```swift
  /// print(books)                             // ["Emma", "Ulysses"]
  /// books.replaceSubrange(0..<2, with: ["Ubik"])
  /// // removal, indexes: 0–1, old: ["Emma", "Ulysses"]
  /// // insertion, indexes: 0, new: ["Ubik"]
  /// ```
  public func replaceSubrange(
    _ bounds: some RangeExpression<Int>, with elements: some Collection<Element>
  ) {
    let range = bounds.relative(to: self)
    check(range, within: endIndex, "replacement")
    if range.count == elements.count {
      guard !range.isEmpty else { return }
      replace(range, with: Array(elements))
    } else {
      let elements = Array(elements)
      if storage == nil {
        access.check(.replacement(IndexRanges(range), elements), isSilent: access.isSilent)
      }
      access.together {
        remove(at: RangeSet(range))
        insertAgain(elements, at: range.lowerBound)
      }
    }
  }

  /// Inserts elements that a removal has made room for, although the removal's observers may have changed the
  /// collection.
  ///
  /// An index past the end becomes the end, and an ordered set doesn't get an element that it has again.
  ///
  /// - Returns: The elements' indexes.
  @discardableResult
  private func insertAgain(_ elements: [Element], at index: Int) -> Range<Int> {
    let isPresent = access.isPresent
    let entering = elements.filter { isPresent?($0) != true }
    let start = Swift.min(index, endIndex)
    insert(contentsOf: entering, at: start)
    return start..<start + entering.count
  }

  /// Replaces the elements at these indexes, each with one of the new elements; one replacement.
  ///
  /// ```swift
  /// print(books)                             // ["Emma", "Ulysses", "Ubik"]
  /// books.replace(at: RangeSet([0..<1, 2..<3]), with: ["Dune", "Solaris"])
  /// // replacement, indexes: 0, 2, old: ["Emma", "Ubik"], new: ["Dune", "Solaris"]
  /// ```
  ///
  /// Traps if the numbers of indexes and elements differ.
  public func replace(at indexes: RangeSet<Int>, with elements: some Collection<Element>) {
    let count = IndexRanges(indexes).count
    guard count == elements.count else {
      KeyValueViolation.fatal(
        .indexOutOfRange,
        "\(elements.count) elements were to replace those at \(count) indexes; give one for each.")
    }
    guard count > 0 else { return }
    check(indexes, within: endIndex, "replacement")
    access.apply(.replacement(IndexRanges(indexes), Array(elements)))
  }

  /// Exchanges two elements; one replacement.
  public func swapAt(_ first: Int, _ second: Int) {
    guard first != second else { return }
    let (low, high) = (Swift.min(first, second), Swift.max(first, second))
    check(low..<high + 1, within: endIndex, "replacement")
    access.apply(.replacement(IndexRanges(low, high), [self[high], self[low]]))
  }

  /// Moves an element so that it has the second index afterwards: a removal and an insertion.
  ///
  /// ```swift
  /// print(books)                             // ["Ubik", "Dune"]
  /// books.move(from: 0, to: 1)
  /// // removal, indexes: 0, old: ["Ubik"]
  /// // insertion, indexes: 1, new: ["Ubik"]
  /// ```
  public func move(from source: Int, to destination: Int) {
    check(destination, within: endIndex, "insertion")
    access.together {
      let element = remove(at: source)
      insertAgain([element], at: destination)
    }
  }

  /// Moves elements so that they are consecutive, in their order, before the element that's now at an index;
  /// a removal and an insertion.
  ///
  /// ```swift
  /// print(books)                             // ["Emma", "Ulysses", "Ubik", "Dune"]
  /// books.moveSubranges(RangeSet([0..<1, 3..<4]), to: 2)
  /// // removal, indexes: 0, 3, old: ["Emma", "Dune"]
  /// // insertion, indexes: 1–2, new: ["Emma", "Dune"]
  /// print(books)                             // ["Ulysses", "Emma", "Dune", "Ubik"]
  /// ```
  ///
  /// Doesn't notify if the elements are there already.
  ///
  /// - Returns: The elements' new indexes.
  @discardableResult
  public func moveSubranges(_ indexes: RangeSet<Int>, to insertionPoint: Int) -> Range<Int> {
    check(indexes, within: endIndex, "removal")
    check(insertionPoint..<insertionPoint, within: endIndex, "insertion")
    let moved = IndexRanges(indexes).indices.map(present)
    let before = IndexRanges(indexes.intersection(RangeSet(0..<insertionPoint))).count
    let place = insertionPoint - before..<insertionPoint - before + moved.count
    guard indexes != RangeSet(place) else { return place }
    var entered = place
    access.together {
      remove(at: indexes)
      entered = insertAgain(moved, at: place.lowerBound)
    }
    return entered
  }

  /// Sorts the elements; one replacement of all of them.
  public func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
    replaceSubrange(0..<endIndex, with: try snapshot.sorted(by: areInIncreasingOrder))
  }

  /// Reverses the order of the elements; one replacement of all of them.
  public func reverse() {
    replaceSubrange(0..<endIndex, with: snapshot.reversed())
  }

  /// Puts the elements in a random order; one replacement of all of them.
  public func shuffle() {
    replaceSubrange(0..<endIndex, with: snapshot.shuffled())
  }

  /// Puts the elements in an order that a generator makes random; one replacement of all of them.
  public func shuffle(using generator: inout some RandomNumberGenerator) {
    replaceSubrange(0..<endIndex, with: snapshot.shuffled(using: &generator))
  }

  /// Puts the elements that satisfy a condition behind the others; one replacement of all of them.
  ///
  /// - Returns: The index of the first element that satisfies the condition; `endIndex` if none does.
  /// - Throws: The condition's error; then nothing has changed.
  public func partition(by isSecond: (Element) throws -> Bool) rethrows -> Int {
    var parted = snapshot
    let start = try parted.partition(by: isSecond)
    replaceSubrange(0..<endIndex, with: parted)
    return start
  }
}

extension KeyValueMutableArray where Element: Comparable {
  /// Sorts the elements; one replacement of all of them.
  public func sort() {
    sort(by: <)
  }
}

extension KeyValueMutableArray: CustomStringConvertible {
  /// The elements, as an array prints them.
  public var description: String { "\(Array(self))" }
}
