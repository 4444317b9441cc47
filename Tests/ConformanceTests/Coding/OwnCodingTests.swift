import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Classes with `value(forKey:)` and `setValue(_:forKey:)` of their own.
@Suite("K. A class's own coding")
struct OwnCodingTests {
  private let log = ChangeLog()
  private let party = Party()

  @Test("K1 key paths and dictionaryWithValues(forKeys:) call a class's own value(forKey:)")
  func reading() throws {
    #expect(try party.value(forKey: "guests") as? [String] == ["Ada"])
    #expect(try party.value(forKeyPath: "guests.@count") as? Int == 1)
    #expect(try (party as any KeyValueObservable).value(forKey: "title") as? String == "<Tea>")
    #expect(try party.value(forKeyPath: "title") as? String == "<Tea>")
    let venue = Venue(party)
    #expect(try venue.value(forKeyPath: "party.title") as? String == "<Tea>")
    #expect(try [party].value(forKey: "title") as? [String] == ["<Tea>"])
    let values = try party.dictionaryWithValues(forKeys: ["guests", "title"])
    #expect(values["guests"] as? [String] == ["Ada"])
    #expect(values["title"] as? String == "<Tea>")
    #expect(throws: KeyValueCodingError.self) { try party.value(forKeyPath: "titel") }
  }

  @Test("K1 a class's own value(forKey:) also reads the objects along a key path")
  func onTheWay() throws {
    let venue = ForwardingVenue(party)
    #expect(try venue.value(forKeyPath: "event.title") as? String == "<Tea>")
    try venue.setValue("Gin", forKeyPath: "event.title")
    #expect(party.title == "Gin!")
  }

