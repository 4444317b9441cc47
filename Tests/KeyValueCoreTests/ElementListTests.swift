import KeyValueTestSupport
import Testing

@testable import KeyValueCore

@Suite("ElementList")
struct ElementListTests {
  /// Identities that no object has.
  private func identities(_ range: Range<Int>) -> [ObjectIdentifier] {
    range.map { unsafeBitCast(16 * ($0 + 1), to: ObjectIdentifier.self) }
  }

  /// Expects that the list has exactly these elements, in this order.
  private func expect(_ list: inout ElementList, _ elements: [ObjectIdentifier]) {
    let difference = elements.withUnsafeBufferPointer { list.difference(to: $0) }
    #expect(difference.range.isEmpty && difference.replacement.isEmpty)
  }

  @Test("Elements that enter and leave at several places at once are listed in order")
  func several() {
    let all = identities(0..<10)
    var list = ElementList(Array(all[..<6]))
    let left = IndexRanges(RangeSet([0..<1, 2..<4]))
    let entered = IndexRanges(RangeSet([1..<3, 4..<5, 6..<7]))
    var areTaken = [
      list.update(
        at: (left, entered), (left: [all[0], all[2], all[3]], entered: Array(all[6...])))
    ]
    expect(&list, [1, 6, 7, 4, 8, 5, 9].map { all[$0] })
    areTaken += [
      list.update(at: (.none, IndexRanges(7..<9)), (left: [], entered: [all[0], all[2]])),
      list.update(at: (IndexRanges(1..<3), .none), (left: [all[6], all[7]], entered: [])),
    ]
    expect(&list, [1, 4, 8, 5, 9, 0, 2].map { all[$0] })
    #expect(areTaken == [true, true, true])
  }

  @Test("Changes that don't fit the list are refused")
  func unfit() {
    let all = identities(0..<4)
    let changes: [(left: IndexRanges, entered: IndexRanges, [ObjectIdentifier])] = [
      (IndexRanges(0..<1), .none, [all[1]]), (IndexRanges(2..<4), .none, [all[2], all[3]]),
      (.none, IndexRanges(4..<5), []), (.none, IndexRanges(RangeSet([0..<1, 5..<6])), []),
    ]
    for (left, entered, leaving) in changes {
      var list = ElementList(Array(all[..<3]))
      let entering = Array(repeating: all[3], count: entered.count)
      let isTaken = list.update(at: (left, entered), (left: leaving, entered: entering))
      #expect(!isTaken)
    }
  }

  /// With a pass for each place, it would take minutes.
  @Test(
    "Elements at many places enter and leave in one pass", .timeLimit(.minutes(TestVolume.patience))
  )
  func many() {
    let count = TestVolume.either(1_000_000, few: 50_000)
    let all = identities(0..<count)
    var list = ElementList(all)
    let odd = stride(from: 1, to: count, by: 2)
    let indexes = IndexRanges(RangeSet(odd.map { $0..<$0 + 1 }))
    let others = odd.map { all[$0] }
    let areTaken = [
      list.update(at: (indexes, .none), (left: others, entered: [])),
      list.update(at: (.none, indexes), (left: [], entered: others)),
    ]
    #expect(areTaken == [true, true])
    expect(&list, all)
  }
}
