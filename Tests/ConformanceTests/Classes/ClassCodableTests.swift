import Foundation
import KeyValueObserving
import Testing

/// Compares what a `Codable` class encodes and decodes with the same class without the macro.
@Suite("Codable classes")
struct ClassCodableTests {
  @Test("L3 every stored property is coded under its own name, as in a plain class")
  func ownNames() throws {
    let plain = try json(Plain.Person())
    #expect(
      plain == #"{"cache":{"a":1},"class":"first","fixed":7,"name":"Ada","tags":[],"visits":0}"#)
    #expect(try json(Observed.Person()) == plain)
  }

  @Test("L3 decoding gives the same values as in a plain class, including missing optionals")
  func roundTrip() throws {
    let text = #"""
      {"age":36,"cache":{"b":2},"class":"second","fixed":7,"friend":null,"name":"Grace",
      "tags":["x"],"visits":3}
      """#
    let plain = try json(decoded(Plain.Person.self, from: text))
    #expect(
      plain
        == #"{"age":36,"cache":{"b":2},"class":"second","fixed":7,"name":"Grace","#
        + #""tags":["x"],"visits":3}"#)
    #expect(try json(decoded(Observed.Person.self, from: text)) == plain)
  }

  @Test("L3 decoding runs no didSet, and the decoded object can be observed")
  func observedAfterwards() throws {
    let person = try decoded(Observed.Person.self, from: try json(Observed.Person()))
    #expect(person.observed == [])
    var heard: [String?] = []
    let observation = person.observe(\.name, options: [.new]) { heard.append($1.newValue) }
    person.name = "Grace"
    person.visits += 1
    #expect(heard == ["Grace"])
    #expect(person.observed == [1])
    observation.invalidate()
  }

  @Test(
    "L3 a decoding error names the property, as in a plain class",
    arguments: [
      #"{}"#, #"{"name":1}"#, #"{"cache":{},"class":"","name":"Ada","tags":[0],"visits":0}"#,
    ])
  func errors(_ text: String) {
    let plain = #expect(throws: DecodingError.self) { try decoded(Plain.Person.self, from: text) }
    let observed = #expect(throws: DecodingError.self) {
      try decoded(Observed.Person.self, from: text)
    }
    #expect(observed.map { "\($0)" } == plain.map { "\($0)" })
  }

  @Test("L3 a class's own CodingKeys are used")
  func ownKeys() throws {
    #expect(try json(Observed.Renamed()) == json(Plain.Renamed()))
    let text = #"{"full_name":"Grace","nick":"G","wrapped":{"value":5}}"#
    let observed = try decoded(Observed.Renamed.self, from: text)
    #expect(try json(observed) == #"{"full_name":"Grace","nick":"G","wrapped":{"value":5}}"#)
    #expect(try json(observed) == json(decoded(Plain.Renamed.self, from: text)))
    #expect(observed.left == 1)
    #expect(observed.own == "Grace")
  }

  @Test("L3 a hand-written Codable method is kept, and can use the CodingKeys")
  func ownMethods() throws {
    #expect(try json(Observed.HalfOwn()) == json(Plain.HalfOwn()))
    let read = try decoded(Observed.HalfOwn.self, from: "{}")
    #expect(read.size == -1)
    #expect(try json(read) == #"{"size":-1}"#)
  }

  @Test("L3 a Codable method in an extension of the file can use the CodingKeys' own names, too")
  func ownMethodInExtension() throws {
    #expect(try json(Observed.HalfElsewhere()) == json(Plain.HalfElsewhere()))
    let read = try decoded(Observed.HalfElsewhere.self, from: #"{"class":"b","size":2}"#)
    #expect(try json(read) == #"{"size":-2}"#)
    #expect(read.class == "b")
  }

  @Test("L3 a subclass of a Codable class codes its own properties only in hand-written methods")
  func subclasses() throws {
    #expect(try json(Observed.Silent()) == json(Plain.Silent()))
    #expect(try json(Observed.Silent()) == #"{"id":1}"#)
    let text = #"{"extra":"e","id":4}"#
    let observed = try decoded(Observed.Speaking.self, from: text)
    #expect(try json(observed) == text)
    #expect(try json(observed) == json(decoded(Plain.Speaking.self, from: text)))
  }

  @Test("L3 a Codable subclass of a plain class codes its own properties and calls super.init()")
  func subclassOfOther() throws {
    let plain = try decoded(Plain.Sub.self, from: #"{"own":9}"#)
    let observed = try decoded(Observed.Sub.self, from: #"{"own":9}"#)
    #expect((observed.inherited, observed.own, observed.made) == (1, 9, 1))
    #expect((plain.inherited, plain.own, plain.made) == (1, 9, 1))
    #expect(try json(observed) == json(plain))
    #expect(Observed.Sub(inherited: 5).inherited == 5)
  }

  @Test("L3 Encodable or Decodable alone is enough")
  func halves() throws {
    #expect(try json(Observed.Written()) == #"{"x":1}"#)
    #expect(try decoded(Observed.Read.self, from: #"{"x":3}"#).x == 3)
  }

  @Test("L3 a generic class is coded")
  func generic() throws {
    let box = try decoded(Observed.Box<[Int?]>.self, from: #"{"content":[1,null]}"#)
    #expect(box.content == [1, nil])
    #expect(try json(box) == #"{"content":[1,null]}"#)
  }

  @Test("L3 a main-actor class is coded on the main actor")
  @MainActor func mainActor() throws {
    let model = try decoded(MainActorModel.self, from: #"{"count":3}"#)
    #expect(model.count == 3)
    #expect(try json(model) == #"{"count":3}"#)
  }

  @Test("L3 wrapped properties are coded as their wrappers; lazy properties are not coded")
  func wrappers() throws {
    #expect(try json(Observed.Wrapping()) == json(Plain.Wrapping()))
    #expect(try json(Observed.Wrapping()) == #"{"inner":{"value":1},"outer":{"value":2}}"#)
  }

  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func decoded<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }
}

@propertyWrapper
private struct Wrapper: Codable {
  var value: Int
  var wrappedValue: Int {
    get { value }
    set { value = newValue }
  }
  init(wrappedValue: Int) { value = wrappedValue }
}

@MainActor @KeyValueObservable
private final class MainActorModel: @MainActor Codable {
  var count = 0
}

private class Base {
  var inherited = 1
  var made = 0
  init() { made = 1 }
  init(inherited: Int) { self.inherited = inherited }
}

private enum Observed {
  @KeyValueObservable
  final class Person: Codable {
    var name = "Ada"
    var age: Int?
    var tags: Set<String> = []
    var `class` = "first"
    weak var friend: Person?
    let fixed: Int
    @KeyValueIgnored var cache = ["a": 1]
    var visits = 0 {
      didSet { observed.append(visits) }
    }
    @KeyValueIgnored lazy var observed: [Int] = []
    @NotifiesManually lazy var later = 1
    var initial: String { String(name.prefix(1)) }

    init() { fixed = 7 }
  }

  @KeyValueObservable
  class Renamed: Codable {
    var name = "Ada"
    var nick: String?
    var left = 1
    @KeyValueIgnored @Wrapper var wrapped = 4
    @KeyValueIgnored var own: String { name }

    enum CodingKeys: String, CodingKey {
      case wrapped
      case name = "full_name"
      case nick
    }
  }

  @KeyValueObservable
  final class HalfOwn: Codable {
    var size = 1
    var title: String?

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      size = try container.decodeIfPresent(Int.self, forKey: .size) ?? -1
    }
  }

  @KeyValueObservable
  final class HalfElsewhere: Codable {
    var size = 1
    var `class` = "a"

    init() {}
  }

  @KeyValueObservable
  class Record: Codable {
    var id = 1
  }

  @KeyValueObservable
  class Silent: Record {
    var ignored = 2

    enum CodingKeys: CodingKey {}
  }

  @KeyValueObservable
  class Speaking: Record {
    var extra = ""

    private enum Keys: CodingKey { case extra }

    required init(from decoder: any Decoder) throws {
      extra = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .extra)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(extra, forKey: .extra)
    }
  }

  @KeyValueObservable
  class Sub: Base, Codable {
    var own = 2
  }

  @KeyValueObservable
  final class Written: Encodable {
    var x = 1
  }

  @KeyValueObservable
  final class Read: Decodable {
    var x = 1
  }

  @KeyValueObservable
  final class Box<Content: Codable>: Codable {
    var content: Content
    init(content: Content) { self.content = content }
  }

  @KeyValueObservable
  class Wrapping: Codable {
    @NotifiesManually @Wrapper var inner = 1
    @KeyValueIgnored @Wrapper var outer = 2
    @NotifiesManually lazy var later = 3
  }
}

private enum Plain {
  final class Person: Codable {
    var name = "Ada"
    var age: Int?
    var tags: Set<String> = []
    var `class` = "first"
    weak var friend: Person?
    let fixed: Int
    var cache = ["a": 1]
    var visits = 0 {
      didSet { observed.append(visits) }
    }
    lazy var observed: [Int] = []
    lazy var later = 1
    var initial: String { String(name.prefix(1)) }

    init() { fixed = 7 }
  }

  class Renamed: Codable {
    var name = "Ada"
    var nick: String?
    var left = 1
    @Wrapper var wrapped = 4
    var own: String { name }

    enum CodingKeys: String, CodingKey {
      case wrapped
      case name = "full_name"
      case nick
    }
  }

  final class HalfOwn: Codable {
    var size = 1
    var title: String?

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      size = try container.decodeIfPresent(Int.self, forKey: .size) ?? -1
    }
  }

  final class HalfElsewhere: Codable {
    var size = 1
    var `class` = "a"

    init() {}
  }

  class Record: Codable {
    var id = 1
  }

  class Silent: Record {
    var ignored = 2
  }

  class Speaking: Record {
    var extra = ""

    private enum Keys: CodingKey { case extra }

    required init(from decoder: any Decoder) throws {
      extra = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .extra)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(extra, forKey: .extra)
    }
  }

  class Sub: Base, Codable {
    var own = 2
  }

  final class Written: Encodable {
    var x = 1
  }

  final class Read: Decodable {
    var x = 1
  }

  final class Box<Content: Codable>: Codable {
    var content: Content
    init(content: Content) { self.content = content }
  }

  class Wrapping: Codable {
    @Wrapper var inner = 1
    @Wrapper var outer = 2
    lazy var later = 3
  }
}

extension Observed.HalfElsewhere {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(-size, forKey: .size)
  }
}

extension Plain.HalfElsewhere {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(-size, forKey: .size)
  }
}
