import Dispatch
import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("N. Notifying")
struct NotifyingTests {
  private let log = ChangeLog()
  private let person = Person()

  // MARK: N1

  @Test("N1 Priors precede the mutation, posts follow it, and all precede the setter's return")
  func sequence() throws {
    func handler<Value>(
      _ label: String
    ) -> (Person, KeyValueObservedChange<Value>) -> Void {
      { person, change in
        log.note(label, change)
        log.note("reads \(person.fullName)")
      }
    }
    let all: KeyValueObservingOptions = [.old, .new, .prior]
    let direct = person.observe(\.firstName, options: all, changeHandler: handler("first"))
    let dependent = person.observe(\.fullName, options: all, changeHandler: handler("full"))
    log.note("setting")
    person.firstName = "Grace"
    log.note("set")
    #expect(
      log.take() == [
        "setting",
        "first: setting, old: \"Ada\", prior", "reads Ada Lovelace",
        "full: setting, old: \"Ada Lovelace\", prior", "reads Ada Lovelace",
        "first: setting, old: \"Ada\", new: \"Grace\"", "reads Grace Lovelace",
        "full: setting, old: \"Ada Lovelace\", new: \"Grace Lovelace\"", "reads Grace Lovelace",
        "set",
      ])
    withExtendedLifetime((direct, dependent)) {}
  }

  @Test("N1 Observers of other keys and of other objects aren't notified")
  func others() throws {
    let other = Person()
    var tokens: Set<KeyValueObservation> = []
    for key in ["lastName", "age", "nickname", "account", "wealth", "books", "tags", "frame"] {
      try person.observe(key, changeHandler: log.handler(key)).store(in: &tokens)
    }
    for key in Person.keyValueKeys {
      try other.observe(key, changeHandler: log.handler("other \(key)")).store(in: &tokens)
    }
    person.firstName = "Grace"
    #expect(log.take() == [])
  }

  @Test("N1 Callbacks run on the queue that mutates")
  func mutatingQueue() {
    let key = DispatchSpecificKey<String>()
    let gauge = Gauge()
    let calls = AtomicList()
    let token = gauge.observe(\.level, options: .prior) { _, change in
      let queue = DispatchQueue.getSpecific(key: key) ?? "no queue"
      calls.append("\(queue)\(change.isPrior ? ", prior" : "")")
    }
    for name in ["first", "second"] {
      let queue = DispatchQueue(label: name)
      queue.setSpecific(key: key, value: name)
      queue.sync { gauge.level += 1 }
    }
    #expect(calls.take() == ["first, prior", "first", "second, prior", "second"])
    token.invalidate()
  }

  // MARK: N3

  @Test("N3 Priors and posts are delivered in registration order, however observers register")
  func order() throws {
    let observer = LoggingObserver("object", log)
    let first = person.observe(\.fullName, options: .prior, changeHandler: log.handler("dependent"))
    try person.addObserver(observer, forKeyPath: "firstName", options: .prior)
    let third = person.observe(\.firstName, options: .prior, changeHandler: log.handler("typed"))
    let fourth = try person.observe(
      "firstName", options: .prior, changeHandler: log.handler("string"))
    person.firstName = "Grace"
    let order = ["dependent", "object firstName", "typed", "string"]
    #expect(log.take() == order.map { "\($0): setting, prior" } + order.map { "\($0): setting" })
    withExtendedLifetime((first, third, fourth)) {}
  }

  @Test("N3 Registering again moves an observance to the end; removing keeps the others in order")
  func orderAfterRemoval() throws {
    var tokens = (0..<5).map { number in
      person.observe(\.age, changeHandler: log.handler("\(number)"))
    }
    tokens[1].invalidate()
    tokens[0] = person.observe(\.age, changeHandler: log.handler("new 0"))
    tokens[3].invalidate()
    person.age = 37
    #expect(log.take() == ["2: setting", "4: setting", "new 0: setting"])
    withExtendedLifetime(tokens) {}
  }

  @Test("N3 A path keeps its place when it is attached to another object")
  func orderAfterReattaching() {
    let account = Account()
    let path = person.observe(\.account.balance, changeHandler: log.handler("path"))
    let direct = account.observe(\.balance, changeHandler: log.handler("direct"))
    let late = person.observe(\.account.balance, changeHandler: log.handler("late"))
    person.account = account
    _ = log.take()
    account.balance = 1
    #expect(log.take() == ["path: setting", "direct: setting", "late: setting"])
    withExtendedLifetime((path, direct, late)) {}
  }

  // MARK: N4

  @Test("N4 Setting an equal value notifies, by assignment and in place")
  func equalValues() throws {
    let token = person.observe(\.age, options: [.old, .new], changeHandler: log.handler("age"))
    let name = person.observe(
      \.fullName, options: [.old, .new], changeHandler: log.handler("name"))
    person.age = 36
    person.age += 0
    try person.setValue(36, forKey: "age")
    person.firstName = "Ada"
    person.firstName += ""
    person.account = nil
    let age = "age: setting, old: 36, new: 36"
    let unchanged = "name: setting, old: \"Ada Lovelace\", new: \"Ada Lovelace\""
    #expect(log.take() == [age, age, age, unchanged, unchanged])
    withExtendedLifetime((token, name)) {}
  }

  // MARK: N5

  @Test("N5 A mutation of several sources of an observance calls it once")
  func onceAMutation() throws {
    let account = Account(balance: 1)
    account.owner = person
    person.account = account
    var tokens: Set<KeyValueObservation> = []
    // The account is both a step of the path and, twice, a source.
    person.observe(
      \.account.owner.account.balance, options: [.old, .new, .prior],
      changeHandler: log.handler("path")
    ).store(in: &tokens)
    person.observe(\.wealth, options: [.old, .new, .prior], changeHandler: log.handler("wealth"))
      .store(in: &tokens)
    account.balance = 2
    #expect(
      log.take() == [
        "path: setting, old: 1.0, prior", "wealth: setting, old: 1.0, prior",
        "path: setting, old: 1.0, new: 2.0", "wealth: setting, old: 1.0, new: 2.0",
      ])
    person.account = nil
    #expect(
      log.take() == [
        "path: setting, old: 2.0, prior", "wealth: setting, old: 2.0, prior",
        "path: setting, old: 2.0, new: nil", "wealth: setting, old: 2.0, new: 0.0",
      ])
  }

  // MARK: N6

  @Test(
    "N6 A prior carries old if requested and never new; only a prior has isPrior set",
    arguments: [
      (.prior, "setting, prior", "setting"),
      ([.prior, .new], "setting, prior", "setting, new: 37"),
      ([.prior, .old], "setting, old: 36, prior", "setting, old: 36"),
      ([.prior, .old, .new], "setting, old: 36, prior", "setting, old: 36, new: 37"),
    ] as [(KeyValueObservingOptions, String, String)])
  func priors(options: KeyValueObservingOptions, prior: String, post: String) throws {
    let observer = LoggingObserver("object", log)
    let typed = person.observe(\.age, options: options, changeHandler: log.handler("typed"))
    try person.addObserver(observer, forKeyPath: "age", options: options)
    let expected = [
      "typed: \(prior)", "object age: \(prior)", "typed: \(post)", "object age: \(post)",
    ]
    person.age = 37
    #expect(log.take() == expected)
    person.age = 36
    _ = log.take()
    person.age += 1
    #expect(log.take() == expected)
    person.age = 36
    _ = log.take()
    person.withChange(of: \.age) {
      _ = log.take()
      person.age = 37
      #expect(log.take() == expected)
    }
    typed.invalidate()
  }

  @Test("N6 A prior is delivered before the value changes, for paths and dependent keys too")
  func priorsReadTheOldValue() {
    person.account = Account(balance: 1)
    func handler<Value>(_ label: String) -> (Person, KeyValueObservedChange<Value>) -> Void {
      { person, change in
        log.note("\(label)\(change.isPrior ? " prior" : ""): \(person.account?.balance ?? -1)")
      }
    }
    let tokens = [
      person.observe(\.account.balance, options: .prior, changeHandler: handler("path")),
      person.observe(\.wealth, options: .prior, changeHandler: handler("wealth")),
    ]
    person.account?.balance = 2
    person.account = Account(balance: 3)
    #expect(
      log.take() == [
        "path prior: 1.0", "wealth prior: 1.0", "path: 2.0", "wealth: 2.0",
        "path prior: 2.0", "wealth prior: 2.0", "path: 3.0", "wealth: 3.0",
      ])
    withExtendedLifetime(tokens) {}
  }

  // MARK: N7

  @Test("N7 A value that wasn't requested is distinguishable from a nil value")
  func missingAndNil() throws {
    func describe<Value>(_ value: Value??) -> String {
      switch value {
      case .none: "missing"
      case .some(.none): "nil"
      case .some(.some(let value)): "\(value)"
      }
    }
    func handler<Root, Value>(
      _ label: String
    ) -> (Root, KeyValueObservedChange<Value?>) -> Void {
      { _, change in
        log.note("\(label): \(describe(change.oldValue)), \(describe(change.newValue))")
      }
    }
    func observe(_ options: KeyValueObservingOptions) throws -> [KeyValueObservation] {
      [
        person.observe(\.nickname, options: options, changeHandler: handler("typed")),
        try person.observe("nickname", options: options, changeHandler: handler("string")),
        person.observe(\.account.balance, options: options, changeHandler: handler("path")),
        try person.observe(
          "account.balance", options: options, changeHandler: handler("string path")),
        person.observe(
          \.account?.balance, options: options, changeHandler: handler("chained path")),
      ]
    }
    for (options, expected) in [
      (.old, "nil, missing"), (.new, "missing, nil"), ([.old, .new], "nil, nil"),
      ([], "missing, missing"),
    ] as [(KeyValueObservingOptions, String)] {
      let tokens = try observe(options)
      person.nickname = nil
      person.account = nil
      #expect(
        log.take()
          == ["typed", "string", "path", "string path", "chained path"].map {
            "\($0): \(expected)"
          })
      withExtendedLifetime(tokens) {}
    }
    let tokens = try observe([.old, .new])
    person.nickname = "Countess"
    person.account = Account(balance: 1)
    #expect(
      log.take() == [
        "typed: nil, Countess", "string: nil, Countess", "path: nil, 1.0", "string path: nil, 1.0",
        "chained path: nil, 1.0",
      ])
    withExtendedLifetime(tokens) {}
  }
}
