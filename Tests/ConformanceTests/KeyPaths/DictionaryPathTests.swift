import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("K5. Key paths through dictionaries")
struct DictionaryPathTests {
  private let log = ChangeLog()
  private let depot = Depot()
  private let first = Parcel("first", weight: 1)
  private let second = Parcel("second", weight: 2)

  private func observe(_ path: String) throws -> KeyValueObservation {
    try depot.observe(path, options: .new, changeHandler: log.handler(path))
  }

  @Test("K5 An object in a dictionary is observed until its entry or the dictionary is replaced")
  func object() throws {
    depot.byName = ["a": first]
    let token = try depot.observe(
      "byName.a.label", options: [.old, .new], changeHandler: log.handler("a"))
    first.label = "First"
    depot.byName["a"] = second
    first.label = "let go"
    second.label = "Second"
    depot.byName["b"] = first
    depot.byName = [:]
    second.label = "let go"
    depot.byName = ["a": first]
    depot.byName.removeValue(forKey: "a")
    #expect(
      log.take() == [
        "a: setting, old: \"first\", new: \"First\"", "a: setting, old: \"First\", new: \"second\"",
        "a: setting, old: \"second\", new: \"Second\"",
        "a: setting, old: \"Second\", new: \"Second\"", "a: setting, old: \"Second\", new: nil",
        "a: setting, old: nil, new: \"let go\"", "a: setting, old: \"let go\", new: nil",
      ])
    token.invalidate()
    #expect(isIdle(depot, first, second))
  }

  @Test("K5 Paths lead through dictionaries of any values, nested, in arrays and of arrays")
  func nesting() throws {
    depot.anything = ["deep": ["parcel": first] as [String: Any]]
    depot.rows = [["parcel": first], ["parcel": second], [:]]
    depot.lists = ["both": [first, second]]
    let tokens = [
      try observe("anything.deep.parcel.label"), try observe("rows.parcel.label"),
      try observe("lists.both.label"),
    ]
    first.label = "1"
    second.label = "2"
    #expect(
      log.take() == [
        "anything.deep.parcel.label: setting, new: \"1\"",
        "rows.parcel.label: setting, new: [\"1\", \"second\", nil]",
        "lists.both.label: setting, new: [\"1\", \"second\"]",
        "rows.parcel.label: setting, new: [\"1\", \"2\", nil]",
        "lists.both.label: setting, new: [\"1\", \"2\"]",
      ])
    depot.mutableArrayValue(for: \.rows).remove(at: 1)
    depot.mutableArrayValue(for: \.rows)[1] = ["parcel": first]
    depot.lists = [:]
    _ = log.take()
    second.label = "let go"
    first.label = "one"
    #expect(
      log.take() == [
        "anything.deep.parcel.label: setting, new: \"one\"",
        "rows.parcel.label: setting, new: [\"one\", \"one\"]",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(depot, first, second))
  }

  @Test("K5 K6 Operators after dictionaries, and dictionaries after operators, follow the objects")
  func operators() throws {
    depot.rows = [["parcel": first], ["parcel": second]]
    depot.lists = ["both": [first, second]]
    let tokens = [
      try observe("lists.both.@sum.weight"), try observe("rows.@sum.parcel.weight"),
      try observe("rows.parcel.@max.weight"),
    ]
    first.weight = 10
    depot.rows.append(["parcel": Parcel("third", weight: 20)])
    depot.rows.last?["parcel"]?.weight = 30
    #expect(
      log.take() == [
        "lists.both.@sum.weight: setting, new: 12", "rows.@sum.parcel.weight: setting, new: 12",
        "rows.parcel.@max.weight: setting, new: 10",
        "rows.@sum.parcel.weight: setting, new: 32", "rows.parcel.@max.weight: setting, new: 20",
        "rows.@sum.parcel.weight: setting, new: 42", "rows.parcel.@max.weight: setting, new: 30",
      ])
    for token in tokens { token.invalidate() }
    depot.rows = []
    #expect(isIdle(depot, first, second))
  }

  @Test("K5 K6 An operator over the entries of dictionaries in a collection follows the collection")
  func operatorOverEntries() throws {
    depot.tallies = [["a": 1], ["a": 2], [:]]
    let tokens = [try observe("tallies.a.@sum.self"), try observe("tallies.a.@count")]
    depot.tallies.append(["a": 5])
    #expect(
      log.take() == [
        "tallies.a.@sum.self: setting, new: 8", "tallies.a.@count: setting, new: 4",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(depot))
  }

  @Test("P6 An operator after a path of objects follows the objects that the path reaches")
  func operatorBehindObjects() throws {
    first.next = second
    depot.list = [first]
    let token = try observe("list.next.@sum.weight")
    second.weight = 5
    first.next = nil
    #expect(
      log.take() == [
        "list.next.@sum.weight: setting, new: 5", "list.next.@sum.weight: setting, new: 0",
      ])
    token.invalidate()
    #expect(isIdle(depot, first, second))
  }

  @Test("K5 R6 The values that a dictionary leads to are checked as on any other path")
  func refused() {
    depot.byName = ["a": first]
    depot.anything = ["a": first, "n": 1]
    func observing(_ path: String) -> String? {
      message { _ = try depot.observe(path) { _, _ in } }
    }
    #expect(
      observing("byName.a.lable")
        == "Parcel has no key 'lable' (component 3 of 'byName.a.lable'). Did you mean 'label'?")
    #expect(
      observing("anything.a.lable")
        == "Parcel has no key 'lable' (component 3 of 'anything.a.lable'). Did you mean 'label'?")
    #expect(
      observing("counts.a.label")
        == "Dictionary<String, Int>.a (component 2 of 'counts.a.label') cannot be observed: its value "
        + "is of type Int, which is not @KeyValueObservable.")
    #expect(
      observing("byName.@count")
        == "Dictionary<String, Parcel>.@count (component 2 of 'byName.@count') is not a collection."
    )
    #expect(observing("anything.absent") == nil)
    #expect(isIdle(depot, first))
  }

  @Test("K5 R6 An unknown key of an object that is added to a dictionary later is reported")
  func laterValue() throws {
    try ViolationLog.record { violations in
      let depot = Depot()
      let token = try depot.observe(
        "anything.a.label", fileID: "App/Depot.swift", line: 7
      ) { _, _ in }
      depot.anything["a"] = Depot()
      #expect(
        violations.take() == [
          "unobservableValue: Depot has no key 'label' (component 3 of 'anything.a.label'). "
            + "'anything.a.label' of Depot reads as nil from there until the value is replaced. It was "
            + "registered at Depot.swift:7."
        ])
      token.invalidate()
    }
  }

  @Test("K5 Setting through a dictionary sets the property that holds it, once")
  func setting() throws {
    depot.byName = ["a": first]
    depot.anything = ["deep": ["number": 1] as [String: Any]]
    depot.rows = [["parcel": first], [:]]
    let tokens = [
      depot.observe(\.byName, changeHandler: log.handler("byName")),
      depot.observe(\.anything, changeHandler: log.handler("anything")),
      depot.observe(\.rows, changeHandler: log.handler("rows")),
      first.observe(\.label, options: .new, changeHandler: log.handler("label")),
    ]
    try depot.setValue(second, forKeyPath: "byName.b")
    #expect(log.take() == ["byName: setting"])
    #expect(depot.byName["b"] === second)
    try depot.setValue(nil, forKeyPath: "byName.b")
    #expect(log.take() == ["byName: setting"])
    #expect(depot.byName.count == 1)
    try depot.setValue(2, forKeyPath: "anything.deep.number")
    #expect(log.take() == ["anything: setting"])
    #expect(try depot.value(forKeyPath: "anything.deep.number") as? Int == 2)
    try depot.setValue(second, forKeyPath: "rows.parcel")
    #expect(log.take() == ["rows: setting"])
    #expect(depot.rows.map { $0["parcel"] === second } == [true, true])
    try depot.setValue("new", forKeyPath: "byName.a.label")
    try depot.setValue("nowhere", forKeyPath: "byName.absent.label")
    #expect(log.take() == ["label: setting, new: \"new\""])
    for token in tokens { token.invalidate() }
  }

  @Test(
    "P1 N6 A bound string path through a dictionary delivers element changes, whatever its type"
  )
  func boundElements() throws {
    let shelf = Shelf([1, 2])
    depot.anything = ["a": shelf]
    let options: KeyValueObservingOptions = [.old, .new, .prior, .elementChanges]
    let path = "anything.a.numbers"
    let (bound, typed) = (ChangeLog(), ChangeLog())
    let tokens = [
      try depot.observe(path, options: options, changeHandler: log.handler("")),
      try depot.kvo(path).observe(options: options, changeHandler: bound.handler("")),
      try depot.kvo(path, as: [Int]?.self)
        .observe(options: options, changeHandler: typed.handler("")),
    ]
    let proxy = shelf.mutableArrayValue(for: \.numbers)
    proxy.append(3)
    proxy.remove(at: 0)
    proxy[0] = 20
    shelf.numbers = [20, 3, 4]
    KeyValueTransaction.perform {
      proxy.remove(at: 2)
      proxy.insert(0, at: 0)
    }
    depot.anything["a"] = Shelf([5])
    let expected = [
      ": insertion, indexes: 2, prior",
      ": insertion, indexes: 2, new: [3]",
      ": removal, indexes: 0, old: [1], prior",
      ": removal, indexes: 0, old: [1]",
      ": replacement, indexes: 0, old: [2], prior",
      ": replacement, indexes: 0, old: [2], new: [20]",
      ": setting, old: [20, 3], prior",
      ": insertion, indexes: 2, new: [4]",
      ": setting, old: [20, 3, 4], prior",
      ": removal, indexes: 2, old: [4]",
      ": insertion, indexes: 0, new: [0]",
      ": setting, old: [0, 20, 3], prior",
      ": setting, old: [0, 20, 3], new: [5]",
    ]
    #expect(log.take() == expected)
    #expect(bound.take() == expected)
    #expect(typed.take() == expected)
    for token in tokens { token.invalidate() }
    #expect(isIdle(depot, shelf))
  }

  @Test("P1 K8 A bound string path through a dictionary delivers set changes with their kinds")
  func boundSet() throws {
    let shelf = Shelf([])
    depot.anything = ["a": shelf]
    let tokens = [
      try depot.kvo("anything.a.labels")
        .observe(options: [.old, .new], changeHandler: log.handler("any")),
      try depot.kvo("anything.a.labels", as: Set<String>?.self)
        .observe(options: [.old, .new], changeHandler: log.handler("set")),
    ]
    shelf.mutableSetValue(for: \.labels).insert("x")
    shelf.mutableSetValue(for: \.labels).remove("x")
    shelf.labels = ["y"]
    #expect(
      log.take() == [
        "any: insertion, new: [\"x\"]",
        "set: insertion, new: [\"x\"]",
        "any: removal, old: [\"x\"]",
        "set: removal, old: [\"x\"]",
        "any: setting, old: [], new: [\"y\"]",
        "set: setting, old: [], new: [\"y\"]",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(depot, shelf))
  }

  @Test("P1 A bound string path through a dictionary converts a single value to the requested type")
  func boundConversion() throws {
    depot.anything = ["a": first]
    let token = try depot.kvo("anything.a.weight", as: Double?.self)
      .observe(options: [.old, .new], changeHandler: log.handler("weight"))
    first.weight = 2
    let both = try depot.kvo("anything.a.weight").observe(
      options: .new, changeHandler: log.handler("any"))
    first.weight = 3
    depot.anything = ["a": second]
    depot.anything = [:]
    #expect(
      log.take() == [
        "weight: setting, old: 1.0, new: 2.0",
        "weight: setting, old: 2.0, new: 3.0",
        "any: setting, new: 3",
        "weight: setting, old: 3.0, new: 2.0",
        "any: setting, new: 2",
        "weight: setting, old: 2.0, new: nil",
        "any: setting, new: nil",
      ])
    token.invalidate()
    both.invalidate()
    #expect(isIdle(depot, first, second))
  }

  @Test("K2 A failed set through a dictionary changes nothing and reports where it failed")
  func failedSetting() {
    let token = depot.observe(\.counts, changeHandler: log.handler("counts"))
    #expect(
      message { try depot.setValue("x", forKeyPath: "counts.a") }
        == "Dictionary<String, Int>.a (component 2 of 'counts.a') was given a value of the wrong type: "
        + "it holds Int, which cannot take \"x\" of type String exactly.")
    #expect(
      message { try depot.setValue(1, forKeyPath: "fixed.a") }
        == "Depot.fixed (component 1 of 'fixed.a') can be read but not set.")
    #expect(
      message { try depot.setValue(1, forKeyPath: "counts.a.b") } == nil)
    depot.counts["a"] = 1
    #expect(log.take() == ["counts: setting"])
    #expect(
      message { try depot.setValue(1, forKeyPath: "counts.a.b") }
        == "Int.b (component 3 of 'counts.a.b') cannot be read: a value of type Int has no keys; only "
        + "@KeyValueObservable classes, collections of them and dictionaries do.")
    #expect(log.take() == [])
    token.invalidate()
  }
}

/// The description of the error that a closure throws.
private func message(_ body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch {
    return "\(error)"
  }
}

@KeyValueObservable
private final class Parcel {
  var label: String
  var weight: Int
  var next: Parcel?

  init(_ label: String, weight: Int) {
    self.label = label
    self.weight = weight
  }
}

@KeyValueObservable
private final class Depot {
  var byName: [String: Parcel] = [:]
  var anything: [String: Any] = [:]
  var rows: [[String: Parcel]] = []
  var lists: [String: [Parcel]] = [:]
  var list: [Parcel] = []
  var counts: [String: Int] = [:]
  var tallies: [[String: Int]] = []
  let fixed = ["a": 1]
}

@KeyValueObservable
private final class Shelf {
  var numbers: [Int]
  var labels: Set<String> = []

  init(_ numbers: [Int]) {
    self.numbers = numbers
  }
}
