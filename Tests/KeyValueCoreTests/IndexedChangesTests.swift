import KeyValueTestSupport
import Testing

@testable import KeyValueCore

@Suite("IndexedChanges")
struct IndexedChangesTests {
  private func changes(
    of count: Int, _ steps: [(KeyValueChangeKind, [Int])]
  ) -> (removed: [Int], inserted: [Int], count: Int) {
    var changes = IndexedChanges(countBefore: count)
    for (kind, indexes) in steps { changes.apply(kind, at: set(indexes)) }
    return (all(changes.removed), all(changes.inserted), changes.count)
  }

  private func set(_ indexes: [Int]) -> RangeSet<Int> {
    indexes.reduce(into: RangeSet<Int>()) { $0.insert(contentsOf: $1..<$1 + 1) }
  }

  private func all(_ indexes: RangeSet<Int>) -> [Int] { indexes.ranges.flatMap { Array($0) } }

  @Test("Insertions have the indexes that they have in the end")
  func insertions() {
    #expect(changes(of: 3, [(.insertion, [1]), (.insertion, [0])]) == ([], [0, 2], 5))
    #expect(changes(of: 3, [(.insertion, [0]), (.insertion, [1, 4])]) == ([], [0, 1, 4], 6))
  }

  @Test("Removals have the indexes that they had in the beginning")
  func removals() {
    #expect(changes(of: 5, [(.removal, [1]), (.removal, [1])]) == ([1, 2], [], 3))
    #expect(changes(of: 5, [(.removal, [0, 3]), (.removal, [0, 2])]) == ([0, 1, 3, 4], [], 1))
  }

  @Test("What is inserted and removed again leaves nothing; what follows it moves back")
  func cancelled() {
    #expect(changes(of: 3, [(.insertion, [1]), (.removal, [1])]) == ([], [], 3))
    #expect(
      changes(of: 3, [(.insertion, [1, 4]), (.removal, [1])]) == ([], [3], 4))
  }

  @Test("A replacement is a removal and an insertion at one place; a setting is neither")
  func replacements() {
    #expect(changes(of: 3, [(.replacement, [1])]) == ([1], [1], 3))
    #expect(changes(of: 3, [(.replacement, [1]), (.replacement, [1])]) == ([1], [1], 3))
    #expect(changes(of: 3, [(.insertion, [0]), (.replacement, [0])]) == ([], [0], 4))
    #expect(changes(of: 3, [(.removal, [0]), (.replacement, [0])]) == ([0, 1], [0], 2))
    #expect(changes(of: 3, [(.setting, [1])]) == ([], [], 3))
  }

  @Test("Applied to the elements before, they give the elements after", arguments: 1...8)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let before = Array(0..<Int.random(in: 0..<12, using: &generator))
    var elements = before
    var changes = IndexedChanges(countBefore: before.count)
    var next = 100
    for _ in 0..<40 {
      let kinds: [KeyValueChangeKind] =
        elements.isEmpty
        ? [.insertion]
        : [
          .insertion, .removal, .replacement,
        ]
      let kind = kinds.randomElement(using: &generator)!
      let limit = kind == .insertion ? elements.count + 3 : elements.count
      let picked = (0..<3).map { _ in Int.random(in: 0..<limit, using: &generator) }
      // An insertion's indexes are those afterwards, so no more than are inserted lie past the end.
      var indexes = all(set(picked))
      if kind == .insertion {
        indexes = indexes.enumerated().map { min($1, elements.count + $0) }
        indexes = all(set(indexes))
      }
      for index in kind == .removal ? indexes.reversed() : indexes {
        switch kind {
        case .insertion: elements.insert(next, at: index)
        case .removal: elements.remove(at: index)
        default: elements[index] = next
        }
        next += 1
      }
      changes.apply(kind, at: set(indexes))
      #expect(changes.count == elements.count)
      let (removed, inserted) = (Set(all(changes.removed)), Set(all(changes.inserted)))
      let stayed = before.indices.filter { !removed.contains($0) }.map { before[$0] }
      #expect(stayed == elements.indices.filter { !inserted.contains($0) }.map { elements[$0] })
      #expect(inserted.allSatisfy { elements[$0] >= 100 })
    }
  }

  @Test("Many stretches are too many")
  func fragmented() {
    var changes = IndexedChanges(countBefore: 2_000)
    changes.apply(.removal, at: set((0..<512).map { $0 * 2 }))
    #expect(!changes.isFragmented)
    changes.apply(.insertion, at: set([1_400]))
    #expect(changes.isFragmented)
  }
}
