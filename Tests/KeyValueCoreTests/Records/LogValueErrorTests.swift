import Foundation
import Testing

@testable import KeyValueCore

@Suite("Log values that can't be coded")
struct LogValueErrorTests: LogValueSuite {
  @Test("128 levels are encoded; a deeper value, and one that contains itself, isn't")
  func depth() throws {
    let deepest = Chain(count: KeyValueLogValue.maximumDepth)
    let value = try encoder.encode(deepest)
    #expect(throws: Never.self) { try JSONEncoder().encode(value) }
    #expect(try decoder.decode(Chain.self, from: value).count == KeyValueLogValue.maximumDepth)

    let text = "The value is more than 128 arrays and dictionaries deep."
    let path = Array(repeating: "next", count: 128).joined(separator: "/")
    for chain in [Chain(count: 129), Chain(count: 1_000)] {
      expectError("invalidValue: \(text) Path: \(path).") { try encoder.encode(chain) }
    }
    let cycle = Chain(count: 1)
    cycle.next = cycle
    expectError("invalidValue: \(text) Path: \(path).") { try encoder.encode(cycle) }
    cycle.next = nil
    // The 129th level has no values, or only plain ones.
    let list = Array(repeating: "next", count: 127).joined(separator: "/")
    #expect(try encoder.encode(Chain(count: 127, numbers: [1])) != nil)
    expectError("invalidValue 1: \(text) Path: \(list)/numbers.") {
      try encoder.encode(Chain(count: 128, numbers: [1]))
    }
    expectError("invalidValue: \(text) Path: \(list)/numbers.") {
      try encoder.encode(Chain(count: 128, numbers: []))
    }
    #expect(try encoder.encode(Nesting(count: 126)) != nil)
    for count in [127, 128, 1_000_000] {
      let path = Array(repeating: "Index 0", count: 127).joined(separator: "/")
      expectError("invalidValue: \(text) Path: nested/\(path).") {
        try encoder.encode(Nesting(count: count))
      }
    }
  }

  @Test("Values that are encoded or decoded inside one another without an end")
  func recursion() {
    expectError(
      "invalidValue: More than 1000 values are encoded inside one another; one may contain itself. "
        + "Path: ."
    ) { try encoder.encode(Endless()) }
    expectError(
      "dataCorrupted: More than 1000 values are decoded inside one another; one may contain itself. "
        + "Path: ."
    ) { try decoder.decode(Endless.self, from: 1) }
    var deep: KeyValueLogValue = [:]
    for _ in 0..<1_000 { deep = ["next": deep] }
    let path = Array(repeating: "next", count: 1_000).joined(separator: "/")
    expectError(
      "dataCorrupted: More than 1000 values are decoded inside one another; one may contain itself. "
        + "Path: \(path)."
    ) { try decoder.decode(Chain.self, from: deep) }
  }

  @Test("A value that encodes itself twice isn't encoded")
  func twice() {
    let text = "The value encodes itself twice, in containers of different kinds. Path: Index 0."
    for way in 0..<6 {
      expectError("invalidValue: \(text)") { try encoder.encode([Twice(way: way)]) }
    }
  }

  @Test("What an encode(to:) throws is passed on, and leaks nothing")
  func thrown() throws {
    weak var item: Item?
    do {
      // What is left of a call would hold the function for references, and that the item.
      let kept = Item(name: "kept")
      item = kept
      let encoder = LogValueEncoder { $0 === kept ? KeyValueObjectID() : nil }
      #expect(throws: NoObject.self) { try encoder.encode(["k": [Throwing()]]) }
      #expect(throws: EncodingError.self) { try encoder.encode(Nesting(count: 1_000)) }
      _ = try encoder.encode(Interleaved(numbers: [1, 2]))
    }
    #expect(item == nil)
  }

