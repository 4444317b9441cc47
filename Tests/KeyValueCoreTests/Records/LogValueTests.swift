import Foundation
import KeyValueTestSupport
import Testing

@_spi(Replication) @testable import KeyValueCore

@Suite("KeyValueLogValue")
struct LogValueTests {
  private static let node = id(0x12)
  private static let reference = KeyValueLogValue.reference(node)

  @Test("G5 numbers are equal if they're the same number, and then have one hash")
  func numbers() {
    func check(_ left: KeyValueLogValue, _ right: KeyValueLogValue, _ isEqual: Bool) {
      #expect((left == right) == isEqual && (right == left) == isEqual)
      #expect(!isEqual || left.hashValue == right.hashValue)
    }
    check(.integer(2), .number(2), true)
    check(.integer(0), .number(-0.0), true)
    check(.number(0), .number(-0.0), true)
    check(.number(.nan), .number(-.nan), true)
    check(.number(.nan), .number(Double(nan: 5, signaling: false)), true)
    check(.number(.infinity), .number(-.infinity), false)
    check(.integer(1 << 53 + 1), .number(0x1p53), false)
    check(.integer(.max), .number(0x1p63), false)
    check(.integer(.min), .number(-0x1p63), true)
    check(.integer(1), .bool(true), false)
    check(.integer(1), .string("1"), false)
    check(.null, .dictionary([:]), false)
    check([1, 2.5], [1.0, 2.5], true)
    check(["a": 1], ["a": 1.0], true)
  }

