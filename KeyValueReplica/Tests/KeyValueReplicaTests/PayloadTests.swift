@_spi(Replication) import KeyValueCore
import Testing

@testable import KeyValueReplica

@Suite("Payloads")
struct PayloadTests {
  @Test("S1 no more is encoded for a batch than is sent")
  func batch() async throws {
    let id = KeyValueObjectID()
    let text = KeyValueLogValue.string(String(repeating: "x", count: 1_000))
    let records = (0..<10).map { _ in
      KeyValueTransactionRecord([.set(id, key: "name", old: "", new: text)])
    }
    let all = try await Payload.encode(records, author: "a")
    #expect(all.map(\.id) == records.map { Payload.uuid(of: $0.id) })
    let some = try await Payload.encode(records, author: "a", upTo: 2_500)
    #expect(some.map(\.id) == all.prefix(3).map(\.id))
    // One that is larger than all that's sent at once is sent by itself.
    #expect(try await Payload.encode(records, author: "a", upTo: 1).count == 1)
  }

  @Test("S3 the values of a key that can't hold them are left out together")
  func misfits() throws {
    let ids = (0..<100).map { _ in KeyValueObjectID() }
    var state = KeyValueSnapshot(root: ids[0])
    for (index, id) in ids.enumerated() {
      state.objects[id] = .init(
        class: index < 90 ? "Part" : "Tool",
        values: ["count": index % 2 == 0 ? "many" : 1, "name": "a"])
    }
    func isFit(_ value: KeyValueLogValue) -> Bool {
      if case .integer = value { true } else { false }
    }
    var misfits: [Place: KeyValueLogValue] = [:]
    var calls = 0
    let used = try state.fit(without: &misfits, reads: { value, _, _ in isFit(value) }) { state in
      calls += 1
      for id in ids {
        if let count = state.objects[id]?.values["count"], !isFit(count) {
          throw KeyValueLogError.typeMismatch(.init(object: id, key: "count"))
        }
      }
      return state
    }
    #expect(calls == 3)
    #expect(misfits.count == 50 && misfits.values.allSatisfy { $0 == "many" })
    #expect(ids.filter { used.objects[$0]?.values.keys.sorted() == ["name"] }.count == 50)
  }

  @Test("S1 a record that doesn't fit leaves a state as it was, also where it would add a key")
  func unfit() throws {
    let id = KeyValueObjectID()
    let before = KeyValueSnapshot(
      root: id, objects: [id: .init(class: "Company", values: ["name": "Engines"])])
    var state = before
    let addition = KeyValueEdit.set(id, key: "motto", old: "", new: "Onward")
    #expect(throws: KeyValueLogError.self) {
      try state.applyTolerantly(
        KeyValueTransactionRecord([
          addition, .insert(id, key: "name", indexes: RangeSet(0..<1), elements: ["x"]),
        ]))
    }
    #expect(state == before)
    try state.applyTolerantly(KeyValueTransactionRecord([addition]))
    #expect(state.objects[id]?.values == ["name": "Engines", "motto": "Onward"])
  }

  /// An address as a newer program writes it, whose structure has a further field.
  private func written(_ street: KeyValueLogValue) -> KeyValueLogValue {
    ["street": street, "country": "DE"]
  }

  /// The same as an older program writes it.
  private func old(_ street: KeyValueLogValue) -> KeyValueLogValue { ["street": street] }

  @Test("S1 a record fits a state that is written otherwise than its writer had it")
  func writtenOtherwise() throws {
    let (id, copy) = (KeyValueObjectID(), KeyValueObjectID())
    let reference = KeyValueLogValue.reference(copy)
    var state = KeyValueSnapshot(
      root: id,
      objects: [
        id: .init(
          class: "Letter",
          values: [
            "to": old("a"), "via": [old("a"), old("b")], "past": [old("a"), old("b")],
            "marked": ["first": old("a")], "pages": [2, 1], "weight": 7, "copies": [reference],
          ]),
        copy: .init(class: "Letter", values: ["to": old("a"), "via": [old("a"), old("b")]]),
      ])
    let record = KeyValueTransactionRecord(
      [
        .set(id, key: "to", old: written("a"), new: written("c")),
        .replace(
          id, key: "via", indexes: RangeSet(1..<2), old: [written("b")], new: [written("c")]),
        .remove(id, key: "via", indexes: RangeSet(0..<1), elements: [written("a")]),
        .exchange(id, key: "past", old: [written("a")], new: [written("c")]),
        .setEntry(id, key: "marked", entry: "first", old: written("a"), new: written("c")),
        .set(id, key: "pages", old: [1, 2], new: [3, 1, 2]),
        .set(id, key: "weight", old: "7 g", new: "8 g"),
        .amend(
          copy, key: "via",
          removed: .init(indexes: RangeSet(1..<2), elements: [written("b")]),
          inserted: .init(indexes: RangeSet(1..<2), elements: [written("c")])),
        .remove(id, key: "copies", indexes: RangeSet(0..<1), elements: [reference]),
        .delete(
          copy, class: "Letter",
          values: ["to": written("a"), "via": [written("a"), written("c")]]),
      ], isTransaction: true)
    try state.applyTolerantly(record)
    let values: [String: KeyValueLogValue] = [
      "to": written("c"), "via": [written("c")], "past": [written("c"), old("b")],
      "marked": ["first": written("c")], "pages": [3, 1, 2], "weight": "8 g", "copies": [],
    ]
    #expect(
      state == KeyValueSnapshot(root: id, objects: [id: .init(class: "Letter", values: values)]))
  }

  @Test("S1 a record doesn't take another element for the one that it takes out")
  func otherElement() throws {
    let id = KeyValueObjectID()
    let before = KeyValueSnapshot(
      root: id,
      objects: [
        id: .init(
          class: "Letter",
          values: ["via": [old("a")], "past": [old("a")], "marks": [["star": 1]]])
      ])
    let edits: [KeyValueEdit] = [
      .remove(id, key: "via", indexes: RangeSet(0..<1), elements: [written("b")]),
      .remove(id, key: "via", indexes: RangeSet(1..<2), elements: [written("a")]),
      .subtract(id, key: "past", elements: [written("b")]),
      // Another case of an enumeration.
      .remove(id, key: "marks", indexes: RangeSet(0..<1), elements: [["cross": 1]]),
    ]
    for edit in edits {
      var state = before
      #expect(throws: KeyValueLogError.self) {
        try state.applyTolerantly(KeyValueTransactionRecord([edit]))
      }
      #expect(state == before)
    }
  }

  @Test("S1 members of a set that are written otherwise are found without comparing each with each")
  func membersFound() {
    let id = KeyValueObjectID()
    let streets = (100..<200).map { KeyValueLogValue.string("\($0)") }
    let present = streets.map { old($0) }
    let state = KeyValueSnapshot(
      root: id, objects: [id: .init(class: "Letter", values: ["past": .array(present)])])
    // In the other order, so that the next one isn't behind the last one.
    let record = KeyValueTransactionRecord(
      [.subtract(id, key: "past", elements: streets.reversed().map { written($0) })])
    var compared = 0
    let fitted = record.fitted(to: state) { _, _, _, _ in
      false
    } isSameElement: { _, _, expected, present in
      compared += 1
      return expected.agrees(with: present)
    } form: { _, _, element in
      if case .dictionary(let fields) = element { fields["street"] ?? .null } else { element }
    }
    #expect(fitted.edits == [.subtract(id, key: "past", elements: present.reversed())])
    #expect(compared == 100)
  }
}
