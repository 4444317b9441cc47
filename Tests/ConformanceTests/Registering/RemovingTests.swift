import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("R. Removing observers")
struct RemovingTests {
  private let log = ChangeLog()
  private let person = Person()

  private func lines(_ contexts: [Int]) -> [String] {
    contexts.map { "observer age #\($0): setting" }
  }

  @Test("R4 An observer is called once per registration, and each removal ends one")
  func once() throws {
    let observer = LoggingObserver("observer", log)
    for _ in 1...3 { try person.addObserver(observer, forKeyPath: "age", options: .new) }
    for count in [3, 2, 1, 0] {
      person.age = count
      #expect(log.take() == Array(repeating: "observer age: setting, new: \(count)", count: count))
      if count > 0 { try person.removeObserver(observer, forKeyPath: "age") }
    }
    #expect(throws: KeyValueCodingError.self) {
      try person.removeObserver(observer, forKeyPath: "age")
    }
    #expect(isIdle(person))
  }

  @Test(
    "R4 With a context, only the exact match is removed, in any order",
    arguments: [
      [1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1],
    ])
  func byContext(order: [Int]) throws {
    let observer = LoggingObserver("observer", log)
    var left = [1, 2, 3]
    for number in left {
      try person.addObserver(observer, forKeyPath: "age", context: context(number))
    }
    for number in order {
      try person.removeObserver(observer, forKeyPath: "age", context: context(number))
      left.removeAll { $0 == number }
      person.age += 1
      #expect(log.take() == lines(left))
    }
    #expect(person.observationInfo.isEmpty)
  }

  @Test("R4 Without a context, the oldest registration is removed, whatever its context")
  func oldest() throws {
    let observer = LoggingObserver("observer", log)
    for number in [2, 1, 3] {
      try person.addObserver(observer, forKeyPath: "age", context: context(number))
    }
    for left in [[1, 3], [3], []] {
      try person.removeObserver(observer, forKeyPath: "age")
      person.age += 1
      #expect(log.take() == lines(left))
    }
  }

  @Test("R4 A nil context is a context: it matches only registrations made without one")
  func noContext() throws {
    let observer = LoggingObserver("observer", log)
    try person.addObserver(observer, forKeyPath: "age", context: context(1))
    try person.addObserver(observer, forKeyPath: "age")
    try person.removeObserver(observer, forKeyPath: "age", context: nil)
    person.age += 1
    #expect(log.take() == lines([1]))
    #expect(throws: KeyValueCodingError.self) {
      try person.removeObserver(observer, forKeyPath: "age", context: nil)
    }
    person.age += 1
    #expect(log.take() == lines([1]))
  }

  @Test("R4 Of registrations with the same context, the oldest is removed first")
  func oldestOfEqual() throws {
    let observer = LoggingObserver("observer", log)
    for options in [KeyValueObservingOptions.old, .new, []] {
      try person.addObserver(observer, forKeyPath: "age", options: options, context: context(1))
    }
    try person.removeObserver(observer, forKeyPath: "age", context: context(1))
    person.age = 37
    #expect(log.take() == ["observer age #1: setting, new: 37", "observer age #1: setting"])
    try person.removeObserver(observer, forKeyPath: "age", context: context(1))
    person.age = 38
    #expect(log.take() == ["observer age #1: setting"])
  }

  @Test("R4 Removing a missing registration throws notRegistered and changes nothing")
  func absent() throws {
    let observer = LoggingObserver("observer", log)
    let stranger = LoggingObserver("stranger", log)
    try person.addObserver(observer, forKeyPath: "age", context: context(1))
    try person.addObserver(observer, forKeyPath: "account.balance")

    func message(_ remove: () throws -> Void) -> String {
      do {
        try remove()
        return "removed"
      } catch KeyValueCodingError.notRegistered(let details) {
        return KeyValueCodingError.notRegistered(details).description
      } catch {
        return "wrong error: \(error)"
      }
    }
    func expected(_ keyPath: String) -> String {
      "Person has no such observer for '\(keyPath)' to remove: LoggingObserver is not registered "
        + "for it, or not with this context."
    }
    #expect(
      message { try person.removeObserver(observer, forKeyPath: "age", context: context(2)) }
        == expected("age"))
    #expect(
      message { try person.removeObserver(observer, forKeyPath: "age", context: nil) }
        == expected("age"))
    #expect(
      message { try person.removeObserver(observer, forKeyPath: "firstName") }
        == expected("firstName"))
    #expect(
      message { try person.removeObserver(observer, forKeyPath: "account") } == expected("account"))
    #expect(
      message { try person.removeObserver(observer, forKeyPath: "noSuchKey") }
        == expected("noSuchKey"))
    #expect(message { try person.removeObserver(stranger, forKeyPath: "age") } == expected("age"))
    #expect(
      message { try Person().removeObserver(observer, forKeyPath: "age") } == expected("age"))

    person.age = 37
    person.account = Account()
    #expect(log.take() == ["observer age #1: setting", "observer account.balance: setting"])
    #expect(person.observationInfo.map(\.keyPath) == ["age", "account.balance"])
  }

  @Test("R4 Removing a new observer never removes a dead observer's registration")
  func recycledObserver() throws {
    for _ in 1...100 {
      do {
        let mortal = LoggingObserver("mortal", log)
        try person.addObserver(mortal, forKeyPath: "age", context: context(1))
      }
      // Probably allocated at the dead observer's address.
      let successor = LoggingObserver("successor", log)
      #expect(throws: KeyValueCodingError.self) {
        try person.removeObserver(successor, forKeyPath: "age")
      }
      try person.addObserver(successor, forKeyPath: "age", context: context(2))
      person.age += 1
      #expect(log.take() == ["successor age #2: setting"])
      try person.removeObserver(successor, forKeyPath: "age")
    }
  }

  @Test("R4 An inherited key path can be removed from a subclass's object")
  func subclass() throws {
    let observer = LoggingObserver("observer", log)
    let manager = Manager()
    let visitor = Visitor()
    for object in [manager, visitor] {
      try object.addObserver(observer, forKeyPath: "lastName", options: .new)
    }
    try manager.addObserver(observer, forKeyPath: "title", options: .new)
    manager.lastName = "Hopper"
    visitor.lastName = "Turing"
    try manager.removeObserver(observer, forKeyPath: "lastName")
    manager.lastName = "Ride"
    visitor.lastName = "Church"
    #expect(
      log.take() == [
        "observer lastName: setting, new: \"Hopper\"",
        "observer title: setting, new: \"Hopper, level 1\"",
        "observer lastName: setting, new: \"Turing\"",
        "observer title: setting, new: \"Ride, level 1\"",
        "observer lastName: setting, new: \"Church\"",
      ])
  }

  // MARK: R7

  @Test(
    "R7 Many closures begin and end in any order without growing cost", .timeLimit(patience),
    arguments: ["oldest first", "newest first", "mixed"])
  func manyClosures(order: String) {
    let count = manyRegistrations
    var calls = 0
    var tokens = (0..<count).map { _ in person.observe(\.age) { _, _ in calls += 1 } }
    person.age = 1
    #expect(calls == count)
    switch order {
    case "oldest first": for token in tokens { token.invalidate() }
    case "newest first": for token in tokens.reversed() { token.invalidate() }
    // A fixed permutation: 7,919 has no factor in common with the count.
    default: for step in tokens.indices { tokens[step * 7_919 % count].invalidate() }
    }
    tokens = []
    person.age = 2
    #expect(calls == count)
    #expect(person.observationInfo.isEmpty)
  }

  @Test(
    "R7 Many closures with different options begin and end without growing cost",
    .timeLimit(patience), arguments: ["oldest first", "newest first", "mixed"])
  func manyNeeds(order: String) {
    let count = manyRegistrations / 2
    var calls = 0
    var tokens = [KeyValueObservingOptions.new, []].flatMap { options in
      (0..<count).map { _ in person.observe(\.age, options: options) { _, _ in calls += 1 } }
    }
    // Half of the registrations stay, so a removal never leaves the key unobserved.
    switch order {
    case "oldest first": for token in tokens[..<count] { token.invalidate() }
    case "newest first": for token in tokens[count...].reversed() { token.invalidate() }
    default: for step in 0..<count { tokens[step * 7_919 % (2 * count)].invalidate() }
    }
    person.age = 1
    #expect(calls == count)
    tokens = []
    person.age = 2
    #expect(calls == count)
    #expect(person.observationInfo.isEmpty)
  }

  @Test(
    "R7 One observer registered many times is removed without growing cost",
    .timeLimit(patience), arguments: ["oldest first", "newest first"])
  func manyContexts(order: String) async throws {
    final class Counter: KeyValueObserver {
      var calls = 0
      func observeValue(
        forKeyPath keyPath: String, of object: any KeyValueObservable,
        change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
      ) {
        calls += 1
      }
    }
    // A test that exceeds its limit is cancelled, and ends at the next check.
    let count = manyRegistrations
    let observer = Counter()
    for number in 1...count {
      if number.isMultiple(of: 1_000) { try Task.checkCancellation() }
      try person.addObserver(observer, forKeyPath: "age", context: context(number))
    }
    person.age = 1
    #expect(observer.calls == count)
    for number in 1...count {
      if number.isMultiple(of: 1_000) { try Task.checkCancellation() }
      let next = order == "oldest first" ? number : count + 1 - number
      try person.removeObserver(observer, forKeyPath: "age", context: context(next))
    }
    person.age = 2
    #expect(observer.calls == count)
    #expect(person.observationInfo.isEmpty)
  }
}

/// So many that quadratic cost takes billions of steps, which are seen in the suite's time.
///
/// The time limit stops only what costs more. `Benchmarks/compare` checks whether the cost grows (W5).
private let manyRegistrations = TestVolume.either(60_000, few: 10_000)
private let patience = TimeLimitTrait.Duration.minutes(TestVolume.patience)