  @Test("G5 a value prints itself as a literal")
  func description() {
    let value: KeyValueLogValue = [
      "name": "A\"da", "age": 36, "scores": [1, 2.5, nil, true], "boss": Self.reference, "": [:],
    ]
    #expect(
      "\(value)" == #"["": [:], "age": 36, "boss": @00000000, "name": "A\"da", "scores": "#
        + "[1, 2.5, nil, true]]")
    #expect("\(KeyValueLogValue.number(-.infinity))" == "-inf")
    #expect("\("\(1)b" as KeyValueLogValue)" == "\"1b\"")
    #expect(KeyValueLogValue(exactly: UInt8(7)) == 7)
    #expect(KeyValueLogValue(exactly: Int.min) == .integer(.min))
    #expect(KeyValueLogValue(exactly: UInt64.max) == "18446744073709551615")
  }

  @Test(
    "G5 a value's JSON is what it looks like, and is read back",
    arguments: [
      (nil, "null"), (true, "true"), (-12, "-12"), (.integer(.max), "9223372036854775807"),
      (2.5, "2.5"), ("a\u{0}é", #""a\u0000é""#), ([], "[]"), ([1, [nil]], "[1,[null]]"),
      ([:], "{}"), (["a": ["b": 1]], #"{"a":{"b":1}}"#),
      (reference, #"{"@":"00000000-0000-4000-8000-000000000012"}"#),
      (["@": 1], #"{"@@":1}"#), (["@": reference], #"{"@@":{"@":"\#(node)"}}"#),
      (["@@": 1, "a@": 2], #"{"@@@":1,"a@":2}"#), (["@number": "nan"], #"{"@@number":"nan"}"#),
      (.number(.nan), #"{"@number":"nan"}"#), (.number(.infinity), #"{"@number":"infinity"}"#),
      (.number(-.infinity), #"{"@number":"-infinity"}"#),
      ([.number(.nan), ["a": .number(.nan)]], #"[{"@number":"nan"},{"a":{"@number":"nan"}}]"#),
    ] as [(KeyValueLogValue, String)])
  func coding(value: KeyValueLogValue, text: String) throws {
    #expect(try json(value) == text)
    #expect(try json(["key": value]) == "{\"key\":\(text)}")
    let read = try decoded(KeyValueLogValue.self, text)
    #expect(read == value && "\(read)" == "\(value)")
    #expect(try decoded([String: KeyValueLogValue].self, "{\"key\":\(text)}") == ["key": value])
  }

  @Test("G5 a number that's read doesn't depend on the numbers before it")
  func numbersInContext() throws {
    let text = """
      [0.5, 2, 2.0, 9007199254740993, 1e3, 1e19, 18446744073709551615, -0.0, 1e300, 9007199254740993.0,
      9223372036854775807, 9223372036854775808]
      """.replacing("\n", with: " ").replacing("  ", with: " ")
    let alone = try text.dropFirst().dropLast().split(separator: ", ")
      .map { try decoded(KeyValueLogValue.self, String($0)) }
    let together = try decoded(KeyValueLogValue.self, text)
    #expect("\(together)" == "\(alone)")
    #expect(
      "\(together)" == "[0.5, 2, 2, 9007199254740993, 1000, 1e+19, 1.8446744073709552e+19, 0, "
        + "1e+300, 9007199254740993, 9223372036854775807, 9.223372036854776e+18]")
  }

  @Test("G5 a string stays one, even if the decoder takes it for a number")
  func numbersAsStrings() throws {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let list = try decoder.decode(
      KeyValueLogValue.self, from: Data(#"[1.5, "inf", 2.5, "nan", 3.5]"#.utf8))
    #expect(list == [1.5, "inf", 2.5, "nan", 3.5])
  }

  @Test("G5 fields of one name may have values of every kind, in any order")
  func kinds() throws {
    let values: [KeyValueLogValue] = [
      nil, 1, 1.5, "a", true, [1], ["a": 1], Self.reference, .number(.nan), [], [:],
    ]
    for first in values {
      for second in values {
        let list: KeyValueLogValue = [["k": first], ["k": second], ["k": first], ["k": nil]]
        #expect(try decoded(KeyValueLogValue.self, json(list)) == list)
        let array: KeyValueLogValue = [first, second, first, second, nil]
        #expect(try decoded(KeyValueLogValue.self, json(array)) == array)
      }
    }
  }

  @Test("G5 random values are read as they were written, through JSON and property lists")
  func randomValues() throws {
    var graph = RandomGraph(seed: 33)
    for _ in 0..<TestVolume.either(2000, few: 200, full: 20_000) {
      let value = graph.value()
      let text = try json([value])
      #expect(try decoded([KeyValueLogValue].self, text) == [value], "\(text)")
    }
    let list: KeyValueLogValue = [
      "a": [1, 2.5, true, "x", ["@": Self.reference]], "b": .number(.nan),
    ]
    let data = try PropertyListEncoder().encode(list)
    #expect(try PropertyListDecoder().decode(KeyValueLogValue.self, from: data) == list)
  }

  @Test(
    "G4 a field that begins with \"@\" and isn't one of ours is refused",
    arguments: [
      (#"{"@":1}"#, "@: it isn't String"), (#"{"@":"1"}"#, "@: '1' isn't a UUID."),
      (
        #"{"@number":"1"}"#, "@number: '1' isn't 'infinity', '-infinity' or 'nan'."
      ),
      (
        #"{"@x":1}"#,
        "@x: No value has the field '@x'; a dictionary's key that begins with '@' is written with "
          + "one more."
      ),
      (
        #"{"a":[{"b":{"@x":1}}]}"#,
        "a.0.b.@x: No value has the field '@x'; a dictionary's key that begins with '@' is written "
          + "with one more."
      ),
      (#"[1e999]"#, "0: There's no value that a record can have."),
    ])
  func badTags(text: String, error: String) {
    #expect(decodingError { try decoded(KeyValueLogValue.self, text) } == error)
  }

  @Test("G4 128 levels are written and read, on a small stack; the next one is refused")
  func depth() async throws {
    let deepest = nested(128)
    let edit = KeyValueEdit.insert(id(1), key: "k", indexes: RangeSet(0..<1), elements: [deepest])
    let create = KeyValueEdit.create(id(1), class: "C", values: ["k": deepest])
    let record = KeyValueTransactionRecord([edit, create])
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      let thread = Thread {
        done.resume(
          with: Result {
            let value = try decoded([KeyValueLogValue].self, json([deepest]))
            let same = try decoded(KeyValueTransactionRecord.self, json(record))
            #expect(value == [deepest] && same == record)
          })
      }
      // A sanitizer's frames are several times as large.
      thread.stackSize = TestVolume.either(512, few: 4096) * 1024
      thread.start()
    }
    let text = String(repeating: "[", count: 129) + String(repeating: "]", count: 129)
    let path = (0..<128).map { _ in "0" }.joined(separator: ".")
    #expect(
      decodingError { try decoded(KeyValueLogValue.self, text) }
        == "\(path): The value is more than 128 arrays and dictionaries deep.")
    do {
      _ = try json(nested(129))
      Issue.record("129 levels were written")
    } catch EncodingError.invalidValue(_, let context) {
      #expect(
        context.debugDescription == "The value is more than 128 arrays and dictionaries deep.")
      #expect(context.codingPath.count == 128)
    }
  }

  @Test("G5 the order of a set's elements is one that equal values share")
  func order() {
    let ascending: [KeyValueLogValue] = [
      nil, false, true, .number(.nan), .number(-.infinity), .number(-0x1p63 - 2048), .integer(.min),
      .number(-1.5), -1, 0, 0.5, 1, .number(0x1p53), .integer(1 << 53 + 1),
      .integer(1 << 53 + 3), .number(0x1p53 + 4), .integer(.max),
      .number(0x1p63), .number(.infinity), "", "a", "b", .reference(id(1)), .reference(id(2)), [],
      [1], [1, 1], [2], [:], ["a": 1], ["a": 1, "b": 1], ["a": 2], ["b": 0],
    ]
    for (index, left) in ascending.enumerated() {
      for (other, right) in ascending.enumerated() {
        #expect(KeyValueLogValue.precedes(left, right) == (index < other), "\(left), \(right)")
      }
    }
    #expect(KeyValueLogValue.ascending(ascending.shuffled()) == ascending)
    #expect(!KeyValueLogValue.precedes(1, 1.0) && !KeyValueLogValue.precedes(1.0, 1))
    #expect(!KeyValueLogValue.isAscending([1, 1.0]))
    #expect(KeyValueLogValue.pairs([(2, "b"), (1, "a")]) == [[1, "a"], [2, "b"]])
  }

  @Test("G5 equal strings that have other Unicode scalars aren't identical, wherever they are")
  func identity() {
    let (one, two): (KeyValueLogValue, KeyValueLogValue) = ("\u{e9}", "e\u{301}")
    func check(_ left: KeyValueLogValue, _ right: KeyValueLogValue, _ isIdentical: Bool = false) {
      #expect(left == right && left.isIdentical(to: right) == isIdentical)
      #expect(right.isIdentical(to: left) == isIdentical && left.isIdentical(to: left))
    }
    check(one, two)
    check([1, one], [1, two])
    check(["a": one, "b": 1], ["a": two, "b": 1])
    check(["\u{e9}": 1], ["e\u{301}": 1])
    check([["a": [one]]], [["a": [two]]])
    // Both are of as many bytes.
    check("a\u{323}\u{307}", "a\u{307}\u{323}")
    check([1, .number(.nan), ["a": 2.0]], [1.0, .number(.nan), ["a": 2]], true)
    #expect(!one.isIdentical(to: "e") && !([1] as KeyValueLogValue).isIdentical(to: [1, 2]))
    #expect(!(["a": 1] as KeyValueLogValue).isIdentical(to: ["b": 1]))
  }
}
