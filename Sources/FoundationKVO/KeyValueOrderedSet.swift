import KeyValueCore

/// The live ordered set behind `mutableOrderedSetValue(forKey:)`: reads and changes the collection of its owner.
///
/// Foundation lets a subclass override less here than of arrays and sets; the rest works through these.
final class KeyValueOrderedSet: NSMutableOrderedSet {
  private var base: KeyValueMutableArray<Any>?

  init(_ base: KeyValueMutableArray<Any>) {
    super.init(capacity: 0)
    self.base = base
    fill()
  }

  // Foundation requires these two; neither creates a key's set.

  required init?(coder aDecoder: NSCoder) {
    nil
  }

  required init(arrayLiteral elements: Any...) {
    super.init(capacity: 0)
  }

  /// Unavailable only while Foundation initialises the object.
  private var proxy: KeyValueMutableArray<Any> {
    guard let base else {
      Exception.internalInconsistency.raise(
        "The ordered set of a key is made by mutableOrderedSetValue(forKey:).")
    }
    return base
  }

  /// Whether Foundation's own storage is being filled.
  private var isFilling = false

  /// Copies the elements into Foundation's own storage, which `for … in`, `map` and `Array` read.
  private func fill() {
    isFilling = true
    defer { isFilling = false }
    super.removeAllObjects()
    for element in snapshot { super.insert(element, at: super.count) }
  }

  /// Changes the key's collection, and fills Foundation's own storage anew: the class's accessors and observers may
  /// have done something else.
  private func change(_ body: (KeyValueMutableArray<Any>) -> Void) {
    body(proxy)
    fill()
  }

  private func swift(_ value: Any) -> Any { Bridging.swift(value) ?? NSNull() }

  private func checked(_ index: Int) -> Int {
    Exception.check(index, count)
    return index
  }

  // MARK: Reading

  override var count: Int { isFilling ? super.count : base?.count ?? 0 }

  override func object(at index: Int) -> Any { Bridging.present(proxy[checked(index)]) }

  override func index(of object: Any) -> Int {
    let key = Bridging.key(object)
    return (0..<count).first { Bridging.key(self.object(at: $0)) == key } ?? NSNotFound
  }

  override func contains(_ object: Any) -> Bool {
    isFilling ? super.contains(object) : index(of: object) != NSNotFound
  }

  // MARK: Changing

  override func insert(_ object: Any, at idx: Int) {
    Exception.checkInsertion(idx, count)
    guard !contains(object) else { return }
    change { $0.insert(swift(object), at: idx) }
  }

  override func removeObject(at idx: Int) {
    change { _ = $0.remove(at: checked(idx)) }
  }

  override func replaceObject(at idx: Int, with obj: Any) {
    Exception.check(idx, count)
    let present = index(of: obj)
    guard present == NSNotFound || present == idx else { return }
    change { $0[idx] = swift(obj) }
  }

  override func add(_ object: Any) { insert(object, at: count) }

  override func remove(_ val: Any) {
    let index = index(of: val)
    if index != NSNotFound { removeObject(at: index) }
  }

  override func removeAllObjects() { change { $0.removeAll() } }

  override func add(_ objects: UnsafePointer<AnyObject>?, count: Int) {
    addObjects(from: Array(UnsafeBufferPointer(start: objects, count: count)))
  }

  override func addObjects(from array: [Any]) {
    let entering = absent(array)
    if !entering.isEmpty { change { $0.append(contentsOf: entering.map(swift)) } }
  }

  override func insert(_ objects: [Any], at indexes: IndexSet) {
    Exception.check(objects.count, indexes)
    Exception.checkInsertion(indexes, count)
    if absent(objects).count == objects.count {
      change { $0.insert(contentsOf: objects.map(swift), at: indexes.rangeSet) }
    } else {
      for (object, index) in zip(objects, indexes) { insert(object, at: Swift.min(index, count)) }
    }
  }

  /// The objects that the set doesn't have, each once.
  private func absent(_ objects: [Any]) -> [Any] {
    if objects.isEmpty { return [] }
    var present = Set(snapshot.map(Bridging.key))
    return objects.filter { present.insert(Bridging.key($0)).inserted }
  }

  override func setObject(_ obj: Any, at idx: Int) {
    if idx == count { add(obj) } else { replaceObject(at: idx, with: obj) }
  }

