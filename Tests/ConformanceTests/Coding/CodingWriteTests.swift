import struct Foundation.CGFloat
import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("K. Key-value coding: setting")
struct CodingWriteTests {
  private let log = ChangeLog()

  /// A value to set, and the expected result.
  struct Conversion: Sendable, CustomTestStringConvertible {
    let key: String
    let value: any Sendable
    let expected: any Sendable & Equatable

    init(_ key: String, _ value: any Sendable, _ expected: any Sendable & Equatable) {
      self.key = key
      self.value = value
      self.expected = expected
    }

    var testDescription: String { "\(key) = \(value) of \(type(of: value))" }

    func holds(_ read: Any?) -> Bool {
      func isEqual<Value: Equatable>(_ expected: Value) -> Bool { read as? Value == expected }
      return isEqual(expected)
    }
  }

  @Test("K2 a collection whose elements are converted notifies once; a refused one doesn't")
  func convertedElementsNotify() throws {
    let hand = Hand()
    let token = hand.observe(\.years, options: [.old, .new], changeHandler: log.handler("years"))
    try hand.setValue([1, 2] as [Int8], forKey: "years")
    #expect(throws: KeyValueCodingError.self) { try hand.setValue([1, 2.5], forKey: "years") }
    try hand.setValue([3.0, 4] as [Any], forKey: "years")
    #expect(
      log.take() == [
        "years: setting, old: [], new: [1, 2]", "years: setting, old: [1, 2], new: [3, 4]",
      ])
    try hand.setValue(Set([1]), forKey: "held")
    #expect(hand.held == [.right])
    token.invalidate()
  }

  @Test(
    "K2 a value that the property can hold exactly is converted and notifies once",
    arguments: [
      Conversion("integer", 5, 5), Conversion("integer", 3.0, 3),
      Conversion("integer", Float(4), 4), Conversion("integer", UInt8(200), 200),
      Conversion("integer", true, 1), Conversion("integer", false, 0),
      Conversion("small", 127, Int8(127)), Conversion("small", -128.0, Int8(-128)),
      Conversion("unsigned", 5, UInt(5)), Conversion("unsigned", UInt64.max, UInt.max),
      Conversion("double", 2, 2.0), Conversion("double", Float(0.5), 0.5),
      Conversion("double", true, 1.0), Conversion("double", 1 << 53, 9007199254740992.0),
      Conversion("double", Double.infinity, Double.infinity),
      Conversion("single", 0.5, Float(0.5)), Conversion("single", 16_777_216, Float(16_777_216)),
      Conversion("single", -Double.infinity, -Float.infinity),
      Conversion("flag", true, true), Conversion("flag", 1, true), Conversion("flag", 0, false),
      Conversion("flag", 1.0, true), Conversion("flag", UInt8(0), false),
      Conversion("string", "b", "b"),
      Conversion("colour", Colour.green, Colour.green), Conversion("colour", "green", Colour.green),
      Conversion("level", Level.high, Level.high), Conversion("level", 2, Level.high),
      Conversion("level", 2.0, Level.high), Conversion("level", UInt8(1), Level.low),
      Conversion("shape", Shape.circle(radius: 1), Shape.circle(radius: 1)),
      Conversion("permissions", 3, Permissions([.read, .write])),
      Conversion("maybe", 5, 5), Conversion("maybe", 5.0, 5), Conversion("maybe", true, 1),
      Conversion("maybeFlag", 1, true), Conversion("maybeFlag", false, false),
      Conversion("maybeLevel", 2, Level.high), Conversion("forced", "b", "b"),
      Conversion("list", ["a", "b"], ["a", "b"]), Conversion("list", [String](), [String]()),
      Conversion("set", Set(["b"]), Set(["b"])),
      Conversion("anything", 5, 5), Conversion("anything", "b", "b"),
      Conversion("tripled", 9, 9), Conversion("tripled", 9.0, 9),
      Conversion("detached", 5, 5),
    ])
  func conversions(_ conversion: Conversion) throws {
    let form = Form()
    let token = try form.observe(conversion.key, changeHandler: log.handler("set"))
    try form.setValue(conversion.value, forKey: conversion.key)
    #expect(log.take() == ["set: setting"])
    #expect(conversion.holds(try form.value(forKey: conversion.key)))
    token.invalidate()
  }

  @Test("K2 a CGFloat takes integers and other numbers, and is taken as a number")
  func coreGraphics() throws {
    let canvas = Canvas()
    try canvas.setValue(2, forKey: "width")
    #expect(canvas.width == 2)
    try canvas.setValue(true, forKey: "width")
    #expect(canvas.width == 1)
    try canvas.setValue(2.5, forKey: "width")
    #expect(canvas.width == 2.5)
    #expect(
      message { try canvas.setValue((1 << 53) + 1, forKey: "width") }
        == "Canvas.width was given a value of the wrong type: it holds CGFloat, which cannot take "
        + "9007199254740993 of type Int exactly.")
    try canvas.setValue(CGFloat(3), forKey: "columns")
    #expect(canvas.columns == 3)
  }

  @Test("K2 nil for a nested optional is nil without any level around it")
  func nestedOptional() throws {
    let canvas = Canvas()
    try canvas.setValue(1, forKey: "layer")
    #expect(canvas.layer == .some(.some(1)))
    try canvas.setValue(nil, forKey: "layer")
    #expect(canvas.layer == Int??.none)
  }

  @Test("K2 an override that adds a setter, or widens it, can be set by key")
  func overridingSetter() throws {
    let base = Canvas()
    #expect(
      message { try base.setValue(4, forKey: "area") } == "Canvas.area can be read but not set.")
    #expect(
      message { try base.setValue(4, forKey: "depth") }
        == "Canvas.depth can be read but not set: its setter is fileprivate.")
    for canvas in [SizedCanvas(), FramedCanvas()] {
      let tokens = try ["area", "depth"].map {
        try canvas.observe($0, options: [.old, .new], changeHandler: log.handler($0))
      }
      try canvas.setValue(4.0, forKey: "area")
      #expect(canvas.columns == 4)
      #expect(log.take() == ["area: setting, old: 2, new: 8"])
      try canvas.setValue(5, forKey: "depth")
      #expect(canvas.depth == 5)
      #expect(log.take() == ["depth: setting, old: 1, new: 5"])
      for token in tokens { token.invalidate() }
    }
  }

  @Test("K2 a key that only methods implement is read-only, unless the hook accepts it")
  func accessorsAlone() throws {
    #expect(
      message { try Rows().setValue([1], forKey: "rows") } == "Rows.rows can be read but not set.")
    let storing = StoringRows()
    try storing.setValue([1], forKey: "rows")
    #expect(storing.calls == ["rows"])
    #expect(
      message { try storing.setValue([1], forKey: "row") }
        == "StoringRows has no key 'row'. Did you mean 'rows'?")
  }

  @Test("K2 NaN stays NaN between floating-point types")
  func notANumber() throws {
    let form = Form()
    try form.setValue(Double.nan, forKey: "single")
    try form.setValue(Float.nan, forKey: "double")
    #expect(form.single.isNaN && form.double.isNaN)
  }

  @Test("K2 untyped collections and subclass instances are accepted if every element fits")
  func untypedCollections() throws {
    let form = Form()
    try form.setValue(["a", "b"] as [Any], forKey: "list")
    try form.setValue(Set<AnyHashable>(["c"]), forKey: "set")
    try form.setValue(Manager(), forKey: "person")
    #expect(form.list == ["a", "b"] && form.set == ["c"] && form.person is Manager)
    #expect(
      message { try form.setValue(["a", 1] as [Any], forKey: "list") }.hasPrefix(
        "Form.list was given a value of the wrong type: it holds Array<String>, which cannot take ")
    )
    #expect(form.list == ["a", "b"])
  }

  @Test("K2 a collection's elements convert as single values do, all or none")
  func elements() throws {
    let series = Series()
    try series.setValue([1, 2], forKey: "doubles")
    try series.setValue([2.0, 3] as [Double], forKey: "integers")
    try series.setValue([1, nil] as [Int?], forKey: "optionals")
    try series.setValue(Set([1, 2]), forKey: "set")
    try series.setValue([1, 2], forKey: "levels")
    try series.setValue([[1], [2, 3]], forKey: "nested")
    #expect(series.doubles == [1, 2] && series.integers == [2, 3])
    #expect(series.optionals == [1, nil] && series.set == [1, 2])
    #expect(series.levels == [.low, .high] && series.nested == [[1], [2, 3]])
    for (key, value) in [
      ("integers", [1, 1.5] as [Double]), ("doubles", ["1"]), ("doubles", [1, nil] as [Int?]),
      ("doubles", Set([1])), ("set", [1]), ("levels", [3]),
    ] as [(String, Any)] {
      #expect(
        message { try series.setValue(value, forKey: key) }.contains("wrong type"), "\(key)")
    }
    #expect(series.doubles == [1, 2] && series.integers == [2, 3])
  }

  @Test("K2 a dictionary's keys and values convert as single values do, all or none")
  func dictionaries() throws {
    let series = Series()
    let token = series.observe(\.counts, options: .new, changeHandler: log.handler("counts"))
    try series.setValue(["a": 1.0, "b": 2], forKey: "counts")
    try series.setValue([1: 2, 2: nil] as [Int8: Int?], forKey: "byNumber")
    try series.setValue(["a": [1], "b": []], forKey: "lists")
    try series.setValue(["a": ["b": 1]], forKey: "nestedLevels")
    #expect(series.counts == ["a": 1, "b": 2] && series.byNumber == [1: 2, 2: nil])
    #expect(series.lists == ["a": [1], "b": []] && series.nestedLevels == ["a": ["b": .low]])
    for (key, value) in [
      ("counts", ["a": 1.5]), ("counts", ["a": 1, "b": "2"] as [String: Any]),
      ("counts", ["a": 1, "b": nil] as [String: Int?]), ("counts", [1: 1]), ("counts", ["a"]),
      ("byNumber", [1.5: 1]), ("byNumber", [AnyHashable(1): 1, AnyHashable(true): 2]),
      ("lists", ["a": 1]), ("lists", ["a": Set([1.0])]), ("doubles", ["a": 1]),
    ] as [(String, Any)] {
      #expect(
        message { try series.setValue(value, forKey: key) }.contains("wrong type"), "\(key)")
    }
    #expect(series.counts == ["a": 1, "b": 2] && series.byNumber == [1: 2, 2: nil])
    #expect(log.take().map { $0.prefix(20) } == ["counts: setting, new"])
    token.invalidate()
  }

  @Test(
    "K2 a value that cannot be held exactly is a mismatch; nothing changes or notifies",
    arguments: [
      Conversion("integer", 3.5, "3.5 of type Double"),
      Conversion("integer", "5", "\"5\" of type String"),
      Conversion("integer", Double.nan, "nan of type Double"),
      Conversion("integer", Double.infinity, "inf of type Double"),
      Conversion("integer", UInt64.max, "18446744073709551615 of type UInt64"),
      Conversion("small", 128, "128 of type Int"),
      Conversion("unsigned", -1, "-1 of type Int"),
      Conversion("double", (1 << 53) + 1, "9007199254740993 of type Int"),
      Conversion("double", "1.5", "\"1.5\" of type String"),
      Conversion("single", 0.1, "0.1 of type Double"),
      Conversion("single", 16_777_217, "16777217 of type Int"),
      Conversion("flag", 2, "2 of type Int"), Conversion("flag", -1, "-1 of type Int"),
      Conversion("flag", 0.5, "0.5 of type Double"),
      Conversion("flag", "true", "\"true\" of type String"),
      Conversion("string", 5, "5 of type Int"), Conversion("string", true, "true of type Bool"),
      Conversion("colour", "blue", "\"blue\" of type String"),
      Conversion("colour", 1, "1 of type Int"),
      Conversion("level", 3, "3 of type Int"), Conversion("level", "1", "\"1\" of type String"),
      Conversion("level", Colour.red, "red of type Colour"),
      Conversion("permissions", 256, "256 of type Int"),
      Conversion("list", "a", "\"a\" of type String"),
      Conversion("tripled", 0.5, "0.5 of type Double"),
      Conversion("detached", "a", "\"a\" of type String"),
    ])
  func mismatches(_ conversion: Conversion) throws {
    let form = Form()
    let types = [
      "integer": "Int", "small": "Int8", "unsigned": "UInt", "double": "Double", "single": "Float",
      "flag": "Bool", "string": "String", "colour": "Colour", "level": "Level",
      "permissions": "Permissions", "list": "Array<String>", "tripled": "Int", "detached": "Int",
    ]
    let key = conversion.key
    let token = try form.observe(
      key, options: [.prior, .old, .new], changeHandler: log.handler("set"))
    let before = "\(try form.value(forKey: key) ?? "nil")"
    #expect(
      message { try form.setValue(conversion.value, forKey: key) }
        == "Form.\(key) was given a value of the wrong type: it holds \(types[key] ?? ""), which "
        + "cannot take \(conversion.expected) exactly.")
    #expect("\(try form.value(forKey: key) ?? "nil")" == before)
    #expect(log.take() == [])
    token.invalidate()
  }

  @Test("K2 an object of another class is a mismatch for a weak property")
  func wrongClass() throws {
    let form = Form()
    #expect(
      message { try form.setValue(Account(), forKey: "weakPerson") }
        == "Form.weakPerson was given a value of the wrong type: it holds Optional<Person>, which cannot "
        + "take KeyValueTestSupport.Account of type Account exactly.")
    #expect(form.weakPerson == nil)
  }

  @Test(
    "K2 an optional can be set to nil, however deeply it is wrapped, and notifies once",
    arguments: ["maybe", "maybeFlag", "maybeLevel", "forced", "anything", "person", "weakPerson"])
  func settingNil(key: String) throws {
    let form = Form()
    let person = Person()
    (form.maybe, form.maybeFlag, form.maybeLevel) = (1, true, .low)
    (form.forced, form.anything, form.person, form.weakPerson) = ("a", 1, person, person)
    let token = try form.observe(key, options: .new, changeHandler: log.handler("set"))
    try form.setValue(nil, forKey: key)
    #expect(try form.value(forKey: key) == nil)
    #expect(log.take() == ["set: setting, new: nil"])
    try form.setValue(Int??.some(.none) as Any, forKey: key)
    #expect(log.take() == ["set: setting, new: nil"])
    token.invalidate()
  }

  @Test("K2 K5 K6 X3 nil inside of a property of type Any is nil")
  func nilInsideOfAny() throws {
    let (full, empty) = (Packet(2), Packet(Int?.none as Any))
    #expect(try empty.value(forKey: "content") == nil)
    #expect(try [full, empty].value(forKeyPath: "@sum.content") as? Int == 2)
    #expect(try Set([full, empty]).value(forKey: "content") as? Set<Int> == [2])
    let recorder = KeyValueChangeRecorder()
    try recorder.record(empty, "content")
    empty.content = 5
    #expect(try recorder.undo() && described(empty.content) == "nil")
    var isNil: [Bool] = []
    let token = try full.observe("content", options: .new) { _, change in
      isNil.append((change.newValue ?? nil) == nil)
    }
    full.content = 3
    full.content = String?.none as Any
    try full.setValue(nil, forKey: "content")
    #expect(described(full.content) == "nil" && isNil == [false, true, true])
    token.invalidate()
  }

  @Test("K2 nil for a non-optional property calls the nil hook, which throws")
  func nilForANonOptional() throws {
    let form = Form()
    let token = form.observe(\.integer, options: .prior, changeHandler: log.handler("set"))
    #expect(
      message { try form.setValue(nil, forKey: "integer") }
        == "Form.integer cannot be nil: it holds Int.")
    #expect(
      message { try form.setValue(String?.none as Any, forKey: "list") }
        == "Form.list cannot be nil: it holds Array<String>.")
    #expect(form.integer == 1 && log.take() == [])
    token.invalidate()
  }

  @Test("K2 the nil hook can set another value, which notifies once, or throw")
  func nilHook() throws {
    let accommodating = Accommodating()
    let token = accommodating.observe(
      \.age, options: [.old, .new], changeHandler: log.handler("age"))
    try accommodating.setValue(nil, forKey: "age")
    #expect(log.take() == ["age: setting, old: 1, new: 0"])
    #expect(
      message { try accommodating.setValue(nil, forKey: "name") }
        == "Accommodating.name cannot be nil: it holds String.")
    #expect(accommodating.calls == ["nil age", "nil name"])
    let strict: Applicant = StrictApplicant()
    strict.age = 50
    try strict.setValue(nil, forKeyPath: "age")
    #expect(strict.age == 18)
    token.invalidate()
  }

  @Test(
    "K2 setting a read-only key throws for every value and notifies no observer",
    arguments: [("constant", ""), ("guarded", ": its setter is private"), ("computed", "")])
  func readOnly(key: String, reason: String) throws {
    let form = Form()
    let token = try form.observe(key, options: .prior, changeHandler: log.handler("set"))
    for value in [5, nil, "a"] as [Any?] {
      #expect(
        message { try form.setValue(value, forKey: key) }
          == "Form.\(key) can be read but not set\(reason).")
    }
    #expect(log.take() == [])
    #expect(form.constant == 7 && form.guarded == 1)
    token.invalidate()
  }

  @Test("K2 setting an unknown key calls the undefined-key hook")
  func undefinedKey() throws {
    #expect(
      message { try Form().setValue(1, forKey: "ignored") } == "Form has no key 'ignored'.")
    #expect(
      message { try Form().setValue(nil, forKey: "itneger") }
        == "Form has no key 'itneger'. Did you mean 'integer'?")
    let accommodating = Accommodating()
    try accommodating.setValue(5, forKey: "height")
    try accommodating.setValue(nil, forKeyPath: "width")
    #expect(
      message { try accommodating.setValue(1, forKey: "secret") }
        == "Accommodating has no key 'secret'.")
    #expect(accommodating.calls == ["set height 5", "set width nil", "set secret 1"])
  }
}

