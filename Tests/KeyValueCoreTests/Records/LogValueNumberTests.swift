import Foundation
import Testing

@testable import KeyValueCore

@Suite("Log values, coded from numbers and other scalars")
struct LogValueNumberTests: LogValueSuite {
  @Test("Scalars are what they are")
  func scalars() throws {
    #expect(try encoded(true) == true)
    #expect(try encoded("text \u{0} “é”") == "text \u{0} “é”")
    #expect(try "\(encoded(2.0))" == "2.0")
    #expect(try "\(encoded(Float(0.1)))" == "0.10000000149011612")
    #expect(try encoded(Double.leastNonzeroMagnitude) == .number(.leastNonzeroMagnitude))
    #expect(try encoded(Double.greatestFiniteMagnitude) == .number(.greatestFiniteMagnitude))
    let largest = Float.greatestFiniteMagnitude
    #expect(try encoded(largest) == .number(Double(largest)))
  }

  @Test("Integers of every width have their bounds")
  func integers() throws {
    func bounds<Number: FixedWidthInteger & Codable>(_ type: Number.Type) throws {
      #expect(try encoded(Number.min) == .integer(Int(Number.min)))
      #expect(try encoded(Number(clamping: Int.max)) == .integer(Int(clamping: Number.max)))
    }
    try bounds(Int.self)
    try bounds(Int8.self)
    try bounds(Int16.self)
    try bounds(Int32.self)
    try bounds(Int64.self)
    try bounds(UInt.self)
    try bounds(UInt8.self)
    try bounds(UInt16.self)
    try bounds(UInt32.self)
    try bounds(UInt64.self)
    #expect(try encoded(UInt128(7)) == 7)
    #expect(try encoded(Int128(Int.min)) == .integer(.min))
    #expect(try encoded([[Int128(Int.max)]]) == [[.integer(.max)]])
  }

  @Test("Numbers that JSON doesn't have stay numbers")
  func nonFinite() throws {
    for number in [Double.infinity, -.infinity, .nan] {
      let value = try encoder.encode(["key": number])
      #expect(value == ["key": .number(number)])
      let json = try JSONEncoder().encode(value)
      let back = try decoder.decode(
        [String: Double].self, from: JSONDecoder().decode(KeyValueLogValue.self, from: json))
      #expect("\(back)" == #"["key": \#(number)]"#)
      #expect(try "\(decoder.decode(Float.self, from: .number(number)))" == "\(number)")
    }
  }

  @Test("An integer is decoded as a floating-point number, and a whole number as an integer")
  func numbers() throws {
    #expect(try decoder.decode(Double.self, from: 2) == 2)
    #expect(try decoder.decode(Float.self, from: 2) == 2)
    #expect(try decoder.decode(Float.self, from: 0.1) == 0.1)
    #expect(try decoder.decode(Int.self, from: 2.0) == 2)
    #expect(try decoder.decode(UInt8.self, from: 255.0) == 255)
    #expect(try decoder.decode(UInt64.self, from: 1e19) == 10_000_000_000_000_000_000)
    #expect(try decoder.decode([Int128].self, from: [-1e20]) == [-100_000_000_000_000_000_000])
    #expect(try decoder.decode(Whole.self, from: ["number": 3.0]) == Whole(number: 3))
  }

