import Foundation
import KeyValueTestSupport
import Testing

@testable import KeyValueCore

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
      ("", "line 1, column 1: the text ends where a value belongs; it may have been cut"),
      (
        "[1,2",
        "line 1, column 5, in 1: the text ends where ',' or ']' belongs; it may have been cut"
      ),
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
      (#"["a"#, "line 1, column 4, in 0: the text ends in a string; it may have been cut"),
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

  @Test("G4 each field that occurs twice is refused")
  func twice() {
    let id = "\"\(Self.uuid)\""
    let object = [#""class":"C""#, #""values":{}"#]
    let snapshot = [
      #""root":\#(id)"#, #""schema":0"#, #""objects":{\#(id):{\#(object.joined(separator: ","))}}"#,
    ]
    let record = [#""id":\#(id)"#, #""origin":"x""#, #""isTransaction":true"#, #""edits":[]"#]
    func text(_ fields: [String]) -> String { "{" + fields.joined(separator: ",") + "}" }
    func name(_ field: String) -> Substring { field.dropFirst().prefix { $0 != "\"" } }
    for field in snapshot {
      let found = fault { try KeyValueSnapshot(json: text(snapshot + [field]).utf8) }
      #expect(found.contains("the field '\(name(field))' occurs twice"), "\(found)")
    }
    for field in object {
      let text = text(snapshot).replacing(field, with: field + "," + field)
      let found = fault { try KeyValueSnapshot(json: text.utf8) }
      #expect(found.contains("the field '\(name(field))' occurs twice"), "\(found)")
    }
    for field in record {
      let found = fault { try KeyValueTransactionRecord(json: text(record + [field]).utf8) }
      #expect(found.contains("the field '\(name(field))' occurs twice"), "\(found)")
    }
    #expect(throws: Never.self) { try KeyValueSnapshot(json: text(snapshot).utf8) }
    #expect(throws: Never.self) { try KeyValueTransactionRecord(json: text(record).utf8) }
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
