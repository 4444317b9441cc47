import KeyValueCore
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

  @Test("S1 a record that doesn't fit leaves a state as it was, also where it would add a key")
  func unfit() throws {
    let id = KeyValueObjectID()
    let before = KeyValueSnapshot(
      root: id, objects: [id: .init(class: "Company", values: ["name": "Engines"])])
    var state = before
    let addition = KeyValueEdit.set(id, key: "motto", old: "", new: "Onward")
    #expect(throws: KeyValueLogError.self) {
      try state.applyTolerantly(
        KeyValueTransactionRecord([addition, .set(id, key: "name", old: "Other", new: "Another")]))
    }
    #expect(state == before)
    try state.applyTolerantly(KeyValueTransactionRecord([addition]))
    #expect(state.objects[id]?.values == ["name": "Engines", "motto": "Onward"])
  }
}
