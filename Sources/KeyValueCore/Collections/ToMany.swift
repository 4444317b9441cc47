/// A property's value that holds many elements, whatever their type.
package protocol ToMany {
  static var elementType: Any.Type { get }
}

/// A to-many value whose elements have places.
package protocol OrderedToMany: ToMany {
  var elementCount: Int { get }
  func elements(at indexes: RangeSet<Int>) -> Self
}

/// A to-many value whose elements have no order and occur once.
package protocol UnorderedToMany: ToMany {
  func elements(in others: Set<AnyHashable>) -> Self
  func elements(notIn others: Set<AnyHashable>) -> Self
  /// Those of the others that are not here.
  func missing(of others: Set<AnyHashable>) -> Self
}

extension Array: ToMany, OrderedToMany {
  package static var elementType: Any.Type { Element.self }
  package var elementCount: Int { count }

  package func elements(at indexes: RangeSet<Int>) -> [Element] {
    Array(self[indexes])
  }
}

extension Set: ToMany, UnorderedToMany {
  package static var elementType: Any.Type { Element.self }

  package func elements(in others: Set<AnyHashable>) -> Set<Element> {
    filter { others.contains($0) }
  }

  package func elements(notIn others: Set<AnyHashable>) -> Set<Element> {
    filter { !others.contains($0) }
  }

  package func missing(of others: Set<AnyHashable>) -> Set<Element> {
    Set(others.compactMap { $0.base as? Element }).subtracting(self)
  }
}
