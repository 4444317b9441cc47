import Foundation
import KeyValueTestSupport
import Testing

@testable import KeyValueCore

/// What's read and written without Foundation is what Foundation's coders read and write.
@Suite("JSON without Foundation")
struct JSONTextTests {
  private static let node = id(0x12)
  private static let uuid = "00000000-0000-4000-8000-000000000012"

  /// A snapshot of one object, with one value of this text.
  private static func snapshot(_ value: String) -> String {
    #"{"root":"\#(uuid)","objects":{"\#(uuid)":{"class":"C","values":{"k":\#(value)}}},"schema":0}"#
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private static let values: [KeyValueLogValue] = [
    nil, true, false, 0, -1, .integer(.max), .integer(.min), 0.5, -1e-300, .number(1e300),
    .number(-0.0), .number(0x1p53), .number(0x1p63), .number(-0x1p63), .number(0x1p64), 1e19,
    .number(.leastNonzeroMagnitude), .number(.greatestFiniteMagnitude), .number(.pi), 1e-7,
    .number(.infinity), .number(-.infinity), .number(.nan), "", "Ada",
    "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1}\u{1f}\u{7f}\u{2028}", "é€😀", "@", "e\u{301}", "a\r\nb",
    .string(String(repeating: "long ", count: 20)), .reference(node), .reference(id(0xABCDEF)), [],
    [1, [2, []]], [:], ["@": 1], ["@@x": "y", "é": nil], ["a": ["b": ["c": .reference(node)]]],
    ["@\u{301}": 1, "b": 2, "A": 3, "aa": 4, "a10": 5, "a9": 6, "é": 7, "": 8, "\"\n": 9],
    [[.reference(node), .reference(id(7))], ["number": 1.25]], ["@number": "nan"],
  ]

  @Test("G5 a value is written as an encoder writes it, and read as a decoder reads it")
  func values() throws {
    for value in Self.values {
      let snapshot = KeyValueSnapshot(
        root: Self.node, objects: [Self.node: .init(class: "C\"é", values: ["k": value])],
        schema: 3)
      #expect(text(try value.json()) == (try json(value)))
      #expect(text(try snapshot.json()) == (try json(snapshot)))
      #expect(try KeyValueLogValue(json: value.json()) == value)
      #expect(try KeyValueSnapshot(json: snapshot.json()) == snapshot)
      for formatting in [[], .prettyPrinted, .withoutEscapingSlashes]
        as [JSONEncoder.OutputFormatting]
      {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        let data = try encoder.encode(snapshot)
        let read = try KeyValueSnapshot(json: data)
        #expect(read == snapshot)
        #expect("\(read)" == "\(try JSONDecoder().decode(KeyValueSnapshot.self, from: data))")
      }
    }
  }

  @Test("G5 random records and snapshots are the same through either, in both directions")
  func random() throws {
    for seed in 0..<UInt64(TestVolume.either(40, few: 5, full: 400)) {
      var graph = RandomGraph(seed: seed)
      for _ in 0..<20 {
        var record = try graph.record()
        if seed % 3 == 0 { record.origin = .remote("the \"desk\"\n") }
        let bytes = try record.json()
        #expect(text(bytes) == (try json(record)))
        #expect(try decoded(KeyValueTransactionRecord.self, text(bytes)) == record)
        let data = try JSONEncoder().encode(record)
        #expect(try KeyValueTransactionRecord(json: data) == record)
      }
      let bytes = try graph.snapshot.json()
      #expect(text(bytes) == (try json(graph.snapshot)))
      #expect(try decoded(KeyValueSnapshot.self, text(bytes)) == graph.snapshot)
      let data = try JSONEncoder().encode(graph.snapshot)
      #expect(try KeyValueSnapshot(json: data) == graph.snapshot)
    }
  }

  /// Texts of numbers, all that are read and some that aren't.
  private static var numbers: [String] {
    var numbers = [
      "0", "-0", "-0.0", "0e5", "0.0e-9", "1.0", "1e3", "1E+3", "12e-1", "120e-1", "1.5e1", "2.50",
      "9007199254740991.0", "9007199254740992.0", "9007199254740993.0", "9007199254740993",
      "9007199254740993.5", "9007199254740993e0", "90071992547409930e-1", "900719925474099.3e1",
      "9223372036854775807", "9223372036854775807.0", "9223372036854775808", "-9223372036854775808",
      "-9223372036854775808.0", "-9223372036854775809", "922337203685477580.7e1", "1e18", "1e19",
      "9.223372036854775807e18", "18446744073709551615", "1e300", "1e-300", "0.1", "-1.25",
      "0.30000000000000004", "123456789012345678901234567890", "1e308", "5e-324", "1e20000",
      "1e309",
      "-1e309", "1e", "1.", ".5", "+1", "-", "01", "-01", "00", "1.e1", "1e+", "0x1", "1_0", "--1",
      "NaN", "Infinity", "1 2",
    ]
    var random = SeededGenerator(seed: 63)
    for _ in 0..<TestVolume.either(2000, few: 200, full: 40_000) {
      var text = Bool.random(using: &random) ? "-" : ""
      text += "\(Int.random(in: 0...9, using: &random))"
      if text.last != "0" {
        for _ in 0..<Int.random(in: 0...19, using: &random) {
          text += "\(Int.random(in: 0...9, using: &random))"
        }
      }
      if Bool.random(using: &random) {
        text += "."
        for _ in 0...Int.random(in: 0...9, using: &random) {
          text += ["0", "0", "5", "9"].randomElement(using: &random)!
        }
      }
      if Bool.random(using: &random) { text += "e\(Int.random(in: -12...12, using: &random))" }
      numbers.append(text)
    }
    return numbers
  }

  @Test("G5 a number of any spelling is what a decoder reads, or neither reads it")
  func numbers() {
    for number in Self.numbers {
      let plain = try? decoded(KeyValueLogValue.self, "[\(number)]")
      let read = try? KeyValueLogValue(json: "[\(number)]".utf8)
      // A decoder takes a way through `Decimal`, which loses the last digits of such numbers.
      let isLossy =
        (Double(number)?.magnitude ?? 0) >= 0x1p53 && number.contains { ".eE".contains($0) }
        && number.count { $0.isNumber } > 17
      if isLossy {
        guard case .array(let one)? = read, case .array(let other)? = plain else {
          Issue.record("\(number)")
          continue
        }
        #expect(approximate(one[0]) == approximate(other[0]), "\(number)")
        continue
      }
      #expect(read.map { "\($0)" } == plain.map { "\($0)" }, "\(number)")
      let schema = #"{"root":"\#(Self.uuid)","objects":{},"schema":\#(number)}"#
      #expect(
        (try? KeyValueSnapshot(json: schema.utf8).schema)
          == (try? decoded(KeyValueSnapshot.self, schema).schema), "\(number)")
    }
  }

