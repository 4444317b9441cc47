import KeyValueObserving
import Testing

@_spi(Replication) import KeyValueCore

/// A street as this program writes it.
private func own(_ street: KeyValueLogValue) -> KeyValueLogValue { ["street": street] }

/// The same as another program writes it, whose structure has a further field.
private func other(_ street: KeyValueLogValue) -> KeyValueLogValue {
  ["street": street, "country": "DE"]
}

private struct Street: Codable, Hashable {
  var street: String

  init(_ street: String) { self.street = street }
}

/// Streets in any order, written in the opposite one.
private struct Route: Codable, Hashable {
  var streets: [String]

  init(_ streets: String...) { self.streets = streets }

  init(from decoder: any Decoder) throws { streets = try [String](from: decoder) }

  func encode(to encoder: any Encoder) throws { try Array(streets.reversed()).encode(to: encoder) }

  static func == (left: Route, right: Route) -> Bool { Set(left.streets) == Set(right.streets) }

  func hash(into hasher: inout Hasher) { hasher.combine(Set(streets)) }
}

/// Equal if the numbers are.
private struct Stamp: Codable, Equatable {
  var number = 1
  var text = "red"

  static func == (left: Stamp, right: Stamp) -> Bool { left.number == right.number }
}

/// A text with "é" as one Unicode scalar.
private struct Normal: Codable, Hashable {
  let text: String

  init(_ text: String) { self.text = text == "\u{E9}" ? "\u{E9}" : text }

  init(from decoder: any Decoder) throws { self.init(try String(from: decoder)) }

  func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

@KeyValueObservable
private final class Sign {
  var normal = Normal("\u{E9}")
  var normals = [Normal("\u{E9}"), Normal("x")]
  var normalSet: Set = [Normal("\u{E9}"), Normal("x")]
  var normalEntries = ["k": Normal("\u{E9}"), "l": Normal("x")]
  var text = "\u{E9}"
  var texts = ["\u{E9}", "x"]
  var textSet: Set = ["\u{E9}", "x"]
  var textEntries = ["\u{E9}": 1, "l": 2]

  init() {}
}

/// What a street is found by, however it's written.
private func street(_ member: KeyValueLogValue) -> KeyValueLogValue {
  if case .dictionary(let fields) = member { fields["street"] ?? .null } else { member }
}

@KeyValueObservable
private final class Letter {
  var to = Street("a")
  var via = [Street("a"), Street("b"), Street("a")]
  var rest: [Street]? = [Street("a"), Street("b")]
  var marked = ["first": Street("a"), "last": Street("b")]
  var past: Set<Street> = [Street("a"), Street("b")]
  var routes: Set<Route> = [Route("a", "b"), Route("c")]
  var stamp = Stamp()

  init() {}
}

@Suite("G. Values that another program has written")
struct FittingTests {
  private let log: KeyValueChangeLog<Letter>
  private let id: KeyValueObjectID
  private let present: KeyValueSnapshot

  init() throws {
    log = try KeyValueChangeLog(of: Letter())
    present = try log.snapshot()
    id = present.root
  }

  /// The log's snapshot with other values of some keys.
  private func state(_ values: [String: KeyValueLogValue]) -> KeyValueSnapshot {
    var state = present
    state.objects[id]!.values.merge(values) { $1 }
    return state
  }

  @Test("G4 of a collection that differs in one part, the others don't differ for their form")
  func parts() {
    let written = state([
      "to": other("c"), "via": [other("c"), other("a"), other("a"), other("a"), other("b")],
      "rest": [other("b")], "marked": ["first": other("c"), "last": other("b"), "new": other("a")],
      "past": [other("a"), other("c")], "routes": [["a", "b"], ["c", "d"]],
    ])
    let fitted = state([
      "to": other("c"), "via": [other("c"), own("a"), own("a"), other("a"), own("b")],
      "rest": [own("b")], "marked": ["first": other("c"), "last": own("b"), "new": other("a")],
      "past": [other("c"), own("a")], "routes": [["b", "a"], ["c", "d"]],
    ])
    #expect(log.fitted(written, to: present) == fitted)
  }

  @Test("G4 what is the same as a whole is written as it's present")
  func wholes() {
    let written = state([
      "to": other("a"), "via": [other("a"), other("b"), other("a")],
      "rest": [other("a"), other("b")], "marked": ["first": other("a"), "last": other("b")],
      "past": [other("b"), other("a")], "routes": [["a", "b"], ["c"]],
    ])
    #expect(log.fitted(written, to: present) == present)
  }

  @Test("G4 a value that its type finds equal is another one unless only the order is another one")
  func equalOfOtherData() throws {
    let written = state(["stamp": ["number": 1, "text": "blue"]])
    #expect(log.fitted(written, to: present) == written)
    #expect(throws: KeyValueLogError.self) {
      try log.apply(
        KeyValueTransactionRecord([
          .set(
            id, key: "stamp", old: ["number": 1, "text": "blue"],
            new: ["number": 2, "text": "blue"])
        ]))
    }
    #expect(try log.snapshot() == present)
  }

  /// The edits of a record, fitted to members of a set that are the same if their streets are.
  ///
  /// - Returns: The edits, and how often a member was asked for its street, so that others like it are found.
  private func fitted(
    _ edits: [KeyValueEdit], to members: [KeyValueLogValue]
  ) -> (edits: [KeyValueEdit], count: Int) {
    var count = 0
    let record = KeyValueTransactionRecord(edits).fitted(to: state(["past": .array(members)])) {
      _, _, _, _ in
      false
    } isSameElement: { _, _, expected, present in
      street(expected) == street(present)
    } form: { _, _, member in
      count += 1
      return street(member)
    }
    return (record.edits, count)
  }

