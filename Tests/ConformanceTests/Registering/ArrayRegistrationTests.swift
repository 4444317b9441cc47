import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("R. Registering with several objects of an array")
struct ArrayRegistrationTests {
  private let log = ChangeLog()
  private let people = (0..<4).map { number in
    let person = Person()
    person.age = number
    return person
  }

  private func growOlder() {
    for person in people { person.age += 10 }
  }

  @Test("C9 The elements at the indexes are observed, with options and context")
  func elements() throws {
    let observer = LoggingObserver("observer", log)
    let indexes = RangeSet([0..<1, 2..<4])
    try people.addObserver(
      observer, toObjectsAt: indexes, forKeyPath: "age", options: [.initial, .old, .new],
      context: context(7))
    #expect(log.take() == [0, 2, 3].map { "observer age #7: setting, new: \($0)" })
    growOlder()
    #expect(
      log.take() == [0, 2, 3].map { "observer age #7: setting, old: \($0), new: \($0 + 10)" })
    try people.removeObserver(
      observer, fromObjectsAt: RangeSet([2..<4]), forKeyPath: "age", context: context(7))
    growOlder()
    #expect(log.take() == ["observer age #7: setting, old: 10, new: 20"])
    try people.removeObserver(
      observer, fromObjectsAt: RangeSet([0..<1]), forKeyPath: "age", context: context(7))
    #expect(people.allSatisfy { $0.observationInfo.isEmpty })
  }

  @Test("C9 An element that occurs twice in the array is observed twice")
  func twice() throws {
    let observer = LoggingObserver("observer", log)
    let twins = [people[0], people[1], people[0]]
    try twins.addObserver(observer, toObjectsAt: RangeSet([0..<3]), forKeyPath: "age")
    people[0].age = 1
    people[1].age = 1
    #expect(log.take() == Array(repeating: "observer age: setting", count: 3))
    try twins.removeObserver(observer, fromObjectsAt: RangeSet([0..<1]), forKeyPath: "age")
    people[0].age = 1
    #expect(log.take() == ["observer age: setting"])
  }

  @Test("C9 Changes of the array itself don't notify, and an empty index set registers nothing")
  func arrayChanges() throws {
    let observer = LoggingObserver("observer", log)
    var group = people
    try group.addObserver(observer, toObjectsAt: RangeSet(), forKeyPath: "age")
    try group.addObserver(observer, toObjectsAt: RangeSet([0..<1]), forKeyPath: "age")
    group.removeAll()
    growOlder()
    #expect(log.take() == ["observer age: setting"])
    try group.removeObserver(observer, fromObjectsAt: RangeSet(), forKeyPath: "age")
  }

  @Test("C9 Removal matches the exact context; no context matches a registration without one")
  func contexts() throws {
    let observer = LoggingObserver("observer", log)
    for number in [nil, 1] as [Int?] {
      try people.addObserver(
        observer, toObjectsAt: RangeSet([1..<2]), forKeyPath: "age",
        context: number.flatMap(context))
    }
    try people.removeObserver(observer, fromObjectsAt: RangeSet([1..<2]), forKeyPath: "age")
    growOlder()
    #expect(log.take() == ["observer age #1: setting"])
    #expect(
      message {
        try people.removeObserver(observer, fromObjectsAt: RangeSet([1..<2]), forKeyPath: "age")
      } == notRegisteredMessage)
    #expect(people[1].observationInfo.map(\.context) == [context(1)])
  }

  @Test(
    "C9 An index out of range throws before anything is registered or removed",
    arguments: [
      [3..<5], [0..<1, 4..<5], [-1..<1],
    ])
  func outOfRange(ranges: [Range<Int>]) throws {
    let observer = LoggingObserver("observer", log)
    let indexes = RangeSet(ranges)
    let expected =
      "Array<Person>.age has no such index: the indexes are \(listing(indexes)), and there are 4 "
      + "objects."
    #expect(
      message {
        try people.addObserver(observer, toObjectsAt: indexes, forKeyPath: "age", options: .initial)
      } == expected)
    #expect(people.allSatisfy { $0.observationInfo.isEmpty })
    #expect(log.take() == [])

    try people.addObserver(observer, toObjectsAt: RangeSet([0..<4]), forKeyPath: "age")
    #expect(
      message {
        try people.removeObserver(observer, fromObjectsAt: indexes, forKeyPath: "age")
      } == expected)
    growOlder()
    #expect(log.take().count == 4)
  }

  @Test("R6 If one element can't be observed, none is, and existing registrations are unchanged")
  func allOrNone() throws {
    let observer = LoggingObserver("observer", log)
    let manager = Manager()
    let group = [manager, Manager(), Person()]
    try manager.addObserver(
      observer, forKeyPath: "level", options: [.old, .new], context: context(1))
    let error = try #require(throws: KeyValueCodingError.self) {
      try group.addObserver(
        observer, toObjectsAt: RangeSet([0..<3]), forKeyPath: "level", context: context(1))
    }
    #expect(error.description == "Person has no key 'level'.")
    manager.level = 2
    (group[1] as? Manager)?.level = 2
    #expect(log.take() == ["observer level #1: setting, old: 1, new: 2"])
    #expect(manager.observationInfo.map(\.options) == [[.old, .new]])
  }

  @Test("R4 Removal from several elements throws and changes nothing if one isn't observed")
  func removalIsAllOrNone() throws {
    let observer = LoggingObserver("observer", log)
    try people.addObserver(observer, toObjectsAt: RangeSet([0..<2, 3..<4]), forKeyPath: "age")
    #expect(
      message {
        try people.removeObserver(observer, fromObjectsAt: RangeSet([0..<4]), forKeyPath: "age")
      } == notRegisteredMessage)
    growOlder()
    #expect(log.take() == Array(repeating: "observer age: setting", count: 3))
  }

  @Test("R4 Removing the same element twice in one call requires two registrations")
  func removalOfTwins() throws {
    let observer = LoggingObserver("observer", log)
    let twins = [people[0], people[0]]
    try people[0].addObserver(observer, forKeyPath: "age")
    #expect(
      message {
        try twins.removeObserver(observer, fromObjectsAt: RangeSet([0..<2]), forKeyPath: "age")
      } == notRegisteredMessage)
    people[0].age = 1
    #expect(log.take() == ["observer age: setting"])
  }
}

private let notRegisteredMessage =
  "Person has no such observer for 'age' to remove: LoggingObserver is not registered for it, or not "
  + "with this context."