  override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
    Exception.check(objects.count, indexes)
    Exception.check(indexes, count)
    if absent(objects).count == objects.count {
      change { $0.replace(at: indexes.rangeSet, with: objects.map(swift)) }
    } else {
      for (object, index) in zip(objects, indexes) { replaceObject(at: index, with: object) }
    }
  }

  override func removeObjects(at indexes: IndexSet) {
    if indexes.isEmpty { return }
    Exception.check(indexes, count)
    change { $0.remove(at: indexes.rangeSet) }
  }

  override func removeObjects(in array: [Any]) {
    let leaving = Set(array.map(Bridging.key))
    removeObjects(at: indexes { leaving.contains(Bridging.key($0)) })
  }

  override func removeObjects(in range: NSRange) {
    removeObjects(at: IndexSet(integersIn: Exception.checked(range, count)))
  }

  override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) {
    change { $0.swapAt(checked(idx1), checked(idx2)) }
  }

  override func moveObjects(at indexes: IndexSet, to idx: Int) {
    let moved = indexes.map { proxy[checked($0)] }
    Exception.checkInsertion(idx, count - moved.count)
    removeObjects(at: indexes)
    // The removal's observers may have changed the set.
    let entering = absent(moved)
    if entering.isEmpty { return }
    change { $0.insert(contentsOf: entering, at: Swift.min(idx, count)) }
  }

  override func union(_ other: NSOrderedSet) { addObjects(from: other.array) }

  override func minus(_ other: NSOrderedSet) { removeObjects(in: other.array) }

  override func intersect(_ other: NSOrderedSet) {
    keep(other.array)
  }

  override func unionSet(_ other: Set<AnyHashable>) { addObjects(from: other.map(\.base)) }

  override func minusSet(_ other: Set<AnyHashable>) { removeObjects(in: other.map(\.base)) }

  override func intersectSet(_ other: Set<AnyHashable>) { keep(other.map(\.base)) }

  /// Removes all objects except these.
  private func keep(_ objects: [Any]) {
    let staying = Set(objects.map(Bridging.key))
    removeObjects(at: indexes { !staying.contains(Bridging.key($0)) })
  }

  override func sort(comparator cmptr: Comparator) {
    sortRange(NSRange(location: 0, length: count), usingComparator: cmptr)
  }

  override func sort(options opts: NSSortOptions = [], usingComparator cmptr: Comparator) {
    sort(comparator: cmptr)
  }

  override func sort(using sortDescriptors: [NSSortDescriptor]) {
    sort { sortDescriptors.compare($0, $1) }
  }

  override func sortRange(
    _ range: NSRange, options opts: NSSortOptions = [], usingComparator cmptr: Comparator
  ) {
    let range = Exception.checked(range, count)
    let sorted = Array(snapshot[range]).stablySorted { cmptr($0, $1) == .orderedAscending }
    change { $0.replaceSubrange(range, with: sorted.map(swift)) }
  }

  private var snapshot: [Any] { proxy.indices.map { Bridging.present(proxy[$0]) } }

  private func indexes(where isWanted: (Any) -> Bool) -> IndexSet {
    IndexSet((0..<count).filter { isWanted(object(at: $0)) })
  }

  // MARK: Searching and enumerating

  private var elements: NSArray { NSArray(array: snapshot) }

  override func enumerateObjects(_ block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void) {
    elements.enumerateObjects(block)
  }

  override func enumerateObjects(
    options opts: NSEnumerationOptions = [],
    using block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void
  ) {
    elements.enumerateObjects(options: opts, using: block)
  }

  override func enumerateObjects(
    at s: IndexSet, options opts: NSEnumerationOptions = [],
    using block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void
  ) {
    Exception.check(s, count)
    elements.enumerateObjects(at: s, options: opts, using: block)
  }

  override func index(
    ofObjectPassingTest predicate: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Bool
  ) -> Int {
    elements.indexOfObject(passingTest: predicate)
  }

  override func index(
    _ opts: NSEnumerationOptions = [],
    ofObjectPassingTest predicate: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Bool
  ) -> Int {
    elements.indexOfObject(options: opts, passingTest: predicate)
  }

  override func index(
    ofObjectAt s: IndexSet, options opts: NSEnumerationOptions = [],
    passingTest predicate: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Bool
  ) -> Int {
    Exception.check(s, count)
    return elements.indexOfObject(at: s, options: opts, passingTest: predicate)
  }

  override func indexes(
    ofObjectsPassingTest predicate: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Bool
  ) -> IndexSet {
    elements.indexesOfObjects(passingTest: predicate)
  }

  override func indexes(
    options opts: NSEnumerationOptions = [],
    ofObjectsPassingTest predicate: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Bool
  ) -> IndexSet {
    elements.indexesOfObjects(options: opts, passingTest: predicate)
  }

  override func indexes(
    ofObjectsAt s: IndexSet, options opts: NSEnumerationOptions = [],
    passingTest predicate: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Bool
  ) -> IndexSet {
    Exception.check(s, count)
    return elements.indexesOfObjects(at: s, options: opts, passingTest: predicate)
  }

  override func index(
    of object: Any, inSortedRange range: NSRange, options opts: NSBinarySearchingOptions = [],
    usingComparator cmp: (Any, Any) -> ComparisonResult
  ) -> Int {
    _ = Exception.checked(range, count)
    return elements.index(of: object, inSortedRange: range, options: opts, usingComparator: cmp)
  }

  override func sortedArray(comparator cmptr: (Any, Any) -> ComparisonResult) -> [Any] {
    snapshot.stablySorted { cmptr($0, $1) == .orderedAscending }
  }

  override func sortedArray(
    options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult
  ) -> [Any] {
    sortedArray(comparator: cmptr)
  }

  override func sortedArray(using sortDescriptors: [NSSortDescriptor]) -> [Any] {
    sortedArray { sortDescriptors.compare($0, $1) }
  }

  override func intersects(_ other: NSOrderedSet) -> Bool {
    snapshot.contains { other.contains($0) }
  }

  override func intersectsSet(_ set: Set<AnyHashable>) -> Bool {
    let others = Bridging.hashables(set)
    return snapshot.contains { others.contains(Bridging.key($0)) }
  }

  override func isSubset(of other: NSOrderedSet) -> Bool {
    snapshot.allSatisfy { other.contains($0) }
  }

  override func isSubset(of set: Set<AnyHashable>) -> Bool {
    let others = Bridging.hashables(set)
    return snapshot.allSatisfy { others.contains(Bridging.key($0)) }
  }

  // MARK: Copies

  override func isEqual(to other: NSOrderedSet) -> Bool {
    count == other.count
      && (0..<count).allSatisfy { Bridging.areEqual(object(at: $0), other.object(at: $0)) }
  }

  override func objects(at indexes: IndexSet) -> [Any] { indexes.map { object(at: $0) } }

  override var description: String { NSArray(array: snapshot).description }

  override func copy(with zone: NSZone? = nil) -> Any { NSOrderedSet(array: snapshot) }

  override func mutableCopy(with zone: NSZone? = nil) -> Any {
    NSMutableOrderedSet(array: snapshot)
  }
}

