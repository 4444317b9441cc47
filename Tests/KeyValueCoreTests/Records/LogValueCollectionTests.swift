import Foundation
import Testing

@testable import KeyValueCore

@Suite("Log values, coded from collections and from the types of others")
struct LogValueCollectionTests: LogValueSuite {
  @Test("Optionals and arrays of scalars need no containers, and are the same with them")
  func plainCollections() throws {
    #expect(try encoded(Int?.none) == nil)
    #expect(try encoded(Int?.some(3)) == 3)
    #expect(try encoded([1, nil, 3]) == [1, nil, 3])
    #expect(try encoded([[true], [], [false, true]]) == [[true], [], [false, true]])
    #expect(try encoded(["a", "b"]) == ["a", "b"])
    #expect(try encoded([Float]?.some([0.5])) == [0.5])
    #expect(try encoded([Int]()) == [])
    // A nil in a nil is one nil, as in JSON.
    let inner: Int?? = .some(nil)
    let back = try decoder.decode(Int??.self, from: encoder.encode(inner))
    if case .some(let value) = back { Issue.record("\(String(describing: value))") }
  }

  @Test("Dictionaries are encoded as Swift does, with ascending keys in arrays")
  func dictionaries() throws {
    #expect(try encoded(["a": 1, "b": 2]) == ["a": 1, "b": 2])
    #expect(try encoded([String: Int]()) == [:])
    #expect(try encoded([3: "c", -1: "a"]) == ["3": "c", "-1": "a"])
    #expect(try encoded([Name("x"): [1]]) == ["x": [1]])
    let spans = Dictionary(uniqueKeysWithValues: (0..<20).map { (Span(start: $0, end: 0), $0) })
    let pairs: [[KeyValueLogValue]] = (0..<20).map {
      [["start": .integer($0), "end": 0], .integer($0)]
    }
    #expect(try encoded(spans) == .array(pairs.flatMap { $0 }))
    #expect(try encoded([Suit.spades: 1, .hearts: 2]) == ["hearts", 2, "spades", 1])
    #expect(try encoded(["@": 1, "@@": 2, "": 3]) == ["@": 1, "@@": 2, "": 3])
  }

  @Test("A set is an array in ascending order")
  func sets() throws {
    #expect(try encoded(Set(0..<50)) == .array((0..<50).map { .integer($0) }))
    #expect(try encoded(Set(["b", "a"])) == ["a", "b"])
    #expect(
      try encoded([Set([Span(start: 2, end: 0), Span(start: 1, end: 0)])])
        == [[["start": 1, "end": 0], ["start": 2, "end": 0]]])
    #expect(try encoded(Optional(Set([2, 1]))) == [1, 2])
    #expect(try encoded(["key": Set([false, true])]) == ["key": [false, true]])
  }

  @Test("Foundation's types encode themselves")
  func foundation() throws {
    #expect(try encoded(Date(timeIntervalSinceReferenceDate: 1.5)) == 1.5)
    let url = try #require(URL(string: "https://swift.org/a?b"))
    #expect(try encoded(url) == ["relative": "https://swift.org/a?b"])
    let uuid = UUID(uuidString: "7F3C2D1A-90B4-4C5E-8D6F-0A1B2C3D4E12")!
    #expect(try encoded(uuid) == "7F3C2D1A-90B4-4C5E-8D6F-0A1B2C3D4E12")
    let bytes = Data((0...255).map { UInt8($0) })
    #expect(try encoded(bytes) == .array((0...255).map { .integer($0) }))
    #expect(try encoded(Data()) == [])
    for text in ["0", "-12.345", "99999999999999999999999999999999999999"] {
      _ = try encoded(Decimal(string: text)!)
    }
    _ = try encoded([1..<5, 7..<9])
    _ = try encoded([Calendar(identifier: .gregorian)])
    _ = try encoded(DateComponents(year: 2024, month: 2))
  }

  @Test("A log value, an id and a value of a record are plain data")
  func ownTypes() throws {
    let id = try #require(KeyValueObjectID("7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12"))
    #expect(try encoded(id) == "7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12")
    #expect(try encoded([id: 1]) == ["7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12": 1])
    let value: KeyValueLogValue = [
      1, 2.5, nil, "x", ["@": true], .reference(id), .number(.infinity),
    ]
    #expect(
      try encoded(value) == [
        1, 2.5, nil, "x", ["@@": true], ["@": "7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12"],
        ["@number": "infinity"],
      ])
  }
}

private struct Span: Codable, Hashable { var start, end: Int }

private struct Name: Codable, Hashable, CodingKeyRepresentable {
  let text: String
  init(_ text: String) { self.text = text }
  var codingKey: any CodingKey { RecordKey(text) }
  init?(codingKey: some CodingKey) { text = codingKey.stringValue }
}