  private func approximate(_ value: KeyValueLogValue) -> Float? {
    switch value {
    case .integer(let number): Float(Double(number))
    case .number(let number): Float(number)
    default: nil
    }
  }

  @Test(
    "G5 a whole number that no `Double` holds is read by its digits, a fraction is cut off",
    arguments: [
      ("9007199254740993.0", "9007199254740993"), ("9007199254740993.5", "9007199254740993"),
      ("90071992547409930e-1", "9007199254740993"), ("900719925474099.3e1", "9007199254740993"),
      ("0.0009007199254740993e19", "9007199254740993"),
      ("9.007199254740993E+15", "9007199254740993"),
      ("-8414946986.0559000050e8", "-841494698605590000"),
      ("578574866732627256.900900", "578574866732627256"),
      ("-9223372036854775808.0", "-9223372036854775808"),
      ("-9223372036854775809", "-9223372036854775808"),
      ("9223372036854775808", "9.223372036854776e+18"),
      ("9223372036854775807.0", "9.223372036854776e+18"), ("1e18", "1000000000000000000"),
      ("9007199254740991.5", "9007199254740991"), ("0.99999999999999999999", "1"),
    ])
  func wholeNumbers(text: String, value: String) throws {
    #expect("\(try KeyValueLogValue(json: text.utf8))" == value)
  }