  @Test("K2 key paths and setValues(forKeys:) call a class's own setValue(_:forKey:)")
  func setting() throws {
    let token = party.observe(\.title, options: [.old, .new], changeHandler: log.handler("title"))
    try Venue(party).setValue("Rum", forKeyPath: "party.title")
    try party.setValues(forKeys: ["title": "Port", "guests": ["Grace"]])
    #expect(party.names == ["Grace"])
    #expect(
      log.take() == [
        "title: setting, old: \"Tea\", new: \"Rum!\"",
        "title: setting, old: \"Rum!\", new: \"Port!\"",
      ])
    #expect(throws: KeyValueCodingError.self) { try party.setValue(1, forKeyPath: "titel") }
    token.invalidate()
  }

  @Test("C4 a proxy can change a collection key that only a class's own coding defines")
  func proxy() throws {
    let guests = try party.mutableArrayValue(forKey: "guests")
    guests.append("Grace")
    #expect(guests.map { $0 as? String } == ["Ada", "Grace"])
    guests.remove(at: 0)
    #expect(party.names == ["Grace"])
    try Venue(party).mutableArrayValue(forKeyPath: "party.guests").insert("Alan", at: 0)
    #expect(party.names == ["Alan", "Grace"])
    #expect(throws: KeyValueCodingError.self) { try party.mutableArrayValue(forKey: "gests") }
    #expect(throws: KeyValueCodingError.self) { try party.mutableArrayValue(forKey: "title") }
  }

  @Test("C4 a proxy changes a key that the class declares past its own coding, and notifies once")
  func proxyOfProperty() throws {
    let token = try party.observe(
      "dishes", options: [.old, .new], changeHandler: log.handler("dishes"))
    try party.mutableArrayValue(forKey: "dishes").append("cake")
    #expect(party.dishes == ["cake"])
    #expect(log.take() == ["dishes: insertion, indexes: 0, new: [\"cake\"]"])
    // What a key of the type `Any` holds is a copy, which is set.
    try party.mutableArrayValue(forKey: "extras").append("ice")
    try party.mutableSetValue(forKey: "labels").insert("cold")
    #expect(party.extras as? [String] == ["ice"] && party.labels == ["cold"])
    #expect(party.coded == [])
    try party.setValue(["tea"], forKey: "dishes")
    #expect(party.dishes == ["tea", "water"] && party.coded == ["dishes"])
    #expect(log.take() == ["dishes: setting, old: [\"cake\"], new: [\"tea\", \"water\"]"])
    token.invalidate()
  }

  @Test("C4 a proxy changes a declared key that only the class's own coding can set through that")
  func proxyOfGetter() throws {
    party.dishes = ["cake"]
    try party.mutableArrayValue(forKey: "reversed").append("soup")
    #expect(party.dishes == ["soup", "cake"] && party.coded == ["reversed"])
    try party.mutableArrayValue(forKey: "word").append("c")
    #expect(party.word == "abc" && party.coded == ["reversed", "word"])
  }

  @Test("C4 own coding can return another type; observers receive the property's type")
  func anotherType() throws {
    let shelf = Shelf()
    let tokens = [
      shelf.observe(\.items, options: [.old, .new], changeHandler: log.handler("items")),
      shelf.kvo.count.observe(options: .new, changeHandler: log.handler("count")),
    ]
    let items = try shelf.mutableArrayValue(forKey: "items")
    // Two elements: the first has the same layout in `Any` and `String`, so one alone would look right.
    items.append(contentsOf: ["b", "c"])
    items[0] = "A"
    items.remove(at: RangeSet(1..<3))
    #expect(shelf.items == ["A"])
    #expect(
      log.take() == [
        "items: insertion, indexes: 1–2, new: [\"b\", \"c\"]", "count: setting, new: 3",
        "items: replacement, indexes: 0, old: [\"a\"], new: [\"A\"]", "count: setting, new: 3",
        "items: removal, indexes: 1–2, old: [\"b\", \"c\"]", "count: setting, new: 1",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("C4 a collection that the undefined-key hooks provide has a proxy")
  func undefinedKey() throws {
    let bag = Bag()
    try bag.mutableArrayValue(forKey: "list").append(1)
    try bag.mutableSetValue(forKey: "set").insert("a")
    #expect(bag.contents["list"] as? [Int] == [1])
    #expect(bag.contents["set"] as? Set<String> == ["a"])
    #expect(throws: KeyValueCodingError.self) { try bag.mutableSetValue(forKey: "list") }
  }

  @Test("K1 N1 a key that only value(forUndefinedKey:) answers can be observed")
  func observingUndefinedKey() throws {
    let bag = Bag()
    bag.contents["size"] = 1
    bag.contents["note"] = "old"
    let tokens = [
      try bag.observe("size", options: [.old, .new], changeHandler: log.handler("size")),
      try bag.observe("note", options: [.new, .prior], changeHandler: log.handler("note")),
    ]
    bag.willChangeValue(forKey: "size")
    bag.contents["size"] = 2
    bag.didChangeValue(forKey: "size")
    try bag.setValue(3, forKey: "size")
    #expect(throws: KeyValueCodingError.self) { try bag.setValue("?", forKey: "size") }
    try bag.setValue("new", forKeyPath: "note")
    #expect(
      log.take() == [
        "size: setting, old: 1, new: 2", "size: setting, old: 2, new: 3", "note: setting, prior",
        #"note: setting, new: "new""#,
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(bag))
    bag.willChangeValue(forKey: "size")
    bag.didChangeValue(forKey: "size")
    #expect(log.take() == [])
  }

  @Test("K1 P1 a path leads through a key that only value(forUndefinedKey:) answers")
  func pathThroughUndefinedKey() throws {
    let bag = Bag()
    let parties = [Party(), Party()]
    bag.contents["party"] = parties[0]
    let token = try bag.observe(
      "party.dishes", options: [.old, .new], changeHandler: log.handler("dishes"))
    parties[0].dishes = ["soup"]
    try bag.setValue(parties[1], forKey: "party")
    parties[0].dishes = []
    parties[1].dishes = ["cake"]
    #expect(
      log.take() == [
        #"dishes: setting, old: [], new: ["soup"]"#, #"dishes: setting, old: ["soup"], new: []"#,
        #"dishes: setting, old: [], new: ["cake"]"#,
      ])
    token.invalidate()
    #expect(isIdle(bag) && isIdle(parties[0]) && isIdle(parties[1]))
  }

  @Test("K1 a key that value(forUndefinedKey:) doesn't answer can't be observed")
  func observingUnansweredKey() {
    let (bag, other) = (Bag(), Bag())
    other.contents["size"] = 1
    #expect(throws: Never.self) { try other.observe("size") { _, _ in }.invalidate() }
    #expect(throws: KeyValueCodingError.self) {
      try bag.observe("size") { _, _ in }
    }
    #expect(throws: KeyValueCodingError.self) { try bag.observe("@size") { _, _ in } }
    bag.contents["size"] = 1
    #expect(throws: Never.self) { try bag.observe("size") { _, _ in }.invalidate() }
  }

  @Test("K1 a subclass's override is called, and calls super")
  func subclass() throws {
    let loud = LoudParty()
    #expect(try loud.value(forKeyPath: "title") as? String == "<TEA>")
    #expect(try loud.value(forKeyPath: "guests.@count") as? Int == 1)
  }

  @Test("B2 a bound path by string sets what only the class's own coding can set, and is a target")
  func boundString() throws {
    try ViolationLog.record { violations in
      let (party, other) = (Party(), Party())
      try party.kvo("reversed").value = ["tea", "cake"]
      #expect(party.dishes == ["cake", "tea"] && party.coded == ["reversed"])
      let venue = Venue(party)
      let binding = other.kvo.dishes.bind(to: try venue.kvo("party.reversed"))
      #expect(party.dishes == [] && violations.take() == [])
      party.kvo.reversed.value = ["tea"]
      #expect(
        violations.take() == [
          "unobservablePath: Party.reversed can be read but not set: it has no setter."
        ])
      withExtendedLifetime((binding, venue)) {}
    }
  }
}

