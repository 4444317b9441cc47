import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Keys that only a class's own coding, or its hooks for undefined keys, answer.
@Suite("K. Keys that a class answers itself")
struct AnsweredKeyTests {
  private let log = ChangeLog()

  @Test("K2 A key that only a class's own coding answers notifies once for each set")
  func ownCoding() throws {
    let book = Guestbook()
    let desk = Desk(book)
    let token = try book.observe(
      "guests", options: [.old, .new], changeHandler: log.handler("guests"))
    try desk.setValue(["Ada"], forKeyPath: "book.guests")
    try (book as any KeyValueObservable).setValue(["Ben"], forKey: "guests")
    try book.setValues(forKeys: ["guests": ["Cleo"]])
    #expect(
      log.take() == [
        #"guests: setting, old: [], new: ["Ada"]"#, #"guests: setting, old: ["Ada"], new: ["Ben"]"#,
        #"guests: setting, old: ["Ben"], new: ["Cleo"]"#,
      ])
    #expect(throws: KeyValueCodingError.self) {
      try desk.setValue(1, forKeyPath: "book.guests")
    }
    #expect(log.take() == [])
    #expect(book.names == ["Cleo"])
    token.invalidate()
    #expect(isIdle(book))
  }

  @Test("K2 A set that the class announces itself is part of the announced one")
  func announcedTwice() throws {
    let book = Guestbook()
    book.announces = true
    let token = try book.observe("guests", options: .new, changeHandler: log.handler("guests"))
    try Desk(book).setValue(["Ada"], forKeyPath: "book.guests")
    #expect(log.take() == [#"guests: setting, new: ["Ada"]"#])
    token.invalidate()
  }

  @Test("K2 A class that only reads with its own coding notifies once, and not if refused")
  func onlyReading() throws {
    let shelf = ReadingShelf()
    let token = try shelf.observe(
      "size", options: [.old, .new], changeHandler: log.handler("size"))
    try shelf.setValue(5, forKey: "size")
    #expect(log.take() == ["size: setting, old: 1, new: 5"])
    #expect(throws: KeyValueCodingError.self) { try shelf.setValue("x", forKey: "size") }
    #expect(log.take() == [])
    #expect(shelf.size == 5)
    token.invalidate()
  }

  @Test("C4 A proxy of a key that only a class's own coding answers reports kinds and indexes")
  func proxyOfOwnCoding() throws {
    let book = Guestbook()
    let token = try book.observe(
      "guests", options: [.old, .new], changeHandler: log.handler("guests"))
    let guests = try book.mutableArrayValue(forKey: "guests")
    guests.append("Ada")
    guests.append("Ben")
    guests.remove(at: 0)
    guests[0] = "Cleo"
    #expect(
      log.take() == [
        #"guests: insertion, indexes: 0, new: ["Ada"]"#,
        #"guests: insertion, indexes: 1, new: ["Ben"]"#,
        #"guests: removal, indexes: 0, old: ["Ada"]"#,
        #"guests: replacement, indexes: 0, old: ["Ben"], new: ["Cleo"]"#,
      ])
    #expect(book.names == ["Cleo"])
    token.invalidate()
  }

  @Test("C4 A proxy of a key that only value(forUndefinedKey:) answers reports kinds and indexes")
  func proxyOfUndefinedKey() throws {
    let sack = Sack()
    let token = try sack.observe("list", options: [.old, .new], changeHandler: log.handler("list"))
    let list = try sack.mutableArrayValue(forKey: "list")
    list.append(3)
    list.remove(at: 0)
    try sack.setValue([7], forKey: "list")
    #expect(
      log.take() == [
        "list: insertion, indexes: 1, new: [3]", "list: removal, indexes: 0, old: [1]",
        "list: setting, old: [3], new: [7]",
      ])
    let set = try sack.observe("set", options: [.old, .new], changeHandler: log.handler("set"))
    try sack.mutableSetValue(forKey: "set").insert("b")
    #expect(log.take() == [#"set: insertion, new: ["b"]"#])
    token.invalidate()
    set.invalidate()
    #expect(isIdle(sack))
  }

  @Test("X2 A key that only the class answers is taken back, observed before or not, and untold")
  func rollback() throws {
    let pad = Pad()
    func fail() throws {
      try pad.performChanges(rollingBack: true) { pad in
        try (pad as any KeyValueObservable).setValue(5, forKey: "size")
        try (pad as any KeyValueObservable).setValue(["x", "y"], forKey: "lines")
        #expect(pad.state() == #"5 ["x", "y"]"#)
        throw CancellationError()
      }
    }
    // Nothing has asked for the keys yet.
    #expect(throws: CancellationError.self) { try fail() }
    #expect(pad.state() == #"1 ["a"]"#)
    let tokens = try ["size", "lines"].map { key in
      try pad.observe(key, options: [.old, .new], changeHandler: log.handler(key))
    }
    let recorder = KeyValueChangeRecorder()
    try recorder.record(pad, "size")
    #expect(throws: CancellationError.self) { try fail() }
    #expect(pad.state() == #"1 ["a"]"# && log.take() == [] && !recorder.canUndo)
    try (pad as any KeyValueObservable).setValue(5, forKey: "size")
    #expect(log.take() == ["size: setting, old: 1, new: 5"])
    for token in tokens { token.invalidate() }
  }

  @Test("K1 A key that only a subclass without the macro answers is observed, and taken back")
  func answeredBySubclass() throws {
    let bag = Bag()
    func fail() throws {
      try bag.performChanges(rollingBack: true) { bag in
        try bag.setValue("red", forKey: "theme")
        throw CancellationError()
      }
    }
    #expect(throws: CancellationError.self) { try fail() }
    #expect(try bag.value(forKey: "theme") as? String == "dark")
    let token = try bag.observe(
      "theme", options: [.old, .new], changeHandler: log.handler("theme"))
    try bag.setValue("light", forKey: "theme")
    #expect(log.take() == [#"theme: setting, old: "dark", new: "light""#])
    token.invalidate()
    #expect(throws: KeyValueCodingError.self) { try bag.observe("colour") { _, _ in } }
    #expect(isIdle(bag))
  }
}