  @Test(
    "G5 fields in any order, other fields, space and a byte-order mark are read as a decoder reads them",
    arguments: [
      #" {"schema" : 1.0 , "more":[1,{"a":"\u00e9"},null,true,false,-1.5e3],"objects":{},"root":"ID"} "#,
      #"{"objects":{"ID":{"more":{},"values":{"b":1},"class":"A"}},"root":"ID","schema":2e0}"#,
      #"{"objects":{"ID":{"class":"A","values":{"b":{"@":"ID","c":[],"@x":1}}}},"root":"ID","schema":0}"#,
      #"{"objects":{"ID":{"class":"A","values":{"b":{"c":[],"@":"ID"}}}},"root":"ID","schema":0}"#,
      #"{"objects":{"ID":{"class":"A","values":{"b":{"@x":[],"@":"ID"}}}},"root":"ID","schema":0}"#,
      #"{"objects":{"ID":{"class":"A","values":{"b":{"a":1,"@number":"nan","c":2}}}},"root":"ID","schema":0}"#,
      #"{"objects":{"ID":{"class":"A","values":{"b":{"@number":"nan","@":"ID"}}}},"root":"ID","schema":0}"#,
      #"{"objects":{"ID":{"class":"A","values":{"b":{"@":"ID","@number":1}}}},"root":"ID","schema":0}"#,
      #"{"objects":{"id":{"class":"A","values":{}}},"root":"ID","schema":0}"#,
      #"{"obj\u0065cts":{"ID":{"cl\u0061ss":"\u0041\ud83d\ude00","values":{"\u0040\u0040":1}}},"root":"ID","schema":0}"#,
      "\u{FEFF}{\"objects\":{},\r\n\t\"root\":\"ID\",\"schema\":0}\n",
    ])
  func lenient(text: String) throws {
    let upper = "00000000-0000-4000-8000-0000000000AB"
    let text = text.replacing("ID", with: upper).replacing("id", with: upper.lowercased())
    let read = try KeyValueSnapshot(json: text.utf8)
    #expect("\(read)" == "\(try decoded(KeyValueSnapshot.self, text))")
  }

  @Test(
    "G5 a record's fields that don't count are ignored, whatever they are",
    arguments: [
      #"{"old":0,"new":null,"key":"k","elements":5,"values":[],"set":"ID","indexes":{}}"#,
      #"{"key":"k","setEntry":"ID","entry":[1],"new":null,"removed":0}"#,
      #"{"key":"k","setEntry":"ID","entry":[1],"old":null,"inserted":{"set":1}}"#,
      #"{"key":"k","amend":"ID","removed":{"set":0,"indexes":[],"elements":[]},"inserted":{"elements":[1],"indexes":[[0,1.0]],"key":0}}"#,
      #"{"values":{"@@":{"@":"ID"}},"create":"ID","class":"C","key":7}"#,
    ])
  func records(edit: String) throws {
    for origin in ["", #","origin":null"#, #","origin":"é""#] {
      let text = #"{"more":{},"edits":[\#(edit)],"isTransaction":true\#(origin),"id":"ID"}"#
        .replacing("ID", with: Self.uuid)
      let read = try KeyValueTransactionRecord(json: text.utf8)
      #expect(read == (try decoded(KeyValueTransactionRecord.self, text)))
      #expect(read.origin == (origin.contains("é") ? .remote("é") : .local))
    }
  }

