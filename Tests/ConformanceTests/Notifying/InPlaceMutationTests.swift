import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("N. In-place mutation")
struct InPlaceMutationTests {
  private let log = ChangeLog()
  private let person = Person()

  // MARK: N11

  @Test("N11 An in-place mutation is one change, however many steps it takes")
  func once() throws {
    var tokens: Set<KeyValueObservation> = []
    let all: KeyValueObservingOptions = [.old, .new, .prior]
    person.observe(\.books, options: all, changeHandler: log.handler("books")).store(in: &tokens)
    person.observe(\.age, options: all, changeHandler: log.handler("age")).store(in: &tokens)
    person.observe(\.frame.origin.x, options: all, changeHandler: log.handler("x"))
      .store(in: &tokens)
    func rewrite(_ books: inout [String]) {
      books.append("Notes")
      books.append("Letters")
      books.removeFirst()
    }
    rewrite(&person.books)
    person.age += 1
    person.frame.origin.x = 3
    #expect(
      log.take() == [
        "books: setting, old: [], prior", "books: setting, old: [], new: [\"Letters\"]",
        "age: setting, old: 36, prior", "age: setting, old: 36, new: 37",
        "x: setting, old: 0.0, prior", "x: setting, old: 0.0, new: 3.0",
      ])
  }

  @Test("N11 A mutation through a reference changes the other object, not the relationship")
  func throughReference() {
    person.account = Account()
    let relationship = person.observe(\.account, changeHandler: log.handler("account"))
    let balance = person.observe(\.account.balance, changeHandler: log.handler("balance"))
    person.account?.balance += 1
    #expect(log.take() == ["balance: setting"])
    withExtendedLifetime((relationship, balance)) {}
  }

  @Test("N11 Callbacks may read and change the property that is being changed in place")
  func callbacksTouchTheProperty() throws {
    var isOuter = true
    let token = person.observe(\.books, options: .prior) { person, change in
      log.note("\(change.isPrior ? "prior" : "post"): \(person.books)")
      guard isOuter else { return }
      isOuter = false
      person.books += [change.isPrior ? "p" : "q"]
      isOuter = true
    }
    person.books.append("x")
    #expect(
      log.take() == [
        "prior: []", "prior: []", "post: [\"p\"]", "post: [\"p\", \"x\"]",
        "prior: [\"p\", \"x\"]", "post: [\"p\", \"x\", \"q\"]",
      ])
    token.invalidate()
  }

  @Test("N11 Other properties may be used while one is changed in place")
  func otherProperties() {
    let other = Person()
    let token = person.observe(\.firstName, options: .new, changeHandler: log.handler("name"))
    let count = person.observe(\.age, options: .new, changeHandler: log.handler("age"))
    func change(_ books: inout [String], _ age: inout Int, _ others: inout [String]) {
      books.append(person.firstName)
      person.firstName = "Grace"
      age += 1
      others.append("other")
      log.note("inside")
    }
    change(&person.books, &person.age, &other.books)
    #expect(person.books == ["Ada"])
    #expect(log.take() == ["name: setting, new: \"Grace\"", "inside", "age: setting, new: 37"])
    withExtendedLifetime((token, count)) {}
  }

  @Test("N11 An observance that begins or ends during an in-place mutation isn't notified of it")
  func registrationInside() throws {
    func change(_ books: inout [String], _ body: () -> Void) {
      books.append("x")
      body()
      books.append("y")
    }
    var token: KeyValueObservation?
    change(&person.books) {
      token = person.observe(\.books, options: .new, changeHandler: log.handler("books"))
    }
    #expect(log.take() == [])
    change(&person.books) { token?.invalidate() }
    #expect(log.take() == [])
    person.books = []
    #expect(log.take() == [])
    #expect(person.observationInfo.isEmpty)
  }

  // In its own process: while another test records a trace, old values are read for the trace.
  @Test("N11 Changing in place copies only if the old value is requested")
  func copies() async {
    await #expect(processExitsWith: .success) {
      let cases: [(KeyValueObservingOptions, Int)] = [
        ([], 0), (.new, 0), (.prior, 0), ([.new, .prior, .initial], 0), (.old, 10),
        ([.old, .new, .prior], 10),
      ]
      for (options, expected) in cases {
        let crate = Crate()
        var calls = 0
        let token = crate.observe(\.counted, options: options) { _, change in
          if !change.isPrior { calls += 1 }
        }
        calls = 0
        for number in 1...10 { crate.counted.append(number) }
        #expect(calls == 10)
        #expect(crate.counted.count == 10)
        #expect(crate.counted.copies == expected, "\(options)")
        token.invalidate()
      }
    }
  }

  @Test("N11 Options of other properties' observers cause no copy in an in-place change")
  func copiesForOthers() throws {
    let crate = Crate()
    let token = crate.observe(\.content, options: [.old, .new]) { _, _ in }
    for number in 1...10 { crate.counted.append(number) }
    #expect(crate.counted.copies == 0)
    token.invalidate()
  }

  @Test("N11 Changing an observed, unshared array in place keeps its buffer")
  func buffer() {
    let token = person.observe(\.books, options: [.new, .prior]) { _, _ in }
    person.books.reserveCapacity(1_000)
    func address() -> UnsafeRawPointer? {
      person.books.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
    }
    person.books.append("first")
    let first = address()
    for _ in 1...900 { person.books.append("next") }
    #expect(address() == first)
    token.invalidate()
  }

  @Test("N11 Reading a property while it is changed in place traps, observed or not")
  func overlappingRead() async throws {
    let idle = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let person = Person()
      func change(_ books: inout [String]) { books = person.books + ["x"] }
      change(&person.books)
    }
    // The class of an unobserved object is unknown.
    try expectTrap(
      idle,
      says: overlapping("a stored property (number 6 of its class)"))
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let person = Person()
      let token = person.observe(\.age) { _, _ in }
      func change(_ books: inout [String]) { books = person.books + ["x"] }
      change(&person.books)
      withExtendedLifetime(token) {}
    }
    try expectTrap(result, says: overlapping("Person.books"))
    let adopted = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let person = Person()
      func change(_ books: inout [String]) {
        let token = person.observe(\.age) { _, _ in }
        books = person.books + ["x"]
        withExtendedLifetime(token) {}
      }
      change(&person.books)
    }
    try expectTrap(adopted, says: overlapping("Person.books"))
  }

  private func overlapping(_ property: String) -> String {
    "Overlapping accesses to \(property): it was read or set while it was being modified in place. "
      + "Finish the modification first, or work on a copy. Where two threads use the object, guard it "
      + "with a lock or an actor."
  }

  @Test("N11 Setting or changing a property while it is changed in place traps, observed or not")
  func overlappingChange() async throws {
    let idleSet = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let person = Person()
      func change(_ books: inout [String]) { person.books = [] }
      change(&person.books)
    }
    let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let person = Person()
      let token = person.observe(\.books) { _, _ in }
      func change(_ books: inout [String]) { person.books = [] }
      change(&person.books)
      withExtendedLifetime(token) {}
    }
    let idleChange = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
    {
      let person = Person()
      func change(_ books: inout [String]) { person.books.append("x") }
      change(&person.books)
    }
    let change = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let person = Person()
      let token = person.observe(\.books, options: .prior) { _, _ in }
      func change(_ books: inout [String]) { person.books.append("x") }
      change(&person.books)
      withExtendedLifetime(token) {}
    }
    for result in [set, change] {
      try expectTrap(result, says: overlapping("Person.books"))
    }
    for result in [idleSet, idleChange] {
      try expectTrap(
        result,
        says: overlapping("a stored property (number 6 of its class)"))
    }
  }

  @Test("N11 Reading a collection from an element's own code while a proxy changes it traps")
  func readByElement() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let board = Noticeboard()
      board.mutableSetValue(for: \.notices).insert(Notice(board))
    }
    try expectTrap(result, says: overlapping("Noticeboard.notices"))
  }

  // MARK: N12

  private struct Refusal: Error {}

  @Test("N12 A throwing in-place mutation still completes its did")
  func throwing() {
    let token = person.observe(
      \.books, options: [.old, .new, .prior], changeHandler: log.handler("books"))
    func change(_ books: inout [String]) throws {
      books.append("kept")
      throw Refusal()
    }
    #expect(throws: Refusal.self) { try change(&person.books) }
    #expect(
      log.take() == [
        "books: setting, old: [], prior", "books: setting, old: [], new: [\"kept\"]",
      ])
    person.books.append("next")
    #expect(
      log.take() == [
        "books: setting, old: [\"kept\"], prior",
        "books: setting, old: [\"kept\"], new: [\"kept\", \"next\"]",
      ])
    token.invalidate()
  }

  @Test("N12 A throwing mutation of an unobserved object leaves no trace")
  func throwingUnobserved() {
    func change(_ books: inout [String]) throws { throw Refusal() }
    #expect(throws: Refusal.self) { try change(&person.books) }
    person.books.append("next")
    #expect(person.books == ["next"])
  }

  @Test("N12 A withChange closure that throws or returns early completes its did")
  func throwingPair() {
    let ledger = Ledger()
    let token = ledger.observe(
      \.openingBalance, options: [.old, .new], changeHandler: log.handler("balance"))
    #expect(throws: Refusal.self) {
      try ledger.withChange(of: \.openingBalance) {
        ledger.openingBalance = 1
        throw Refusal()
      }
    }
    #expect(log.take() == ["balance: setting, old: 0.0, new: 1.0"])
    let result = ledger.withChange(of: "openingBalance") {
      for number in 2... where number * number > 10 {
        ledger.openingBalance = Double(number)
        return number
      }
      return 0
    }
    #expect(result == 4)
    #expect(log.take() == ["balance: setting, old: 1.0, new: 4.0"])
    token.invalidate()
  }
}

@KeyValueObservable
private final class Noticeboard {
  var notices: Set<Notice> = []
}

/// A notice whose hash reads the notices of its board.
private struct Notice: Hashable {
  let board: Noticeboard

  init(_ board: Noticeboard) { self.board = board }

  static func == (left: Notice, right: Notice) -> Bool { left.board === right.board }
  func hash(into hasher: inout Hasher) { hasher.combine(board.notices.count) }
}