@KeyValueObservable
private class Store {
  var size = 1
}

/// Not annotated: answers keys that it doesn't declare.
private final class Bag: Store {
  var others = ["theme": "dark"]

  override func value(forUndefinedKey key: String) throws -> Any? {
    if let value = others[key] { value } else { try super.value(forUndefinedKey: key) }
  }

  override func setValue(_ value: Any?, forUndefinedKey key: String) throws {
    guard others[key] != nil, let value = value as? String else {
      return try super.setValue(value, forUndefinedKey: key)
    }
    others[key] = value
  }
}

@KeyValueObservable
private final class Pad {
  @KeyValueIgnored var size = 1
  @KeyValueIgnored var lines = ["a"]
  func state() -> String { "\(size) \(lines)" }

  func value(forKey key: String) throws -> Any? {
    switch key {
    case "size": size
    case "lines": lines
    default: try (self as any KeyValueObservable).value(forKey: key)
    }
  }

  func setValue(_ value: Any?, forKey key: String) throws {
    switch (key, value) {
    case ("size", let value as Int): size = value
    case ("lines", let value as [String]): lines = value
    default: try (self as any KeyValueObservable).setValue(value, forKey: key)
    }
  }
}

/// Reads with its own coding, and sets through the hook for undefined keys.
@KeyValueObservable
private final class ReadingShelf {
  @KeyValueIgnored var size = 1

  func value(forKey key: String) throws -> Any? {
    if key == "size" { return size }
    return try (self as any KeyValueObservable).value(forKey: key)
  }

  func setValue(_ value: Any?, forUndefinedKey key: String) throws {
    guard key == "size", let size = value as? Int else {
      throw KeyValueCodingError.readOnly(key, of: self)
    }
    self.size = size
  }
}

@KeyValueObservable
private final class Guestbook {
  @KeyValueIgnored var names: [String] = []
  @KeyValueIgnored var announces = false

  func value(forKey key: String) throws -> Any? {
    if key == "guests" { return names }
    return try (self as any KeyValueObservable).value(forKey: key)
  }

  func setValue(_ value: Any?, forKey key: String) throws {
    guard key == "guests" else {
      return try (self as any KeyValueObservable).setValue(value, forKey: key)
    }
    guard let new = value as? [String] else { throw KeyValueCodingError.readOnly(key, of: self) }
    if announces { willChangeValue(forKey: "guests") }
    names = new
    if announces { didChangeValue(forKey: "guests") }
  }
}

@KeyValueObservable
private final class Desk {
  var book: Guestbook

  init(_ book: Guestbook) { self.book = book }
}

@KeyValueObservable
private final class Sack {
  @KeyValueIgnored var contents: [String: Any] = ["list": [1], "set": ["a"] as Set<String>]

  func value(forUndefinedKey key: String) throws -> Any? {
    guard let value = contents[key] else { throw KeyValueCodingError.undefinedKey(key, of: self) }
    return value
  }

  func setValue(_ value: Any?, forUndefinedKey key: String) throws { contents[key] = value }
}
