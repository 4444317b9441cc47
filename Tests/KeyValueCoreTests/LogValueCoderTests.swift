import Foundation
import Testing

@testable import KeyValueCore

@Suite("Log values, coded from Codable types")
struct LogValueCoderTests {
  private let encoder = LogValueEncoder { _ in nil }
  private let decoder = LogValueDecoder { _ in throw NoObject() }

  /// The encoded value, after every way has led to it and back, and JSON's coders agree.
  private func encoded<Value: Codable & Equatable>(
    _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> KeyValueLogValue {
    let encoded = try encoder.encode(value)
    let coding = LogValueCoding<Value>()
    #expect(try identical(encoded, coding.encode(value, encoder)), sourceLocation: sourceLocation)
    #expect(
      try identical(encoded, encoder.encodeInContainers(value)), sourceLocation: sourceLocation)
    for log in [encoded, wholeNumbersAsIntegers(encoded)] {
      let decoded = try [
        decoder.decode(Value.self, from: log), coding.decode(log, decoder),
        decoder.decodeFromContainers(Value.self, from: log),
      ]
      #expect(decoded == [value, value, value], sourceLocation: sourceLocation)
    }
    let fromJSON = try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    #expect(fromJSON == value, sourceLocation: sourceLocation)
    return encoded
  }

  /// What JSON makes of a value.
  private func wholeNumbersAsIntegers(_ value: KeyValueLogValue) -> KeyValueLogValue {
    switch value {
    case .number(let number): Int(exactly: number).map { .integer($0) } ?? value
    case .array(let values): .array(values.map(wholeNumbersAsIntegers))
    case .dictionary(let values): .dictionary(values.mapValues(wholeNumbersAsIntegers))
    default: value
    }
  }

  /// Equal, and of the same cases: 2 isn't 2.0.
  private func identical(_ left: KeyValueLogValue, _ right: KeyValueLogValue) -> Bool {
    left == right && "\(left)" == "\(right)"
  }

  // MARK: Values without containers

  @Test("Scalars are what they are")
  func scalars() throws {
    #expect(try encoded(true) == true)
    #expect(try encoded("text \u{0} “é”") == "text \u{0} “é”")
    #expect(try "\(encoded(2.0))" == "2.0")
    #expect(try "\(encoded(Float(0.1)))" == "0.10000000149011612")
    #expect(try encoded(Double.leastNonzeroMagnitude) == .number(.leastNonzeroMagnitude))
    #expect(try encoded(Double.greatestFiniteMagnitude) == .number(.greatestFiniteMagnitude))
    let largest = Float.greatestFiniteMagnitude
    #expect(try encoded(largest) == .number(Double(largest)))
  }

  @Test("Integers of every width have their bounds")
  func integers() throws {
    func bounds<Number: FixedWidthInteger & Codable>(_ type: Number.Type) throws {
      #expect(try encoded(Number.min) == .integer(Int(Number.min)))
      #expect(try encoded(Number(clamping: Int.max)) == .integer(Int(clamping: Number.max)))
    }
    try bounds(Int.self)
    try bounds(Int8.self)
    try bounds(Int16.self)
    try bounds(Int32.self)
    try bounds(Int64.self)
    try bounds(UInt.self)
    try bounds(UInt8.self)
    try bounds(UInt16.self)
    try bounds(UInt32.self)
    try bounds(UInt64.self)
    #expect(try encoded(UInt128(7)) == 7)
    #expect(try encoded(Int128(Int.min)) == .integer(.min))
    #expect(try encoded([[Int128(Int.max)]]) == [[.integer(.max)]])
  }

  @Test("Numbers that JSON doesn't have stay numbers")
  func nonFinite() throws {
    for number in [Double.infinity, -.infinity, .nan] {
      let value = try encoder.encode(["key": number])
      #expect(value == ["key": .number(number)])
      let json = try JSONEncoder().encode(value)
      let back = try decoder.decode(
        [String: Double].self, from: JSONDecoder().decode(KeyValueLogValue.self, from: json))
      #expect("\(back)" == #"["key": \#(number)]"#)
      #expect(try "\(decoder.decode(Float.self, from: .number(number)))" == "\(number)")
    }
  }

