import KeyValueCore

// Foundation's collections as values of keys. A change creates another collection and sets the key, so objects
// that hold the previous collection keep it.

/// A collection that is an object.
package protocol CollectionObject: ToMany {
  static func make(_ objects: [Any]) -> Self
  var objects: [Any] { get }
  var count: Int { get }
}

extension CollectionObject {
  package static var elementType: Any.Type { Any.self }
  package static var empty: Self { make([]) }
  package var anyCount: Int { count }
  package var anyElements: [Any?] { objects.map { Bridging.swift($0) } }
  package var untypedElements: Any { anyElements }
  package var references: [AnyObject]? { nil }
}

/// A collection that is an object and has ordered elements.
package protocol OrderedCollectionObject: CollectionObject, OrderedToMany {
  func object(at index: Int) -> Any
}

extension OrderedCollectionObject {
  package func anyElement(at index: Int) -> Any? { Bridging.swift(object(at: index)) }

  package func index(ofElement element: AnyHashable) -> Int? {
    objects.firstIndex { Bridging.areEqual($0, element.base) }
  }

  package func elements(at indexes: IndexRanges) -> Self {
    let objects = objects
    return .make(indexes.indices.filter(objects.indices.contains).map { objects[$0] })
  }

  package mutating func replaceElements(in range: Range<Int>, with elements: [Any]) {
    var objects = objects
    objects.replaceSubrange(range, with: elements)
    self = .make(objects)
  }

  /// In one step, because an ordered set would lose an element that occurs twice meanwhile.
  package mutating func replaceElements(at indexes: IndexRanges, with elements: [Any]) {
    var objects = objects
    for (index, element) in zip(indexes.indices, elements) { objects[index] = element }
    self = .make(objects)
  }

  package mutating func removeElements(at indexes: IndexRanges) {
    var objects = objects
    objects.removeSubranges(indexes.set)
    self = .make(objects)
  }
}

extension NSArray: OrderedCollectionObject {
  package static var countKeyPath: AnyKeyPath { \NSArray.count }
  package var objects: [Any] { (0..<count).map { object(at: $0) } }

  package static func make(_ objects: [Any]) -> Self {
    same(self == NSArray.self ? NSArray(array: objects) : NSMutableArray(array: objects))
  }

  /// The result of Cocoa's arrays for the elements' values: `NSNull` for nil.
  package func mapped(_ values: [Any?]) -> Any {
    NSArray(array: values.map { Bridging.present($0) })
  }
}

extension NSOrderedSet: OrderedCollectionObject {
  package static var isDistinct: Bool { true }
  package static var countKeyPath: AnyKeyPath { \NSOrderedSet.count }
  package var objects: [Any] { array }

  package static func make(_ objects: [Any]) -> Self {
    same(
      self == NSOrderedSet.self
        ? NSOrderedSet(array: Bridging.members(objects))
        : NSMutableOrderedSet(array: Bridging.members(objects)))
  }

  package func mapped(_ values: [Any?]) -> Any {
    NSOrderedSet(array: Bridging.members(values.lazy.filter { Bridging.object($0) != nil }))
  }
}

/// A collection that is an object and whose elements have no order.
package protocol SetObject: CollectionObject, UnorderedToMany {
  /// The objects themselves, where a condition on what compares them is true.
  func members(where isIncluded: (AnyHashable) -> Bool) -> [Any]
}

extension SetObject {
  package func elements(in others: Set<AnyHashable>) -> Self {
    let keys = Bridging.hashables(others)
    return .make(members { keys.contains($0) })
  }

  package func elements(notIn others: Set<AnyHashable>) -> Self {
    let keys = Bridging.hashables(others)
    return .make(members { !keys.contains($0) })
  }

  package func missing(of others: Set<AnyHashable>) -> Self { .make(entering(others)) }

  private func entering(_ others: Set<AnyHashable>) -> [Any] {
    let keys = Bridging.hashables(objects)
    return others.map(\.base).filter { other in
      Bridging.hashable(other).map { !keys.contains($0) } ?? false
    }
  }

  package mutating func apply(_ kind: KeyValueSetMutationKind, _ others: Set<AnyHashable>) {
    switch kind {
    case .union: self = .make(members { _ in true } + entering(others))
    case .minus: self = elements(notIn: others)
    case .intersect: self = elements(in: others)
    case .set: self = .make(others.map(\.base))
    }
  }
}

extension NSSet: CollectionObject, UnorderedToMany, SetObject {
  package static var countKeyPath: AnyKeyPath { \NSSet.count }
  package var objects: [Any] { allObjects }

  package static func make(_ objects: [Any]) -> Self {
    let members = Bridging.members(objects)
    return same(self == NSSet.self ? NSSet(array: members) : NSMutableSet(array: members))
  }

  package func mapped(_ values: [Any?]) -> Any {
    NSSet(array: Bridging.members(values.lazy.filter { Bridging.object($0) != nil }))
  }

  package func members(where isIncluded: (AnyHashable) -> Bool) -> [Any] {
    let included = allObjects.filter { object in
      Bridging.hashable(object).map { isIncluded($0) } ?? false
    }
    // On Linux, `allObjects` has values in place of Foundation's objects: `DateComponents` for `NSDateComponents`.
    return Bridging.members(included).map { member($0) ?? $0 }
  }
}

extension NSDictionary: StringKeyed {
  package static var valueType: Any.Type { Any.self }

  package func anyValue(under key: String) -> Any? {
    object(forKey: key as NSString).map { Bridging.swift($0) ?? NSNull() }
  }

  package func replacing(_ value: Any?, under key: String) throws -> Any {
    guard let copy = mutableCopy() as? NSMutableDictionary else { return self }
    copy.setValue(value.map { Bridging.present($0) }, forKey: key)
    return self is NSMutableDictionary ? copy : copy.copy()
  }
}

extension NSDictionary: Keyed {
  package var anyPairs: [(key: Any, value: Any?)] {
    allKeys.map { (Bridging.swift($0) ?? $0, Bridging.swift(object(forKey: $0))) }
  }
}

/// The object, cast to the class that it was created for.
private func same<Object>(_ object: AnyObject) -> Object {
  guard let object = object as? Object else {
    Exception.invalidArgument.raise(
      "A key of type \(Object.self) can't be changed through a proxy. Declare it with one of Foundation's own "
        + "classes, or with an array or a set.")
  }
  return object
}
