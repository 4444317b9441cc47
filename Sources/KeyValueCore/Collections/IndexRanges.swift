/// A set of indexes in a form of fixed layout: ascending, disjoint, not empty ranges.
@usableFromInline
package struct IndexRanges: Sendable, Hashable {
  @usableFromInline let ranges: [Range<Int>]

  init(_ indexes: RangeSet<Int>) {
    ranges = Array(indexes.ranges)
  }

  var set: RangeSet<Int> { RangeSet(ranges) }

  /// How many indexes there are.
  var count: Int { ranges.reduce(0) { $0 + $1.count } }
}
