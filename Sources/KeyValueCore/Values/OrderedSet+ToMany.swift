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
      (convertedElement(element.base) as Element?).flatMap { firstIndex(of: $0) }
    }

    package static func converting(_ value: any ToMany) -> Any? {
      guard value is any OrderedToMany, let elements = convertedElements(value) as [Element]?
      else { return nil }
      let set = OrderedSet(elements)
      // An element that is given twice would be left out.
      guard set.count == elements.count else { return nil }
      return set
    }

    package func elements(at indexes: IndexRanges) -> OrderedSet<Element> {
      OrderedSet(
        uncheckedUniqueElements: indexes.within(count).ranges.flatMap { self.elements[$0] })
    }

    // Each removal and each insertion of an element costs O(n), save at the end. So several of them change an
    // array, which then becomes the set.

    package mutating func insertElements(_ elements: [Any], at indexes: IndexRanges) {
      if let range = indexes.sole {
        return replaceElements(in: range.lowerBound..<range.lowerBound, with: elements)
      }
      var all = self.elements
      all.insertElements(elements, at: indexes)
      self = OrderedSet(all)
    }

    package mutating func replaceElements(in range: Range<Int>, with elements: [Any]) {
      if elements.count > 1, range.upperBound < count {
        var all = self.elements
        all.replaceElements(in: range, with: elements)
        self = OrderedSet(all)
        return
      }
      removeSubrange(range)
      for (offset, element) in elements.enumerated() {
        insert(typedElement(element), at: range.lowerBound + offset)
      }
    }

    /// No element is compared before all are replaced: a new one may equal another that is replaced.
    package mutating func replaceElements(at indexes: IndexRanges, with elements: [Any]) {
      if let range = indexes.sole { return replaceElements(in: range, with: elements) }
      var all = self.elements
      all.replaceElements(at: indexes, with: elements)
      self = OrderedSet(all)
    }

    package mutating func removeElements(at indexes: IndexRanges) {
      if let range = indexes.sole { return removeSubrange(range) }
      var all = elements
      all.removeElements(at: indexes)
      self = OrderedSet(uncheckedUniqueElements: all)
    }
  }

  extension OrderedSet: DistinctToMany {
    func firstRepeated(of elements: [Any], inPlaceOf indexes: IndexRanges?) -> Any? {
      var entering: Set<Element> = []
      // Made once, and only if an element is present.
      lazy var replaced = indexes?.set
      for element in elements {
        let typed: Element = typedElement(element)
        guard entering.insert(typed).inserted else { return element }
        if let index = firstIndex(of: typed), replaced?.contains(index) != true { return element }
      }
      return nil
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
