import Foundation
import KeyValueCore
import KeyValueReplicaTestSupport
import Testing

@testable import KeyValueReplica

/// Snapshots that are read without a decoder are what a decoder reads.
@Suite("Snapshots as text")
struct SnapshotTextTests {
  private static let id = KeyValueObjectID("7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12")!
  private static let id2 = KeyValueObjectID("7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e13")!

  private static let values: [KeyValueLogValue] = [
    nil, true, false, 0, -1, .integer(.max), .integer(.min), 0.5, -1e-300, .number(1e300),
    .number(.infinity), .number(.nan), "", "Ada", "\"\\/\u{8}\u{c}\n\r\t\u{1}", "é€😀", "@",
    .string(String(repeating: "long ", count: 20)), .reference(id), .reference(id2), [],
    [1, [2, []]],
    [:], ["@": 1], ["@@x": "y", "é": nil], ["a": ["b": ["c": .reference(id)]]],
    [[.reference(id), .reference(id2)], ["number": 1.25]],
  ]

  private static func snapshot(_ numbers: inout SeededNumbers) -> KeyValueSnapshot {
    var snapshot = KeyValueSnapshot(root: id, schema: Int.random(in: 0...3, using: &numbers))
    for number in 0..<Int.random(in: 0...4, using: &numbers) {
      var values: [String: KeyValueLogValue] = [:]
      for _ in 0..<Int.random(in: 0...5, using: &numbers) {
        let keys = [
          "name", "salary", "a key of a certain length", "é", "@", "@number", "\"", "x\n",
        ]
        values[keys.randomElement(using: &numbers)!] = Self.values.randomElement(using: &numbers)!
      }
      let name = ["Company", "Acme.Employee", "A\"B"].randomElement(using: &numbers)!
      snapshot.objects[number == 0 ? id : KeyValueObjectID()] = .init(class: name, values: values)
    }
    return snapshot
  }

  private func decoded(_ data: Data) -> KeyValueSnapshot? {
    try? JSONDecoder().decode(KeyValueSnapshot.self, from: data)
  }

  @Test("S5 each value is what a decoder reads")
  func values() throws {
    for value in Self.values {
      let snapshot = KeyValueSnapshot(
        root: Self.id, objects: [Self.id: .init(class: "Company", values: ["name": value])])
      for formatting in [[], .prettyPrinted, .withoutEscapingSlashes]
        as [JSONEncoder.OutputFormatting]
      {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        let data = try encoder.encode(snapshot)
        let read = SnapshotText.snapshot(in: data)
        #expect(decoded(data) == snapshot)
        if case .number(let number) = value, !number.isFinite || number.rounded() == number {
          // Rare, and so left to the decoder.
          #expect(read == nil)
        } else if value == .integer(.min) {
          #expect(read == nil)
        } else {
          #expect(read == snapshot, "\(value)")
        }
      }
    }
  }

  @Test(
    "S5 what isn't written so is left to the decoder",
    arguments: [
      #""name":01"#, #""name":1.0"#, #""name":1e3"#, #""name":9223372036854775808"#, #""name":+1"#,
      #""name":1."#, #""name":.5"#, #""name":-"#, #""name":1,"name":2"#, #""name":"\x""#,
      #""name":"\ud800""#, #""name":"\ud800\u0041""#, #""name":"\udc00\ud800""#,
      #""name":"\u12g4""#,
      #""name":tru"#, #""name":[1,]"#, #""name":[1 2]"#, #""name":{"a":1,}"#, #""name":{,}"#,
      #""name":{"@":"7f3c"}"#, #""name":{"@":1}"#, #""name":{"@number":"nan"}"#,
      #""name":{"@x":1}"#,
      #""name":{"@":"7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12","a":1}"#,
      #""name":{"a":1,"@":"7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12"}"#, "\"name\":\"\u{1}\"",
      #""name""#, #""name":"a"#, #"name:1"#, #"@"#,
    ])
  func unusual(_ field: String) {
    let object = #"{"class":"Company","values":{\#(field)}}"#
    let text = #"{"root":"\#(Self.id)","objects":{"\#(Self.id)":\#(object)},"schema":0}"#
    #expect(SnapshotText.snapshot(in: Data(text.utf8)) == nil)
  }

  @Test(
    "S5 a snapshot with other fields, or with too few, is left to the decoder",
    arguments: [
      #"{}"#, #"[]"#, "", "{", #"{"root":"ID","objects":{}}"#, #"{"root":"ID","schema":0}"#,
      #"{"objects":{},"schema":0}"#, #"{"root":"ID","objects":{},"schema":0} x"#,
      #"{"root":"ID","objects":{},"schema":"0"}"#,
      #"{"root":"ID","objects":{},"schema":0,"more":1}"#,
      #"{"root":"ID","objects":{},"schema":0,"schema":1}"#,
      #"{"root":"ID","objects":{"ID":{"class":"A"}},"schema":0}"#,
      #"{"root":"ID","objects":{"ID":{"values":{}}},"schema":0}"#,
      #"{"root":"ID","objects":{"ID":{"class":"A","values":{},"more":1}},"schema":0}"#,
      #"{"root":"ID","objects":{"x":{"class":"A","values":{}}},"schema":0}"#,
      #"{"root":"ID","objects":{"ID":{"class":"A","values":{}},"ID":{"class":"A","values":{}}},"schema":0}"#,
    ])
  func incomplete(_ text: String) {
    let data = Data(text.replacing("ID", with: "\(Self.id)").utf8)
    #expect(SnapshotText.snapshot(in: data) == nil)
  }

  @Test("S5 values that are nested too deeply are left to the decoder")
  func depth() throws {
    for depth in [99, 101, 200] {
      let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let object = #"{"class":"Company","values":{"name":\#(value)}}"#
      let text = #"{"root":"\#(Self.id)","objects":{"\#(Self.id)":\#(object)},"schema":0}"#
      let read = SnapshotText.snapshot(in: Data(text.utf8))
      #expect((read == nil) == (depth > 100))
      if let read { #expect(read == decoded(Data(text.utf8))) }
    }
  }

  @Test("S5 whatever is read of damaged text is what a decoder reads of it")
  func damaged() throws {
    let characters =
      Array(#"{}[]",:\@0123456789.-+eEtrufalsn \#t"#.utf8) + [0, 1, 0x7F, 0xC3, 0xA9, 0xFF]
    var readings = 0
    for seed in 1...(ProcessInfo.processInfo.environment["KVO_TESTS"] == "full" ? 20_000 : 1_000) {
      var numbers = SeededNumbers(UInt64(seed))
      var data = try JSONEncoder().encode(Self.snapshot(&numbers))
      let whole = SnapshotText.snapshot(in: data)
      if let whole {
        readings += 1
        #expect(whole == decoded(data), "seed \(seed)")
      }
      for _ in 0..<4 {
        let place = Int.random(in: 0..<data.count, using: &numbers)
        switch Int.random(in: 0...2, using: &numbers) {
        case 0: data[place] = characters.randomElement(using: &numbers)!
        case 1: data.insert(characters.randomElement(using: &numbers)!, at: place)
        default: data.remove(at: place)
        }
        if let read = SnapshotText.snapshot(in: data) {
          #expect(read == decoded(data), "seed \(seed): \(String(decoding: data, as: UTF8.self))")
        }
      }
    }
    #expect(readings > 300)
  }
}
