@_spi(Replication) import KeyValueCore
import KeyValueReplicaTestSupport
import Testing

@testable import KeyValueReplica

/// Two sides edit one list; the second side's edits are made again on what the first one has left.
@Suite("Lists that two sides edit")
struct ListTrackTests {
  private let list = KeyValueObjectID()

  private func insert(_ elements: String, at index: Int) -> KeyValueEdit {
    .insert(
      list, key: "items", indexes: RangeSet(index..<index + elements.count),
      elements: values(elements))
  }

  private func remove(_ elements: String, at index: Int) -> KeyValueEdit {
    .remove(
      list, key: "items", indexes: RangeSet(index..<index + elements.count),
      elements: values(elements))
  }

  private func replace(_ old: String, by new: String, at index: Int) -> KeyValueEdit {
    .replace(
      list, key: "items", indexes: RangeSet(index..<index + old.count), old: values(old),
      new: values(new))
  }

  private func values(_ elements: String) -> [KeyValueLogValue] {
    elements.map { .string(String($0)) }
  }

  private func text(_ values: [KeyValueLogValue]) -> String {
    values.map { if case .string(let text) = $0 { text } else { "?" } }.joined()
  }

  /// What is left, and ours as it is made.
  private func merge(
    _ base: String, theirs: [KeyValueEdit], ours: [[KeyValueEdit]]
  ) -> (merged: String, made: [KeyValueEdit?]) {
    var track = ListTrack(base: values(base))
    for edit in theirs { track.follow(edit) }
    track.beginOurs()
    var made: [KeyValueEdit?] = []
    for record in ours {
      track.begin()
      for edit in record {
        switch track.redo(edit) {
        case .edit(let edit): made.append(edit)
        case .nothing: made.append(nil)
        case .conflict: Issue.record("\(edit) is a conflict.")
        }
      }
    }
    return (text(track.mergedValues), made)
  }

  @Test("S2 an element goes behind the nearest one before it that is still there")
  func placed() {
    let result = merge("abcd", theirs: [remove("b", at: 1)], ours: [[insert("x", at: 2)]])
    #expect(result.merged == "axcd")
    #expect(result.made == [insert("x", at: 1)])
  }

  @Test("S2 elements that one edit puts in follow those before them into another order")
  func placedApart() {
    func insertion(_ elements: String) -> KeyValueEdit {
      var indexes = RangeSet(1..<2)
      indexes.insert(contentsOf: 3..<4)
      return .insert(list, key: "items", indexes: indexes, elements: values(elements))
    }
    let result = merge(
      "ab", theirs: [remove("a", at: 0), insert("a", at: 1)], ours: [[insertion("xy")]])
    #expect(result.merged == "byax")
    #expect(result.made == [insertion("yx")])
  }

  @Test("S2 an element that they take out and we move stays out")
  func movedAfterRemoval() {
    let result = merge(
      "abc", theirs: [remove("a", at: 0)], ours: [[remove("a", at: 0), insert("a", at: 2)]])
    #expect(result.merged == "bc")
    #expect(result.made == [nil, nil])
  }

  @Test("S2 an element that they move keeps our edits of it")
  func editedAfterMove() {
    let result = merge(
      "abc", theirs: [remove("a", at: 0), insert("a", at: 2)],
      ours: [[replace("a", by: "x", at: 0)]])
    #expect(result.merged == "bcx")
    #expect(result.made == [replace("a", by: "x", at: 2)])
  }

  @Test("S2 equal elements that move are told apart")
  func equalElements() {
    // They move the first two behind the others; we take the second one away.
    let result = merge(
      "aabc", theirs: [remove("aa", at: 0), insert("aa", at: 2)], ours: [[remove("a", at: 1)]])
    #expect(result.merged == "bca")
    #expect(result.made.count == 1)
  }

  @Test("S2 values that both put in are there twice, an object once")
  func enteredTwice() {
    let values = merge("a", theirs: [insert("x", at: 1)], ours: [[insert("x", at: 0)]])
    #expect(values.merged == "xax")
    #expect(values.made == [insert("x", at: 0)])

    let object = KeyValueLogValue.reference(KeyValueObjectID())
    func enter(at index: Int) -> KeyValueEdit {
      .insert(list, key: "items", indexes: RangeSet(index..<index + 1), elements: [object])
    }
    var track = ListTrack(base: [.string("a")])
    track.follow(enter(at: 1))
    track.beginOurs()
    track.begin()
    guard case .nothing = track.redo(enter(at: 0)) else {
      Issue.record("The object is put in a second time.")
      return
    }
    #expect(track.mergedValues == [.string("a"), object])
    #expect(track.ourValues == [object, .string("a")])
  }