  @Test("Optionals and arrays of scalars need no containers, and are the same with them")
  func plainCollections() throws {
    #expect(try encoded(Int?.none) == nil)
    #expect(try encoded(Int?.some(3)) == 3)
    #expect(try encoded([1, nil, 3]) == [1, nil, 3])
    #expect(try encoded([[true], [], [false, true]]) == [[true], [], [false, true]])
    #expect(try encoded(["a", "b"]) == ["a", "b"])
    #expect(try encoded([Float]?.some([0.5])) == [0.5])
    #expect(try encoded([Int]()) == [])
    // A nil in a nil is one nil, as in JSON.
    let inner: Int?? = .some(nil)
    let back = try decoder.decode(Int??.self, from: encoder.encode(inner))
    if case .some(let value) = back { Issue.record("\(String(describing: value))") }
  }

  @Test("An integer is decoded as a floating-point number, and a whole number as an integer")
  func numbers() throws {
    #expect(try decoder.decode(Double.self, from: 2) == 2)
    #expect(try decoder.decode(Float.self, from: 2) == 2)
    #expect(try decoder.decode(Float.self, from: 0.1) == 0.1)
    #expect(try decoder.decode(Int.self, from: 2.0) == 2)
    #expect(try decoder.decode(UInt8.self, from: 255.0) == 255)
    #expect(try decoder.decode(UInt64.self, from: 1e19) == 10_000_000_000_000_000_000)
    #expect(try decoder.decode([Int128].self, from: [-1e20]) == [-100_000_000_000_000_000_000])
    #expect(try decoder.decode(Whole.self, from: ["number": 3.0]) == Whole(number: 3))
  }

  // MARK: Shapes

