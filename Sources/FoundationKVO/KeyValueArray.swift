import KeyValueCore

/// The live array behind `mutableArrayValue(forKey:)`: reads and changes the collection of its owner.
///
/// Foundation's own implementations of the non-primitive methods use storage that a subclass doesn't have, so
/// this class overrides each of them.
final class KeyValueArray: NSMutableArray {
  private var base: KeyValueMutableArray<Any>?

  convenience init(_ base: KeyValueMutableArray<Any>) {
    self.init(capacity: 0)
    self.base = base
  }

  /// Unavailable only while Foundation initialises the object.
  private var proxy: KeyValueMutableArray<Any> {
    guard let base else {
      Exception.internalInconsistency.raise(
        "The array of a key is made by mutableArrayValue(forKey:).")
    }
    return base
  }

  private func checked(_ index: Int) -> Int {
    Exception.check(index, count)
    return index
  }

  private func swift(_ value: Any) -> Any { Bridging.swift(value) ?? NSNull() }

  // MARK: Reading

  override var count: Int { base?.count ?? 0 }

  override func object(at index: Int) -> Any { Bridging.present(proxy[checked(index)]) }

  override func contains(_ anObject: Any) -> Bool { index(of: anObject) != NSNotFound }

  override func index(of anObject: Any) -> Int {
    (0..<count).first { Bridging.areEqual(object(at: $0), anObject) } ?? NSNotFound
  }

  override func index(of anObject: Any, in range: NSRange) -> Int {
    Exception.checked(range, count).first { Bridging.areEqual(object(at: $0), anObject) }
      ?? NSNotFound
  }

  override func indexOfObjectIdentical(to anObject: Any, in range: NSRange) -> Int {
    Exception.checked(range, count).first { object(at: $0) as AnyObject === anObject as AnyObject }
      ?? NSNotFound
  }

  override func firstObjectCommon(with otherArray: [Any]) -> Any? {
    let others = Set(otherArray.map(Bridging.key))
    return (0..<count).lazy.map { self.object(at: $0) }.first { others.contains(Bridging.key($0)) }
  }

  override func isEqual(to otherArray: [Any]) -> Bool {
    count == otherArray.count
      && (0..<count).allSatisfy { Bridging.areEqual(object(at: $0), otherArray[$0]) }
  }

  override func subarray(with range: NSRange) -> [Any] {
    Exception.checked(range, count).map { object(at: $0) }
  }

  // MARK: Changing

  override func insert(_ anObject: Any, at index: Int) {
    Exception.checkInsertion(index, count)
    proxy.insert(swift(anObject), at: index)
  }

  override func insert(_ objects: [Any], at indexes: IndexSet) {
    Exception.check(objects.count, indexes)
    Exception.checkInsertion(indexes, count)
    proxy.insert(contentsOf: objects.map(swift), at: indexes.rangeSet)
  }

  override func removeObject(at index: Int) { _ = proxy.remove(at: checked(index)) }

  override func removeObjects(at indexes: IndexSet) {
    if indexes.isEmpty { return }
    Exception.check(indexes, count)
    proxy.remove(at: indexes.rangeSet)
  }

  override func replaceObject(at index: Int, with anObject: Any) {
    proxy[checked(index)] = swift(anObject)
  }

  override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
    Exception.check(objects.count, indexes)
    Exception.check(indexes, count)
    proxy.replace(at: indexes.rangeSet, with: objects.map(swift))
  }

  override func add(_ anObject: Any) { proxy.append(swift(anObject)) }

  override func addObjects(from otherArray: [Any]) {
    if otherArray.isEmpty { return }
    proxy.append(contentsOf: otherArray.map(swift))
  }

  override func removeLastObject() {
    if count > 0 { _ = proxy.removeLast() }
  }

  override func removeAllObjects() { proxy.removeAll() }

  override func remove(_ anObject: Any) {
    removeObjects(at: indexes { Bridging.areEqual($0, anObject) })
  }

  override func remove(_ anObject: Any, in range: NSRange) {
    removeObjects(at: indexes(in: range) { Bridging.areEqual($0, anObject) })
  }

  override func removeObject(identicalTo anObject: Any) {
    removeObjects(at: indexes { $0 as AnyObject === anObject as AnyObject })
  }

  override func removeObject(identicalTo anObject: Any, in range: NSRange) {
    removeObjects(at: indexes(in: range) { $0 as AnyObject === anObject as AnyObject })
  }

  override func removeObjects(in otherArray: [Any]) {
    let leaving = Set(otherArray.map(Bridging.key))
    removeObjects(at: indexes { leaving.contains(Bridging.key($0)) })
  }

  override func removeObjects(in range: NSRange) {
    removeObjects(at: IndexSet(integersIn: Exception.checked(range, count)))
  }

  override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) {
    proxy.swapAt(checked(idx1), checked(idx2))
  }

  override func replaceObjects(
    in range: NSRange, withObjectsFrom otherArray: [Any], range otherRange: NSRange
  ) {
    replaceObjects(
      in: range,
      withObjectsFrom: Array(otherArray[Exception.checked(otherRange, otherArray.count)]))
  }

  override func replaceObjects(in range: NSRange, withObjectsFrom otherArray: [Any]) {
    proxy.replaceSubrange(Exception.checked(range, count), with: otherArray.map(swift))
  }

  override func setArray(_ otherArray: [Any]) {
    proxy.replaceSubrange(0..<count, with: otherArray.map(swift))
  }

  override func sort(
    _ compare: (Any, Any, UnsafeMutableRawPointer?) -> Int, context: UnsafeMutableRawPointer?
  ) {
    reorder { compare($0, $1, context) < 0 }
  }

  override func sort(comparator: Comparator) {
    reorder { comparator($0, $1) == .orderedAscending }
  }

  override func sort(options opts: NSSortOptions = [], usingComparator cmptr: Comparator) {
    reorder { cmptr($0, $1) == .orderedAscending }
  }

  override func sort(using sortDescriptors: [NSSortDescriptor]) {
    reorder { sortDescriptors.compare($0, $1) == .orderedAscending }
  }

  private func reorder(_ areInIncreasingOrder: (Any, Any) -> Bool) {
    setArray((0..<count).map { object(at: $0) }.stablySorted(by: areInIncreasingOrder))
  }

  private func indexes(in range: NSRange? = nil, where isWanted: (Any) -> Bool) -> IndexSet {
    let all = range.map { Exception.checked($0, count) } ?? 0..<count
    return IndexSet(all.filter { isWanted(object(at: $0)) })
  }

  // MARK: Copies

  override func copy(with zone: NSZone? = nil) -> Any {
    NSArray(array: (0..<count).map { object(at: $0) })
  }

  override func mutableCopy(with zone: NSZone? = nil) -> Any {
    NSMutableArray(array: (0..<count).map { object(at: $0) })
  }
}

extension [Any] {
  /// The sorted elements, with equal ones in their original order, as Foundation sorts.
  func stablySorted(by areInIncreasingOrder: (Any, Any) -> Bool) -> [Any] {
    enumerated().sorted { left, right in
      if areInIncreasingOrder(left.element, right.element) { return true }
      if areInIncreasingOrder(right.element, left.element) { return false }
      return left.offset < right.offset
    }.map(\.element)
  }
}

extension [NSSortDescriptor] {
  /// The result of the first descriptor that tells the two objects apart.
  func compare(_ left: Any, _ right: Any) -> ComparisonResult {
    lazy.map { $0.compare(left, to: right) }.first { $0 != .orderedSame } ?? .orderedSame
  }
}
