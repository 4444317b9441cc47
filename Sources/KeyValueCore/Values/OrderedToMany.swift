/// A to-many value whose elements have indexes.
package protocol OrderedToMany: ToMany {
  /// Whether an element can occur only once.
  static var isDistinct: Bool { get }
  func anyElement(at index: Int) -> Any?
  /// Lends the elements' bits, with the size of each and the distance from one to the next; nil if they don't lie
  /// side by side.
  func withElementBits<Result>(_ body: (UnsafeRawBufferPointer, Int, Int) -> Result) -> Result?
  /// The index of an element, at the cost of the collection's own look-up.
  func index(ofElement element: AnyHashable) -> Int?
  /// The elements at these indexes; indexes past the end are ignored.
  func elements(at indexes: IndexRanges) -> Self
  mutating func replaceElements(in range: Range<Int>, with elements: [Any])
  mutating func replaceElements(at indexes: IndexRanges, with elements: [Any])
  mutating func removeElements(at indexes: IndexRanges)
}

extension OrderedToMany {
  package static var isDistinct: Bool { false }

  package func withElementBits<Result>(
    _ body: (UnsafeRawBufferPointer, Int, Int) -> Result
  ) -> Result? {
    nil
  }

  package mutating func replaceElements(at indexes: IndexRanges, with elements: [Any]) {
    var rest = elements[...]
    for range in indexes.ranges {
      replaceElements(in: range, with: Array(rest.prefix(range.count)))
      rest = rest.dropFirst(range.count)
    }
  }
}