  @Test("A structure is a dictionary; keys that are nil are left out")
  func structures() throws {
    let inner = Inner(name: "a", count: 2, ratio: 0.5, flag: nil)
    #expect(try encoded(inner) == ["name": "a", "count": 2, "ratio": 0.5])
    #expect(
      try encoded(Outer(inner: inner, maybe: inner, list: [inner], table: ["x": inner], none: nil))
        == [
          "inner": ["name": "a", "count": 2, "ratio": 0.5],
          "maybe": ["name": "a", "count": 2, "ratio": 0.5],
          "list": [["name": "a", "count": 2, "ratio": 0.5]],
          "table": ["x": ["name": "a", "count": 2, "ratio": 0.5]],
        ])
    #expect(
      try decoder.decode(Inner.self, from: ["name": "a", "count": 2, "ratio": 0.5, "flag": nil])
        == inner)
    #expect(try encoded(Empty()) == [:])
    #expect(try encoded([Empty(), Empty()]) == [[:], [:]])
  }

  @Test("Every type of number is a field of its own")
  func everyWidth() throws {
    let value = Widths()
    let fields: KeyValueLogValue = [
      "int": -1, "int8": -8, "int16": -16, "int32": -32, "int64": -64, "int128": -128,
      "uint": 1, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64, "uint128": 128,
      "float": 0.5, "double": 0.25, "bool": true, "string": "s",
    ]
    #expect(try encoded(value) == fields)
    // A type that writes and reads fields one by one, in an array.
    #expect(
      try encoded(WidthsInArray(widths: value)) == [
        -1, -8, -16, -32, -64, -128, 1, 8, 16, 32, 64, 128, 0.5, 0.25, true, "s", nil,
      ])
  }

  @Test("Enumerations have their raw values, or a dictionary of their payload")
  func enumerations() throws {
    #expect(try encoded(Suit.hearts) == "hearts")
    #expect(try encoded([Suit.hearts, .spades]) == ["hearts", "spades"])
    #expect(try encoded(Shape.empty) == ["empty": [:]])
    #expect(try encoded(Shape.circle(radius: 1.5)) == ["circle": ["radius": 1.5]])
    #expect(
      try encoded(Shape.group([.empty, .labelled("x", of: .circle(radius: 2))])) == [
        "group": [
          "_0": [["empty": [:]], ["labelled": ["_0": "x", "of": ["circle": ["radius": 2.0]]]]]
        ]
      ])
  }

  @Test("A subclass encodes its superclass's part with a super-encoder, or beside its own")
  func hierarchies() throws {
    #expect(
      try encoded(Car(wheels: 4, plate: "X")) == ["plate": "X", "super": ["wheels": 4]])
    #expect(
      try encoded(Truck(wheels: 6, load: 2.5)) == ["load": 2.5, "base": ["wheels": 6]])
    #expect(try encoded(Bus(wheels: 8, seats: 50)) == ["seats": 50, "wheels": 8])
    #expect(try encoded(Tram(wheels: 10, line: 1)) == [1, ["wheels": 10]])
    #expect(try decoder.decode(Car.self, from: ["plate": "X"]).wheels == -1)
  }

  @Test("Nested containers may be written in any order, and asked for twice")
  func nested() throws {
    #expect(
      try encoded(Interleaved(numbers: [1, 2])) == [
        "head": ["first": 1, "last": 2], "list": [1, [2], ["last": 2], nil], "tail": 2,
      ])
    #expect(try encoder.encode(Overwritten()) == ["key": 1])
  }

  @Test("Containers know their paths and counts")
  func paths() throws {
    let paths = Paths()
    _ = try encoder.encode(["a": [paths]])
    #expect(
      paths.log == [
        "a/Index 0 0", "a/Index 0/nested", "a/Index 0/nested/list 0",
        "a/Index 0/nested/list/Index 1 0",
        "a/Index 0/nested/super",
      ])
    let decoded = try decoder.decode(
      [String: [Paths]].self, from: ["a": [["nested": ["list": [1, []]]]]])
    #expect(decoded["a"]?[0].log == paths.log.map { $0.hasSuffix("list 0") ? $0 + "/2" : $0 })
  }

  // MARK: Dictionaries and sets

  @Test("Dictionaries are encoded as Swift does, with ascending keys in arrays")
  func dictionaries() throws {
    #expect(try encoded(["a": 1, "b": 2]) == ["a": 1, "b": 2])
    #expect(try encoded([String: Int]()) == [:])
    #expect(try encoded([3: "c", -1: "a"]) == ["3": "c", "-1": "a"])
    #expect(try encoded([Name("x"): [1]]) == ["x": [1]])
    let spans = Dictionary(uniqueKeysWithValues: (0..<20).map { (Span(start: $0, end: 0), $0) })
    let pairs: [[KeyValueLogValue]] = (0..<20).map {
      [["start": .integer($0), "end": 0], .integer($0)]
    }
    #expect(try encoded(spans) == .array(pairs.flatMap { $0 }))
    #expect(try encoded([Suit.spades: 1, .hearts: 2]) == ["hearts", 2, "spades", 1])
    #expect(try encoded(["@": 1, "@@": 2, "": 3]) == ["@": 1, "@@": 2, "": 3])
  }

  @Test("A set is an array in ascending order")
  func sets() throws {
    #expect(try encoded(Set(0..<50)) == .array((0..<50).map { .integer($0) }))
    #expect(try encoded(Set(["b", "a"])) == ["a", "b"])
    #expect(
      try encoded([Set([Span(start: 2, end: 0), Span(start: 1, end: 0)])])
        == [[["start": 1, "end": 0], ["start": 2, "end": 0]]])
    #expect(try encoded(Optional(Set([2, 1]))) == [1, 2])
    #expect(try encoded(["key": Set([false, true])]) == ["key": [false, true]])
  }

  // MARK: Types of others

  @Test("Foundation's types encode themselves")
  func foundation() throws {
    #expect(try encoded(Date(timeIntervalSinceReferenceDate: 1.5)) == 1.5)
    let url = try #require(URL(string: "https://swift.org/a?b"))
    #expect(try encoded(url) == ["relative": "https://swift.org/a?b"])
    let uuid = UUID(uuidString: "7F3C2D1A-90B4-4C5E-8D6F-0A1B2C3D4E12")!
    #expect(try encoded(uuid) == "7F3C2D1A-90B4-4C5E-8D6F-0A1B2C3D4E12")
    let bytes = Data((0...255).map { UInt8($0) })
    #expect(try encoded(bytes) == .array((0...255).map { .integer($0) }))
    #expect(try encoded(Data()) == [])
    for text in ["0", "-12.345", "99999999999999999999999999999999999999"] {
      _ = try encoded(Decimal(string: text)!)
    }
    _ = try encoded([1..<5, 7..<9])
    _ = try encoded([Calendar(identifier: .gregorian)])
    _ = try encoded(DateComponents(year: 2024, month: 2))
  }

  @Test("A log value, an id and a value of a record are plain data")
  func ownTypes() throws {
    let id = try #require(KeyValueObjectID("7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12"))
    #expect(try encoded(id) == "7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12")
    #expect(try encoded([id: 1]) == ["7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12": 1])
    let value: KeyValueLogValue = [
      1, 2.5, nil, "x", ["@": true], .reference(id), .number(.infinity),
    ]
    #expect(
      try encoded(value) == [
        1, 2.5, nil, "x", ["@@": true], ["@": "7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12"],
        ["@number": "infinity"],
      ])
  }

  // MARK: References

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

  // MARK: Errors of encoding

  @Test("An integer beyond Int is the string of its digits, wherever it is")
  func largeIntegers() throws {
    let digits = KeyValueLogValue.string("18446744073709551615")
    #expect(try encoder.encode(UInt64.max) == digits)
    #expect(try LogValueCoding<UInt?>().encode(.max, encoder) == digits)
    #expect(try encoder.encode([[1], [UInt64.max]]) == [[1], [digits]])
    let widths = Widths(int128: Int128(Int.min) - 1, uint64: .max, uint128: .max)
    let encoded = try encoder.encode(widths)
    #expect(try decoder.decode(Widths.self, from: encoded) == widths)
    let inArray = WidthsInArray(widths: widths)
    #expect(try decoder.decode(WidthsInArray.self, from: encoder.encode(inArray)) == inArray)
    #expect(try decoder.decode(UInt64.self, from: digits) == .max)
    #expect(try decoder.decode([UInt?].self, from: [digits, nil]) == [.max, nil])
  }

  @Test("Digits are an integer only where Int can't hold it")
  func digits() {
    func check<Value: Decodable>(_ type: Value.Type, _ value: KeyValueLogValue) {
      #expect(throws: DecodingError.self) { try decoder.decode(type, from: value) }
    }
    check(UInt64.self, "1")
    check(UInt64.self, "18446744073709551616")
    check(UInt64.self, "")
    check(Int.self, "9223372036854775808")
    check(Double.self, "18446744073709551615")
  }

  @Test("128 levels are encoded; a deeper value, and one that contains itself, isn't")
  func depth() throws {
    let deepest = Chain(count: KeyValueLogValue.maximumDepth)
    let value = try encoder.encode(deepest)
    #expect(throws: Never.self) { try JSONEncoder().encode(value) }
    #expect(try decoder.decode(Chain.self, from: value).count == KeyValueLogValue.maximumDepth)

    let text = "The value is more than 128 arrays and dictionaries deep."
    let path = Array(repeating: "next", count: 128).joined(separator: "/")
    for chain in [Chain(count: 129), Chain(count: 1_000)] {
      expectError("invalidValue: \(text) Path: \(path).") { try encoder.encode(chain) }
    }
    let cycle = Chain(count: 1)
    cycle.next = cycle
    expectError("invalidValue: \(text) Path: \(path).") { try encoder.encode(cycle) }
    cycle.next = nil
    // The 129th level has no values, or only plain ones.
    let list = Array(repeating: "next", count: 127).joined(separator: "/")
    #expect(try encoder.encode(Chain(count: 127, numbers: [1])) != nil)
    expectError("invalidValue 1: \(text) Path: \(list)/numbers.") {
      try encoder.encode(Chain(count: 128, numbers: [1]))
    }
    expectError("invalidValue: \(text) Path: \(list)/numbers.") {
      try encoder.encode(Chain(count: 128, numbers: []))
    }
    #expect(try encoder.encode(Nesting(count: 126)) != nil)
    for count in [127, 128, 1_000_000] {
      let path = Array(repeating: "Index 0", count: 127).joined(separator: "/")
      expectError("invalidValue: \(text) Path: nested/\(path).") {
        try encoder.encode(Nesting(count: count))
      }
    }
  }

  @Test("Values that are encoded or decoded inside one another without an end")
  func recursion() {
    expectError(
      "invalidValue: More than 1000 values are encoded inside one another; one may contain itself. "
        + "Path: ."
    ) { try encoder.encode(Endless()) }
    expectError(
      "dataCorrupted: More than 1000 values are decoded inside one another; one may contain itself. "
        + "Path: ."
    ) { try decoder.decode(Endless.self, from: 1) }
    var deep: KeyValueLogValue = [:]
    for _ in 0..<1_000 { deep = ["next": deep] }
    let path = Array(repeating: "next", count: 1_000).joined(separator: "/")
    expectError(
      "dataCorrupted: More than 1000 values are decoded inside one another; one may contain itself. "
        + "Path: \(path)."
    ) { try decoder.decode(Chain.self, from: deep) }
  }

  @Test("A value that encodes itself twice isn't encoded")
  func twice() {
    let text = "The value encodes itself twice, in containers of different kinds. Path: Index 0."
    for way in 0..<6 {
      expectError("invalidValue: \(text)") { try encoder.encode([Twice(way: way)]) }
    }
  }

  @Test("What an encode(to:) throws is passed on, and leaks nothing")
  func thrown() throws {
    weak var item: Item?
    do {
      // What is left of a call would hold the function for references, and that the item.
      let kept = Item(name: "kept")
      item = kept
      let encoder = LogValueEncoder { $0 === kept ? KeyValueObjectID() : nil }
      #expect(throws: NoObject.self) { try encoder.encode(["k": [Throwing()]]) }
      #expect(throws: EncodingError.self) { try encoder.encode(Nesting(count: 1_000)) }
      _ = try encoder.encode(Interleaved(numbers: [1, 2]))
    }
    #expect(item == nil)
  }

  // MARK: Errors of decoding

  @Test("A value of another kind")
  func kinds() {
    func check<Value: Decodable>(_ type: Value.Type, _ value: KeyValueLogValue, _ text: String) {
      expectError("\(text) Path: .") { try decoder.decode(type, from: value) }
      expectError("\(text) Path: a/Index 1.") {
        try decoder.decode([String: Second<Value>].self, from: ["a": [nil, value]])
      }
    }
    check(Int.self, "1", "typeMismatch: Expected Int but found a string.")
    check(Int.self, true, "typeMismatch: Expected Int but found a Boolean.")
    check(Int.self, nil, "valueNotFound: Expected Int but found nil.")
    check(String.self, 1, "typeMismatch: Expected String but found a number.")
    check(Bool.self, 1, "typeMismatch: Expected Bool but found a number.")
    check(Double.self, "1", "typeMismatch: Expected Double but found a string.")
    check(Double.self, [1], "typeMismatch: Expected Double but found an array.")
    check(String.self, [:], "typeMismatch: Expected String but found a dictionary.")
    check([Int].self, ["a": 1], "typeMismatch: Expected an array but found a dictionary.")
    check(Set<Int>.self, 1, "typeMismatch: Expected an array but found a number.")
    check([String: Int].self, [1], "typeMismatch: Expected a dictionary but found an array.")
    check(Inner.self, nil, "valueNotFound: Expected a dictionary but found nil.")
    check(Int?.self, "1", "typeMismatch: Expected Int but found a string.")
  }

  @Test("A number that the type can't hold")
  func ranges() {
    func check<Value: Decodable>(_ type: Value.Type, _ value: KeyValueLogValue) {
      expectError("dataCorrupted: \(type) can't hold \(value). Path: .") {
        try decoder.decode(type, from: value)
      }
      expectError("dataCorrupted: \(type) can't hold \(value). Path: Index 1.") {
        try decoder.decode([Value].self, from: [0, value])
      }
    }
    check(UInt8.self, 256)
    check(Int8.self, -129)
    check(UInt.self, -1)
    check(UInt128.self, -1)
    check(Int.self, 1.5)
    check(Int.self, 1e19)
    check(UInt64.self, .number(0x1p64))
    check(Int.self, .number(.nan))
    check(Int128.self, .number(.infinity))
    check(Float.self, 1e300)
  }

  @Test("Missing keys, and arrays that are too short")
  func missing() {
    expectError("keyNotFound count: There's no value for the key 'count'. Path: Index 0.") {
      try decoder.decode([Inner].self, from: [["name": "a"]])
    }
    expectError("valueNotFound: The array ends after 1 elements. Path: Index 1.") {
      try decoder.decode(Second<Int>.self, from: [1])
    }
    expectError("valueNotFound: The array ends after 1 elements. Path: Index 1.") {
      try decoder.decode(Second<[Int: [Int]]>.self, from: [1])
    }
  }

  /// An error's case, text and path.
  private func expectError(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Any
  ) {
    do {
      let value = try body()
      Issue.record("no error, but \(value)", sourceLocation: sourceLocation)
    } catch let error as EncodingError {
      guard case .invalidValue(let value, let context) = error else { return }
      let number = value is any BinaryInteger ? " \(value)" : ""
      #expect(
        "invalidValue\(number): \(described(context.debugDescription, context.codingPath))" == text,
        sourceLocation: sourceLocation)
    } catch let error as DecodingError {
      let (name, context) =
        switch error {
        case .typeMismatch(_, let context): ("typeMismatch", context)
        case .valueNotFound(_, let context): ("valueNotFound", context)
        case .keyNotFound(let key, let context): ("keyNotFound \(key.stringValue)", context)
        case .dataCorrupted(let context): ("dataCorrupted", context)
        @unknown default: ("", DecodingError.Context(codingPath: [], debugDescription: ""))
        }
      #expect(
        "\(name): \(described(context.debugDescription, context.codingPath))" == text,
        sourceLocation: sourceLocation)
    } catch {
      Issue.record("\(error)", sourceLocation: sourceLocation)
    }
  }

  private func described(_ text: String, _ path: [any CodingKey]) -> String {
    "\(text) Path: \(path.map(\.stringValue).joined(separator: "/"))."
  }
}

