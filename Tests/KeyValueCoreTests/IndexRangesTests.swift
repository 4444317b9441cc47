import Testing

@testable import KeyValueCore

@Suite("IndexRanges")
struct IndexRangesTests {
  @Test(
    "Two adjacent indexes form one range, in either order",
    arguments: [
      (0, 1, [0..<2]), (7, 6, [6..<8]), (0, 2, [0..<1, 2..<3]), (9, 3, [3..<4, 9..<10]),
    ])
  func twoIndexes(index: Int, other: Int, ranges: [Range<Int>]) {
    let indexes = IndexRanges(index, other)
    #expect(indexes.ranges == ranges)
    #expect(indexes.sole == (ranges.count == 1 ? ranges[0] : nil))
    #expect(Array(indexes.indices) == [index, other].sorted() && indexes.count == 2)
    // Equal indexes compare equal, however they were made.
    #expect(indexes == IndexRanges(RangeSet(ranges)))
    #expect(indexes.hashValue == IndexRanges(RangeSet(ranges)).hashValue)
    #expect(IndexRanges(indexes.set) == indexes)
  }
}