  @Test("S2 an element comes back with other Unicode scalars, unless its record is rejected")
  func otherScalars() {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }
    var track = ListTrack(base: values("a" + composed + "b"))
    track.follow(remove("b", at: 2))
    track.beginOurs()
    track.begin()
    _ = track.redo(remove(composed, at: 1))
    _ = track.redo(insert(decomposed, at: 0))
    #expect(scalars(text(track.mergedValues)) == scalars(decomposed + "a"))
    track.reject(KeyValueRecordID())
    #expect(scalars(text(track.mergedValues)) == scalars("a" + composed))
    track.begin()
    _ = track.redo(remove("a", at: 1))
    #expect(scalars(text(track.mergedValues)) == scalars(composed))
  }

  @Test("S2 an element of a rejected record doesn't come in where a later one moves it")
  func movedAfterRejection() {
    var track = ListTrack(base: values("ab"))
    track.beginOurs()
    track.begin()
    _ = track.redo(insert("c", at: 2))
    track.reject(KeyValueRecordID())
    track.begin()
    _ = track.redo(remove("c", at: 2))
    _ = track.redo(insert("c", at: 0))
    #expect(text(track.mergedValues) == "ab")
    #expect(text(track.ourValues) == "cab")
  }

  @Test("S2 a rejected record leaves what was made before it")
  func rejected() {
    var track = ListTrack(base: values("ab"))
    track.follow(insert("x", at: 0))
    track.beginOurs()
    track.begin()
    _ = track.redo(insert("c", at: 2))
    track.begin()
    _ = track.redo(remove("a", at: 0))
    track.reject(KeyValueRecordID())
    #expect(text(track.mergedValues) == "xabc")
    #expect(text(track.ourValues) == "bc")
  }

  @Test("S3 replacing an element of a rejected record is built on it, unless they removed another")
  func replacedAfterRejection() {
    let record = KeyValueRecordID()
    var track = ListTrack(base: values("ab"))
    track.follow(remove("b", at: 1))
    track.beginOurs()
    track.begin()
    _ = track.redo(insert("c", at: 2))
    track.reject(record)
    track.begin()
    guard case .conflict(let cause) = track.redo(replace("c", by: "x", at: 2)) else {
      Issue.record("An element that isn't there is replaced.")
      return
    }
    #expect(cause == record)
    track.reject(KeyValueRecordID())
    track.begin()
    guard case .conflict(nil) = track.redo(replace("bx", by: "yz", at: 1)) else {
      Issue.record("What they have removed is replaced.")
      return
    }
  }

  @Test("S2 an object that they have put in is there once, also after an answer that was rejected")
  func enteredAfterRejection() {
    let object = KeyValueLogValue.reference(KeyValueObjectID())
    func enter(at index: Int) -> KeyValueEdit {
      .insert(list, key: "items", indexes: RangeSet(index..<index + 1), elements: [object])
    }
    var track = ListTrack(base: values("ab"))
    track.follow(replace("a", by: "x", at: 0))
    track.follow(enter(at: 2))
    track.beginOurs()
    track.begin()
    _ = track.redo(replace("a", by: "z", at: 0))
    track.setMerged(to: values("zb"))
    track.reject(KeyValueRecordID())
    track.begin()
    guard case .nothing = track.redo(enter(at: 0)) else {
      Issue.record("The object is put in a second time.")
      return
    }
    #expect(track.mergedValues == [.string("x"), .string("b"), object])
  }

  @Test("S3 an answer of a rule is what is merged, until its record is rejected")
  func answered() {
    var track = ListTrack(base: values("abc"))
    track.follow(replace("a", by: "x", at: 0))
    track.follow(insert("y", at: 3))
    track.beginOurs()
    track.begin()
    guard case .conflict(nil) = track.redo(replace("a", by: "z", at: 0)) else {
      Issue.record("An element that both replace is no conflict.")
      return
    }
    track.setMerged(to: values("bzd"))
    #expect(text(track.mergedValues) == "bzd")
    #expect(text(track.ourValues) == "zbc")
    _ = track.redo(insert("e", at: 1))
    #expect(text(track.mergedValues) == "bzed")
    var rejected = track
    rejected.reject(KeyValueRecordID())
    #expect(text(rejected.mergedValues) == "xbcy")
    #expect(text(rejected.ourValues) == "zebc")
    rejected.begin()
    _ = rejected.redo(remove("c", at: 3))
    #expect(text(rejected.mergedValues) == "xby")
    track.begin()
    _ = track.redo(remove("b", at: 2))
    #expect(text(track.mergedValues) == "zed")
  }

  @Test("S2 a list that the other side sets and then edits is one that it has set as a whole")
  @MainActor
  func setAndEdited() throws {
    let log = try KeyValueChangeLog(of: Firm())
    log.root.rooms = ["attic"]
    let before = try log.snapshot()
    func rooms(_ texts: String...) -> KeyValueLogValue { .array(texts.map { .string($0) }) }
    let remote = KeyValueTransactionRecord(
      [
        .set(before.root, key: "rooms", old: rooms("attic"), new: rooms("a", "b", "c")),
        .insert(before.root, key: "rooms", indexes: RangeSet(3..<4), elements: values("d")),
      ], isTransaction: true, origin: .remote("b"))
    let own = KeyValueTransactionRecord([
      .insert(before.root, key: "rooms", indexes: RangeSet(1..<2), elements: values("x"))
    ])
    var present = before
    try present.apply(own)
    let merge = try Merge(
      remote, over: [PendingTransaction(own)], in: GraphReader(present, Model(log)), .reject)
    guard case .rejected(let conflicts)? = merge.outcomes[0] else {
      Issue.record("\(merge.outcomes) isn't a conflict.")
      return
    }
    #expect(conflicts.map(\.key) == ["rooms"])
    #expect(conflicts.map(\.theirs) == [rooms("a", "b", "c", "d")])
    try present.apply(merge.net)
    #expect(present.objects[before.root]?.values["rooms"] == rooms("a", "b", "c", "d"))
  }
}
