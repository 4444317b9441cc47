import Foundation
import KeyValueTestSupport
import Testing

@testable import KeyValueCore

@Suite("Records, coded and inverted")
struct RecordCodingTests {
  private static let node = id(0x12)
  private static let uuid = "00000000-0000-4000-8000-000000000012"

  /// An edit of each kind, its JSON and its line.
  private static let table: [(edit: KeyValueEdit, json: String, line: String)] = [
    (
      .create(node, class: "Person", values: ["name": "Ada", "boss": nil]),
      #"{"class":"Person","create":"\#(uuid)","values":{"boss":null,"name":"Ada"}}"#,
      #"create 00000000: Person ["boss": nil, "name": "Ada"]"#
    ),
    (
      .delete(node, class: "Person", values: [:]),
      #"{"class":"Person","delete":"\#(uuid)","values":{}}"#, "delete 00000000: Person [:]"
    ),
    (
      .set(node, key: "count", old: 0, new: nil),
      #"{"key":"count","new":null,"old":0,"set":"\#(uuid)"}"#, "set 00000000.count: 0 -> nil"
    ),
    (
      .insert(node, key: "names", indexes: RangeSet([0..<1, 3..<5]), elements: ["a", "b", "c"]),
      #"{"elements":["a","b","c"],"indexes":[[0,1],[3,5]],"insert":"\#(uuid)","key":"names"}"#,
      #"insert 00000000.names at 0, 3–4: ["a", "b", "c"]"#
    ),
    (
      .remove(node, key: "names", indexes: RangeSet(), elements: []),
      #"{"elements":[],"indexes":[],"key":"names","remove":"\#(uuid)"}"#,
      "remove 00000000.names: []"
    ),
    (
      .replace(node, key: "names", indexes: RangeSet(1..<2), old: ["a"], new: ["b"]),
      #"{"indexes":[[1,2]],"key":"names","new":["b"],"old":["a"],"replace":"\#(uuid)"}"#,
      #"replace 00000000.names at 1: ["a"] -> ["b"]"#
    ),
    (
      .amend(
        node, key: "names", removed: .init(indexes: RangeSet(0..<1), elements: ["a"]),
        inserted: .init(indexes: RangeSet(4..<6), elements: ["b", "c"])),
      #"{"amend":"\#(uuid)","inserted":{"elements":["b","c"],"indexes":[[4,6]]},"key":"names","#
        + #""removed":{"elements":["a"],"indexes":[[0,1]]}}"#,
      #"amend 00000000.names: removed at 0 ["a"], inserted at 4–5 ["b", "c"]"#
    ),
    (
      .amend(
        node, key: "names", removed: .init(indexes: RangeSet(), elements: []),
        inserted: .init(indexes: RangeSet(), elements: [])),
      #"{"amend":"\#(uuid)","inserted":{"elements":[],"indexes":[]},"key":"names","#
        + #""removed":{"elements":[],"indexes":[]}}"#,
      "amend 00000000.names: nothing differs"
    ),
    (
      .union(node, key: "tags", elements: ["a", "b"]),
      #"{"elements":["a","b"],"key":"tags","union":"\#(uuid)"}"#,
      #"union 00000000.tags: ["a", "b"]"#
    ),
    (
      .subtract(node, key: "tags", elements: ["a"]),
      #"{"elements":["a"],"key":"tags","subtract":"\#(uuid)"}"#, #"subtract 00000000.tags: ["a"]"#
    ),
    (
      .exchange(node, key: "tags", old: ["a"], new: ["b", "c"]),
      #"{"exchange":"\#(uuid)","key":"tags","new":["b","c"],"old":["a"]}"#,
      #"exchange 00000000.tags: ["a"] -> ["b", "c"]"#
    ),
    (
      .setEntry(node, key: "ages", entry: "Ada", old: nil, new: 36),
      #"{"entry":"Ada","key":"ages","new":36,"setEntry":"\#(uuid)"}"#,
      #"setEntry 00000000.ages["Ada"]: none -> 36"#
    ),
    (
      .setEntry(node, key: "ages", entry: 7, old: .some(.null), new: nil),
      #"{"entry":7,"key":"ages","old":null,"setEntry":"\#(uuid)"}"#,
      "setEntry 00000000.ages[7]: nil -> none"
    ),
  ]

  @Test("G5 an edit's JSON and line say everything, and its JSON is read back", arguments: table)
  func edits(edit: KeyValueEdit, text: String, line: String) throws {
    #expect(try json(edit) == text)
    #expect(try decoded(KeyValueEdit.self, text) == edit)
    #expect("\(edit)" == line)
    #expect(edit.id == Self.node)
    #expect(edit.key == (text.contains(#""key""#) ? edit.key ?? "missing" : nil))
  }

