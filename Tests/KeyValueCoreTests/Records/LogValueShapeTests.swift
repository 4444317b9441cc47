import Testing

@testable import KeyValueCore

@Suite("Log values, coded in containers")
struct LogValueShapeTests: LogValueSuite {
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
}

private struct Outer: Codable, Equatable {
  var inner: Inner
  var maybe: Inner?
  var list: [Inner]
  var table: [String: Inner]
  var none: Inner?
}

private indirect enum Shape: Codable, Equatable {
  case empty
  case circle(radius: Double)
  case labelled(String, of: Shape)
  case group([Shape])
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