private struct NoObject: Error {}

private struct Whole: Codable, Equatable { var number: Int }
private struct Empty: Codable, Equatable {}
private struct Inner: Codable, Equatable {
  var name: String
  var count: Int
  var ratio: Double
  var flag: Bool?
}
private struct Outer: Codable, Equatable {
  var inner: Inner
  var maybe: Inner?
  var list: [Inner]
  var table: [String: Inner]
  var none: Inner?
}
private struct Span: Codable, Hashable { var start, end: Int }
private enum Suit: String, Codable { case hearts, spades }
private indirect enum Shape: Codable, Equatable {
  case empty
  case circle(radius: Double)
  case labelled(String, of: Shape)
  case group([Shape])
}
private struct Name: Codable, Hashable, CodingKeyRepresentable {
  let text: String
  init(_ text: String) { self.text = text }
  var codingKey: any CodingKey { RecordKey(text) }
  init?(codingKey: some CodingKey) { text = codingKey.stringValue }
}

private struct Widths: Codable, Equatable {
  var int = -1
  var int8: Int8 = -8
  var int16: Int16 = -16
  var int32: Int32 = -32
  var int64: Int64 = -64
  var int128: Int128 = -128
  var uint: UInt = 1
  var uint8: UInt8 = 8
  var uint16: UInt16 = 16
  var uint32: UInt32 = 32
  var uint64: UInt64 = 64
  var uint128: UInt128 = 128
  var float: Float = 0.5
  var double = 0.25
  var bool: Bool? = true
  var string = "s"
}

