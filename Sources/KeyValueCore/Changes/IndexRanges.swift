/// The indexes of a change, as their ranges: ascending, none empty, none adjoining.
///
/// What `RangeSet` is to the users; that has no fixed layout, so handling it costs more than the change.
@usableFromInline
package struct IndexRanges: Sendable, Hashable {
  @usableFromInline let ranges: [Range<Int>]

  init(_ indexes: RangeSet<Int>) {
    ranges = Array(indexes.ranges)
  }

  init(_ range: Range<Int>) {
    ranges = range.isEmpty ? [] : [range]
  }

  /// Creates the ranges of two different indexes.
  init(_ index: Int, _ other: Int) {
    let (low, high) = (min(index, other), max(index, other))
    ranges = low + 1 == high ? [low..<high + 1] : [low..<low + 1, high..<high + 1]
  }

  private init(ranges: [Range<Int>]) {
    self.ranges = ranges
  }

  /// The same as users see it; making it of one range takes a sixth of what a list takes.
  package var set: RangeSet<Int> {
    ranges.count == 1 ? RangeSet(ranges[0]) : RangeSet(ranges)
  }

  var isEmpty: Bool { ranges.isEmpty }

  /// How many indexes there are.
  var count: Int { ranges.reduce(0) { $0 + $1.count } }

  /// Each index, ascending.
  package var indices: some Sequence<Int> { ranges.lazy.flatMap { $0 } }

  func contains(_ index: Int) -> Bool {
    ranges.contains { $0.contains(index) }
  }

  /// The indexes that a collection of this size has.
  @usableFromInline
  func within(_ count: Int) -> IndexRanges {
    guard let last = ranges.last, last.upperBound > count else { return self }
    return IndexRanges(
      ranges: ranges.compactMap { range in
        let present = range.clamped(to: 0..<Swift.max(count, 0))
        return present.isEmpty ? nil : present
      })
  }
}
