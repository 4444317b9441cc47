/// A key's accessor methods, which the class declares by Cocoa's names.
struct CollectionAccessors {
  var get: ((AnyObject) -> Any?)?
  var key: ((AnyObject) -> Any?)?
  var isGetter: ((AnyObject) -> Any?)?

  var count: ((AnyObject) -> Int)?
  var objectAt: ((AnyObject, Int) -> Any)?
  var objectsAt: ((AnyObject, RangeSet<Int>) -> [Any])?
  var insertAt: ((AnyObject, Any, Int) -> Void)?
  var removeAt: ((AnyObject, Int) -> Void)?
  var replaceAt: ((AnyObject, Int, Any) -> Void)?
  var insertAtIndexes: ((AnyObject, [Any], RangeSet<Int>) -> Void)?
  var removeAtIndexes: ((AnyObject, RangeSet<Int>) -> Void)?
  var replaceAtIndexes: ((AnyObject, RangeSet<Int>, [Any]) -> Void)?

  var addObject: ((AnyObject, Any) -> Void)?
  var removeObject: ((AnyObject, Any) -> Void)?
  var addSet: ((AnyObject, Set<AnyHashable>) -> Void)?
  var removeSet: ((AnyObject, Set<AnyHashable>) -> Void)?
  var intersectSet: ((AnyObject, Set<AnyHashable>) -> Void)?
  var setSet: ((AnyObject, Set<AnyHashable>) -> Void)?

  /// The types of the elements that the methods take, each once.
  private(set) var takenTypes: [Any.Type] = []

  /// Records that a method takes elements of this type.
  mutating func take(_ element: Any.Type) {
    if !takenTypes.contains(where: { $0 == element }) { takenTypes.append(element) }
  }

  /// Whether the value is read as a whole.
  var hasGetter: Bool { self.get != nil || key != nil || isGetter != nil }
  var isReadable: Bool { hasGetter || isCounted }

  /// Whether the elements can be read by index.
  var isCounted: Bool { count != nil && (objectAt != nil || objectsAt != nil) }

  /// Whether the class has methods that insert and remove elements by index.
  var mutatesArray: Bool {
    (insertAt != nil || insertAtIndexes != nil) && (removeAt != nil || removeAtIndexes != nil)
  }

  /// Whether the class has methods that add and remove elements.
  var mutatesSet: Bool {
    (addObject != nil || addSet != nil) && (removeObject != nil || removeSet != nil)
  }

  /// Reads the key in Cocoa's order: `get<Key>`, `<key>`, `is<Key>`, then counted access.
  func read(_ object: AnyObject) -> Any?? {
    if let getter = get ?? key ?? isGetter { return .some(getter(object)) }
    guard let count, isCounted else { return nil }
    return .some(elements(of: object, at: IndexRanges(0..<count(object))))
  }

  /// The elements at these indexes, read with one call if the class has a method for that.
  func elements(of object: AnyObject, at indexes: IndexRanges) -> [Any] {
    if let objectAt, objectsAt == nil || indexes.count == 1 {
      return indexes.indices.map { objectAt(object, $0) }
    }
    return objectsAt?(object, indexes.set) ?? []
  }

  func element(of object: AnyObject, at index: Int) -> Any? {
    elements(of: object, at: IndexRanges(index..<index + 1)).first
  }
}