/// Each number is written and read by the container's own function.
private struct WidthsInArray: Codable, Equatable {
  var widths: Widths

  init(widths: Widths) { self.widths = widths }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(widths.int)
    try container.encode(widths.int8)
    try container.encode(widths.int16)
    try container.encode(widths.int32)
    try container.encode(widths.int64)
    try container.encode(widths.int128)
    try container.encode(widths.uint)
    try container.encode(widths.uint8)
    try container.encode(widths.uint16)
    try container.encode(widths.uint32)
    try container.encode(widths.uint64)
    try container.encode(widths.uint128)
    try container.encode(widths.float)
    try container.encode(widths.double)
    try container.encode(widths.bool)
    try container.encode(widths.string)
    try container.encodeNil()
  }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    widths = Widths()
    widths.int = try container.decode(Int.self)
    widths.int8 = try container.decode(Int8.self)
    widths.int16 = try container.decode(Int16.self)
    widths.int32 = try container.decode(Int32.self)
    widths.int64 = try container.decode(Int64.self)
    widths.int128 = try container.decode(Int128.self)
    widths.uint = try container.decode(UInt.self)
    widths.uint8 = try container.decode(UInt8.self)
    widths.uint16 = try container.decode(UInt16.self)
    widths.uint32 = try container.decode(UInt32.self)
    widths.uint64 = try container.decode(UInt64.self)
    widths.uint128 = try container.decode(UInt128.self)
    widths.float = try container.decode(Float.self)
    widths.double = try container.decode(Double.self)
    widths.bool = try container.decodeIfPresent(Bool.self)
    widths.string = try container.decode(String.self)
    #expect(try !container.isAtEnd && container.decodeNil() && container.isAtEnd)
  }
}

