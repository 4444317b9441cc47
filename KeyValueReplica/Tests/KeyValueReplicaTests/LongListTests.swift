@_spi(Replication) import KeyValueCore
import Testing

@testable import KeyValueReplica

/// Differences of lists that are too long for the shortest difference.
@Suite("Long lists that differ much")
struct LongListTests {
  /// The difference of two lists, as edits that are made one after the other.
  private func difference(
    _ old: [Int], _ new: [Int]
  ) throws -> (removed: [Int], inserted: [Int]) {
    let (before, after) = (
      old.map { KeyValueLogValue.integer($0) }, new.map { KeyValueLogValue.integer($0) }
    )
    let (removed, inserted) = SnapshotDifference.difference(before, after)
    var list = before
    list.removeSubranges(removed.indexes)
    for (index, element) in zip(inserted.indexes.ranges.joined(), inserted.elements) {
      list.insert(element, at: index)
    }
    #expect(list == after)
    #expect(removed.elements == removed.indexes.ranges.joined().map { before[$0] })
    return (Array(removed.indexes.ranges.joined()), Array(inserted.indexes.ranges.joined()))
  }

  @Test("S2 of two long lists, the elements stay that stand in the same order in both")
  func inOrder() throws {
    let numbers = Array(0..<10_000)
    let rotated = try difference(numbers, Array(numbers[3_000...] + numbers[..<3_000]))
    #expect(rotated.removed == Array(0..<3_000))
    #expect(rotated.inserted == Array(7_000..<10_000))
    let reversed = try difference(numbers, numbers.reversed())
    #expect((reversed.removed.count, reversed.inserted.count) == (9_999, 9_999))
    let other = try difference(numbers, numbers.map { $0 + 10_000 })
    #expect((other.removed, other.inserted) == (numbers, numbers))
    // Every hundredth element but the first one moves to the front.
    let moved = numbers.filter { $0 % 100 == 0 }
    let some = try difference(numbers, moved.reversed() + numbers.filter { $0 % 100 != 0 })
    #expect(some.removed == Array(moved.dropFirst()))
    #expect(some.inserted == Array(0..<99))
  }

  @Test("S2 elements that occur more than once correspond in their order")
  func repeated() throws {
    let numbers = (0..<9_000).map { $0 / 3 }
    let rotated = try difference(numbers, Array(numbers[4_500...] + numbers[..<4_500]))
    #expect((rotated.removed.count, rotated.inserted.count) == (4_500, 4_500))
    _ = try difference(numbers, (0..<9_000).map { $0 % 3_000 })
    _ = try difference(numbers, Array(repeating: 1, count: 5_000))
  }

  @Test("S2 an element with other Unicode scalars differs, also in long lists")
  func otherScalars() {
    let before = (0..<3_000).map { KeyValueLogValue.string("\u{E9}\($0)") }
    // The first two thirds stay, but for one element.
    var after = Array(before[2_000...] + before[..<2_000])
    after[1_007] = "e\u{301}7"
    let (removed, inserted) = SnapshotDifference.difference(before, after)
    var list = before
    list.removeSubranges(removed.indexes)
    for (index, element) in zip(inserted.indexes.ranges.joined(), inserted.elements) {
      list.insert(element, at: index)
    }
    #expect(list.elementsEqual(after) { $0.isIdentical(to: $1) })
  }
}
