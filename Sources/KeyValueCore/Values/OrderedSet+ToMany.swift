#if OrderedCollections
  import OrderedCollections

  /// An ordered to-many value whose elements occur once.
  extension OrderedSet: ToMany, OrderedToMany {
    package static var elementType: Any.Type { Element.self }
    package static var isDistinct: Bool { true }
    package static var empty: OrderedSet<Element> { [] }
    package static var countKeyPath: AnyKeyPath { \OrderedSet<Element>.count }

    /// Ordered sets drop nil and duplicates, and keep the order.
    package func mapped(_ values: [Any?]) -> Any { onceEach(values.compactMap { $0 }) }

    package func anyElement(at index: Int) -> Any? { flattened(self[index]) }

    package func hasSameBits(
      at index: Int, as other: OrderedSet<Element>, at otherIndex: Int
    ) -> Bool {
      elements.hasSameBits(at: index, as: other.elements, at: otherIndex)
    }

    package func index(ofElement element: AnyHashable) -> Int? {
      (element.base as? Element).flatMap { firstIndex(of: $0) }
    }

    package func elements(at indexes: IndexRanges) -> OrderedSet<Element> {
      OrderedSet(
        uncheckedUniqueElements: indexes.within(count).ranges.flatMap { self.elements[$0] })
    }

    package mutating func replaceElements(in range: Range<Int>, with elements: [Any]) {
      removeSubrange(range)
      for (offset, element) in elements.enumerated() {
        insert(typedElement(element), at: range.lowerBound + offset)
      }
    }

    /// Removes all replaced elements first: a new element may equal another one that is replaced.
    package mutating func replaceElements(at indexes: IndexRanges, with elements: [Any]) {
      removeElements(at: indexes)
      for (index, element) in zip(indexes.indices, elements) {
        insert(typedElement(element), at: index)
      }
    }

    package mutating func removeElements(at indexes: IndexRanges) {
      for range in indexes.ranges.reversed() { removeSubrange(range) }
    }
  }

  extension OrderedSet: DistinctToMany {
    func firstRepeated(of elements: [Any], inPlaceOf indexes: IndexRanges?) -> Any? {
      var entering: Set<Element> = []
      return elements.first { element in
        let element: Element = typedElement(element)
        guard entering.insert(element).inserted else { return true }
        guard let index = firstIndex(of: element) else { return false }
        return indexes?.contains(index) != true
      }
    }
  }

  /// An ordered to-many value whose elements occur once.
  protocol DistinctToMany: OrderedToMany {
    /// The first element that can't be inserted, because it is present or given twice.
    ///
    /// `indexes` are those of the elements to be replaced.
    func firstRepeated(of elements: [Any], inPlaceOf indexes: IndexRanges?) -> Any?
  }

  extension OrderedSet: ElementComparing {
    static func changes(
      from old: OrderedSet<Element>, to new: OrderedSet<Element>
    ) -> [KeyValueObservedChange<any CapturedValue>]? {
      Array.changes(from: Array(old), to: Array(new)) {
        ValueBox(OrderedSet(uncheckedUniqueElements: $0))
      }
    }
  }
#endif