private class Vehicle: Codable, Equatable {
  var wheels: Int
  init(wheels: Int) { self.wheels = wheels }
  static func == (left: Vehicle, right: Vehicle) -> Bool {
    type(of: left) == type(of: right) && left.wheels == right.wheels && left.extra == right.extra
  }
  var extra: String { "" }
  private enum CodingKeys: CodingKey { case wheels }
  required init(from decoder: any Decoder) throws {
    if try decoder.singleValueContainer().decodeNil() {
      wheels = -1
    } else {
      wheels = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .wheels)
    }
  }
}

private final class Car: Vehicle {
  var plate: String
  init(wheels: Int, plate: String) {
    self.plate = plate
    super.init(wheels: wheels)
  }
  override var extra: String { plate }
  private enum CodingKeys: CodingKey { case plate }
  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    plate = try container.decode(String.self, forKey: .plate)
    try super.init(from: container.superDecoder())
  }
  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try super.encode(to: container.superEncoder())
    try container.encode(plate, forKey: .plate)
  }
}

private final class Truck: Vehicle {
  var load: Double
  init(wheels: Int, load: Double) {
    self.load = load
    super.init(wheels: wheels)
  }
  override var extra: String { "\(load)" }
  private enum CodingKeys: CodingKey { case load, base }
  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    load = try container.decode(Double.self, forKey: .load)
    try super.init(from: container.superDecoder(forKey: .base))
  }
  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(load, forKey: .load)
    try super.encode(to: container.superEncoder(forKey: .base))
  }
}

