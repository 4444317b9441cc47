import KeyValueObserving
import KeyValueTestSupport
import Testing

private enum Rank: String { case low, high }

/// A class that nothing observes before its keys are listed, with a key of each sort.
@KeyValueObservable
private class Crew {
  let id = 1
  var title = "crew"
  var size: Int? = 2
  var rank = Rank.low
  var captain: Person?
  weak var owner: Person?
  var members: [Person] = []
  var seats: [Int: Person] = [:]
  var labels: Set<String>?
  var rows: [[Person]] = []
  var anything: Any = 0
  private(set) var count = 0
  private var secret = 0
  @NotifiesManually var manual = 0
  @KeyValueIgnored var ignored = 0
  @NotifiesManually lazy var later = 5
  var line: String { title + "!" }
  var half: Int {
    get { count / 2 }
    set { count = newValue * 2 }
  }

  func validateTitle(_ value: inout String) throws { value = value.lowercased() }
}

/// Overrides keys and adds its own.
@KeyValueObservable
private final class Boat: Crew {
  var speed = 1.0
  override var line: String { "boat " + super.line }
  override var title: String { didSet { speed += 1 } }

  func validateSpeed(_ value: inout Double) throws {}
}

/// Without the macro: it has its superclass's keys.
private final class Raft: Crew {}

/// A key that its class reads and sets itself.
@KeyValueObservable
private final class Keeper {
  var known = 1
  private var others: [String: Any] = [:]

  func value(forKey key: String) throws -> Any? {
    if let other = others[key] { return other }
    return try (self as any KeyValueObservable).value(forKey: key)
  }

  func value(forUndefinedKey key: String) throws -> Any? { others[key] }
}

@Suite("K. Keys as data")
struct PropertyDescriptionTests {
  private func lines(_ type: any KeyValueObservable.Type) -> [String] {
    type.keyValueProperties.map(\.description)
  }

  @Test("K8 Each key is described with its type and what may be done with it")
  func described() {
    #expect(
      lines(Crew.self) == [
        "id: Int",
        "title: String, settable, validated",
        "size: Optional<Int>, settable",
        "rank: Rank, settable",
        "captain: Optional<Person>, to-one, settable",
        "owner: Optional<Person>, to-one, settable",
        "members: Array<Person>, ordered to-many, settable",
        "seats: Dictionary<Int, Person>, settable",
        "labels: Optional<Set<String>>, unordered to-many, settable",
        "rows: Array<Array<Person>>, ordered to-many, settable",
        "anything: Any, settable",
        "count: Int",
        "manual: Int, settable",
        "later: Int, settable",
        "line: String, computed",
        "half: Int, computed, settable",
      ])
    let byName = Dictionary(
      uniqueKeysWithValues: Crew.keyValueProperties.map { ($0.name, $0) })
    let optional = byName.values.filter(\.isOptional).map(\.name).sorted()
    #expect(optional == ["captain", "labels", "owner", "size"])
    #expect(byName["members"]?.elementType == Person.self)
    #expect(byName["members"]?.relatedClass == Person.self)
    #expect(byName["captain"]?.relatedClass == Person.self)
    #expect(byName["captain"]?.elementType == nil)
    #expect(byName["labels"]?.elementType == String.self)
    #expect(byName["labels"]?.relatedClass == nil)
    #expect(byName["rows"]?.elementType == [Person].self)
    #expect(byName["rows"]?.relatedClass == nil)
    #expect(byName["seats"]?.kind == .value)
  }

  @Test("K8 The descriptions are those of keyValueKeys, in their order, in subclasses too")
  func sameKeys() {
    let types: [any KeyValueObservable.Type] = [
      Crew.self, Boat.self, Raft.self, Playlist.self, Person.self, Keeper.self, Box<Int>.self,
      PairBox<Int, String>.self, IntBox.self, Accommodating.self,
    ]
    for type in types {
      #expect(type.keyValueProperties.map(\.name) == type.keyValueKeys, "\(type)")
    }
    #expect(
      lines(Boat.self) == lines(Crew.self) + ["speed: Double, settable, validated"])
    #expect(lines(Raft.self) == lines(Crew.self))
    let boat: any KeyValueObservable = Boat()
    #expect(type(of: boat).keyValueProperties.last?.name == "speed")
  }

  @Test("K8 A generic class's keys have the types of its arguments")
  func generic() {
    #expect(
      lines(PairBox<Int, String?>.self) == [
        "value: Int, settable, validated",
        "next: Optional<Box<Int>>, to-one, settable",
        "history: Array<Int>, ordered to-many, settable",
        "label: String, computed", "nextLabel: String, computed",
        "second: Optional<String>, settable",
      ])
  }

  @Test("K8 A key that only accessor methods implement has their elements' type")
  func accessors() {
    let single = Playlist.keyValueProperties.first { $0.name == "single" }
    #expect(single?.description == "single: Optional<Any>, ordered to-many, computed")
    #expect(single?.elementType == String.self)
    let kinds = Playlist.keyValueProperties.map(\.kind)
    #expect(Set(kinds) == [.orderedToMany])
    let pool = Tagged.keyValueProperties.first { $0.name == "labels" }
    #expect(pool?.description == "labels: Optional<Any>, unordered to-many, computed")
    #expect(pool?.elementType == Int.self)
  }

  /// An unordered key that only methods implement.
  @KeyValueObservable
  final class Tagged {
    @KeyValueIgnored var list: Set<Int> = []

    func getLabels() -> Set<Int> { list }
    func addLabels(_ others: Set<Int>) { list.formUnion(others) }
    func removeLabels(_ others: Set<Int>) { list.subtract(others) }
  }

  @Test("K8 A description is enough to read, set and observe a key in its own type")
  func opened() throws {
    let log = ChangeLog()
    func watch<Object: KeyValueObservable>(_ object: Object) throws -> [KeyValueObservation] {
      try Swift.type(of: object).keyValueProperties.map { property in
        func open<Value>(_ type: Value.Type) throws -> KeyValueObservation {
          let path = try object.kvo(property.name, as: Value.self)
          let token = path.observe(options: .new) { _, change in
            log.note("\(property.name): \(Value.self), \(change)")
          }
          if property.isSettable, !property.isComputed { path.value = path.value }
          return token
        }
        return try _openExistential(property.valueType, do: open)
      }
    }
    let tokens = try watch(Crew())
    #expect(
      log.take() == [
        "title: String, setting, new: \"crew\"",
        "size: Optional<Int>, setting, new: 2",
        "rank: Rank, setting, new: low",
        "captain: Optional<Person>, setting, new: nil",
        "owner: Optional<Person>, setting, new: nil",
        "members: Array<Person>, setting, new: []",
        "seats: Dictionary<Int, Person>, setting, new: [:]",
        "labels: Optional<Set<String>>, setting, new: nil",
        "rows: Array<Array<Person>>, setting, new: []",
        "anything: Any, setting, new: 0",
      ])
    withExtendedLifetime(tokens) {}
  }
}
