import KeyValueTestSupport
import Testing

@testable import KeyValueCore

@Suite("Edit, merging")
struct EditMergingTests {
  private static var nothing: Edit { .exchange(removed: .none, inserted: .none) }

  private func changes(
    of count: Int, _ steps: [(KeyValueChangeKind, [Int])]
  ) -> (removed: [Int], inserted: [Int], count: Int) {
    var edit = Self.nothing
    for (kind, indexes) in steps {
      edit = edit.merging(Edit(kind, at: IndexRanges(set(indexes)), ["element"]))
    }
    guard let (removed, inserted) = exchanged(edit) else { return ([-1], [-1], -1) }
    return (removed, inserted, count - removed.count + inserted.count)
  }

  private func exchanged(_ edit: Edit) -> (removed: [Int], inserted: [Int])? {
    guard case .exchange(let removed, let inserted) = edit else { return nil }
    return (Array(removed.indices), Array(inserted.indices))
  }

  private func set(_ indexes: [Int]) -> RangeSet<Int> {
    indexes.reduce(into: RangeSet<Int>()) { $0.insert(contentsOf: $1..<$1 + 1) }
  }

  private func all(_ indexes: RangeSet<Int>) -> [Int] { indexes.ranges.flatMap { Array($0) } }

  @Test("Merged insertions have their final indexes")
  func insertions() {
    #expect(changes(of: 3, [(.insertion, [1]), (.insertion, [0])]) == ([], [0, 2], 5))
    #expect(changes(of: 3, [(.insertion, [0]), (.insertion, [1, 4])]) == ([], [0, 1, 4], 6))
  }

  @Test("Merged removals have their original indexes")
  func removals() {
    #expect(changes(of: 5, [(.removal, [1]), (.removal, [1])]) == ([1, 2], [], 3))
    #expect(changes(of: 5, [(.removal, [0, 3]), (.removal, [0, 2])]) == ([0, 1, 3, 4], [], 1))
  }

  @Test("An insertion that is removed again leaves no change, and later indexes move back")
  func cancelled() {
    #expect(changes(of: 3, [(.insertion, [1]), (.removal, [1])]) == ([], [], 3))
    #expect(
      changes(of: 3, [(.insertion, [1, 4]), (.removal, [1])]) == ([], [3], 4))
  }

  @Test("A replacement is merged as a removal and an insertion at the same index")
  func replacements() {
    #expect(changes(of: 3, [(.replacement, [1])]) == ([1], [1], 3))
    #expect(changes(of: 3, [(.replacement, [1]), (.replacement, [1])]) == ([1], [1], 3))
    #expect(changes(of: 3, [(.insertion, [0]), (.replacement, [0])]) == ([], [0], 4))
    #expect(changes(of: 3, [(.removal, [0]), (.replacement, [0])]) == ([0, 1], [0], 2))
  }

  @Test("Merging with a setting, or with an edit of another form, gives a setting")
  func settings() {
    let insertion = Edit.insertion(IndexRanges(0..<1), ["element"])
    let union = Edit.algebra(.union, ["element"])
    for (first, next) in [
      (Edit.setting, insertion), (insertion, .setting), (.setting, union), (union, .setting),
      (insertion, union), (union, insertion), (Self.nothing, .setting), (.setting, .setting),
    ] {
      #expect(!first.isAlike(next))
      guard case .setting = first.merging(next) else {
        Issue.record("\(first) and \(next) give \(first.merging(next))")
        continue
      }
    }
  }

  @Test("Set algebra merges to set algebra without elements")
  func algebra() {
    let merged = Edit.algebra(.union, ["a"]).merging(.algebra(.minus, ["b"]))
    guard case .algebra(.set, let elements) = merged else {
      Issue.record("\(merged)")
      return
    }
    #expect(elements.isEmpty)
    #expect(merged.isAlike(.algebra(.union, [])))
  }

  @Test("Merging is associative", arguments: 1...8)
  func associative(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func edit(of count: Int) -> (Edit, Int) {
      let index = Int.random(in: 0..<count, using: &generator)
      let indexes = IndexRanges(index..<Int.random(in: index...count, using: &generator))
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: return (.insertion(indexes), count + indexes.count)
      case 1: return (.removal(indexes), count - indexes.count)
      default: return (.replacement(indexes), count)
      }
    }
    for _ in 0..<40 {
      let (a, afterA) = edit(of: 6)
      let (b, afterB) = edit(of: max(1, afterA))
      let (c, _) = edit(of: max(1, afterB))
      if afterA == 0 || afterB == 0 { continue }
      let (left, right) = (a.merging(b).merging(c), a.merging(b.merging(c)))
      #expect(exchanged(left)! == exchanged(right)!, "\(a), \(b), \(c)")
    }
  }

  @Test("Merged edits turn the elements before into the elements after", arguments: 1...8)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let before = Array(0..<Int.random(in: 0..<12, using: &generator))
    var elements = before
    var edit = Self.nothing
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
      // An insertion's indexes are final indexes, so only its own elements lie past the current end.
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
      edit = edit.merging(Edit(kind, at: IndexRanges(set(indexes))))
      let indexesOfBoth = exchanged(edit)!
      let (removed, inserted) = (Set(indexesOfBoth.removed), Set(indexesOfBoth.inserted))
      #expect(before.count - removed.count + inserted.count == elements.count)
      let stayed = before.indices.filter { !removed.contains($0) }.map { before[$0] }
      #expect(stayed == elements.indices.filter { !inserted.contains($0) }.map { elements[$0] })
      #expect(inserted.allSatisfy { elements[$0] >= 100 })
    }
  }

  @Test("An edit of many separate ranges is fragmented")
  func fragmented() {
    let removed = Self.nothing.merging(.removal(IndexRanges(set((0..<512).map { $0 * 2 }))))
    #expect(!removed.isFragmented)
    #expect(removed.merging(.insertion(IndexRanges(set([1_400])))).isFragmented)
  }
}