private final class Bus: Vehicle {
  var seats: Int
  init(wheels: Int, seats: Int) {
    self.seats = seats
    super.init(wheels: wheels)
  }
  override var extra: String { "\(seats)" }
  private enum CodingKeys: CodingKey { case seats }
  required init(from decoder: any Decoder) throws {
    seats = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .seats)
    try super.init(from: decoder)
  }
  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(seats, forKey: .seats)
  }
}

private final class Tram: Vehicle {
  var line: Int
  init(wheels: Int, line: Int) {
    self.line = line
    super.init(wheels: wheels)
  }
  override var extra: String { "\(line)" }
  required init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    line = try container.decode(Int.self)
    try super.init(from: container.superDecoder())
  }
  override func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(line)
    try super.encode(to: container.superEncoder())
  }
}

/// Writes into several nested containers by turns.
private struct Interleaved: Codable, Equatable {
  var numbers: [Int]

  enum CodingKeys: CodingKey { case head, list, tail, first, last }

  init(numbers: [Int]) { self.numbers = numbers }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    var head = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .head)
    var list = container.nestedUnkeyedContainer(forKey: .list)
    try head.encode(numbers[0], forKey: .first)
    try list.encode(numbers[0])
    var inner = list.nestedUnkeyedContainer()
    var innerHead = list.nestedContainer(keyedBy: CodingKeys.self)
    try list.encodeNil()
    try container.encode(numbers[1], forKey: .tail)
    try inner.encode(numbers[1])
    try innerHead.encode(numbers[1], forKey: .last)
    #expect(list.count == 4 && inner.count == 1)
    // The same container once more.
    var again = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .head)
    try again.encode(numbers[1], forKey: .last)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    #expect(Set(container.allKeys) == [.head, .list, .tail])
    #expect(container.contains(.head) && !container.contains(.first))
    let head = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .head)
    var list = try container.nestedUnkeyedContainer(forKey: .list)
    numbers = try [head.decode(Int.self, forKey: .first), head.decode(Int.self, forKey: .last)]
    #expect(try list.decode(Int.self) == numbers[0] && list.count == 4)
    var inner = try list.nestedUnkeyedContainer()
    let innerHead = try list.nestedContainer(keyedBy: CodingKeys.self)
    #expect(try inner.decode(Int.self) == numbers[1] && inner.isAtEnd)
    #expect(try innerHead.decode(Int.self, forKey: .last) == numbers[1] && list.currentIndex == 3)
    #expect(try list.decodeNil() && list.isAtEnd)
  }
}