@KeyValueObservable
private class Party {
  var title = "Tea"
  var dishes: [String] = []
  var extras: Any = [String]()
  var labels: Set<String> = []
  var reversed: [String] { dishes.reversed() }
  var word = "ab"
  @KeyValueIgnored var names = ["Ada"]
  /// The keys that the class's own coding has set.
  @KeyValueIgnored var coded: [String] = []

  func value(forKey key: String) throws -> Any? {
    switch key {
    case "guests": names
    case "title": "<\(title)>"
    case "word": word.map { String($0) }
    default: try (self as any KeyValueObservable).value(forKey: key)
    }
  }

  func setValue(_ value: Any?, forKey key: String) throws {
    coded.append(key)
    switch (key, value) {
    case ("guests", let value as [String]): names = value
    case ("reversed", let value as [String]): dishes = value.reversed()
    case ("word", let value as [String]): word = value.joined()
    case ("title", let value as String): title = value + "!"
    case ("dishes", let value as [String]): dishes = value + ["water"]
    default: try (self as any KeyValueObservable).setValue(value, forKey: key)
    }
  }
}

@KeyValueObservable
private final class LoudParty: Party {
  override func value(forKey key: String) throws -> Any? {
    let value = try super.value(forKey: key)
    return (value as? String)?.uppercased() ?? value
  }
}

@KeyValueObservable
private final class Venue {
  var party: Party

  init(_ party: Party) { self.party = party }
}

/// Provides its party under a key that is not a property.
@KeyValueObservable
private final class ForwardingVenue {
  @KeyValueIgnored let party: Party

  init(_ party: Party) { self.party = party }

  func value(forKey key: String) -> Any? { key == "event" ? party : nil }
}

@KeyValueObservable
private final class Bag {
  @KeyValueIgnored var contents: [String: Any] = ["list": [Int](), "set": Set<String>()]

  func value(forUndefinedKey key: String) throws -> Any? {
    guard let value = contents[key] else { throw KeyValueCodingError.undefinedKey(key, of: self) }
    return value
  }

  func setValue(_ value: Any?, forUndefinedKey key: String) throws {
    if value as? String == "?" { throw KeyValueCodingError.readOnly(key, of: self) }
    contents[key] = value
  }
}

/// Returns its array as a type other than the property's.
@KeyValueObservable
private final class Shelf {
  private(set) var items = ["a"]
  var count: Int { items.count }

  func value(forKey key: String) throws -> Any? {
    guard key == "items" else { return try (self as any KeyValueObservable).value(forKey: key) }
    return items.map { $0 as Any? }
  }

  func setValue(_ value: Any?, forKey key: String) throws {
    guard key == "items", let value = value as? [Any?] else {
      return try (self as any KeyValueObservable).setValue(value, forKey: key)
    }
    items = value.compactMap { $0 as? String }
  }
}
