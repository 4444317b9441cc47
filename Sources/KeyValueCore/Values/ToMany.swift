/// A property's value that holds many elements, whatever their type.
package protocol ToMany {
  static var elementType: Any.Type { get }
  static var empty: Self { get }
  /// The key path of the number of elements, which as a component reads `@count`.
  static var countKeyPath: AnyKeyPath { get }
  /// The elements, nil where an optional element is.
  var anyElements: [Any?] { get }
  var anyCount: Int { get }
  /// The elements in a type that is their own, without a cast of each.
  func elements<Own>(ofOwnType type: Own.Type) -> [Own]
  /// What a collection of this kind makes of one value for each element.
  func mapped(_ values: [Any?]) -> Any
  /// Traps unless a collection of this type can hold these elements.
  static func check(_ elements: [Any])
}

extension ToMany where Self: Collection {
  package var anyCount: Int { count }

  package func elements<Own>(ofOwnType type: Own.Type) -> [Own] {
    // Element is Own, found only at run time.
    map { unsafeBitCast($0, to: Own.self) }
  }

  package static func check(_ elements: [Any]) {
    for element in elements { _ = typedElement(element) as Element }
  }
}

/// A to-many value whose elements have places.
package protocol OrderedToMany: ToMany {
  var elementCount: Int { get }
  func anyElement(at index: Int) -> Any?
  /// Where an element is, at the cost of the collection's own look-up.
  func index(ofElement element: AnyHashable) -> Int?
  /// The elements that have these indexes; indexes past the end are nobody's.
  func elements(at indexes: IndexRanges) -> Self
  mutating func replaceElements(in range: Range<Int>, with elements: [Any])
  mutating func replaceElements(at indexes: IndexRanges, with elements: [Any])
  mutating func removeElements(at indexes: IndexRanges)
}

extension OrderedToMany {
  package mutating func replaceElements(at indexes: IndexRanges, with elements: [Any]) {
    var rest = elements[...]
    for range in indexes.ranges {
      replaceElements(in: range, with: Array(rest.prefix(range.count)))
      rest = rest.dropFirst(range.count)
    }
  }
}

/// A to-many value whose elements have no order and occur once.
package protocol UnorderedToMany: ToMany {
  func elements(in others: Set<AnyHashable>) -> Self
  func elements(notIn others: Set<AnyHashable>) -> Self
  /// Those of the others that are not here.
  func missing(of others: Set<AnyHashable>) -> Self
  mutating func apply(_ kind: KeyValueSetMutationKind, _ others: Set<AnyHashable>)
}

extension Array: ToMany, OrderedToMany {
  package static var elementType: Any.Type { Element.self }
  package static var empty: [Element] { [] }
  package static var countKeyPath: AnyKeyPath { \[Element].count }
  package var anyElements: [Any?] { map { flattened($0) } }
  package var elementCount: Int { count }

  /// Arrays keep nil as nil.
  package func mapped(_ values: [Any?]) -> Any {
    let present = values.compactMap { $0 }
    return present.count == values.count ? present as Any : values
  }

  package func anyElement(at index: Int) -> Any? { flattened(self[index]) }

  package func index(ofElement element: AnyHashable) -> Int? {
    firstIndex { ($0 as? AnyHashable) == element }
  }

  package func elements(at indexes: IndexRanges) -> [Element] {
    let ranges = indexes.within(count).ranges
    if ranges.count == 1 {
      let range = ranges[0]
      return range.count == 1 ? [self[range.lowerBound]] : Array(self[range])
    }
    return ranges.flatMap { self[$0] }
  }

  package mutating func replaceElements(in range: Range<Int>, with elements: [Any]) {
    if range.isEmpty, range.lowerBound == count {
      for element in elements { append(typedElement(element)) }
    } else {
      replaceSubrange(range, with: elements.lazy.map { typedElement($0) })
    }
  }

  package mutating func removeElements(at indexes: IndexRanges) {
    if indexes.ranges.count == 1 {
      removeSubrange(indexes.ranges[0])
    } else {
      removeSubranges(indexes.set)
    }
  }
}

extension Set: ToMany, UnorderedToMany {
  package static var elementType: Any.Type { Element.self }
  package static var empty: Set<Element> { [] }
  package static var countKeyPath: AnyKeyPath { \Set<Element>.count }
  package var anyElements: [Any?] { map { flattened($0) } }

  /// Sets drop nil and duplicates.
  package func mapped(_ values: [Any?]) -> Any {
    asSet(values.compactMap { $0 })
  }

  package func elements(in others: Set<AnyHashable>) -> Set<Element> {
    Set(others.compactMap { $0.base as? Element }.filter { contains($0) })
  }

  package func elements(notIn others: Set<AnyHashable>) -> Set<Element> {
    filter { !others.contains($0) }
  }

  package func missing(of others: Set<AnyHashable>) -> Set<Element> {
    Set(others.map { typedElement($0.base) as Element }.filter { !contains($0) })
  }

  package mutating func apply(_ kind: KeyValueSetMutationKind, _ others: Set<AnyHashable>) {
    let others = Set(others.map { typedElement($0.base) as Element })
    switch kind {
    case .union: formUnion(others)
    case .minus: subtract(others)
    case .intersect: formIntersection(others)
    case .set: self = others
    }
  }
}

/// An element as a typed collection holds it.
func typedElement<Element>(_ value: Any) -> Element {
  if let element = value as? Element { return element }
  guard let element = ValueConversion.convert(value, to: Element.self) as? Element else {
    KeyValueViolation.fatal(
      .wrongElement,
      "\(plainDescription(value)) was given to a collection of \(Element.self); "
        + "convert it to \(Element.self) first.")
  }
  return element
}