private struct Overwritten: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: RecordKey.self)
    var nested = container.nestedUnkeyedContainer(forKey: RecordKey("key"))
    try nested.encode(2)
    try container.encode(1, forKey: RecordKey("key"))
  }
}

private final class Paths: Codable {
  var log: [String] = []

  init() {}

  enum CodingKeys: CodingKey { case nested, list }

  private func note(_ path: [any CodingKey], _ rest: String = "") {
    log.append(path.map(\.stringValue).joined(separator: "/") + rest)
  }

  func encode(to encoder: any Encoder) throws {
    note(encoder.codingPath, " \(encoder.userInfo.count)")
    var container = encoder.container(keyedBy: CodingKeys.self)
    var nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .nested)
    note(nested.codingPath)
    var list = nested.nestedUnkeyedContainer(forKey: .list)
    note(list.codingPath, " \(list.count)")
    try list.encode(1)
    let inner = list.nestedUnkeyedContainer()
    note(inner.codingPath, " \(inner.count)")
    note(nested.superEncoder().codingPath)
  }

  init(from decoder: any Decoder) throws {
    note(decoder.codingPath, " \(decoder.userInfo.count)")
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let nested = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .nested)
    note(nested.codingPath)
    var list = try nested.nestedUnkeyedContainer(forKey: .list)
    note(list.codingPath, " \(list.currentIndex)/\(list.count ?? -1)")
    #expect(try list.decode(Int.self) == 1)
    let inner = try list.nestedUnkeyedContainer()
    note(inner.codingPath, " \(inner.currentIndex)")
    note(try nested.superDecoder().codingPath)
  }
}

private class Item: Codable {
  let name: String
  init(name: String) { self.name = name }
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

/// The second element of an array.
private struct Second<Value: Decodable>: Decodable {
  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    if try !container.decodeNil() { _ = try container.decode(Int.self) }
    _ = try container.decode(Value.self)
  }
}

private final class Chain: Codable {
  var next: Chain?
  var numbers: [Int]?
  init(count: Int, numbers: [Int]? = nil) {
    if count > 1 {
      next = Chain(count: count - 1, numbers: numbers)
    } else {
      self.numbers = numbers
    }
  }
  var count: Int { 1 + (next?.count ?? 0) }
}

/// An array in an array, and so on, in nested containers.
private struct Nesting: Encodable {
  var count: Int
  func encode(to encoder: any Encoder) throws {
    var keyed = encoder.container(keyedBy: RecordKey.self)
    var container = keyed.nestedUnkeyedContainer(forKey: RecordKey("nested"))
    for _ in 0..<count { container = container.nestedUnkeyedContainer() }
  }
}

/// A value that is a value that is a value, without an end.
private struct Endless: Codable {
  init() {}
  init(from decoder: any Decoder) throws {
    self = try decoder.singleValueContainer().decode(Endless.self)
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(self)
  }
}

private struct Twice: Encodable {
  let way: Int
  func encode(to encoder: any Encoder) throws {
    if way == 0 || way == 1 {
      var container = encoder.container(keyedBy: RecordKey.self)
      try container.encode(1, forKey: RecordKey("a"))
    }
    if way == 0 || way == 2 {
      var container = encoder.unkeyedContainer()
      try container.encode(1)
    }
    var container = encoder.singleValueContainer()
    if way == 3 { try container.encode(Inner(name: "", count: 0, ratio: 0)) }
    if way == 4 { try container.encodeNil() }
    if way == 5 { try container.encode([Empty()]) }
    if way == 1 { try container.encode(Empty()) } else { try container.encode(1) }
  }
}

private struct Throwing: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: RecordKey.self)
    var nested = container.nestedUnkeyedContainer(forKey: RecordKey("list"))
    try nested.encode(1)
    throw NoObject()
  }
}
