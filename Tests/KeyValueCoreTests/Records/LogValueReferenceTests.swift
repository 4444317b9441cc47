import Testing

@testable import KeyValueCore

@Suite("Log values, coded from references to objects")
struct LogValueReferenceTests: LogValueSuite {
  @Test("An instance that has an id is a reference wherever it is; the others encode themselves")
  func references() throws {
    let (known, other) = (Item(name: "known"), Item(name: "other"))
    let id = KeyValueObjectID()
    var asked: [String] = []
    let encoder = LogValueEncoder {
      asked.append(($0 as? Item)?.name ?? "\(type(of: $0))")
      return $0 === known ? id : nil
    }
    let decoder = LogValueDecoder {
      guard $0 == id else { throw NoObject() }
      return known
    }
    let holder = Holder(
      item: known, maybe: known, none: nil, items: [known, other], table: ["k": known],
      choice: .one(known), pair: Pair(first: other, second: known))
    let value = try encoder.encode(holder)
    let reference = KeyValueLogValue.reference(id)
    #expect(
      value == [
        "item": reference, "maybe": reference, "items": [reference, ["name": "other"]],
        "table": ["k": reference], "choice": ["one": ["_0": reference]],
        "pair": [["name": "other"], reference],
      ])
    #expect(
      asked == ["known", "known", "known", "other", "known", "known", "other", "known"])
    let decoded = try decoder.decode(Holder.self, from: value)
    let items: [Item?] = [
      decoded.item, decoded.maybe, decoded.items[0], decoded.table["k"], decoded.pair.second,
    ]
    #expect(items.allSatisfy { $0 === known })
    #expect(decoded.items[1].name == "other" && decoded.items[1] !== other)
    guard case .one(let item) = decoded.choice else { throw NoObject() }
    #expect(item === known)

    // The value is the instance, or an optional one.
    #expect(try encoder.encode(known) == reference)
    #expect(try encoder.encode(Item?.some(known)) == reference)
    #expect(try encoder.encode(Item?.none) == nil)
    #expect(try decoder.decode(Item.self, from: reference) === known)
    #expect(try decoder.decode(Item?.self, from: reference) === known)
    #expect(try LogValueCoding<Item>().encode(known, encoder) == reference)
    #expect(try LogValueCoding<Item?>().decode(reference, decoder) === known)
    // A subclass's instance, as its superclass.
    let special = SpecialItem(name: "special")
    let specials = LogValueDecoder { _ in special }
    #expect(try specials.decode([Item].self, from: [reference])[0] === special)
    let set = try LogValueEncoder { $0 === known ? id : nil }.encode([Suit.hearts: known])
    #expect(set == ["hearts", reference])
  }

  @Test("A reference that isn't an object of the type")
  func unfitReferences() throws {
    let id = try #require(KeyValueObjectID("7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12"))
    let decoder = LogValueDecoder { _ in Item(name: "it") }
    expectError(
      "typeMismatch: Expected SpecialItem but the object @7f3c2d1a is of type Item. Path: Index 0."
    ) {
      try decoder.decode([SpecialItem].self, from: [.reference(id)])
    }
    expectError("typeMismatch: Expected Int but found a reference to an object. Path: a.") {
      try decoder.decode([String: Int].self, from: ["a": .reference(id)])
    }
    expectError("typeMismatch: Expected a dictionary but found a reference to an object. Path: .") {
      try decoder.decode(Inner.self, from: .reference(id))
    }
    #expect(throws: NoObject.self) {
      try self.decoder.decode([Item].self, from: [.reference(id)])
    }
  }
}

private final class SpecialItem: Item {}

private struct Holder: Codable {
  var item: Item
  var maybe: Item?
  var none: Item?
  var items: [Item]
  var table: [String: Item]
  var choice: Choice
  var pair: Pair
  enum Choice: Codable { case one(Item), none }
}

/// Two values in an array.
private struct Pair: Codable {
  var first, second: Item
  init(first: Item, second: Item) { (self.first, self.second) = (first, second) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(first)
    try container.encode(second)
  }
  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    first = try container.decode(Item.self)
    second = try container.decode(Item.self)
  }
}