@KeyValueObservable
private class Canvas {
  var width: CGFloat = 1
  var columns = 1
  var layer: Int??
  var area: Int { columns }
  fileprivate(set) var depth = 1
}

@KeyValueObservable
private class SizedCanvas: Canvas {
  override var area: Int {
    get { super.area * 2 }
    set { columns = newValue }
  }
  override var depth: Int {
    get { super.depth }
    set { super.depth = newValue }
  }
}

private enum Side: Int { case left, right }

@KeyValueObservable
private final class Hand {
  var years: [Int] = []
  var held: Set<Side>?
}

@KeyValueObservable
private final class FramedCanvas: SizedCanvas {
  var frame = 0
}

@KeyValueObservable
private class Rows {
  func countOfRows() -> Int { 2 }
  func objectInRows(at index: Int) -> Int { index }
}

@KeyValueObservable
private final class StoringRows {
  @KeyValueIgnored var calls: [String] = []
  func countOfRows() -> Int { 2 }
  func objectInRows(at index: Int) -> Int { index }
  func setValue(_ value: Any?, forUndefinedKey key: String) throws {
    guard key == "rows" else { throw KeyValueCodingError.undefinedKey(key, of: self) }
    calls.append(key)
  }
}

@KeyValueObservable
private final class Series {
  var doubles: [Double] = []
  var integers: [Int] = []
  var optionals: [Double?] = []
  var set: Set<Double> = []
  var levels: [Level] = []
  var nested: [[Double]] = []
  var counts: [String: Int] = [:]
  var byNumber: [Int: Double?] = [:]
  var lists: [String: [Double]] = [:]
  var nestedLevels: [String: [String: Level]] = [:]
}

@KeyValueObservable
private final class Packet: Hashable {
  var content: Any

  init(_ content: Any) { self.content = content }

  static func == (left: Packet, right: Packet) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
