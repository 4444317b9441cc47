import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Properties that may hold collections, by their declared types.
@KeyValueObservable
private final class Trunk {
  var content: Any?
  private(set) var own: Any = [Int]()
  var fixed: Any { [1] }
}

/// Collections of other elements than a proxy by key may be given.
@KeyValueObservable
private final class Palette {
  var colours: Set<Colour> = [.red]
  var weights: Set<Double>? = [1]
  var layers: [Int]??
}

@Suite("C. To-many: proxies over properties")
struct ProxyTests {
  private let log = ChangeLog()
  private let cabinet = Cabinet()

  @Test("C4 Over a getter and a setter, each operation is one notification")
  func getterAndSetter() throws {
    let tokens = [
      try cabinet.observe("texts", options: [.old, .new], changeHandler: log.handler("string")),
      cabinet.observe(\.texts, options: [.old, .new], changeHandler: log.handler("texts")),
      cabinet.observe(\.numbers, options: [.old, .new], changeHandler: log.handler("numbers")),
    ]
    let texts = cabinet.mutableArrayValue(for: \.texts)
    texts.append("1")
    texts.append(contentsOf: ["2", "3"])
    texts[0] = "9"
    texts.remove(at: 1)
    #expect(cabinet.numbers == [9, 3])
    let lines = log.take()
    #expect(
      lines.filter { $0.hasPrefix("texts") } == [
        "texts: insertion, indexes: 0, new: [\"1\"]",
        "texts: insertion, indexes: 1–2, new: [\"2\", \"3\"]",
        "texts: replacement, indexes: 0, old: [\"1\"], new: [\"9\"]",
        "texts: removal, indexes: 1, old: [\"2\"]",
      ])
    #expect(
      lines.filter { $0.hasPrefix("string") }
        == lines.filter { $0.hasPrefix("texts") }.map {
          $0.replacing("texts", with: "string", maxReplacements: 1)
        })
    #expect(
      lines.filter { $0.hasPrefix("numbers") } == [
        "numbers: setting, old: [], new: [1]", "numbers: setting, old: [1], new: [1, 2, 3]",
        "numbers: setting, old: [1, 2, 3], new: [9, 2, 3]",
        "numbers: setting, old: [9, 2, 3], new: [9, 3]",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("C4 Over a property of the type Any that holds a collection")
  func untyped() throws {
    let trunk = Trunk()
    let tokens = [
      try trunk.observe("content", options: [.old, .new], changeHandler: log.handler("string")),
      trunk.observe(\.content, options: [.old, .new, .prior], changeHandler: log.handler("typed")),
    ]
    trunk.content = [1, 2]
    let array = try trunk.mutableArrayValue(forKey: "content")
    array.append(3)
    array[0] = 9
    array.remove(at: 1)
    #expect(trunk.content as? [Int] == [9, 3])
    let lines = log.take()
    #expect(
      lines.filter { $0.hasPrefix("string") } == [
        "string: setting, old: nil, new: [1, 2]", "string: insertion, indexes: 2, new: [3]",
        "string: replacement, indexes: 0, old: [1], new: [9]",
        "string: removal, indexes: 1, old: [2]",
      ])
    #expect(
      lines.filter { $0.hasPrefix("typed") && !$0.hasSuffix("prior") }
        == lines.filter { $0.hasPrefix("string") }.map {
          $0.replacing("string", with: "typed", maxReplacements: 1)
        })
    #expect(lines.count { $0.hasSuffix("prior") } == 4)
    trunk.content = [5] as Set<Int>
    try trunk.mutableSetValue(forKeyPath: "content").insert(6)
    #expect(trunk.content as? Set<Int> == [5, 6])
    #expect(log.take().last == "typed: insertion, new: [6]")
    for token in tokens { token.invalidate() }
  }

  @Test("C4 A property of the type Any has a proxy only while it holds such a collection")
  func untypedWithout() throws {
    let trunk = Trunk()
    for content in [nil, "text", [1] as Set<Int>] as [Any?] {
      trunk.content = content
      #expect {
        try trunk.mutableArrayValue(forKey: "content")
      } throws: {
        if case .notACollection = $0 as? KeyValueCodingError { true } else { false }
      }
    }
    for key in ["own", "fixed"] {
      #expect {
        try trunk.mutableArrayValue(forKey: key)
      } throws: {
        if case .readOnly = $0 as? KeyValueCodingError { true } else { false }
      }
    }
    trunk.content = [1]
    let array = try trunk.mutableArrayValue(forKey: "content")
    trunk.content = nil
    #expect(array.isEmpty)
    array.append(2)
    #expect(trunk.content as? [Int] == [2])
  }

  @Test("C4 Over a property that doesn't notify automatically, a proxy announces nothing")
  func manual() throws {
    let ledger = Ledger()
    let token = ledger.observe(\.entries, options: .new, changeHandler: log.handler("entries"))
    let entries = ledger.mutableArrayValue(for: \.entries)
    entries.append("a")
    #expect(ledger.entries == ["a"])
    #expect(log.take() == [])
    ledger.willChange(.insertion, valuesAt: RangeSet(1..<2), forKey: "entries")
    entries.append("b")
    ledger.didChange(.insertion, valuesAt: RangeSet(1..<2), forKey: "entries")
    #expect(log.take() == ["entries: insertion, indexes: 1, new: [\"b\"]"])
    token.invalidate()
  }

  /// Overrides an array, without the macro.
  final class CountingCabinet: Cabinet {
    var sets = 0
    override var numbers: [Int] {
      get { super.numbers }
      set {
        sets += 1
        super.numbers = newValue
      }
    }
  }

  @Test("C4 Over an overridden property, each operation calls the override's setter")
  func overridden() throws {
    let counting = CountingCabinet()
    let cabinet: Cabinet = counting
    let token = cabinet.observe(
      \.numbers, options: [.old, .new], changeHandler: log.handler("numbers"))
    let numbers = cabinet.mutableArrayValue(for: \.numbers)
    numbers.append(1)
    numbers.append(contentsOf: [2, 3])
    numbers[0] = 9
    try cabinet.mutableArrayValue(forKey: "numbers").remove(at: 1)
    #expect(counting.sets == 4 && cabinet.numbers == [9, 3])
    #expect(
      log.take() == [
        "numbers: insertion, indexes: 0, new: [1]", "numbers: insertion, indexes: 1–2, new: [2, 3]",
        "numbers: replacement, indexes: 0, old: [1], new: [9]",
        "numbers: removal, indexes: 1, old: [2]",
      ])
    token.invalidate()
  }

  @Test("C5 A proxy of nil reads as empty, and changing it creates the collection")
  func overNil() throws {
    let token = try cabinet.observe(
      "list", options: [.old, .new, .prior], changeHandler: log.handler("list"))
    let list = try cabinet.mutableArrayValue(forKey: "list")
    #expect(list.isEmpty)
    #expect(list.count == 0)
    #expect(list.map { "\($0)" } == [])
    #expect("\(list)" == "[]")
    #expect(cabinet.list == nil)
    list.append("a")
    #expect(cabinet.list == ["a"])
    list.append("b")
    list[0] = "A"
    list.remove(at: 1)
    list.remove(at: 0)
    #expect(cabinet.list == [])
    cabinet.list = nil
    #expect(list.isEmpty)
    list.append(contentsOf: ["x", "y"])
    #expect(
      log.take() == [
        "list: insertion, indexes: 0, prior", "list: insertion, indexes: 0, new: [\"a\"]",
        "list: insertion, indexes: 1, prior", "list: insertion, indexes: 1, new: [\"b\"]",
        "list: replacement, indexes: 0, old: [\"a\"], prior",
        "list: replacement, indexes: 0, old: [\"a\"], new: [\"A\"]",
        "list: removal, indexes: 1, old: [\"b\"], prior", "list: removal, indexes: 1, old: [\"b\"]",
        "list: removal, indexes: 0, old: [\"A\"], prior", "list: removal, indexes: 0, old: [\"A\"]",
        "list: setting, old: [], prior", "list: setting, old: [], new: nil",
        "list: insertion, indexes: 0–1, prior",
        "list: insertion, indexes: 0–1, new: [\"x\", \"y\"]",
      ])
    token.invalidate()
  }

  @Test("C5 Elements that enter a set that is nil create it, and notify")
  func setOverNil() throws {
    let tokens = [
      try cabinet.observe("set", options: [.old, .new], changeHandler: log.handler("string")),
      cabinet.observe(\.set, options: [.old, .new], changeHandler: log.handler("typed")),
    ]
    let set = try cabinet.mutableSetValue(forKey: "set")
    #expect(set.isEmpty)
    #expect(!set.contains("a"))
    set.insert("a")
    #expect(cabinet.set == ["a"])
    set.remove("a")
    #expect(cabinet.set == [])
    cabinet.set = nil
    set.formUnion(["x", "y"])
    cabinet.set = nil
    _ = log.take()
    set.replaceAll(with: ["z"])
    #expect(cabinet.set == ["z"])
    #expect(
      log.take() == [
        "string: replacement, old: [], new: [\"z\"]", "typed: replacement, old: [], new: [\"z\"]",
      ])
    cabinet.set = nil
    _ = log.take()
    set.insert("a")
    set.remove("a")
    #expect(
      log.take() == [
        "string: insertion, new: [\"a\"]", "typed: insertion, new: [\"a\"]",
        "string: removal, old: [\"a\"]", "typed: removal, old: [\"a\"]",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("C5 A missing collection behind a getter and a setter is created through the setter")
  func missingBehindSetter() throws {
    let token = try cabinet.observe(
      "tags", options: [.old, .new], changeHandler: log.handler("tags"))
    let tags = try cabinet.mutableSetValue(forKey: "tags")
    #expect(tags.isEmpty)
    tags.insert("a")
    tags.insert("b")
    #expect(cabinet.kept?.labels == ["a", "b"])
    #expect(log.take() == ["tags: insertion, new: [\"a\"]", "tags: insertion, new: [\"b\"]"])
    token.invalidate()
  }

  @Test("C5 A proxy made before the first observer notifies every later one")
  func beforeTheFirstObserver() throws {
    let person = Person()
    let typed = person.mutableArrayValue(for: \.books)
    let untyped = try person.mutableArrayValue(forKey: "books")
    let tags = person.mutableSetValue(for: \.tags)
    typed.append("a")
    tags.insert("a")
    let first = person.observe(\.books, options: .new, changeHandler: log.handler("first"))
    typed.append("b")
    untyped.append("c")
    first.invalidate()
    typed.append("d")
    let second = person.observe(\.books, options: .new, changeHandler: log.handler("second"))
    let third = person.observe(\.tags, options: .new, changeHandler: log.handler("third"))
    untyped.append("e")
    tags.insert("b")
    #expect(
      log.take() == [
        "first: insertion, indexes: 1, new: [\"b\"]", "first: insertion, indexes: 2, new: [\"c\"]",
        "second: insertion, indexes: 4, new: [\"e\"]", "third: insertion, new: [\"b\"]",
      ])
    #expect(person.books == ["a", "b", "c", "d", "e"])
    withExtendedLifetime((second, third)) {}
  }

  @Test("C5 A proxy follows the property after an assignment")
  func afterAssignment() {
    let person = Person()
    let books = person.mutableArrayValue(for: \.books)
    person.books = ["x", "y"]
    #expect(books.count == 2)
    #expect(books[1] == "y")
    books.append("z")
    #expect(person.books == ["x", "y", "z"])
    person.books = []
    #expect(books.isEmpty)
  }

  @Test("C4 A proxy by key path changes the object that is on the path when the proxy is made")
  func byKeyPath() throws {
    let enterprise = Enterprise()
    let (one, two) = (Division("one"), Division("two"))
    #expect(
      message { _ = try enterprise.mutableArrayValue(forKeyPath: "main.numbers") }
        == "Enterprise.main.numbers is not a collection: an object on the way to it is nil.")
    enterprise.main = one
    let token = try enterprise.observe(
      "main.numbers", options: .new, changeHandler: log.handler("numbers"))
    let numbers = try enterprise.mutableArrayValue(forKeyPath: "main.numbers")
    numbers.append(1)
    let interns = try enterprise.mutableSetValue(forKeyPath: "main.interns")
    let ada = Employee("Ada")
    interns.insert(ada)
    #expect(one.interns == [ada])
    enterprise.main = two
    _ = log.take()
    numbers.append(2)
    #expect(one.numbers == [1, 2])
    #expect(log.take() == [])
    try enterprise.mutableArrayValue(forKeyPath: "main.numbers").append(3)
    #expect(two.numbers == [3])
    #expect(log.take() == ["numbers: insertion, indexes: 0, new: [3]"])
    enterprise.divisions = [one, two]
    #expect(
      message { _ = try enterprise.mutableArrayValue(forKeyPath: "divisions.numbers") }
        == "Enterprise.divisions.numbers is not a collection: the path leads to several collections."
    )
    #expect(
      message { _ = try enterprise.mutableArrayValue(forKeyPath: "main.numberz") }
        == "Division has no key 'numberz' (component 2 of 'main.numberz'). "
        + "Did you mean 'numbers'?")
    token.invalidate()
  }

  @Test("C4 An untyped proxy converts values to the collection's element type exactly")
  func conversion() throws {
    let numbers = try cabinet.mutableArrayValue(forKey: "numbers")
    numbers.append(1.0)
    numbers.append(true)
    numbers.append(UInt8(7))
    #expect(cabinet.numbers == [1, 1, 7])
  }

  @Test("C4 An untyped set proxy finds the member that an element is converted to")
  func convertedMembers() throws {
    let palette = Palette()
    let colours = try palette.mutableSetValue(forKey: "colours")
    let token = try palette.observe(
      "colours", options: [.old, .new], changeHandler: log.handler("colours"))
    #expect(colours.contains("red") && !colours.contains("green") && !colours.contains("blue"))
    let (inserted, member) = colours.insert("red")
    #expect(!inserted && member.base as? Colour == Colour.red)
    #expect(colours.insert("green").memberAfterInsert.base as? Colour == Colour.green)
    #expect(colours.remove("red")?.base as? Colour == Colour.red)
    colours.formSymmetricDifference(["green", "red"])
    #expect(palette.colours == [.red])
    #expect(
      log.take() == [
        "colours: insertion, new: []", "colours: insertion, new: [green]",
        "colours: removal, old: [red]", "colours: replacement, old: [green], new: [red]",
      ])
    token.invalidate()
    let weights = try palette.mutableSetValue(forKey: "weights")
    #expect(weights.contains(1))
    #expect(!weights.insert(1).inserted)
    #expect(weights.insert(2).inserted)
    #expect(palette.weights == [1, 2])
  }

  @Test("C4 C5 A collection behind two levels of optionality is changed as it's announced")
  func nestedOptional() throws {
    let palette = Palette()
    let token = try palette.observe(
      "layers", options: [.old, .new], changeHandler: log.handler("layers"))
    let layers = try palette.mutableArrayValue(forKey: "layers")
    layers.append(1)
    #expect(palette.layers == .some(.some([1])))
    palette.layers = .some(.none)
    _ = log.take()
    layers.append(contentsOf: [2, 3])
    layers.remove(at: 0)
    #expect(palette.layers == .some(.some([3])))
    #expect(
      log.take() == [
        "layers: insertion, indexes: 0–1, new: [2, 3]", "layers: removal, indexes: 0, old: [2]",
      ])
    token.invalidate()
  }
}
