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
}
