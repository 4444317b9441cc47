@_spi(Replication) import KeyValueCore
import KeyValueReplicaTestSupport
import Testing

@testable import KeyValueReplica

/// Two writers edit an ordered collection whose elements occur once; as data, so that it needs no class.
@Suite("Rebases of distinct lists")
struct DistinctListTests {
  private let root = KeyValueObjectID()

  private var model: Model {
    Model(
      shape: { _, _ in
        KeyValueLoggedShape(kind: .ordered, isFollowed: false, isWeak: false, isDistinct: true)
      }, isInCycle: { _ in false })
  }

  private func snapshot(_ elements: [KeyValueLogValue]) -> KeyValueSnapshot {
    KeyValueSnapshot(
      root: root, objects: [root: .init(class: "List", values: ["marks": .array(elements)])])
  }

  private func marks(_ snapshot: KeyValueSnapshot) -> [KeyValueLogValue] {
    snapshot.elements(at: Place(root, "marks"))!
  }

  private func insert(_ index: Int, _ element: KeyValueLogValue) -> KeyValueTransactionRecord {
    .init([
      .insert(root, key: "marks", indexes: RangeSet(index..<index + 1), elements: [element])
    ])
  }

  private func remove(_ index: Int, _ element: KeyValueLogValue) -> KeyValueTransactionRecord {
    .init([
      .remove(root, key: "marks", indexes: RangeSet(index..<index + 1), elements: [element])
    ])
  }

  private func replace(
    _ index: Int, _ old: KeyValueLogValue, _ new: KeyValueLogValue
  ) -> KeyValueTransactionRecord {
    .init([
      .replace(
        root, key: "marks", indexes: RangeSet(index..<index + 1), old: [old], new: [new])
    ])
  }

  @Test("S2 an element that both insert is there once, also after this side moves or removes it")
  func insertedByBoth() throws {
    var rebase = try Rebase(
      on: snapshot(["a", "b"]), over: insert(0, "x"), isWhole: false, model, .reject)
    let outcomes = rebase.redo([
      insert(2, "x"), remove(2, "x"), insert(0, "x"), insert(3, "y"),
    ])
    #expect(marks(rebase.state) == ["x", "a", "b", "y"])
    let kept = outcomes.map { if case .kept = $0 { true } else { false } }
    #expect(kept == [false, false, false, true])
  }

  @Test("S2 an element whose removal is rejected is there once, also after this side puts it back")
  func removalRejected() throws {
    var rebase = try Rebase(
      on: snapshot(["a", "b"]), over: replace(1, "b", "c"), isWhole: false, model, .reject)
    let removal = KeyValueTransactionRecord(remove(0, "a").edits + replace(0, "b", "d").edits)
    let outcomes = rebase.redo([removal, insert(0, "a")])
    #expect(marks(rebase.state) == ["a", "c"])
    let kept = outcomes.map { if case .kept = $0 { true } else { false } }
    #expect(kept == [false, false])
  }

  @Test("S2 an element that one puts in another's place, and the other inserts, is there once")
  func replacedAndInserted() throws {
    var rebase = try Rebase(
      on: snapshot(["a", "b"]), over: insert(2, "x"), isWhole: false, model, .reject)
    let outcomes = rebase.redo([replace(0, "a", "x"), insert(2, "y")])
    #expect(marks(rebase.state) == ["b", "y", "x"])
    let areComplete = outcomes.map(\.isComplete)
    #expect(areComplete == [true, true])
  }

  @Test("S2 elements occur once after any edits of two writers", arguments: 1...300)
  func random(seed: UInt64) throws {
    var numbers = SeededNumbers(seed)
    let start: [KeyValueLogValue] = ["a", "b", "c", "d"].filter { _ in numbers.number(3) > 0 }
    func record(_ elements: inout [KeyValueLogValue]) -> KeyValueTransactionRecord {
      let before = elements
      let all: [KeyValueLogValue] = ["a", "b", "c", "d", "e", "f"]
      let fresh = all.filter { !before.contains($0) }
      let new = fresh.randomElement(using: &numbers)
      let index = before.isEmpty ? 0 : numbers.number(before.count)
      switch numbers.number(4) {
      case 0 where !before.isEmpty:
        elements.remove(at: index)
        return remove(index, before[index])
      case 1 where !before.isEmpty && new != nil:
        elements[index] = new!
        return replace(index, before[index], new!)
      case 2 where before.count > 1:
        elements.append(elements.remove(at: index))
        return .init([
          .remove(
            root, key: "marks", indexes: RangeSet(index..<index + 1), elements: [before[index]]),
          .insert(
            root, key: "marks", indexes: RangeSet(before.count - 1..<before.count),
            elements: [before[index]]),
        ])
      default:
        guard let new else { return .init([]) }
        elements.insert(new, at: index)
        return insert(index, new)
      }
    }
    var theirs = start
    let remote = (0..<1 + numbers.number(3)).flatMap { _ in record(&theirs).edits }
    var ours = start
    let pending = (0..<1 + numbers.number(5)).map { _ in record(&ours) }
    let rule = [KeyValueConflictRule.reject, .lastWriterWins, .custom { _ in .theirs }][
      numbers.number(3)]
    var rebase = try Rebase(
      on: snapshot(start), over: .init(remote), isWhole: false, model, rule)
    let outcomes = rebase.redo(pending)
    let merged = marks(rebase.state)
    let story: Comment = "\(start), theirs \(remote), ours \(pending), merged \(merged)"
    #expect(Set(merged).count == merged.count, story)
    var replayed = snapshot(theirs)
    for case .kept(let record, _) in outcomes { try replayed.apply(record) }
    #expect(replayed == rebase.state, story)
  }
}
