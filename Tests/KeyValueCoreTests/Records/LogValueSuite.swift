import Foundation
import Testing

@testable import KeyValueCore

/// What the suites of log values' coders share.
protocol LogValueSuite {}

extension LogValueSuite {
  var encoder: LogValueEncoder { LogValueEncoder { _ in nil } }
  var decoder: LogValueDecoder { LogValueDecoder { _ in throw NoObject() } }

  /// The encoded value, after every way has led to it and back, and JSON's coders agree.
  func encoded<Value: Codable & Equatable>(
    _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> KeyValueLogValue {
    let encoded = try encoder.encode(value)
    let coding = LogValueCoding<Value>()
    #expect(try identical(encoded, coding.encode(value, encoder)), sourceLocation: sourceLocation)
    #expect(
      try identical(encoded, encoder.encodeInContainers(value)), sourceLocation: sourceLocation)
    for log in [encoded, wholeNumbersAsIntegers(encoded)] {
      let decoded = try [
        decoder.decode(Value.self, from: log), coding.decode(log, decoder),
        decoder.decodeFromContainers(Value.self, from: log),
      ]
      #expect(decoded == [value, value, value], sourceLocation: sourceLocation)
    }
    let fromJSON = try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    #expect(fromJSON == value, sourceLocation: sourceLocation)
    return encoded
  }

  /// What JSON makes of a value.
  private func wholeNumbersAsIntegers(_ value: KeyValueLogValue) -> KeyValueLogValue {
    switch value {
    case .number(let number): Int(exactly: number).map { .integer($0) } ?? value
    case .array(let values): .array(values.map(wholeNumbersAsIntegers))
    case .dictionary(let values): .dictionary(values.mapValues(wholeNumbersAsIntegers))
    default: value
    }
  }

  /// Equal, and of the same cases: 2 isn't 2.0.
  private func identical(_ left: KeyValueLogValue, _ right: KeyValueLogValue) -> Bool {
    left == right && "\(left)" == "\(right)"
  }

  /// An error's case, text and path.
  func expectError(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Any
  ) {
    do {
      let value = try body()
      Issue.record("no error, but \(value)", sourceLocation: sourceLocation)
    } catch let error as EncodingError {
      guard case .invalidValue(let value, let context) = error else { return }
      let number = value is any BinaryInteger ? " \(value)" : ""
      #expect(
        "invalidValue\(number): \(described(context.debugDescription, context.codingPath))" == text,
        sourceLocation: sourceLocation)
    } catch let error as DecodingError {
      let (name, context) =
        switch error {
        case .typeMismatch(_, let context): ("typeMismatch", context)
        case .valueNotFound(_, let context): ("valueNotFound", context)
        case .keyNotFound(let key, let context): ("keyNotFound \(key.stringValue)", context)
        case .dataCorrupted(let context): ("dataCorrupted", context)
        @unknown default: ("", DecodingError.Context(codingPath: [], debugDescription: ""))
        }
      #expect(
        "\(name): \(described(context.debugDescription, context.codingPath))" == text,
        sourceLocation: sourceLocation)
    } catch {
      Issue.record("\(error)", sourceLocation: sourceLocation)
    }
  }

  private func described(_ text: String, _ path: [any CodingKey]) -> String {
    "\(text) Path: \(path.map(\.stringValue).joined(separator: "/"))."
  }
}

struct NoObject: Error {}

struct Empty: Codable, Equatable {}

struct Inner: Codable, Equatable {
  var name: String
  var count: Int
  var ratio: Double
  var flag: Bool?
}

enum Suit: String, Codable { case hearts, spades }

class Item: Codable {
  let name: String
  init(name: String) { self.name = name }
}

/// Writes into several nested containers by turns.
struct Interleaved: Codable, Equatable {
  var numbers: [Int]

  enum CodingKeys: CodingKey { case head, list, tail, first, last }

  init(numbers: [Int]) { self.numbers = numbers }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    var head = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .head)
    var list = container.nestedUnkeyedContainer(forKey: .list)
    try head.encode(numbers[0], forKey: .first)
    try list.encode(numbers[0])
    var inner = list.nestedUnkeyedContainer()
    var innerHead = list.nestedContainer(keyedBy: CodingKeys.self)
    try list.encodeNil()
    try container.encode(numbers[1], forKey: .tail)
    try inner.encode(numbers[1])
    try innerHead.encode(numbers[1], forKey: .last)
    #expect(list.count == 4 && inner.count == 1)
    // The same container once more.
    var again = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .head)
    try again.encode(numbers[1], forKey: .last)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    #expect(Set(container.allKeys) == [.head, .list, .tail])
    #expect(container.contains(.head) && !container.contains(.first))
    let head = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .head)
    var list = try container.nestedUnkeyedContainer(forKey: .list)
    numbers = try [head.decode(Int.self, forKey: .first), head.decode(Int.self, forKey: .last)]
    #expect(try list.decode(Int.self) == numbers[0] && list.count == 4)
    var inner = try list.nestedUnkeyedContainer()
    let innerHead = try list.nestedContainer(keyedBy: CodingKeys.self)
    #expect(try inner.decode(Int.self) == numbers[1] && inner.isAtEnd)
    #expect(try innerHead.decode(Int.self, forKey: .last) == numbers[1] && list.currentIndex == 3)
    #expect(try list.decodeNil() && list.isAtEnd)
  }
}
