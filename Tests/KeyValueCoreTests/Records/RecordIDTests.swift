import Foundation
import Testing

@testable import KeyValueCore

@Suite("Ids of objects and records")
struct RecordIDTests {
  @Test("G5 an id is printed as a UUID, and read back in either case")
  func text() throws {
    let id = KeyValueObjectID(UniqueNumber(high: 0x7f3c_2d1a_90b4_4c5e, low: 0x8d6f_0a1b_2c3d_4e12))
    #expect("\(id)" == "7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12")
    #expect(KeyValueObjectID("7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12") == id)
    #expect(KeyValueObjectID("7F3C2D1A-90B4-4C5E-8D6F-0A1B2C3D4E12") == id)
    #expect(KeyValueRecordID("7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12")?.number == id.number)
    #expect(id.codingKey.stringValue == "7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12")
    #expect(KeyValueObjectID(codingKey: id.codingKey) == id)
    #expect(try json([id: 1]) == #"{"7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12":1}"#)
    #expect(try json([id]) == #"["7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12"]"#)
    #expect(try decoded([KeyValueObjectID: Int].self, json([id: 1])) == [id: 1])
    #expect(try decoded([KeyValueRecordID].self, json([id])).map(\.number) == [id.number])
  }

  @Test("G5 ids that a log draws are UUIDs of version 4, and none is drawn twice or by two logs")
  func drawn() {
    var (first, second) = (UniqueNumbers(), UniqueNumbers())
    var (high, low): (Set<UInt64>, Set<UInt64>) = ([], [])
    for _ in 0..<1000 {
      for number in [first.next(), second.next()] {
        #expect(number.high & 0xF000 == 0x4000 && number.low >> 62 == 2)
        high.insert(number.high)
        low.insert(number.low)
      }
    }
    // Each half alone tells them apart.
    #expect(high.count == 2000 && low.count == 2000)
  }

  @Test("G5 every random id is a UUID of version 4 that Foundation prints the same")
  func random() {
    var ids: Set<KeyValueObjectID> = []
    for _ in 0..<1000 {
      let id = KeyValueObjectID()
      #expect(UUID(uuidString: "\(id)")?.uuidString.lowercased() == "\(id)")
      #expect(Array("\(id)")[14] == "4" && "89ab".contains(Array("\(id)")[19]))
      #expect(KeyValueObjectID("\(id)") == id)
      ids.insert(id)
    }
    #expect(ids.count == 1000)
  }

  @Test(
    "G4 what isn't a UUID is refused",
    arguments: [
      "", "7f3c", "7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e1", "7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e123",
      "7f3c2d1a090b4-4c5e-8d6f-0a1b2c3d4e12", "7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e1g",
      "{7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e}", "７f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12",
      "7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e1é", "7f3c2d1a90b4-4c5e-8d6f-0a1b-2c3d4e12",
    ])
  func refused(text: String) {
    #expect(KeyValueObjectID(text) == nil && KeyValueRecordID(text) == nil)
    #expect(KeyValueObjectID(codingKey: RecordKey(text)) == nil)
    #expect(
      decodingError { try decoded([KeyValueObjectID].self, json([text])) }
        == "0: '\(text)' isn't a UUID.")
  }

  @Test("G3 the inverse's id is another one, and its inverse's the first")
  func inverse() {
    let id = KeyValueRecordID("7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12")!
    #expect("\(id.inverse)" == "80c3d2e5-6f4b-43a1-b290-f5e4d3c2b1ed")
    #expect(id.inverse.inverse == id)
  }
}
