import Foundation
import KeyValueTestSupport
import Testing

@testable import KeyValueCore

@Suite("KeyValueJSONPatch")
struct JSONPatchTests {
  private static let root = id(1)
  private static let path = "/objects/00000000-0000-4000-8000-000000000001/values"

  private func patch(
    _ values: [String: KeyValueLogValue], _ edits: KeyValueEdit...
  ) throws -> String {
    let snapshot = KeyValueSnapshot(
      root: Self.root, objects: [Self.root: .init(class: "C", values: values)])
    return try "\(KeyValueTransactionRecord(edits).jsonPatch(in: snapshot))"
      .replacing(Self.path, with: "…")
  }

  @Test("G5 every kind of edit is tests and operations by pointer")
  func kinds() throws {
    let root = Self.root
    #expect(
      try patch(["a/b~c": 1], .set(root, key: "a/b~c", old: 1, new: nil)) == """
        test …/a~1b~0c: 1
        replace …/a~1b~0c: nil
        """)
    let names: [String: KeyValueLogValue] = ["n": ["a", "b", "c"]]
    #expect(
      try patch(
        names, .insert(root, key: "n", indexes: RangeSet([0..<1, 4..<5]), elements: ["x", "y"]))
          == """
          add …/n/0: "x"
          add …/n/4: "y"
          """)
    #expect(
      try patch(
        names, .remove(root, key: "n", indexes: RangeSet([0..<1, 2..<3]), elements: ["a", "c"]))
          == """
          test …/n/2: "c"
          remove …/n/2
          test …/n/0: "a"
          remove …/n/0
          """)
    #expect(
      try patch(
        names, .replace(root, key: "n", indexes: RangeSet(1..<2), old: ["b"], new: ["x"])) == """
          test …/n/1: "b"
          replace …/n/1: "x"
          """)
    #expect(
      try patch(
        names,
        .amend(
          root, key: "n", removed: .init(indexes: RangeSet(0..<1), elements: ["a"]),
          inserted: .init(indexes: RangeSet(2..<3), elements: ["x"]))) == """
          test …/n/0: "a"
          remove …/n/0
          add …/n/2: "x"
          """)
    let tags: [String: KeyValueLogValue] = ["t": [1, 3, 5], "u": [2, 1]]
    #expect(
      try patch(
        tags, .exchange(root, key: "t", old: [5, 1], new: [4, 0]),
        .subtract(root, key: "t", elements: [3])) == """
          test …/t/2: 5
          remove …/t/2
          test …/t/0: 1
          remove …/t/0
          add …/t/0: 0
          add …/t/2: 4
          test …/t/1: 3
          remove …/t/1
          """)
    // A set that isn't in order is replaced.
    #expect(
      try patch(tags, .union(root, key: "u", elements: [3])) == """
        test …/u: [2, 1]
        replace …/u: [1, 2, 3]
        """)
    let map: [String: KeyValueLogValue] = ["m": ["@a": 1, "b": nil], "p": [[1, "x"], [2, "y"]]]
    #expect(
      try patch(
        map, .setEntry(root, key: "m", entry: "@a", old: 1, new: 2),
        .setEntry(root, key: "m", entry: "b", old: .some(.null), new: nil),
        .setEntry(root, key: "m", entry: "c/", old: nil, new: 3),
        .setEntry(root, key: "m", entry: "d", old: nil, new: nil)) == """
          test …/m/@@a: 1
          replace …/m/@@a: 2
          test …/m/b: nil
          remove …/m/b
          add …/m/c~1: 3
          """)
    #expect(
      try patch(map, .setEntry(root, key: "p", entry: 1, old: "x", new: "z")) == """
        test …/p/0: [1, "x"]
        remove …/p/0
        add …/p/0: [1, "z"]
        """)
  }

  @Test("G5 objects are added and removed by id, and the patch is the RFC's array")
  func objects() throws {
    let snapshot = KeyValueSnapshot(
      root: Self.root, objects: [Self.root: .init(class: "C", values: [:])])
    let record = KeyValueTransactionRecord([.create(id(2), class: "D", values: ["k": nil])])
    let object = #"{"class":"D","values":{"k":null}}"#
    let place = "/objects/00000000-0000-4000-8000-000000000002"
    let patch = try record.jsonPatch(in: snapshot)
    #expect(try json(patch) == #"[{"op":"add","path":"\#(place)","value":\#(object)}]"#)
    #expect(try decoded(KeyValueJSONPatch.self, json(patch)) == patch)
    var after = snapshot
    try after.apply(record)
    #expect(
      try json(record.inverse.jsonPatch(in: after))
        == #"[{"op":"test","path":"\#(place)","value":\#(object)},"#
        + #"{"op":"remove","path":"\#(place)"}]"#)
  }

  @Test("G5 a patch from elsewhere is read, with all six operations")
  func foreign() throws {
    let text = """
      [{"op":"add","path":"/a/-","value":null,"note":1},{"op":"remove","path":""},
      {"op":"replace","path":"/~0~1","value":{"@":"\(id(5))"}},{"op":"move","from":"/a","path":"/b"},
      {"op":"copy","from":"/a/0","path":"/b"},{"op":"test","path":"/a","value":1.5}]
      """
    let patch = try decoded(KeyValueJSONPatch.self, text)
    #expect(
      patch.operations == [
        .init(.add, "/a/-", value: .some(.null)), .init(.remove, ""),
        .init(.replace, "/~0~1", value: .reference(id(5))), .init(.move, "/b", from: "/a"),
        .init(.copy, "/b", from: "/a/0"), .init(.test, "/a", value: 1.5),
      ])
    #expect(try decoded(KeyValueJSONPatch.self, json(patch)) == patch)
    #expect(
      "\(KeyValueJSONPatch(Array(patch.operations[3...4])))" == """
        move /a to /b
        copy /a/0 to /b
        """)
  }

  @Test(
    "G4 a patch that can't be one is refused with its field",
    arguments: [
      (#"{}"#, ": it isn't Array<Any>"),
      (#"[{"op":"set","path":""}]"#, "0.op: Cannot initialize Kind from invalid String value set"),
      (#"[{"op":"remove"}]"#, "0.path: there's no 'path'"),
      (#"[{"op":"remove","path":"a"}]"#, "0.path: 'a' isn't a JSON pointer."),
      (#"[{"op":"remove","path":"/~2"}]"#, "0.path: '/~2' isn't a JSON pointer."),
      (#"[{"op":"remove","path":"/a~"}]"#, "0.path: '/a~' isn't a JSON pointer."),
      (#"[{"op":"add","path":"/a"}]"#, "0.value: there's no 'value'"),
      (#"[{"op":"move","path":"/a"}]"#, "0.from: there's no 'from'"),
    ])
  func bad(text: String, error: String) {
    #expect(decodingError { try decoded(KeyValueJSONPatch.self, text) } == error)
  }

  @Test("G3 a patch of random records makes the snapshot's JSON the next one's")
  func random() throws {
    for seed in 0..<UInt64(TestVolume.either(40, few: 5, full: 400)) {
      var graph = RandomGraph(seed: seed)
      for _ in 0..<20 {
        let before = graph.snapshot
        let record = try graph.record()
        var document = try decoded(JSON.self, json(before))
        let patch = try decoded([Operation].self, json(try record.jsonPatch(in: before)))
        for operation in patch { try document.apply(operation) }
        #expect(try document == decoded(JSON.self, json(graph.snapshot)), "\(record)")
      }
    }
  }
}

// MARK: An interpreter of RFC 6902

private struct Operation: Decodable {
  var op: String
  var path: String
  var value: JSON?

  enum CodingKeys: CodingKey { case op, path, value }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    op = try fields.decode(String.self, forKey: .op)
    path = try fields.decode(String.self, forKey: .path)
    value = fields.contains(.value) ? try fields.decode(JSON.self, forKey: .value) : nil
  }
}

private struct PatchFailure: Error {
  let operation: String
}

/// A JSON document, which knows nothing of records.
private indirect enum JSON: Decodable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  init(from decoder: any Decoder) throws {
    if let object = try? [String: JSON](from: decoder) {
      self = .object(object)
    } else if let array = try? [JSON](from: decoder) {
      self = .array(array)
    } else {
      let single = try decoder.singleValueContainer()
      if single.decodeNil() {
        self = .null
      } else if let bool = try? single.decode(Bool.self) {
        self = .bool(bool)
      } else if let string = try? single.decode(String.self) {
        self = .string(string)
      } else {
        self = .number(try single.decode(Double.self))
      }
    }
  }

  mutating func apply(_ operation: Operation) throws {
    let failure = PatchFailure(operation: "\(operation.op) \(operation.path)")
    guard operation.path.hasPrefix("/") else { throw failure }
    let names = operation.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      .map { String($0.replacing("~1", with: "/").replacing("~0", with: "~")) }
    try change(names[...], failure) { parent, name in
      switch (operation.op, operation.value) {
      case ("add", let value?): try parent.add(value, name, failure)
      case ("remove", nil): _ = try parent.remove(name, failure)
      case ("replace", let value?):
        _ = try parent.remove(name, failure)
        try parent.add(value, name, failure)
      case ("test", let value?):
        let present = try parent.remove(name, failure)
        guard present == value else { throw failure }
        try parent.add(present, name, failure)
      default: throw failure
      }
    }
  }

  /// Changes what has the last name.
  private mutating func change(
    _ names: ArraySlice<String>, _ failure: PatchFailure,
    _ body: (inout JSON, String) throws -> Void
  ) throws {
    guard let name = names.first else { throw failure }
    if names.count == 1 { return try body(&self, name) }
    var child = try remove(name, failure)
    try child.change(names.dropFirst(), failure, body)
    try add(child, name, failure)
  }

  private mutating func add(_ value: JSON, _ name: String, _ failure: PatchFailure) throws {
    switch self {
    case .object(var fields):
      fields[name] = value
      self = .object(fields)
    case .array(var elements):
      guard let index = Int(name), (0...elements.count).contains(index) else { throw failure }
      elements.insert(value, at: index)
      self = .array(elements)
    default: throw failure
    }
  }

  private mutating func remove(_ name: String, _ failure: PatchFailure) throws -> JSON {
    switch self {
    case .object(var fields):
      guard let value = fields.removeValue(forKey: name) else { throw failure }
      self = .object(fields)
      return value
    case .array(var elements):
      guard let index = Int(name), elements.indices.contains(index) else { throw failure }
      let value = elements.remove(at: index)
      self = .array(elements)
      return value
    default: throw failure
    }
  }
}