  @Test("G4 the members of a set are looked through once for a record, however many edits it has")
  func manyEdits() {
    let streets = (100..<200).map { KeyValueLogValue.string("\($0)") }
    let later = streets.map { KeyValueLogValue.array([$0]) }
    func edits(_ form: (KeyValueLogValue) -> KeyValueLogValue) -> [KeyValueEdit] {
      var edits: [KeyValueEdit] = []
      for (street, next) in zip(streets, later) {
        edits.append(.subtract(id, key: "past", elements: [form(street)]))
        edits.append(.union(id, key: "past", elements: [own(next)]))
      }
      // What has entered meanwhile is found.
      edits.append(.exchange(id, key: "past", old: [form(later[0])], new: [own(streets[0])]))
      edits.append(.subtract(id, key: "past", elements: [form(streets[0])]))
      return edits
    }
    // What has left isn't.
    let unfit = KeyValueEdit.subtract(id, key: "past", elements: [other(streets[0])])
    let (result, count) = fitted(edits(other) + [unfit], to: streets.map { own($0) })
    #expect(result == edits(own) + [unfit])
    // Each that was there, each that has entered, and each that was looked for.
    #expect(count == 100 + 101 + 103)
  }

  @Test("G4 members that are there as they're written aren't looked at for the others' sake")
  func writtenAlike() {
    let streets = (100..<200).map { KeyValueLogValue.string("\($0)") }
    let expected = streets.dropLast().map { own($0) } + [other(streets[99])]
    let (result, count) = fitted(
      [.subtract(id, key: "past", elements: expected)], to: streets.map { own($0) })
    #expect(result == [.subtract(id, key: "past", elements: streets.map { own($0) })])
    // The one that is left, and the one that was looked for.
    #expect(count == 2)
  }

  @Test(
    "G4 members of which nothing says which may be the same are compared once if they have one order",
    arguments: [false, true])
  func inOrder(isOneEdit: Bool) {
    let streets = (1_000..<2_000).map { KeyValueLogValue.string("\($0)") }
    func edits(_ form: (KeyValueLogValue) -> KeyValueLogValue) -> [KeyValueEdit] {
      let leaving = streets.dropFirst(100).map { form($0) }
      if isOneEdit { return [.subtract(id, key: "past", elements: leaving)] }
      return leaving.map { .subtract(id, key: "past", elements: [$0]) }
    }
    var compared = 0
    let record = KeyValueTransactionRecord(edits(other)).fitted(
      to: state(["past": .array(streets.map { own($0) })])
    ) { _, _, _, _ in
      false
    } isSameElement: { _, _, expected, present in
      compared += 1
      return street(expected) == street(present)
    } form: { _, _, _ in
      .null
    }
    #expect(record.edits == edits(own))
    #expect(compared == 1_000)
  }

  @Test("G4 a text of other Unicode scalars differs, unless the program writes the same for both")
  func scalars() throws {
    let log = try KeyValueChangeLog(of: Sign())
    let present = try log.snapshot()
    let (composed, decomposed): (KeyValueLogValue, KeyValueLogValue) = ("\u{E9}", "e\u{301}")
    func values(normal: KeyValueLogValue) -> [String: KeyValueLogValue] {
      [
        "normal": normal, "normals": [normal, "y"],
        "normalSet": .array(KeyValueLogValue.ascendingElements([normal, "y"])),
        "normalEntries": ["k": normal, "l": "y"], "text": decomposed, "texts": [decomposed, "y"],
        "textSet": .array(KeyValueLogValue.ascendingElements([decomposed, "y"])),
        "textEntries": ["e\u{301}": 1, "l": 3],
      ]
    }
    var written = present
    written.objects[present.root]!.values = values(normal: decomposed)
    let fitted = log.fitted(written, to: present).objects[present.root]!.values
    #expect(
      KeyValueLogValue.dictionary(fitted)
        .isIdentical(to: .dictionary(values(normal: composed))))
    // What only differs so is compared, too.
    written = present
    written.objects[present.root]!.values["normals"] = [decomposed, "x"]
    let same = log.fitted(written, to: present).objects[present.root]!.values
    #expect(
      KeyValueLogValue.dictionary(same)
        .isIdentical(to: .dictionary(present.objects[present.root]!.values)))
  }

  @Test("G4 a set that was set or made again meanwhile is looked through again")
  func setMeanwhile() {
    let copy = KeyValueObjectID()
    let values: [String: KeyValueLogValue] = ["past": [own("a")]]
    func edits(_ form: (KeyValueLogValue) -> KeyValueLogValue) -> [KeyValueEdit] {
      [
        .subtract(id, key: "past", elements: [form("a")]),
        .set(id, key: "past", old: [own("b")], new: [own("a"), own("c")]),
        .subtract(id, key: "past", elements: [form("a")]),
        .exchange(id, key: "past", old: [form("c")], new: []),
        .create(copy, class: "Letter", values: values),
        .subtract(copy, key: "past", elements: [form("a")]),
        .delete(copy, class: "Letter", values: ["past": []]),
        .create(copy, class: "Letter", values: values),
        .subtract(copy, key: "past", elements: [form("a")]),
      ]
    }
    #expect(fitted(edits(other), to: [own("a"), own("b")]).edits == edits(own))
  }
}