  @Test("G3 an edit's inverse is the opposite, and its inverse the edit", arguments: table)
  func inverses(edit: KeyValueEdit, text: String, line: String) throws {
    #expect(edit.inverse.inverse == edit)
    switch edit.inverse {
    case .create, .insert, .union: #expect([.delete, .remove, .subtract].contains(edit.verb))
    case .delete, .remove, .subtract: #expect([.create, .insert, .union].contains(edit.verb))
    default: #expect(edit.inverse.verb == edit.verb)
    }
    #expect(
      edit.inverse != edit || line.contains("nothing differs"), "\(edit.inverse) takes back \(edit)"
    )
  }

  @Test("G5 the elements of sets are written in ascending order")
  func sets() throws {
    let shuffled: [KeyValueLogValue] = ["b", 2, nil, "a"]
    #expect(
      try json(KeyValueEdit.union(Self.node, key: "k", elements: shuffled))
        == #"{"elements":[null,2,"a","b"],"key":"k","union":"\#(Self.uuid)"}"#)
    #expect(
      try json(KeyValueEdit.exchange(Self.node, key: "k", old: shuffled, new: shuffled))
        == #"{"exchange":"\#(Self.uuid)","key":"k","new":[null,2,"a","b"],"old":[null,2,"a","b"]}"#)
  }

  @Test("G5 a record's JSON has its origin if it's remote; a record prints a line for each edit")
  func records() throws {
    let id = KeyValueRecordID("7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12")!
    var record = KeyValueTransactionRecord(
      [
        .set(Self.node, key: "count", old: 0, new: 1), .union(Self.node, key: "tags", elements: []),
      ],
      id: id)
    let edits =
      #"[{"key":"count","new":1,"old":0,"set":"\#(Self.uuid)"},"#
      + #"{"elements":[],"key":"tags","union":"\#(Self.uuid)"}]"#
    #expect(try json(record) == #"{"edits":\#(edits),"id":"\#(id)","isTransaction":false}"#)
    #expect(try decoded(KeyValueTransactionRecord.self, json(record)) == record)
    #expect(
      "\(record)" == """
        record 7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12, one change
          set 00000000.count: 0 -> 1
          union 00000000.tags: []
        """)
    record.origin = .remote("desk")
    record.isTransaction = true
    #expect(
      try json(record)
        == #"{"edits":\#(edits),"id":"\#(id)","isTransaction":true,"origin":"desk"}"#)
    #expect(try decoded(KeyValueTransactionRecord.self, json(record)) == record)
    #expect("\(record)".hasPrefix("record \(id), transaction, from \"desk\"\n"))
    #expect(record.inverse.edits.map(\.verb) == [.subtract, .set])
    #expect(record.inverse != record && record.inverse.inverse == record)
  }

  @Test("G5 a snapshot's JSON has its objects by id")
  func snapshots() throws {
    let snapshot = KeyValueSnapshot(
      root: Self.node,
      objects: [Self.node: .init(class: "C", values: ["@k": 1, "self": .reference(Self.node)])],
      schema: 2)
    let text =
      #"{"objects":{"\#(Self.uuid)":{"class":"C","values":{"@@k":1,"self":{"@":"\#(Self.uuid)"}}}},"#
      + #""root":"\#(Self.uuid)","schema":2}"#
    #expect(try json(snapshot) == text)
    #expect(try decoded(KeyValueSnapshot.self, text) == snapshot)
  }

  @Test(
    "G5 random records and snapshots are read as they were written, and inverted twice are equal")
  func random() throws {
    for seed in 0..<UInt64(TestVolume.either(40, few: 5, full: 400)) {
      var graph = RandomGraph(seed: seed)
      for _ in 0..<20 {
        let record = try graph.record()
        #expect(try decoded(KeyValueTransactionRecord.self, json(record)) == record)
        #expect(record.inverse.inverse == record)
      }
      #expect(try decoded(KeyValueSnapshot.self, json(graph.snapshot)) == graph.snapshot)
    }
  }
}

@Suite("Records, from bad JSON")
struct RecordBadJSONTests {
  private static let uuid = "00000000-0000-4000-8000-000000000012"