  @Test("G5 whatever is read of damaged text is what a decoder reads of it")
  func damaged() throws {
    let characters =
      Array(#"{}[]",:\@0123456789.-+eEtrufalsn \#t"#.utf8) + [0, 1, 0x7F, 0xC3, 0xA9, 0xFF]
    var readings = 0
    for seed in 1...UInt64(TestVolume.either(300, few: 30, full: 10_000)) {
      var graph = RandomGraph(seed: seed)
      var random = SeededGenerator(seed: seed)
      for _ in 0..<4 { _ = try graph.record() }
      let record = KeyValueTransactionRecord([graph.edit()])
      for start in [try json(graph.snapshot), try json(record)] {
        var data = Data(start.utf8)
        for _ in 0..<4 {
          let place = Int.random(in: 0..<data.count, using: &random)
          switch Int.random(in: 0...2, using: &random) {
          case 0: data[place] = characters.randomElement(using: &random)!
          case 1: data.insert(characters.randomElement(using: &random)!, at: place)
          default: data.remove(at: place)
          }
          let note: Comment = "seed \(seed): \(String(decoding: data, as: UTF8.self))"
          compare(
            Result { () throws(KeyValueJSONError) in try KeyValueSnapshot(json: data) },
            try? JSONDecoder().decode(KeyValueSnapshot.self, from: data), note)
          compare(
            Result { () throws(KeyValueJSONError) in try KeyValueTransactionRecord(json: data) },
            try? JSONDecoder().decode(KeyValueTransactionRecord.self, from: data), note)
          if (try? KeyValueSnapshot(json: data)) != nil { readings += 1 }
        }
      }
    }
    #expect(readings > TestVolume.either(50, few: 5))
  }

  private func compare<Value: Equatable>(
    _ read: Result<Value, KeyValueJSONError>, _ plain: Value?, _ note: Comment
  ) {
    switch read {
    case .success(let value): #expect(value == plain, note)
    case .failure(let error):
      // A decoder drops one of two, lets a ',' pass at an array's end, and doesn't look at what it ignores.
      let isStricter = [
        "occurs twice", "there are two", "nothing follows", "begin with 0", "where a digit",
      ]
      .contains { error.reason.contains($0) }
      if !isStricter { #expect(plain == nil, "\(error): \(note)") }
    }
  }
}

@Suite("JSON without Foundation, bad")
struct BadJSONTextTests {
  private static let uuid = "00000000-0000-4000-8000-000000000012"

  /// The description of the error, or what came instead.
  private func fault(_ body: () throws -> some Any) -> String {
    do { return "no error: \(try body())" } catch { return "\(error)" }
  }

  @Test(
    "G4 what isn't JSON is refused with the place, the path and the fault",
    arguments: [
      ("", "line 1, column 1: the text ends where a value belongs; was it cut?"),
      ("[1,2", "line 1, column 5, in 1: the text ends where ',' or ']' belongs; was it cut?"),
      ("[1,]", "line 1, column 3, in 0: there's a ',' that nothing follows; remove it"),
      ("[,1]", "line 1, column 2, in 0: there's ',' where a value belongs"),
      ("[1 2]", "line 1, column 4, in 0: there's a number where ',' or ']' belongs"),
      (#"{"a":1,}"#, "line 1, column 7, in a: there's a ',' that nothing follows; remove it"),
      (
        "{a:1}",
        "line 1, column 2: there's 'a' where a field's name in quotation marks belongs"
      ),
      (#"{"a" 1}"#, "line 1, column 6, in a: there's a number where ':' belongs"),
      (#"{"a":1 "b":2}"#, "line 1, column 8, in a: there's a string where ',' or '}' belongs"),
      ("[1] 2", "line 1, column 5: there's more after the end of the value"),
      ("[tru]", "line 1, column 2, in 0: there's 't' where true or false belongs"),
      ("[nul", "line 1, column 2, in 0: there's 'n' where a value belongs"),
      (
        "{\n  \"é\": [\n    [0], -x\n",
        "line 3, column 11, in é.1: there's 'x' where a digit belongs"
      ),
      ("[01]", "line 1, column 2, in 0: a number doesn't begin with 0 and another digit"),
      ("[1.]", "line 1, column 4, in 0: there's ']' where a digit belongs"),
      ("[+1]", "line 1, column 2, in 0: there's '+' where a value belongs"),
      ("[\u{1}]", "line 1, column 2, in 0: there's the byte 1 where a value belongs"),
      (
        "[1e999]",
        "line 1, column 2, in 0: no `Double` is as large as the number; write it as a string, or as "
          + #"{"@number":"infinity"}"#
      ),
      (#"["a"#, "line 1, column 4, in 0: the text ends in a string; was it cut?"),
      (#"["\"#, "line 1, column 3, in 0: no character is escaped so; a backslash is '\\\\'"),
      (#"["\x"]"#, "line 1, column 3, in 0: no character is escaped so; a backslash is '\\\\'"),
      (
        #"["\u12g4"]"#,
        "line 1, column 3, in 0: '\\u' isn't followed by four hexadecimal digits"
      ),
      (
        #"["a\ud800"]"#,
        "line 1, column 4, in 0: the escape is half of a surrogate pair; the other half belongs with it"
      ),
      (
        #"["\udc00\ud800"]"#,
        "line 1, column 3, in 0: the escape is half of a surrogate pair; the other half belongs with it"
      ),
      (
        "[\"\t\"]",
        "line 1, column 3, in 0: there's a control character in a string; write it as \\u0009"
      ),
      (
        #"{"a":{"b":1,"b":2}}"#,
        "line 1, column 13, in a: the field 'b' occurs twice in one object; keep one of them"
      ),
      (#"{"@":1}"#, "line 1, column 6, in @: there's a number where a string, a UUID, belongs"),
      (#"{"a":{"@":"1"}}"#, "line 1, column 11, in a.@: '1' isn't a UUID"),
      (
        #"{"@number":"1"}"#,
        "line 1, column 12, in @number: '1' isn't 'infinity', '-infinity' or 'nan'"
      ),
      (
        #"{"a":[{"b":{"@x":1}}]}"#,
        "line 1, column 13, in a.0.b: no value has the field '@x'; a dictionary's key that begins "
          + "with '@' is written with one more"
      ),
      (
        "\u{0}[\u{0}]",
        "line 1, column 1: it isn't UTF-8, but UTF-16 or UTF-32, or no text; convert it to UTF-8"
      ),
    ])
  func values(text: String, error: String) {
    #expect(fault { try KeyValueLogValue(json: text.utf8) } == "Bad JSON at \(error).")
    // These pass a decoder.
    if ["occurs twice", "nothing follows", "UTF-16"].contains(where: error.contains) { return }
    #expect(throws: DecodingError.self) { try decoded(KeyValueLogValue.self, text) }
  }

  @Test("G4 strings and names that aren't UTF-8 are refused")
  func encoding() {
    for bytes in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]] {
      for text in [#"[""#.utf8 + bytes + #""]"#.utf8, #"[""#.utf8 + bytes + #"\n"]"#.utf8] {
        #expect(
          fault { try KeyValueLogValue(json: text) }
            == "Bad JSON at line 1, column 2, in 0: the string isn't UTF-8.")
      }
      #expect(
        fault { try KeyValueLogValue(json: #"{""#.utf8 + bytes + #"":1}"#.utf8) }
          == "Bad JSON at line 1, column 2: the string isn't UTF-8.")
    }
    for encoding in [.utf16, .utf16BigEndian, .utf16LittleEndian] as [String.Encoding] {
      #expect(throws: KeyValueJSONError.self) {
        try KeyValueLogValue(json: "[1]".data(using: encoding)!)
      }
    }
  }

  @Test(
    "G4 a snapshot that can't be one is refused with its field",
    arguments: [
      ("[]", "line 1, column 1: there's an array where a snapshot, an object, belongs"),
      (#"{}"#, "line 1, column 1: there's no field 'root' in the object"),
      (
        #"{"root":"x","schema":0,"objects":{}}"#, "line 1, column 9, in root: 'x' isn't a UUID"
      ),
      (
        #"{"root":"ID","objects":{}}"#, "line 1, column 1: there's no field 'schema' in the object"
      ),
      (
        #"{"root":"ID","schema":"0","objects":{}}"#,
        "line 1, column 57, in schema: there's a string where a whole number belongs"
      ),
      (
        #"{"root":"ID","schema":1.5,"objects":{}}"#,
        "line 1, column 57, in schema: '1.5' isn't a whole number that `Int` holds"
      ),
      (
        #"{"root":"ID","schema":0,"schema":0,"objects":{}}"#,
        "line 1, column 59: the field 'schema' occurs twice in one object; keep one of them"
      ),
      (
        #"{"root":"ID","schema":0,"objects":[]}"#,
        "line 1, column 69, in objects: there's an array where an object belongs"
      ),
      (
        #"{"root":"ID","schema":0,"objects":{"x":{}}}"#,
        "line 1, column 70, in objects: 'x' isn't a UUID"
      ),
      (
        #"{"root":"ID","schema":0,"objects":{"ID":{"class":"C"}}}"#,
        "line 1, column 109, in objects.ID: there's no field 'values' in the object"
      ),
      (
        #"{"root":"ID","schema":0,"objects":{"ID":{"class":7,"values":{}}}}"#,
        "line 1, column 118, in objects.ID.class: there's a number where a string belongs"
      ),
      (
        #"{"root":"ID","schema":0,"objects":{"ID":{"class":"C","values":{"@":1}}}}"#,
        "line 1, column 132, in objects.ID.values: no value has the field '@'; a dictionary's key "
          + "that begins with '@' is written with one more"
      ),
      (
        #"{"root":"ID","schema":0,"objects":{"ID":{"class":"C","values":{}},"ID":{"class":"C","values":{}}}}"#,
        "line 1, column 135, in objects: there are two objects ID; keep one of them"
      ),
    ])
  func snapshots(text: String, error: String) {
    let text = text.replacing("ID", with: Self.uuid)
    let expected = "Bad JSON at \(error).".replacing("objects.ID", with: "objects.\(Self.uuid)")
      .replacing("objects ID", with: "objects \(Self.uuid)")
    #expect(fault { try KeyValueSnapshot(json: text.utf8) } == expected)
  }

  @Test(
    "G4 an edit that can't be one is refused with its field",
    arguments: [
      ("[]", "0: there's an array where an object belongs"),
      (
        #"{"sett":"ID","key":"k","old":0,"new":1}"#,
        "0: there's no edit of a known kind among the fields 'key', 'new', 'old', 'sett'"
      ),
      ("{}", "0: an edit has fields, and there are none"),
      (
        #"{"set":"ID","union":"ID","key":"k"}"#,
        "0: an edit is of one kind; the fields are 'key', 'set', 'union'"
      ),
      (#"{"set":"12","key":"k","old":0,"new":1}"#, "0.set: '12' isn't a UUID"),
      (
        #"{"set":12,"key":"k","old":0,"new":1}"#,
        "0.set: there's a number where a string, a UUID, belongs"
      ),
      (#"{"set":"ID","old":0,"new":1}"#, "0: there's no field 'key' in the object"),
      (
        #"{"set":"ID","key":null,"old":0,"new":1}"#,
        "0.key: there's null where a string belongs"
      ),
      (#"{"set":"ID","key":"k","old":0}"#, "0: there's no field 'new' in the object"),
      (
        #"{"set":"ID","key":"k","old":0,"old":0,"new":1}"#,
        "0: the field 'old' occurs twice in one object; keep one of them"
      ),
      (#"{"create":"ID","values":{}}"#, "0: there's no field 'class' in the object"),
      (#"{"create":"ID","class":"C"}"#, "0: there's no field 'values' in the object"),
      (
        #"{"create":"ID","class":"C","values":[]}"#,
        "0.values: there's an array where an object belongs"
      ),
      (
        #"{"create":"ID","class":"C","values":{"k":{"@":"x"}}}"#,
        "0.values.k.@: 'x' isn't a UUID"
      ),
      (
        #"{"insert":"ID","key":"k","indexes":[[0,1]],"elements":1}"#,
        "0.elements: there's a number where an array belongs"
      ),
      (
        #"{"insert":"ID","key":"k","elements":[1]}"#, "0: there's no field 'indexes' in the object"
      ),
      (
        #"{"insert":"ID","key":"k","indexes":[[0,1]],"elements":[1,2]}"#,
        "0.elements: there are 2 elements for 1 indexes"
      ),
      (
        #"{"replace":"ID","key":"k","indexes":[[0,2]],"old":[1,2],"new":[1]}"#,
        "0.new: there are 1 elements for 2 indexes"
      ),
      (
        #"{"amend":"ID","key":"k","removed":{"indexes":[],"elements":[]}}"#,
        "0: there's no field 'inserted' in the object"
      ),
      (
        #"{"amend":"ID","key":"k","removed":{"indexes":[],"elements":[1]},"inserted":{}}"#,
        "0.removed.elements: there are 1 elements for 0 indexes"
      ),
      (
        #"{"setEntry":"ID","key":"k","old":1}"#, "0: there's no field 'entry' in the object"
      ),
      (
        #"{"exchange":"ID","key":"k","old":[],"new":{}}"#,
        "0.new: there's an object where an array belongs"
      ),
      (
        #"{"remove":"ID","key":"k","indexes":[[0,3],[2,4]],"elements":[1]}"#,
        "0.indexes.1: indexes are ascending ranges, [[lower, upper], …], none of them empty, and "
          + "[2, 4] follows 3"
      ),
      (
        #"{"remove":"ID","key":"k","indexes":[[-1,2]],"elements":[1]}"#,
        "0.indexes.0: indexes are ascending ranges, [[lower, upper], …], none of them empty, and "
          + "[-1, 2] follows 0"
      ),
      (
        #"{"remove":"ID","key":"k","indexes":[[1,1]],"elements":[]}"#,
        "0.indexes.0: indexes are ascending ranges, [[lower, upper], …], none of them empty, and "
          + "[1, 1] follows 0"
      ),
      (
        #"{"remove":"ID","key":"k","indexes":[[0,1,2]],"elements":[1]}"#,
        "0.indexes.0.1: there's ',' where ']', the end of a range, belongs"
      ),
      (
        #"{"remove":"ID","key":"k","indexes":[0],"elements":[1]}"#,
        "0.indexes.0: there's a number where a range, [lower, upper], belongs"
      ),
    ])
  func edits(text: String, error: String) throws {
    let record = #"{"id":"ID","isTransaction":true,"edits":[\#(text)]}"#
      .replacing("ID", with: Self.uuid)
    let found = fault { try KeyValueTransactionRecord(json: record.utf8) }
    #expect(found.hasPrefix("Bad JSON at line 1, column "))
    #expect(found.hasSuffix(", in edits.\(error)."), "\(found)")
    #expect(throws: (any Error).self) { try KeyValueTransactionRecord(json: text.utf8) }
    if !error.contains("twice") {
      #expect(throws: DecodingError.self) { try decoded(KeyValueTransactionRecord.self, record) }
    }
  }

  @Test("G4 JSON that's cut anywhere throws")
  func cut() throws {
    var graph = RandomGraph(seed: 7)
    let record = KeyValueTransactionRecord((0..<30).map { _ in graph.edit() })
    let texts = [try record.json(), try graph.snapshot.json()]
    for text in texts {
      for end in stride(from: 0, to: text.count, by: TestVolume.either(1, few: 20)) {
        #expect(throws: KeyValueJSONError.self) {
          try KeyValueTransactionRecord(json: text[..<end])
        }
        #expect(throws: KeyValueJSONError.self) { try KeyValueSnapshot(json: text[..<end]) }
      }
    }
  }

  @Test("G4 128 levels are written and read, on a small stack; the next one is refused")
  func depth() async throws {
    func nested(_ depth: Int) -> KeyValueLogValue {
      (1..<depth).reduce([] as KeyValueLogValue) { value, level in
        level % 2 == 0 ? [value] : ["a": value]
      }
    }
    let deepest = nested(128)
    let node = id(1)
    let edits: [KeyValueEdit] = [
      .insert(node, key: "k", indexes: RangeSet(0..<1), elements: [deepest]),
      .create(node, class: "C", values: ["k": deepest]),
      .set(node, key: "k", old: deepest, new: deepest),
      .setEntry(node, key: "k", entry: "a", old: deepest, new: nil),
      .replace(node, key: "k", indexes: RangeSet(0..<1), old: [deepest], new: [deepest]),
      .exchange(node, key: "k", old: [deepest], new: [nil]),
    ]
    let record = KeyValueTransactionRecord(edits)
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      let thread = Thread {
        done.resume(
          with: Result {
            let value = try KeyValueLogValue(json: deepest.json())
            let same = try KeyValueTransactionRecord(json: record.json())
            #expect(value == deepest && same == record)
            let skipped = #"{"x":"# + String(repeating: "[", count: 512)
            #expect(throws: KeyValueJSONError.self) { try KeyValueSnapshot(json: skipped.utf8) }
          })
      }
      // A sanitizer's frames are several times as large.
      thread.stackSize = TestVolume.either(512, few: 4096) * 1024
      thread.start()
    }
    #expect(try decoded(KeyValueTransactionRecord.self, json(record)) == record)
    // A reference isn't a level.
    let reference = (0..<128).reduce(.reference(node) as KeyValueLogValue) { value, _ in [value] }
    #expect(try KeyValueLogValue(json: reference.json()) == reference)

    let tooDeep = "the value is more than 128 arrays and dictionaries deep."
    let text = String(repeating: "[", count: 129) + String(repeating: "]", count: 129)
    #expect(
      fault { try KeyValueLogValue(json: text.utf8) }
        == "Bad JSON at line 1, column 129, in \((0..<12).map { _ in "0" }.joined(separator: ".")).…: \(tooDeep)"
    )
    #expect(fault { try nested(129).json() } == "No JSON: \(tooDeep)")
    #expect(throws: EncodingError.self) { try json(nested(129)) }
    let snapshot = KeyValueSnapshot(
      root: node, objects: [node: .init(class: "C", values: ["tree": nested(129)])])
    #expect(fault { try snapshot.json() } == "No JSON for objects.\(node).values.tree: \(tooDeep)")
    let paths: [(KeyValueEdit, String)] = [
      (.set(node, key: "k", old: 0, new: nested(129)), "new"),
      (.set(node, key: "k", old: nested(129), new: 0), "old"),
      (.create(node, class: "C", values: ["k": nested(129)]), "values.k"),
      (
        .insert(node, key: "k", indexes: RangeSet(0..<1), elements: [nested(129)]), "elements"
      ),
      (.setEntry(node, key: "k", entry: nested(129), old: nil, new: nil), "entry"),
      (
        .amend(
          node, key: "k", removed: .init(indexes: RangeSet(0..<1), elements: [nested(129)]),
          inserted: .init(indexes: RangeSet(), elements: [])), "removed.elements"
      ),
    ]
    for (edit, path) in paths {
      #expect(
        fault { try KeyValueTransactionRecord([edit]).json() }
          == "No JSON for edits.0.\(path): \(tooDeep)")
    }
  }

  @Test("G4 10,000 levels and 100 MB of JSON throw")
  func huge() {
    let edit = #"{"id":"\#(Self.uuid)","isTransaction":true,"edits":[{"set":"\#(Self.uuid)","#
    for count in [10_000, 100_000_000] {
      let opening = [UInt8](repeating: UInt8(ascii: "["), count: count)
      #expect(throws: KeyValueJSONError.self) { try KeyValueLogValue(json: opening) }
      for field in [#""key":"k","old":0,"new":"#, #""other":"#] {
        let text = Array((edit + field).utf8) + opening
        #expect(throws: KeyValueJSONError.self) { try KeyValueTransactionRecord(json: text) }
      }
      #expect(throws: KeyValueJSONError.self) {
        try KeyValueSnapshot(json: Array(#"{"x":"#.utf8) + opening)
      }
    }
    let balanced =
      String(repeating: #"{"a":["#, count: 5000) + String(repeating: "]}", count: 5000)
    #expect(throws: KeyValueJSONError.self) { try KeyValueLogValue(json: balanced.utf8) }
  }

  @Test("G4 an error's long path and names are shortened, and its place counts Unicode scalars")
  func places() throws {
    let name = String(repeating: "n", count: 100)
    let text = "{\n\"\(name)\": {\"é😀\": x}}"
    let error = #expect(throws: KeyValueJSONError.self) { try KeyValueLogValue(json: text.utf8) }
    #expect(error?.place == .init(line: 2, column: 112, offset: 117))
    #expect(error?.path == [name, "é😀"])
    #expect(
      error.map { "\($0)" }
        == "Bad JSON at line 2, column 112, in \(name.prefix(40))….é😀: there's 'x' "
        + "where a value belongs.")
  }
}
