import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("R. Tokens")
struct TokenTests {
  private let log = ChangeLog()
  private let person = Person()

  @Test("R5 Releasing the last reference to a token ends its observation")
  func dropping() {
    var token: KeyValueObservation? = person.observe(\.age, changeHandler: log.handler("age"))
    var copy = token
    person.age = 1
    token = nil
    person.age = 2
    #expect(copy?.isValid == true)
    copy = nil
    person.age = 3
    #expect(log.take() == ["age: setting", "age: setting"])
    #expect(person.observationInfo.isEmpty)
    withExtendedLifetime(token) {}
  }

  @Test("R5 invalidate ends one observation, and may be called any number of times")
  func invalidating() {
    let token = person.observe(\.age, changeHandler: log.handler("ended"))
    let other = person.observe(\.age, changeHandler: log.handler("kept"))
    for _ in 1...3 {
      token.invalidate()
      #expect(!token.isValid)
      #expect(other.isValid)
      person.age += 1
    }
    #expect(log.take() == Array(repeating: "kept: setting", count: 3))
    #expect(person.observationInfo.count == 1)
  }

  @Test("R5 Ending an observation twice doesn't end one that was registered later")
  func successor() {
    let token = person.observe(\.age, changeHandler: log.handler("first"))
    token.invalidate()
    let next = person.observe(\.age, changeHandler: log.handler("second"))
    token.invalidate()
    person.age = 1
    #expect(log.take() == ["second: setting"])
    #expect(next.isValid)
  }

  @Test("R5 A set of tokens ends them together and contains each token once")
  func storing() {
    var tokens: Set<KeyValueObservation> = []
    let token = person.observe(\.age, changeHandler: log.handler("age"))
    token.store(in: &tokens)
    token.store(in: &tokens)
    person.observe(\.fullName, changeHandler: log.handler("name")).store(in: &tokens)
    person.observe(\.fullName, changeHandler: log.handler("name")).store(in: &tokens)
    #expect(tokens.count == 3)
    person.age = 1
    person.firstName = "Grace"
    #expect(log.take() == ["age: setting", "name: setting", "name: setting"])
    tokens = []
    person.age = 2
    person.firstName = "Ada"
    #expect(log.take() == ["age: setting"])
    token.invalidate()
  }

  @Test("L2 A token reports its key path, in every spelling, and whether it is valid")
  func printing() throws {
    let tokens = [
      person.observe(\.account.balance) { _, _ in },
      person.observe(\.account?.balance) { _, _ in },
      person.observe(\.frame.origin.x) { _, _ in },
      person.observe(\Person.age) { _, _ in },
      person.observe(KeyValuePath<Person, String>(\.fullName)) { _, _ in },
      try person.observe("account.owner.age") { _, _ in },
    ]
    let keyPaths = [
      "account.balance", "account.balance", "frame.origin.x", "age", "fullName",
      "account.owner.age",
    ]
    #expect(tokens.map(\.keyPath) == keyPaths)
    #expect(tokens.map { "\($0)" } == keyPaths.map { "KeyValueObservation(\($0), valid)" })
    tokens.forEach { $0.invalidate() }
    #expect(tokens.map(\.keyPath) == keyPaths)
    #expect(tokens.map { "\($0)" } == keyPaths.map { "KeyValueObservation(\($0), ended)" })
  }

  @Test("R1 Every spelling of a path observes the same thing")
  func spellings() throws {
    person.account = Account(balance: 1)
    person.account?.owner = person
    let options: KeyValueObservingOptions = [.old, .new]
    let held = KeyValuePath<Person, Double?>(\.account.balance)
    let tokens = [
      person.observe(\.account.balance, options: options, changeHandler: log.handler("typed")),
      person.observe(\.account?.balance, options: options, changeHandler: log.handler("chained")),
      person.observe(held, options: options, changeHandler: log.handler("held")),
      try person.observe(
        "account.balance", options: options, changeHandler: log.handler("string")),
      person.observe(
        \.account?.owner?.account?.balance, options: options, changeHandler: log.handler("long")),
    ]
    let labels = ["typed", "chained", "held", "string", "long"]
    person.account?.balance = 2
    #expect(log.take() == labels.map { "\($0): setting, old: 1.0, new: 2.0" })
    person.account = nil
    #expect(log.take() == labels.map { "\($0): setting, old: 2.0, new: nil" })
    withExtendedLifetime(tokens) {}
  }

  @Test("R1 Subclasses, annotated or not, are observed by every spelling")
  func subclasses() throws {
    let manager = Manager()
    let visitor = Visitor()
    let tokens = [
      manager.observe(\.lastName, options: .new, changeHandler: log.handler("inherited")),
      manager.observe(\.title, options: .new, changeHandler: log.handler("own")),
      manager.observe(\Manager.lastName, options: .new, changeHandler: log.handler("plain")),
      try manager.observe("lastName", options: .new, changeHandler: log.handler("string")),
      visitor.observe(\.lastName, options: .new, changeHandler: log.handler("visitor")),
      visitor.observe(
        \Visitor.lastName, options: .new, changeHandler: log.handler("plain visitor")),
      try visitor.observe("fullName", options: .new, changeHandler: log.handler("visitor's name")),
    ]
    manager.lastName = "Hopper"
    #expect(
      log.take() == [
        "inherited: setting, new: \"Hopper\"", "own: setting, new: \"Hopper, level 1\"",
        "plain: setting, new: \"Hopper\"", "string: setting, new: \"Hopper\"",
      ])
    visitor.lastName = "Turing"
    #expect(
      log.take() == [
        "visitor: setting, new: \"Turing\"", "plain visitor: setting, new: \"Turing\"",
        "visitor's name: setting, new: \"Ada Turing\"",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test("R5 An object may be observed, unobserved and observed again any number of times")
  func again() {
    for round in 1...3 {
      person.books.append("unobserved")
      let token = person.observe(\.books, changeHandler: log.handler("\(round)"))
      person.books.append("observed")
      token.invalidate()
      person.books.append("unobserved")
      #expect(log.take() == ["\(round): setting"])
      #expect(person.observationInfo.isEmpty)
    }
    #expect(person.books.count == 9)
  }

  @Test("R5 A set, an array or another collection keeps tokens and ends them when it is released")
  func stored() {
    var set: Set<KeyValueObservation> = []
    var array: [KeyValueObservation] = []
    var slice: ArraySlice<KeyValueObservation> = []
    let token = person.observe(\.age, changeHandler: log.handler("set"))
    for _ in 1...2 { token.store(in: &set) }
    person.observe(\.age, changeHandler: log.handler("array")).store(in: &array)
    person.observe(\.age, changeHandler: log.handler("slice")).store(in: &slice)
    person.age = 1
    #expect(log.take() == ["set: setting", "array: setting", "slice: setting"])
    #expect(set.count == 1)
    array = []
    person.age = 2
    #expect(log.take() == ["set: setting", "slice: setting"])
    set = []
    slice = []
    withExtendedLifetime(token) { person.age = 3 }
    #expect(log.take() == ["set: setting"])
  }

  @Test("R5 An array keeps bindings and ends them when it is released")
  func storedBindings() {
    var bindings: [KeyValueBinding] = []
    let other = Person()
    person.kvo.age.bind(to: other.kvo.age).store(in: &bindings)
    person.age = 1
    #expect(other.age == 1)
    bindings = []
    person.age = 2
    #expect(other.age == 1)
  }
}