  private static let bad: [(json: String, error: String)] = [
    ("[]", ": it isn't Dictionary<String, Any>"),
    (
      #"{"sett":"\#(uuid)","key":"k","old":0,"new":1}"#,
      ": There's no edit of a known kind among the fields 'key', 'new', 'old', 'sett'."
    ),
    ("{}", ": There's no edit of a known kind among the fields ."),
    (
      #"{"set":"\#(uuid)","union":"\#(uuid)","key":"k"}"#,
      ": An edit is of one kind; the fields are 'key', 'set', 'union'."
    ),
    (#"{"set":"12","key":"k","old":0,"new":1}"#, "set: '12' isn't a UUID."),
    (#"{"set":12,"key":"k","old":0,"new":1}"#, "set: it isn't String"),
    (#"{"set":"\#(uuid)","old":0,"new":1}"#, "key: there's no 'key'"),
    (#"{"set":"\#(uuid)","key":1,"old":0,"new":1}"#, "key: it isn't String"),
    (#"{"set":"\#(uuid)","key":"k","old":0}"#, "new: there's no 'new'"),
    (#"{"create":"\#(uuid)","values":{}}"#, "class: there's no 'class'"),
    (#"{"create":"\#(uuid)","class":"C"}"#, "values: there's no 'values'"),
    (
      #"{"create":"\#(uuid)","class":"C","values":[]}"#, "values: it isn't Dictionary<String, Any>"
    ),
    (
      #"{"create":"\#(uuid)","class":"C","values":{"k":{"@":"x"}}}"#,
      "values.k.@: 'x' isn't a UUID."
    ),
    (
      #"{"insert":"\#(uuid)","key":"k","indexes":[[0,1]],"elements":1}"#,
      "elements: it isn't Array<Any>"
    ),
    (#"{"insert":"\#(uuid)","key":"k","elements":[1]}"#, "indexes: there's no 'indexes'"),
    (
      #"{"insert":"\#(uuid)","key":"k","indexes":[[0,1]],"elements":[1,2]}"#,
      "elements: There are 2 elements for 1 indexes."
    ),
    (
      #"{"replace":"\#(uuid)","key":"k","indexes":[[0,2]],"old":[1,2],"new":[1]}"#,
      "new: There are 1 elements for 2 indexes."
    ),
    (
      #"{"amend":"\#(uuid)","key":"k","removed":{"indexes":[],"elements":[]}}"#,
      "inserted: there's no 'inserted'"
    ),
    (
      #"{"amend":"\#(uuid)","key":"k","removed":{"indexes":[],"elements":[1]},"#
        + #""inserted":{"indexes":[],"elements":[]}}"#,
      "removed.elements: There are 1 elements for 0 indexes."
    ),
    (#"{"setEntry":"\#(uuid)","key":"k","old":1}"#, "entry: there's no 'entry'"),
    (#"{"exchange":"\#(uuid)","key":"k","old":[],"new":{}}"#, "new: it isn't Array<Any>"),
  ]

  @Test("G4 an edit that can't be one is refused with its field", arguments: bad)
  func badEdits(text: String, error: String) {
    #expect(decodingError { try decoded(KeyValueEdit.self, text) } == error)
    let record = #"{"id":"\#(Self.uuid)","isTransaction":true,"edits":[\#(text)]}"#
    #expect(
      decodingError { try decoded(KeyValueTransactionRecord.self, record) }
        == "edits.0" + (error.hasPrefix(":") ? "" : ".") + error)
  }

  @Test(
    "G4 ranges that are negative, empty, overlapping, not ascending or not ranges are refused",
    arguments: [
      ("[[-1,2]]", "[-1, 2] follows 0"), ("[[1,1]]", "[1, 1] follows 0"),
      ("[[2,1]]", "[2, 1] follows 0"), ("[[0,3],[2,4]]", "[2, 4] follows 3"),
      ("[[4,5],[0,1]]", "[0, 1] follows 5"), ("[[0,1,2]]", "[0, 1, …] follows 0"),
      (
        "[[-9223372036854775808,9223372036854775807]]",
        "[-9223372036854775808, 9223372036854775807] follows 0"
      ),
    ])
  func badRanges(indexes: String, fault: String) {
    let text = #"{"remove":"\#(Self.uuid)","key":"k","indexes":\#(indexes),"elements":[1]}"#
    #expect(
      decodingError { try decoded(KeyValueEdit.self, text) }
        == "indexes: Indexes are ascending ranges, [[lower, upper], …], none of them empty, and "
        + "\(fault).")
  }

  @Test(
    "G4 indexes that aren't integers are refused, and so are more than there are elements",
    arguments: [
      "[[0.5,1]]", #"[["0","1"]]"#, "[[0]]", "[0,1]", "[[]]", "{}", "null",
      "[[0,9223372036854775808]]",
      "[[0,9223372036854775807]]", "[[0,1],[1,9223372036854775807]]",
    ])
  func otherRanges(indexes: String) {
    for verb in ["insert", "remove"] {
      let text = #"{"\#(verb)":"\#(Self.uuid)","key":"k","indexes":\#(indexes),"elements":[1]}"#
      #expect(throws: DecodingError.self) { try decoded(KeyValueEdit.self, text) }
    }
  }

  @Test("G5 adjoining ranges and further fields are read")
  func lenient() throws {
    let text =
      #"{"insert":"\#(Self.uuid)","key":"k","indexes":[[0,1],[1,3]],"elements":[1,2,3],"note":{}}"#
    #expect(
      try decoded(KeyValueEdit.self, text)
        == .insert(id(0x12), key: "k", indexes: RangeSet(0..<3), elements: [1, 2, 3]))
  }

  @Test(
    "G4 a snapshot that can't be one is refused with its field",
    arguments: [
      (#"{"root":"x","schema":0,"objects":{}}"#, "root: 'x' isn't a UUID."),
      (#"{"root":"\#(uuid)","objects":{}}"#, "schema: there's no 'schema'"),
      (#"{"root":"\#(uuid)","schema":0,"objects":{"x":{}}}"#, "objects.x: 'x' isn't a UUID."),
      (
        #"{"root":"\#(uuid)","schema":0,"objects":{"\#(uuid)":{"class":"C"}}}"#,
        "objects.\(uuid).values: there's no 'values'"
      ),
      (
        #"{"root":"\#(uuid)","schema":0,"objects":{"\#(uuid)":{"class":"C","values":{"@":1}}}}"#,
        "objects.\(uuid).values.@: No value has the field '@'; a dictionary's key that begins with "
          + "'@' is written with one more."
      ),
    ])
  func badSnapshots(text: String, error: String) {
    #expect(decodingError { try decoded(KeyValueSnapshot.self, text) } == error)
  }

  @Test("G4 two objects of one id, in upper and lower case, are refused")
  func twoObjects() {
    let (lower, upper) = (
      "0000000a-0000-4000-8000-000000000012", "0000000A-0000-4000-8000-000000000012"
    )
    let object = #"{"class":"C","values":{}}"#
    let text =
      #"{"root":"\#(lower)","schema":0,"objects":{"\#(lower)":\#(object),"\#(upper)":\#(object)}}"#
    #expect(
      decodingError { try decoded(KeyValueSnapshot.self, text) }
        .hasSuffix(": There are two objects \(lower)."))
  }

  @Test("G4 JSON that's cut anywhere, or has a byte changed, throws or is another record")
  func cutAndChanged() throws {
    var graph = RandomGraph(seed: 7)
    var random = SeededGenerator(seed: 8)
    let record = KeyValueTransactionRecord((0..<30).map { _ in graph.edit() })
    for text in [try json(record), try json(graph.snapshot)] {
      let bytes = Array(text.utf8)
      for end in stride(from: 0, to: bytes.count, by: TestVolume.either(7, few: 60, full: 1)) {
        let cut = Data(bytes[..<end])
        #expect(throws: DecodingError.self) {
          try JSONDecoder().decode(KeyValueTransactionRecord.self, from: cut)
        }
        #expect(throws: DecodingError.self) {
          try JSONDecoder().decode(KeyValueSnapshot.self, from: cut)
        }
      }
      for _ in 0..<TestVolume.either(500, few: 50, full: 5000) {
        var changed = bytes
        changed[Int.random(in: bytes.indices, using: &random)] =
          Array(#"0123456789-.eE"{}[],:@nulltrue\"#.utf8).randomElement(using: &random)!
        // Whatever is read can be handled.
        if let read = try? JSONDecoder().decode(
          KeyValueTransactionRecord.self, from: Data(changed))
        {
          var snapshot = graph.snapshot
          let before = snapshot
          do { try snapshot.apply(read) } catch { #expect(snapshot == before) }
          #expect(try decoded(KeyValueTransactionRecord.self, json(read.inverse.inverse)) == read)
        }
        _ = try? JSONDecoder().decode(KeyValueSnapshot.self, from: Data(changed))
      }
    }
  }

  @Test("G4 10,000 levels and 100 MB of JSON throw")
  func huge() {
    for count in [10_000, 100_000_000] {
      let opening = Data(repeating: UInt8(ascii: "["), count: count)
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(KeyValueLogValue.self, from: opening)
      }
      let edit = Data(#"{"set":"\#(Self.uuid)","key":"k","old":0,"new":"#.utf8)
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(KeyValueEdit.self, from: edit + opening)
      }
    }
    let balanced =
      String(repeating: #"{"a":["#, count: 5000) + String(repeating: "]}", count: 5000)
    #expect(throws: DecodingError.self) { try decoded(KeyValueLogValue.self, balanced) }
    #expect(throws: DecodingError.self) { try decoded(KeyValueJSONPatch.self, balanced) }
  }
}
