import KeyValueCore

/// The live ordered set behind `mutableOrderedSetValue(forKey:)`: reads and changes the collection of its owner.
///
/// Foundation lets a subclass override less here than of arrays and sets; the rest works through these.
final class KeyValueOrderedSet: NSMutableOrderedSet {
  private var base: KeyValueMutableArray<Any>?

  init(_ base: KeyValueMutableArray<Any>) {
    super.init(capacity: 0)
    self.base = base
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

  private func swift(_ value: Any) -> Any { Bridging.swift(value) ?? NSNull() }

  private func checked(_ index: Int) -> Int {
    guard index >= 0, index < count else {
      Exception.range.raise("index \(index) beyond bounds [0 .. \(count - 1)]")
    }
    return index
  }

  // MARK: Reading

  override var count: Int { base?.count ?? 0 }

  override func object(at index: Int) -> Any { Bridging.present(proxy[checked(index)]) }

  override func index(of object: Any) -> Int {
    (0..<count).first { Bridging.areEqual(self.object(at: $0), object) } ?? NSNotFound
  }

  override func contains(_ object: Any) -> Bool { index(of: object) != NSNotFound }

  // MARK: Changing

  override func insert(_ object: Any, at idx: Int) {
    guard !contains(object) else { return }
    proxy.insert(swift(object), at: idx)
  }

  override func removeObject(at idx: Int) { _ = proxy.remove(at: checked(idx)) }

  override func replaceObject(at idx: Int, with obj: Any) {
    let present = index(of: obj)
    guard present == NSNotFound || present == idx else { return }
    proxy[checked(idx)] = swift(obj)
  }

  override func add(_ object: Any) { insert(object, at: count) }

  override func remove(_ val: Any) {
    let index = index(of: val)
    if index != NSNotFound { removeObject(at: index) }
  }

  override func removeAllObjects() { proxy.removeAll() }

  override func addObjects(from array: [Any]) {
    for object in array { add(object) }
  }

  override func insert(_ objects: [Any], at indexes: IndexSet) {
    for (object, index) in zip(objects, indexes) { insert(object, at: index) }
  }

  override func setObject(_ obj: Any, at idx: Int) {
    if idx == count { add(obj) } else { replaceObject(at: idx, with: obj) }
  }

  override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
    for (object, index) in zip(objects, indexes) { replaceObject(at: index, with: object) }
  }

  override func removeObjects(at indexes: IndexSet) {
    if indexes.isEmpty { return }
    proxy.remove(at: indexes.rangeSet)
  }

  override func removeObjects(in array: [Any]) {
    removeObjects(at: indexes { object in array.contains { Bridging.areEqual($0, object) } })
  }

  override func removeObjects(in range: NSRange) {
    removeObjects(at: IndexSet(integersIn: range.lowerBound..<range.upperBound))
  }

  override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) {
    if idx1 == idx2 { return }
    var objects = snapshot
    objects.swapAt(checked(idx1), checked(idx2))
    replaceAll(with: objects)
  }

  override func moveObjects(at indexes: IndexSet, to idx: Int) {
    let moved = indexes.map { object(at: $0) }
    removeObjects(at: indexes)
    for (offset, object) in moved.enumerated() { insert(object, at: idx + offset) }
  }

  override func union(_ other: NSOrderedSet) { addObjects(from: Array(other)) }

  override func minus(_ other: NSOrderedSet) { removeObjects(in: Array(other)) }

  override func intersect(_ other: NSOrderedSet) {
    removeObjects(at: indexes { !other.contains($0) })
  }

  override func unionSet(_ other: Set<AnyHashable>) { addObjects(from: other.map(\.base)) }

  override func minusSet(_ other: Set<AnyHashable>) { removeObjects(in: other.map(\.base)) }

  override func intersectSet(_ other: Set<AnyHashable>) {
    removeObjects(at: indexes { object in !other.contains { Bridging.areEqual($0.base, object) } })
  }

  override func sort(comparator cmptr: Comparator) {
    replaceAll(with: snapshot.stablySorted { cmptr($0, $1) == .orderedAscending })
  }

  override func sort(options opts: NSSortOptions = [], usingComparator cmptr: Comparator) {
    sort(comparator: cmptr)
  }

  private var snapshot: [Any] { (0..<count).map { object(at: $0) } }

  private func replaceAll(with objects: [Any]) {
    proxy.replaceSubrange(0..<count, with: objects.map(swift))
  }

  private func indexes(where isWanted: (Any) -> Bool) -> IndexSet {
    IndexSet((0..<count).filter { isWanted(object(at: $0)) })
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

// Foundation's own versions can't be overridden, and use storage that the proxies of keys don't have.
extension NSOrderedSet {
  /// The elements, in order.
  public var array: [Any] { (0..<count).map { object(at: $0) } }

  /// The elements, without their order.
  public var set: Set<AnyHashable> { Set(array.compactMap { $0 as? AnyHashable }) }

  /// The first element.
  public var firstObject: Any? { count == 0 ? nil : object(at: 0) }

  /// The last element.
  public var lastObject: Any? { count == 0 ? nil : object(at: count - 1) }

  /// The elements in the opposite order.
  public var reversed: NSOrderedSet { NSOrderedSet(array: array.reversed()) }

  /// An enumerator of the elements.
  public func objectEnumerator() -> NSEnumerator { NSArray(array: array).objectEnumerator() }

  /// An enumerator of the elements, from the last to the first.
  public func reverseObjectEnumerator() -> NSEnumerator {
    NSArray(array: array.reversed()).objectEnumerator()
  }
}
