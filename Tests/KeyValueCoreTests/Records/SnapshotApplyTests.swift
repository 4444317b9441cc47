import KeyValueTestSupport
import Testing

@testable import KeyValueCore

@Suite("Snapshots, changed by records")
struct SnapshotApplyTests {
  private static let (root, child) = (id(1), id(2))

  private static let snapshot = KeyValueSnapshot(
    root: root,
    objects: [
      root: .init(
        class: "Company",
        values: [
          "count": 0, "names": ["a", "b", "c"], "tags": [1, 3], "ages": ["Ada": 36],
          "levels": [[1, "low"], [2, "high"]], "boss": .reference(child),
        ]),
      child: .init(class: "Person", values: ["name": "Ada"]),
    ])

  /// The root's value after an edit; the inverse has led back.
  private func value(_ key: String, after edit: KeyValueEdit) throws -> KeyValueLogValue? {
    var snapshot = Self.snapshot
    let record = KeyValueTransactionRecord([edit])
    try snapshot.apply(record)
    let value = snapshot.objects[Self.root]?.values[key]
    try snapshot.apply(record.inverse)
    #expect(snapshot == Self.snapshot)
    return value
  }

  @Test("G3 every kind of edit changes its key, and its inverse takes that back")
  func kinds() throws {
    let root = Self.root
    #expect(try value("count", after: .set(root, key: "count", old: 0, new: "x")) == "x")
    #expect(
      try value(
        "names",
        after: .insert(
          root, key: "names", indexes: RangeSet([0..<1, 3..<4, 5..<6]), elements: ["x", "y", "z"]))
        == ["x", "a", "b", "y", "c", "z"])
    #expect(
      try value(
        "names",
        after: .remove(
          root, key: "names", indexes: RangeSet([0..<1, 2..<3]), elements: ["a", "c"])) == ["b"])
    #expect(
      try value(
        "names",
        after: .replace(
          root, key: "names", indexes: RangeSet([0..<1, 2..<3]), old: ["a", "c"], new: ["x", "y"]))
        == ["x", "b", "y"])
    #expect(
      try value(
        "names",
        after: .amend(
          root, key: "names", removed: .init(indexes: RangeSet(0..<2), elements: ["a", "b"]),
          inserted: .init(indexes: RangeSet(1..<3), elements: ["x", "y"]))) == ["c", "x", "y"])
    #expect(try value("tags", after: .union(root, key: "tags", elements: [4, 2])) == [1, 2, 3, 4])
    #expect(try value("tags", after: .subtract(root, key: "tags", elements: [1.0])) == [3])
    #expect(
      try value("tags", after: .exchange(root, key: "tags", old: [1, 3], new: [2, 0])) == [0, 2])
    #expect(
      try value("ages", after: .setEntry(root, key: "ages", entry: "Al", old: nil, new: nil))
        == ["Ada": 36])
    #expect(
      try value(
        "ages", after: .setEntry(root, key: "ages", entry: 7, old: nil, new: .some(.null)))
        == ["Ada": 36, "7": nil])
    #expect(
      try value("ages", after: .setEntry(root, key: "ages", entry: "Ada", old: 36, new: nil))
        == [:])
    #expect(
      try value("levels", after: .setEntry(root, key: "levels", entry: 2, old: "high", new: "top"))
        == [[1, "low"], [2, "top"]])
    #expect(
      try value("levels", after: .setEntry(root, key: "levels", entry: 0, old: nil, new: "none"))
        == [[0, "none"], [1, "low"], [2, "high"]])
  }

  @Test("G2 objects come and go, and may refer to each other before they're all there")
  func objects() throws {
    var snapshot = Self.snapshot
    let (new, other) = (id(3), id(4))
    let record = KeyValueTransactionRecord([
      .set(Self.root, key: "boss", old: .reference(Self.child), new: .reference(new)),
      .create(new, class: "Person", values: ["name": "Grace", "friend": .reference(other)]),
      .create(other, class: "Person", values: ["name": "Alan", "friend": .reference(new)]),
      .delete(Self.child, class: "Person", values: ["name": "Ada"]),
    ])
    try snapshot.apply(record)
    #expect(Set(snapshot.objects.keys) == [Self.root, new, other])
    #expect(snapshot.objects[Self.root]?.values["boss"] == .reference(new))
    try snapshot.apply(record.inverse)
    #expect(snapshot == Self.snapshot)
  }

  @Test(
    "G3 an object that's deleted and created again in one record, or the reverse, is applied so")
  func again() throws {
    var snapshot = Self.snapshot
    try snapshot.apply(
      KeyValueTransactionRecord([
        .set(Self.root, key: "boss", old: .reference(Self.child), new: nil),
        .delete(Self.child, class: "Person", values: ["name": "Ada"]),
        .create(Self.child, class: "Robot", values: [:]),
        .create(id(3), class: "Person", values: [:]), .delete(id(3), class: "Person", values: [:]),
      ]))
    #expect(snapshot.objects[Self.child] == .init(class: "Robot", values: [:]))
    #expect(snapshot.objects.count == 2)
  }

  @Test("G3 a set that isn't in order is put in order")
  func unorderedSet() throws {
    var snapshot = Self.snapshot
    snapshot.objects[Self.root]!.values["tags"] = [3, 1]
    snapshot.objects[Self.root]!.values["levels"] = [[2, "high"], [1, "low"]]
    try snapshot.apply(
      KeyValueTransactionRecord([
        .union(Self.root, key: "tags", elements: [2]),
        .setEntry(Self.root, key: "levels", entry: 0, old: nil, new: "none"),
      ]))
    #expect(snapshot.objects[Self.root]!.values["tags"] == [1, 2, 3])
    #expect(
      snapshot.objects[Self.root]!.values["levels"] == [[0, "none"], [1, "low"], [2, "high"]])
  }

  // MARK: Errors

  private static let place = "(edit 2, object 00000000-0000-4000-8000-000000000001)"

  private static let bad: [(edit: KeyValueEdit, error: String)] = [
    (
      .set(id(9), key: "count", old: 0, new: 1),
      "There is no object 00000000-0000-4000-8000-000000000009 (edit 2, count)."
    ),
    (
      .delete(id(9), class: "C", values: [:]),
      "There is no object 00000000-0000-4000-8000-000000000009 (edit 2)."
    ),
    (
      .set(root, key: "cuont", old: 0, new: 1),
      "Company has no stored key 'cuont' \(place). Did you mean 'count'?"
    ),
    (.set(root, key: "x", old: 0, new: 1), "Company has no stored key 'x' \(place)."),
    (
      .set(root, key: "count", old: 0, new: 1),
      "Company.count can't be edited so \(place): it's 7, not 0."
    ),
    (
      .create(root, class: "Person", values: [:]),
      "Person can't be edited so \(place): there is such an object already, of class Company; the "
        + "record may have been applied before."
    ),
    (
      .delete(root, class: "Company", values: [:]),
      "Company can't be edited so \(place): it's the root."
    ),
    (
      .delete(child, class: "Human", values: [:]),
      "Person can't be edited so (edit 2, object \(child)): it isn't of class Human."
    ),
    (
      .delete(child, class: "Person", values: [:]),
      "Person.name can't be edited so (edit 2, object \(child)): the edit doesn't have its value."
    ),
    (
      .delete(child, class: "Person", values: ["name": "Al"]),
      #"Person.name can't be edited so (edit 2, object \#(child)): it's "Ada", not "Al"."#
    ),
    (
      .delete(child, class: "Person", values: ["name": "Ada", "age": 1]),
      "Person has no stored key 'age' (edit 2, object \(child))."
    ),
    (
      .insert(root, key: "count", indexes: RangeSet(0..<1), elements: [1]),
      "Company.count was given a value of the wrong type \(place): it's 7, not an array."
    ),
    (
      .insert(root, key: "names", indexes: RangeSet(4..<5), elements: [1]),
      "Company.names can't be edited so \(place): index 4 isn't within 4 elements."
    ),
    (
      .insert(root, key: "names", indexes: RangeSet(-1..<0), elements: [1]),
      "Company.names can't be edited so \(place): index -1 isn't within 4 elements."
    ),
    (
      .insert(root, key: "names", indexes: RangeSet(0..<2), elements: [1]),
      "Company.names can't be edited so \(place): the edit has 1 elements for 2 indexes."
    ),
    (
      .insert(root, key: "names", indexes: RangeSet(Int.min..<Int.max), elements: [1]),
      "Company.names can't be edited so \(place): index -9223372036854775808–9223372036854775806 "
        + "isn't within 4 elements."
    ),
    (
      .remove(root, key: "names", indexes: RangeSet(3..<4), elements: ["d"]),
      "Company.names can't be edited so \(place): index 3 isn't within 3 elements."
    ),
    (
      .remove(root, key: "names", indexes: RangeSet(1..<2), elements: ["c"]),
      #"Company.names can't be edited so \#(place): element 1 is "b", not "c"."#
    ),
    (
      .replace(root, key: "names", indexes: RangeSet(1..<2), old: ["b"], new: []),
      "Company.names can't be edited so \(place): the edit has 0 elements for 1 indexes."
    ),
    (
      .replace(root, key: "names", indexes: RangeSet(1..<2), old: ["c"], new: ["d"]),
      #"Company.names can't be edited so \#(place): element 1 is "b", not "c"."#
    ),
    (
      .amend(
        root, key: "names", removed: .init(indexes: RangeSet(0..<1), elements: ["a"]),
        inserted: .init(indexes: RangeSet(3..<4), elements: ["a"])),
      "Company.names can't be edited so \(place): index 3 isn't within 3 elements."
    ),
    (
      .union(root, key: "tags", elements: [3]),
      "Company.tags can't be edited so \(place): it has 3 already."
    ),
    (
      .union(root, key: "tags", elements: [5, 5]),
      "Company.tags can't be edited so \(place): it has 5 already."
    ),
    (
      .subtract(root, key: "tags", elements: [5]),
      "Company.tags can't be edited so \(place): it doesn't have 5."
    ),
    (
      .exchange(root, key: "tags", old: [1], new: [3]),
      "Company.tags can't be edited so \(place): it has 3 already."
    ),
    (
      .setEntry(root, key: "count", entry: "a", old: nil, new: 1),
      "Company.count was given a value of the wrong type \(place): it's 7, not a dictionary."
    ),
    (
      .setEntry(root, key: "ages", entry: true, old: nil, new: 1),
      "Company.ages was given a value of the wrong type \(place): its entries have strings as "
        + "keys, not true."
    ),
    (
      .setEntry(root, key: "ages", entry: "Ada", old: nil, new: 1),
      #"Company.ages can't be edited so \#(place): entry "Ada" is 36, not absent."#
    ),
    (
      .setEntry(root, key: "levels", entry: 3, old: "x", new: nil),
      #"Company.levels can't be edited so \#(place): entry 3 is absent, not "x"."#
    ),
    (
      .setEntry(root, key: "tags", entry: 3, old: nil, new: 1),
      "Company.tags was given a value of the wrong type \(place): it isn't a dictionary: it has 1."
    ),
    (
      .union(root, key: "twins", elements: [2]),
      "Company.twins was given a value of the wrong type \(place): it isn't a set: an element "
        + "occurs twice."
    ),
    (
      .setEntry(root, key: "twinPairs", entry: 2, old: nil, new: 1),
      "Company.twinPairs was given a value of the wrong type \(place): it isn't a dictionary: a "
        + "key occurs twice."
    ),
    (
      .set(root, key: "boss", old: .reference(child), new: [.reference(id(9))]),
      "There is no object 00000000-0000-4000-8000-000000000009 (edit 2, Company.boss)."
    ),
    (
      .create(id(8), class: "Person", values: ["friends": ["a": .reference(id(9))]]),
      "There is no object 00000000-0000-4000-8000-000000000009 (edit 2, Person.friends)."
    ),
  ]

  @Test(
    "G4 an edit that doesn't fit is an error that names it, and nothing changes", arguments: bad)
  func errors(edit: KeyValueEdit, error: String) {
    var before = Self.snapshot
    before.objects[Self.root]!.values["twins"] = [1, 1.0]
    before.objects[Self.root]!.values["twinPairs"] = [[1, 2], [1, 3]]
    var snapshot = before
    let first = KeyValueEdit.set(Self.root, key: "count", old: 0, new: 7)
    do {
      try snapshot.apply(KeyValueTransactionRecord([first, edit]))
      Issue.record("\(edit) was applied")
    } catch let thrown {
      #expect("\(thrown)" == error)
      #expect((thrown as? KeyValueLogError)?.details.edit == 2)
    }
    #expect(throws: KeyValueLogError.self) {
      try KeyValueTransactionRecord([first, edit]).jsonPatch(in: before)
    }
    #expect(snapshot == before)
  }

  @Test("G4 a reference that the record takes back needs no object")
  func takenBack() throws {
    var snapshot = Self.snapshot
    try snapshot.apply(
      KeyValueTransactionRecord([
        .set(Self.root, key: "count", old: 0, new: .reference(id(9))),
        .set(Self.root, key: "count", old: .reference(id(9)), new: 1),
        .create(id(8), class: "C", values: ["x": .reference(id(9))]),
        .delete(id(8), class: "C", values: ["x": .reference(id(9))]),
      ]))
    #expect(snapshot.objects[Self.root]?.values["count"] == 1)
  }

  @Test("G3 random histories go back by their inverses, step by step")
  func random() throws {
    for seed in 0..<UInt64(TestVolume.either(40, few: 5, full: 400)) {
      var graph = RandomGraph(seed: seed)
      var states = [graph.snapshot]
      var records: [KeyValueTransactionRecord] = []
      for _ in 0..<30 {
        records.append(try graph.record())
        states.append(graph.snapshot)
      }
      var snapshot = states[0]
      for (record, state) in zip(records, states.dropFirst()) {
        try snapshot.apply(record)
        #expect(snapshot == state)
      }
      for (record, state) in zip(records, states).reversed() {
        try snapshot.apply(record.inverse)
        #expect(snapshot == state)
      }
    }
  }

  @Test("Errors of a log describe themselves with what they know")
  func descriptions() {
    typealias Details = KeyValueLogError.Details
    #expect(
      "\(KeyValueLogError.notLoggable(Details(type: "Plot", key: "points", reason: "why")))"
        == "Plot.points can't be logged: why.")
    #expect(
      "\(KeyValueLogError.unknownClass(Details(object: id(1), type: "Humn", suggestions: ["Human"])))"
        == "There is no class 'Humn' (object \(id(1))). Did you mean 'Human'?")
    #expect(
      "\(KeyValueLogError.invalidEdit(Details()))" == "the object can't be edited so.")
  }
}
