/// A to-many value whose elements have indexes.
package protocol OrderedToMany: ToMany {
  /// Whether an element can occur only once.
  static var isDistinct: Bool { get }
  func anyElement(at index: Int) -> Any?
  /// Whether an element has the same bits as one of another collection; false also if that can't be known.
  func hasSameBits(at index: Int, as other: Self, at otherIndex: Int) -> Bool
  /// The index of an element, at the cost of the collection's own look-up.
  func index(ofElement element: AnyHashable) -> Int?
  /// The elements at these indexes; indexes past the end are ignored.
  func elements(at indexes: IndexRanges) -> Self
  /// Inserts elements so that each has one of these indexes afterwards.
  mutating func insertElements(_ elements: [Any], at indexes: IndexRanges)
  mutating func replaceElements(in range: Range<Int>, with elements: [Any])
  mutating func replaceElements(at indexes: IndexRanges, with elements: [Any])
  mutating func removeElements(at indexes: IndexRanges)
}

extension OrderedToMany {
  package static var isDistinct: Bool { false }

  package func hasSameBits(at index: Int, as other: Self, at otherIndex: Int) -> Bool { false }

  package mutating func insertElements(_ elements: [Any], at indexes: IndexRanges) {
    var entering = elements[...]
    for range in indexes.ranges {
      let place = range.lowerBound..<range.lowerBound
      replaceElements(in: place, with: Array(entering.prefix(range.count)))
      entering = entering.dropFirst(range.count)
    }
  }

  package mutating func replaceElements(at indexes: IndexRanges, with elements: [Any]) {
    var rest = elements[...]
    for range in indexes.ranges {
      replaceElements(in: range, with: Array(rest.prefix(range.count)))
      rest = rest.dropFirst(range.count)
    }
  }
}
