import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("C8. Plain changes delivered as element changes")
struct ElementChangesTests {
  private let log = ChangeLog()
  private let person = Person()

  private func observe(
    _ options: KeyValueObservingOptions = [.old, .new, .elementChanges]
  ) -> KeyValueObservation {
    person.observe(\.books, options: options, changeHandler: log.handler("books"))
  }

  @Test("C8 Appending is an insertion at the end, by assignment and in place")
  func append() {
    let token = observe()
    person.books = ["a", "b"]
    person.books.append("c")
    person.books += ["d", "e"]
    #expect(
      log.take() == [
        "books: insertion, indexes: 0–1, new: [\"a\", \"b\"]",
        "books: insertion, indexes: 2, new: [\"c\"]",
        "books: insertion, indexes: 3–4, new: [\"d\", \"e\"]",
      ])
    token.invalidate()
  }

  @Test("C8 Objects of a protocol's type are compared by identity; a value among them is a setting")
  func existentials() {
    let canvas = Canvas()
    let token = canvas.observe(\.shapes, options: .elementChanges) { [log] _, change in
      log.note("\(change)")
    }
    let disc = Disc()
    canvas.shapes = [disc]
    canvas.shapes.append(Disc())
    canvas.shapes.removeAll { $0 as AnyObject === disc }
    canvas.shapes.append(Tile())
    #expect(
      log.take() == [
        "insertion, indexes: 0", "insertion, indexes: 1", "removal, indexes: 0", "setting",
      ])
    token.invalidate()
  }

  @Test("C8 Removing elements is one removal with all their indexes")
  func remove() {
    person.books = ["a", "b", "c", "d", "e"]
    let token = observe()
    person.books.removeFirst()
    person.books.removeAll { $0 == "b" || $0 == "e" }
    person.books.removeAll()
    #expect(
      log.take() == [
        "books: removal, indexes: 0, old: [\"a\"]",
        "books: removal, indexes: 0, 3, old: [\"b\", \"e\"]",
        "books: removal, indexes: 0–1, old: [\"c\", \"d\"]",
      ])
    token.invalidate()
  }

  @Test("C8 Replacing one element in its place is one replacement")
  func replaceOne() {
    person.books = ["a", "b", "c"]
    let token = observe()
    person.books[1] = "B"
    person.books = ["a", "B", "C"]
    person.books[0] += "!"
    #expect(
      log.take() == [
        "books: replacement, indexes: 1, old: [\"b\"], new: [\"B\"]",
        "books: replacement, indexes: 2, old: [\"c\"], new: [\"C\"]",
        "books: replacement, indexes: 0, old: [\"a\"], new: [\"a!\"]",
      ])
    token.invalidate()
  }

  @Test("C8 Any other change is a removal, then an insertion, each with its indexes")
  func mixed() {
    person.books = ["a", "b", "c", "d"]
    let token = observe()
    person.books = ["x", "b", "d", "y", "z"]
    #expect(
      log.take() == [
        "books: removal, indexes: 0, 2, old: [\"a\", \"c\"]",
        "books: insertion, indexes: 0, 3–4, new: [\"x\", \"y\", \"z\"]",
      ])
    token.invalidate()
  }

  @Test("C8 The delivered changes turn the old value into the new one, for sorts and shuffles too")
  func replayed() {
    var generator = SeededGenerator(seed: 7)
    var mirror = ["e", "d", "c", "b", "a"]
    person.books = mirror
    var callbacks = 0
    let token = observe([.old, .new, .elementChanges])
    let replay = person.observe(\.books, options: [.old, .new, .elementChanges]) { _, change in
      callbacks += 1
      switch change.kind {
      case .setting: mirror = change.newValue ?? []
      case .removal:
        let indexes = change.indexes ?? RangeSet()
        #expect(Array(mirror[indexes]) == change.oldValue)
        mirror.removeSubranges(indexes)
      case .insertion:
        let indexes = change.indexes?.ranges.flatMap { $0 } ?? []
        for (element, index) in zip(change.newValue ?? [], indexes) {
          mirror.insert(element, at: index)
        }
      case .replacement:
        let index = change.indexes?.ranges.first?.lowerBound ?? 0
        #expect([mirror[index]] == change.oldValue)
        mirror[index] = change.newValue?.first ?? ""
      }
    }
    person.books.sort()
    #expect(mirror == ["a", "b", "c", "d", "e"])
    for _ in 0..<200 {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: person.books.shuffle(using: &generator)
      case 1: person.books.append("\(Int.random(in: 0..<5, using: &generator))")
      case 2: person.books = Array(person.books.dropLast(2))
      default: person.books.reverse()
      }
      #expect(mirror == person.books)
    }
    #expect(callbacks >= 200)
    withExtendedLifetime((token, replay)) {}
  }

  @Test("C8 A change without a difference is a setting")
  func nothing() {
    person.books = ["a"]
    let token = observe()
    person.books = ["a"]
    person.books.sort()
    person.books.reserveCapacity(10)
    #expect(
      log.take()
        == Array(repeating: "books: setting, old: [\"a\"], new: [\"a\"]", count: 3))
    token.invalidate()
  }

  @Test("C8 A prior is that of a setting")
  func prior() {
    person.books = ["a", "b"]
    let token = observe([.old, .new, .prior, .elementChanges])
    person.books = ["b", "c"]
    #expect(
      log.take() == [
        "books: setting, old: [\"a\", \"b\"], prior",
        "books: removal, indexes: 0, old: [\"a\"]", "books: insertion, indexes: 1, new: [\"c\"]",
      ])
    token.invalidate()
  }

  @Test("C8 Each observer receives the form of change and the values that it requests")
  func perObserver() throws {
    person.books = ["a"]
    let tokens = [
      observe([.elementChanges]),
      person.observe(\.books, options: .new, changeHandler: log.handler("plain")),
      try person.observe(
        "books", options: [.new, .elementChanges], changeHandler: log.handler("string")),
      person.observe(
        \.books, options: [.initial, .old, .elementChanges], changeHandler: log.handler("old")),
    ]
    person.books = ["b", "b"]
    #expect(
      log.take() == [
        "old: setting",
        "books: removal, indexes: 0", "books: insertion, indexes: 0–1",
        "plain: setting, new: [\"b\", \"b\"]",
        "string: removal, indexes: 0", "string: insertion, indexes: 0–1, new: [\"b\", \"b\"]",
        "old: removal, indexes: 0, old: [\"a\"]", "old: insertion, indexes: 0–1",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("C8 Elements are compared by equality, objects without it by identity")
  func comparison() {
    let drawer = ObjectShelf()
    let (first, second) = (ObjectShelf.Thing(), ObjectShelf.Thing())
    drawer.things = [first]
    let token = drawer.observe(\.things, options: [.new, .elementChanges]) { [log] _, change in
      log.note("\(change.kind) \(change.indexes.map { $0.ranges.flatMap { $0 } } ?? [])")
    }
    drawer.things.append(second)
    drawer.things.swapAt(0, 1)
    drawer.things = [second, first]
    drawer.things = [second, ObjectShelf.Thing()]
    let lines = log.take()
    #expect(lines.first == "insertion [1]")
    #expect(lines.suffix(2) == ["setting []", "replacement [1]"])
    #expect(lines.dropFirst().dropLast(2).map { $0.prefix(3) } == ["rem", "ins"])
    token.invalidate()
  }

  @Test("C8 Optional objects without equality are compared by identity, of a protocol's type too")
  func optionalObjects() {
    let (shelf, canvas) = (ObjectShelf(), Canvas())
    let tokens = [
      shelf.observe(\.gaps, options: .elementChanges, changeHandler: log.handler("gaps")),
      shelf.observe(\.spare, options: .elementChanges, changeHandler: log.handler("spare")),
      canvas.observe(\.slots, options: .elementChanges, changeHandler: log.handler("slots")),
    ]
    shelf.gaps = [ObjectShelf.Thing(), nil]
    shelf.gaps.append(ObjectShelf.Thing())
    shelf.gaps.remove(at: 1)
    shelf.gaps[0] = nil
    #expect(
      log.take() == [
        "gaps: insertion, indexes: 0–1", "gaps: insertion, indexes: 2",
        "gaps: removal, indexes: 1", "gaps: replacement, indexes: 0",
      ])
    shelf.spare = [ObjectShelf.Thing()]
    shelf.spare?.append(nil)
    #expect(log.take() == ["spare: setting", "spare: insertion, indexes: 1"])
    canvas.slots = [Disc(), nil]
    canvas.slots.remove(at: 0)
    canvas.slots.append(Tile())
    #expect(
      log.take() == [
        "slots: insertion, indexes: 0–1", "slots: removal, indexes: 0", "slots: setting",
      ])
    for token in tokens { token.invalidate() }
  }

  /// Holds objects and values that define no equality.
  @KeyValueObservable
  final class ObjectShelf {
    final class Thing {}
    struct Unequal {}
    var things: [Thing] = []
    var gaps: [Thing?] = []
    var spare: [Thing?]?
    var unequal: [Unequal] = []
    var maybe: [Int]?
  }

  @Test("C8 Elements of each type are compared by their own equality")
  func types() {
    let rack = Rack()
    func check<Element>(
      _ keyPath: ReferenceWritableKeyPath<Rack, [Element]>,
      _ path: KeyValuePath<Rack, [Element]>, _ elements: [Element],
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let token = rack.observe(path, options: .elementChanges) { [log] _, change in
        log.note("\(change.kind) \(change.indexes.map { $0.ranges.flatMap { $0 } } ?? [])")
      }
      let (first, second, third) = (elements[0], elements[1], elements[2])
      rack[keyPath: keyPath] = [first, second, third]
      rack[keyPath: keyPath] = [first, third]
      rack[keyPath: keyPath] = [first, second, third, first]
      rack[keyPath: keyPath] = [second, second, third, first]
      rack[keyPath: keyPath] = [third, second, first, first]
      rack[keyPath: keyPath] = [third, second, first, first]
      rack[keyPath: keyPath] = []
      #expect(
        log.take() == [
          "insertion [0, 1, 2]", "removal [1]", "insertion [1, 3]",
          "replacement [0]", "removal [0, 1]", "insertion [1, 2]", "setting []",
          "removal [0, 1, 2, 3]",
        ], sourceLocation: sourceLocation)
      token.invalidate()
    }
    check(\.integers, KeyValuePath(rack.kvo.integers), [1, 2, 3])
    check(\.numbers, KeyValuePath(rack.kvo.numbers), [1, 2.5, 3])
    check(\.texts, KeyValuePath(rack.kvo.texts), ["a", "a text that is stored apart", "c"])
    check(\.objects, KeyValuePath(rack.kvo.objects), [.init(), .init(), .init()])
    check(\.labels, KeyValuePath(rack.kvo.labels), [.init("a"), .init("b"), .init("c")])
    check(\.points, KeyValuePath(rack.kvo.points), [.init(x: 1), .init(x: 2), .init(x: 3)])
    check(\.options, KeyValuePath(rack.kvo.options), [1, nil, 3])
  }

  @Test("C8 An object's own equality applies, and NaN equals nothing")
  func ownEquality() {
    let rack = Rack()
    rack.labels = [.init("a"), .init("b")]
    rack.numbers = [1, .nan]
    let tokens = [
      rack.observe(
        \.labels, options: [.old, .new, .elementChanges], changeHandler: log.handler("labels")),
      rack.observe(
        \.numbers, options: [.old, .new, .elementChanges], changeHandler: log.handler("numbers")),
    ]
    rack.labels = [.init("a"), .init("c")]
    rack.numbers = [1, .nan]
    #expect(
      log.take() == [
        "labels: replacement, indexes: 1, old: [b], new: [c]",
        "numbers: replacement, indexes: 1, old: [nan], new: [nan]",
      ])
    for token in tokens { token.invalidate() }
  }

  @KeyValueObservable
  final class Rack {
    final class Thing {}

    /// Labels are equal if their texts are.
    final class Label: Equatable, CustomStringConvertible {
      let description: String
      init(_ text: String) { description = text }
      static func == (left: Label, right: Label) -> Bool { left.description == right.description }
    }

    struct Point: Equatable {
      var x = 0
      var y = 0.5
    }

    var integers: [Int] = []
    var numbers: [Double] = []
    var texts: [String] = []
    var objects: [Thing] = []
    var labels: [Label] = []
    var points: [Point] = []
    var options: [Int?] = []
  }

  @Test("C8 Changes of elements that can't be compared are settings")
  func incomparable() {
    let shelf = ObjectShelf()
    let token = shelf.observe(\.unequal, options: .elementChanges, changeHandler: log.handler("x"))
    shelf.unequal = [.init()]
    #expect(log.take() == ["x: setting"])
    token.invalidate()
  }

  @Test("C8 Changes of an optional to-many are element changes; to and from nil they are settings")
  func optional() {
    let shelf = ObjectShelf()
    let token = shelf.observe(
      \.maybe, options: [.old, .new, .elementChanges], changeHandler: log.handler("x"))
    shelf.maybe = [1]
    shelf.maybe?.append(2)
    shelf.maybe = nil
    #expect(
      log.take() == [
        "x: setting, old: nil, new: [1]", "x: insertion, indexes: 1, new: [2]",
        "x: setting, old: [1, 2], new: nil",
      ])
    token.invalidate()
  }

  @Test("C8 A set reports the removed elements, then the inserted ones, without indexes")
  func sets() {
    person.tags = ["a", "b"]
    let token = person.observe(
      \.tags, options: [.old, .new, .elementChanges], changeHandler: log.handler("tags"))
    person.tags.insert("c")
    person.tags.remove("a")
    person.tags = ["c", "d"]
    person.tags = ["d", "c"]
    #expect(
      log.take() == [
        "tags: insertion, new: [\"c\"]", "tags: removal, old: [\"a\"]",
        "tags: removal, old: [\"b\"]", "tags: insertion, new: [\"d\"]",
        "tags: setting, old: [\"c\", \"d\"], new: [\"c\", \"d\"]",
      ])
    token.invalidate()
  }

  @Test("C8 Element changes are delivered through key-value coding, a path and a proxy")
  func otherWays() throws {
    let enterprise = Enterprise()
    let division = Division()
    enterprise.main = division
    let token = enterprise.observe(
      \.main.numbers, options: [.old, .new, .elementChanges], changeHandler: log.handler("x"))
    try division.setValue([1, 2], forKey: "numbers")
    division.mutableArrayValue(for: \.numbers).append(3)
    let other = Division()
    other.numbers = [1, 2, 3, 4]
    enterprise.main = other
    other.numbers.removeFirst(3)
    #expect(
      log.take() == [
        "x: insertion, indexes: 0–1, new: [1, 2]", "x: insertion, indexes: 2, new: [3]",
        "x: setting, old: [1, 2, 3], new: [1, 2, 3, 4]",
        "x: removal, indexes: 0–2, old: [1, 2, 3]",
      ])
    token.invalidate()
  }

  @Test(
    "C8 Ending in the first callback skips the rest; a nested change is delivered before the rest")
  func reentrancy() {
    person.books = ["a", "b"]
    var token: KeyValueObservation?
    token = person.observe(\.books, options: .elementChanges) { [log] _, change in
      log.note("ending", change)
      token?.invalidate()
    }
    person.books = ["b", "c"]
    #expect(log.take() == ["ending: removal, indexes: 0"])
    var isNested = false
    token = person.observe(\.books, options: [.old, .new, .elementChanges]) {
      [log] person, change in
      log.note("nesting", change)
      if !isNested {
        isNested = true
        person.books.append("z")
      }
    }
    person.books = ["c", "d"]
    #expect(
      log.take() == [
        "nesting: removal, indexes: 0, old: [\"b\"]",
        "nesting: insertion, indexes: 2, new: [\"z\"]",
        "nesting: insertion, indexes: 1, new: [\"d\"]",
      ])
    token?.invalidate()
  }
}

private protocol Figure {}

private final class Disc: Figure {}

private struct Tile: Figure {}

@KeyValueObservable
private final class Canvas {
  var shapes: [any Figure] = []
  var slots: [(any Figure)?] = []
}