  @Test("Every type of number is a field of its own")
  func everyWidth() throws {
    let value = Widths()
    let fields: KeyValueLogValue = [
      "int": -1, "int8": -8, "int16": -16, "int32": -32, "int64": -64, "int128": -128,
      "uint": 1, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64, "uint128": 128,
      "float": 0.5, "double": 0.25, "bool": true, "string": "s",
    ]
    #expect(try encoded(value) == fields)
    // A type that writes and reads fields one by one, in an array.
    #expect(
      try encoded(WidthsInArray(widths: value)) == [
        -1, -8, -16, -32, -64, -128, 1, 8, 16, 32, 64, 128, 0.5, 0.25, true, "s", nil,
      ])
  }

  @Test("An integer beyond Int is the string of its digits, wherever it is")
  func largeIntegers() throws {
    let digits = KeyValueLogValue.string("18446744073709551615")
    #expect(try encoder.encode(UInt64.max) == digits)
    #expect(try LogValueCoding<UInt?>().encode(.max, encoder) == digits)
    #expect(try encoder.encode([[1], [UInt64.max]]) == [[1], [digits]])
    let widths = Widths(int128: Int128(Int.min) - 1, uint64: .max, uint128: .max)
    let encoded = try encoder.encode(widths)
    #expect(try decoder.decode(Widths.self, from: encoded) == widths)
    let inArray = WidthsInArray(widths: widths)
    #expect(try decoder.decode(WidthsInArray.self, from: encoder.encode(inArray)) == inArray)
    #expect(try decoder.decode(UInt64.self, from: digits) == .max)
    #expect(try decoder.decode([UInt?].self, from: [digits, nil]) == [.max, nil])
  }

  @Test("Digits are an integer only where Int can't hold it")
  func digits() {
    func check<Value: Decodable>(_ type: Value.Type, _ value: KeyValueLogValue) {
      #expect(throws: DecodingError.self) { try decoder.decode(type, from: value) }
    }
    check(UInt64.self, "1")
    check(UInt64.self, "18446744073709551616")
    check(UInt64.self, "")
    check(Int.self, "9223372036854775808")
    check(Double.self, "18446744073709551615")
  }

  @Test("A number that the type can't hold")
  func ranges() {
    func check<Value: Decodable>(_ type: Value.Type, _ value: KeyValueLogValue) {
      expectError("dataCorrupted: \(type) can't hold \(value). Path: .") {
        try decoder.decode(type, from: value)
      }
      expectError("dataCorrupted: \(type) can't hold \(value). Path: Index 1.") {
        try decoder.decode([Value].self, from: [0, value])
      }
    }
    check(UInt8.self, 256)
    check(Int8.self, -129)
    check(UInt.self, -1)
    check(UInt128.self, -1)
    check(Int.self, 1.5)
    check(Int.self, 1e19)
    check(UInt64.self, .number(0x1p64))
    check(Int.self, .number(.nan))
    check(Int128.self, .number(.infinity))
    check(Float.self, 1e300)
  }
}

private struct Whole: Codable, Equatable { var number: Int }

private struct Widths: Codable, Equatable {
  var int = -1
  var int8: Int8 = -8
  var int16: Int16 = -16
  var int32: Int32 = -32
  var int64: Int64 = -64
  var int128: Int128 = -128
  var uint: UInt = 1
  var uint8: UInt8 = 8
  var uint16: UInt16 = 16
  var uint32: UInt32 = 32
  var uint64: UInt64 = 64
  var uint128: UInt128 = 128
  var float: Float = 0.5
  var double = 0.25
  var bool: Bool? = true
  var string = "s"
}

/// Each number is written and read by the container's own function.
private struct WidthsInArray: Codable, Equatable {
  var widths: Widths

  init(widths: Widths) { self.widths = widths }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(widths.int)
    try container.encode(widths.int8)
    try container.encode(widths.int16)
    try container.encode(widths.int32)
    try container.encode(widths.int64)
    try container.encode(widths.int128)
    try container.encode(widths.uint)
    try container.encode(widths.uint8)
    try container.encode(widths.uint16)
    try container.encode(widths.uint32)
    try container.encode(widths.uint64)
    try container.encode(widths.uint128)
    try container.encode(widths.float)
    try container.encode(widths.double)
    try container.encode(widths.bool)
    try container.encode(widths.string)
    try container.encodeNil()
  }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    widths = Widths()
    widths.int = try container.decode(Int.self)
    widths.int8 = try container.decode(Int8.self)
    widths.int16 = try container.decode(Int16.self)
    widths.int32 = try container.decode(Int32.self)
    widths.int64 = try container.decode(Int64.self)
    widths.int128 = try container.decode(Int128.self)
    widths.uint = try container.decode(UInt.self)
    widths.uint8 = try container.decode(UInt8.self)
    widths.uint16 = try container.decode(UInt16.self)
    widths.uint32 = try container.decode(UInt32.self)
    widths.uint64 = try container.decode(UInt64.self)
    widths.uint128 = try container.decode(UInt128.self)
    widths.float = try container.decode(Float.self)
    widths.double = try container.decode(Double.self)
    widths.bool = try container.decodeIfPresent(Bool.self)
    widths.string = try container.decode(String.self)
    #expect(try !container.isAtEnd && container.decodeNil() && container.isAtEnd)
  }
}
