import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("C. To-many: kinds and indexes")
struct ToManyKindTests {
  private let log = ChangeLog()
  private let person = Person()

  @Test("C1 Each change carries its kind, its indexes and the elements concerned")
  func kinds() {
    let token = person.observe(
      \.books, options: [.old, .new], changeHandler: log.handler("books"))
    let books = person.mutableArrayValue(for: \.books)
    books.append("b")
    books.insert("a", at: 0)
    books[1] = "B"
    books.remove(at: 0)
    person.books = ["x", "y"]
    person.books.append("z")
    #expect(
      log.take() == [
        "books: insertion, indexes: 0, new: [\"b\"]",
        "books: insertion, indexes: 0, new: [\"a\"]",
        "books: replacement, indexes: 1, old: [\"b\"], new: [\"B\"]",
        "books: removal, indexes: 0, old: [\"a\"]",
        "books: setting, old: [\"B\"], new: [\"x\", \"y\"]",
        "books: setting, old: [\"x\", \"y\"], new: [\"x\", \"y\", \"z\"]",
      ])
    token.invalidate()
  }

  @Test("C1 A prior carries kind, indexes and the elements that leave, never those that enter")
  func priors() {
    person.books = ["a"]
    let token = person.observe(
      \.books, options: [.old, .new, .prior], changeHandler: log.handler("books"))
    let books = person.mutableArrayValue(for: \.books)
    books.append("b")
    books[0] = "A"
    books.remove(at: 1)
    person.books = []
    #expect(
      log.take() == [
        "books: insertion, indexes: 1, prior",
        "books: insertion, indexes: 1, new: [\"b\"]",
        "books: replacement, indexes: 0, old: [\"a\"], prior",
        "books: replacement, indexes: 0, old: [\"a\"], new: [\"A\"]",
        "books: removal, indexes: 1, old: [\"b\"], prior",
        "books: removal, indexes: 1, old: [\"b\"]",
        "books: setting, old: [\"A\"], prior",
        "books: setting, old: [\"A\"], new: []",
      ])
    token.invalidate()
  }

  @Test("C1 Each observer receives the values that it requests, in registration order")
  func perObserver() throws {
    let observer = LoggingObserver("object", log)
    try person.addObserver(observer, forKeyPath: "books", options: [.new], context: context(7))
    let tokens = [
      person.observe(\.books, changeHandler: log.handler("nothing")),
      person.observe(\.books, options: .old, changeHandler: log.handler("old")),
      person.observe(\.books, options: .prior, changeHandler: log.handler("prior")),
      try person.observe("books", options: [.old, .new], changeHandler: log.handler("string")),
      try person.observe(
        "books.@count", options: [.old, .new], changeHandler: log.handler("count")),
      person.observe(\.books.count, options: .new, changeHandler: log.handler("typed count")),
    ]
    let books = person.mutableArrayValue(for: \.books)
    books.append("a")
    #expect(
      log.take() == [
        "prior: insertion, indexes: 0, prior",
        "object books #7: insertion, indexes: 0, new: [\"a\"]",
        "nothing: insertion, indexes: 0",
        "old: insertion, indexes: 0",
        "prior: insertion, indexes: 0",
        "string: insertion, indexes: 0, new: [\"a\"]",
        "count: setting, old: 0, new: 1",
        "typed count: setting, new: 1",
      ])
    books.remove(at: 0)
    #expect(
      log.take() == [
        "prior: removal, indexes: 0, prior",
        "object books #7: removal, indexes: 0",
        "nothing: removal, indexes: 0",
        "old: removal, indexes: 0, old: [\"a\"]",
        "prior: removal, indexes: 0",
        "string: removal, indexes: 0, old: [\"a\"]",
        "count: setting, old: 1, new: 0",
        "typed count: setting, new: 0",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("C1 Values that weren't requested are missing; only ordered element changes carry indexes")
  func absence() throws {
    var changes: [KeyValueObservedChange<[String]>] = []
    let token = person.observe(\.books, options: .new) { _, change in changes.append(change) }
    let books = person.mutableArrayValue(for: \.books)
    books.append("a")
    books.remove(at: 0)
    person.books = []
    #expect(changes.map(\.kind) == [.insertion, .removal, .setting])
    #expect(changes.map(\.newValue) == [["a"], nil, []])
    #expect(changes.map(\.oldValue) == [nil, nil, nil])
    #expect(changes.map(\.indexes) == [RangeSet(0..<1), RangeSet(0..<1), nil])
    token.invalidate()
  }

  @Test("C1 A path to a to-many key delivers the same kinds, and settings where it is broken")
  func alongPaths() throws {
    let enterprise = Enterprise()
    let tokens = [
      enterprise.observe(
        \.main.numbers, options: [.old, .new], changeHandler: log.handler("typed")),
      try enterprise.observe(
        "main.numbers", options: [.old, .new], changeHandler: log.handler("string")),
    ]
    let division = Division()
    enterprise.main = division
    let numbers = division.mutableArrayValue(for: \.numbers)
    numbers.append(contentsOf: [1, 2])
    numbers[0] = 3
    numbers.remove(at: 1)
    enterprise.main = nil
    numbers.append(4)
    #expect(
      log.take() == [
        "typed: setting, old: nil, new: []", "string: setting, old: nil, new: []",
        "typed: insertion, indexes: 0–1, new: [1, 2]",
        "string: insertion, indexes: 0–1, new: [1, 2]",
        "typed: replacement, indexes: 0, old: [1], new: [3]",
        "string: replacement, indexes: 0, old: [1], new: [3]",
        "typed: removal, indexes: 1, old: [2]", "string: removal, indexes: 1, old: [2]",
        "typed: setting, old: [3], new: nil", "string: setting, old: [3], new: nil",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("C2 Several indexes, including ranges, are delivered in one change")
  func severalIndexes() {
    person.books = ["a", "b", "c", "d"]
    let token = person.observe(
      \.books, options: [.old, .new, .prior], changeHandler: log.handler("books"))
    let books = person.mutableArrayValue(for: \.books)
    books.insert(contentsOf: ["x", "y", "z"], at: RangeSet([0..<1, 3..<5]))
    #expect(person.books == ["x", "a", "b", "y", "z", "c", "d"])
    books.remove(at: RangeSet([0..<1, 3..<5, 6..<7]))
    #expect(person.books == ["a", "b", "c"])
    books.replaceSubrange(0..<2, with: ["A", "B"])
    books.swapAt(2, 0)
    #expect(person.books == ["c", "B", "A"])
    books.append(contentsOf: ["1", "2"])
    books.replace(at: RangeSet([0..<1, 4..<5]), with: ["C", "3"])
    books.replace(at: RangeSet(), with: [])
    #expect(
      log.take() == [
        "books: insertion, indexes: 0, 3–4, prior",
        "books: insertion, indexes: 0, 3–4, new: [\"x\", \"y\", \"z\"]",
        "books: removal, indexes: 0, 3–4, 6, old: [\"x\", \"y\", \"z\", \"d\"], prior",
        "books: removal, indexes: 0, 3–4, 6, old: [\"x\", \"y\", \"z\", \"d\"]",
        "books: replacement, indexes: 0–1, old: [\"a\", \"b\"], prior",
        "books: replacement, indexes: 0–1, old: [\"a\", \"b\"], new: [\"A\", \"B\"]",
        "books: replacement, indexes: 0, 2, old: [\"A\", \"c\"], prior",
        "books: replacement, indexes: 0, 2, old: [\"A\", \"c\"], new: [\"c\", \"A\"]",
        "books: insertion, indexes: 3–4, prior",
        "books: insertion, indexes: 3–4, new: [\"1\", \"2\"]",
        "books: replacement, indexes: 0, 4, old: [\"c\", \"2\"], prior",
        "books: replacement, indexes: 0, 4, old: [\"c\", \"2\"], new: [\"C\", \"3\"]",
      ])
    token.invalidate()
  }

  @Test("C9 An element's own change isn't a change of the collection")
  func elementsAreSeparate() throws {
    let (ada, ben) = (Employee("Ada"), Employee("Ben"))
    let division = Division("one", [ada, ben])
    let whole = division.observe(\.employees, options: .new, changeHandler: log.handler("whole"))
    let through = try division.observe(
      "employees.name", options: .new, changeHandler: log.handler("through"))
    try [ada, ben].addObserver(
      LoggingObserver("dies at once", log), toObjectsAt: RangeSet(0..<2), forKeyPath: "name")
    let observer = LoggingObserver("element", log)
    try division.employees.addObserver(
      observer, toObjectsAt: RangeSet(1..<2), forKeyPath: "name", options: .new)
    ada.name = "Eve"
    ben.name = "Bob"
    #expect(
      log.take() == [
        "through: setting, new: [\"Eve\", \"Ben\"]",
        "through: setting, new: [\"Eve\", \"Bob\"]", "element name: setting, new: \"Bob\"",
      ])
    withExtendedLifetime((whole, through)) {}
  }
}