// Foundation's own versions can't be overridden, and use the storage that a proxy last filled. A file that imports
// Foundation, too, calls those.
extension NSOrderedSet {
  /// The elements, in order.
  @_disfavoredOverload
  public var array: [Any] { (0..<count).map { object(at: $0) } }

  /// The elements, without their order.
  @_disfavoredOverload
  public var set: Set<AnyHashable> { Set(array.compactMap { $0 as? AnyHashable }) }

  /// The first element.
  @_disfavoredOverload
  public var firstObject: Any? { count == 0 ? nil : object(at: 0) }

  /// The last element.
  @_disfavoredOverload
  public var lastObject: Any? { count == 0 ? nil : object(at: count - 1) }

  /// The elements in the opposite order.
  @_disfavoredOverload
  public var reversed: NSOrderedSet { NSOrderedSet(array: array.reversed()) }

  /// An enumerator of the elements.
  @_disfavoredOverload
  public func objectEnumerator() -> NSEnumerator { NSArray(array: array).objectEnumerator() }

  /// The elements that satisfy a predicate.
  @_disfavoredOverload
  public func filtered(using predicate: NSPredicate) -> NSOrderedSet {
    NSOrderedSet(array: array.filter { predicate.evaluate(with: $0) })
  }

  /// An enumerator of the elements, from the last to the first.
  @_disfavoredOverload
  public func reverseObjectEnumerator() -> NSEnumerator {
    NSArray(array: array.reversed()).objectEnumerator()
  }
}

extension NSMutableOrderedSet {
  /// Removes the elements that don't satisfy a predicate.
  public func filter(using predicate: NSPredicate) {
    let leaving = (0..<count).filter { !predicate.evaluate(with: object(at: $0)) }
    if !leaving.isEmpty { removeObjects(at: IndexSet(leaving)) }
  }
}