  @Test("A value of another kind")
  func kinds() {
    func check<Value: Decodable>(_ type: Value.Type, _ value: KeyValueLogValue, _ text: String) {
      expectError("\(text) Path: .") { try decoder.decode(type, from: value) }
      expectError("\(text) Path: a/Index 1.") {
        try decoder.decode([String: Second<Value>].self, from: ["a": [nil, value]])
      }
    }
    check(Int.self, "1", "typeMismatch: Expected Int but found a string.")
    check(Int.self, true, "typeMismatch: Expected Int but found a Boolean.")
    check(Int.self, nil, "valueNotFound: Expected Int but found nil.")
    check(String.self, 1, "typeMismatch: Expected String but found a number.")
    check(Bool.self, 1, "typeMismatch: Expected Bool but found a number.")
    check(Double.self, "1", "typeMismatch: Expected Double but found a string.")
    check(Double.self, [1], "typeMismatch: Expected Double but found an array.")
    check(String.self, [:], "typeMismatch: Expected String but found a dictionary.")
    check([Int].self, ["a": 1], "typeMismatch: Expected an array but found a dictionary.")
    check(Set<Int>.self, 1, "typeMismatch: Expected an array but found a number.")
    check([String: Int].self, [1], "typeMismatch: Expected a dictionary but found an array.")
    check(Inner.self, nil, "valueNotFound: Expected a dictionary but found nil.")
    check(Int?.self, "1", "typeMismatch: Expected Int but found a string.")
  }

  @Test("Missing keys, and arrays that are too short")
  func missing() {
    expectError("keyNotFound count: There's no value for the key 'count'. Path: Index 0.") {
      try decoder.decode([Inner].self, from: [["name": "a"]])
    }
    expectError("valueNotFound: The array ends after 1 elements. Path: Index 1.") {
      try decoder.decode(Second<Int>.self, from: [1])
    }
    expectError("valueNotFound: The array ends after 1 elements. Path: Index 1.") {
      try decoder.decode(Second<[Int: [Int]]>.self, from: [1])
    }
  }
}

/// The second element of an array.
private struct Second<Value: Decodable>: Decodable {
  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    if try !container.decodeNil() { _ = try container.decode(Int.self) }
    _ = try container.decode(Value.self)
  }
}

private final class Chain: Codable {
  var next: Chain?
  var numbers: [Int]?
  init(count: Int, numbers: [Int]? = nil) {
    if count > 1 {
      next = Chain(count: count - 1, numbers: numbers)
    } else {
      self.numbers = numbers
    }
  }
  var count: Int { 1 + (next?.count ?? 0) }
}

/// An array in an array, and so on, in nested containers.
private struct Nesting: Encodable {
  var count: Int
  func encode(to encoder: any Encoder) throws {
    var keyed = encoder.container(keyedBy: RecordKey.self)
    var container = keyed.nestedUnkeyedContainer(forKey: RecordKey("nested"))
    for _ in 0..<count { container = container.nestedUnkeyedContainer() }
  }
}

/// A value that is a value that is a value, without an end.
private struct Endless: Codable {
  init() {}
  init(from decoder: any Decoder) throws {
    self = try decoder.singleValueContainer().decode(Endless.self)
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(self)
  }
}

private struct Twice: Encodable {
  let way: Int
  func encode(to encoder: any Encoder) throws {
    if way == 0 || way == 1 {
      var container = encoder.container(keyedBy: RecordKey.self)
      try container.encode(1, forKey: RecordKey("a"))
    }
    if way == 0 || way == 2 {
      var container = encoder.unkeyedContainer()
      try container.encode(1)
    }
    var container = encoder.singleValueContainer()
    if way == 3 { try container.encode(Inner(name: "", count: 0, ratio: 0)) }
    if way == 4 { try container.encodeNil() }
    if way == 5 { try container.encode([Empty()]) }
    if way == 1 { try container.encode(Empty()) } else { try container.encode(1) }
  }
}

private struct Throwing: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: RecordKey.self)
    var nested = container.nestedUnkeyedContainer(forKey: RecordKey("list"))
    try nested.encode(1)
    throw NoObject()
  }
}
