import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("N. The frozen change set")
struct ChangeSetTests {
  private let log = ChangeLog()
  private let person = Person()

  /// The four ways in which a key of the person is mutated; each is one change of `firstName`.
  static let mutations = ["=", "in place", "manual pair", "by key"]

  private func mutate(_ mutation: String) throws {
    switch mutation {
    case "=": person.firstName = "Grace"
    case "in place": person.firstName += "!"
    case "by key": try person.setValue("Grace", forKey: "firstName")
    default:
      person.willChangeValue(forKey: "firstName")
      person.didChangeValue(forKey: "firstName")
    }
  }

  // MARK: N2, removal

  @Test("N2 An observance removed in a prior receives no post of that change", arguments: mutations)
  func removedInPrior(mutation: String) throws {
    var tokens: [KeyValueObservation] = []
    for number in 0...2 {
      tokens.append(
        person.observe(\.firstName, options: .prior) { _, change in
          log.note("\(number)", change)
          if number == 1, change.isPrior { tokens.forEach { $0.invalidate() } }
        })
    }
    try mutate(mutation)
    try mutate(mutation)
    #expect(log.take() == ["0: setting, prior", "1: setting, prior"])
  }

  @Test(
    "N2 An observance removed in a post receives nothing further of that change",
    arguments: mutations)
  func removedInPost(mutation: String) throws {
    var tokens: [KeyValueObservation] = []
    for number in 0...3 {
      tokens.append(
        person.observe(\.fullName, options: [.old, .new]) { _, change in
          log.note("\(number)")
          if number == 1 {
            tokens[0].invalidate()
            tokens[2].invalidate()
          }
        })
    }
    try mutate(mutation)
    #expect(log.take() == ["0", "1", "3"])
    try mutate(mutation)
    #expect(log.take() == ["1", "3"])
    tokens = []  // the handlers retain the tokens
  }

  @Test("N2 Releasing a token in its own callback ends the observation", arguments: mutations)
  func droppedInOwnCallback(mutation: String) throws {
    var token: KeyValueObservation?
    token = person.observe(\.firstName, options: .prior) { _, change in
      log.note("name", change)
      token = nil
    }
    try mutate(mutation)
    try mutate(mutation)
    #expect(log.take() == ["name: setting, prior"])
    #expect(token == nil)
    #expect(person.observationInfo.isEmpty)
  }

  @Test("N2 Of an observer's two registrations, only the removed one stops notifying")
  func doubleRegistration() throws {
    let observer = LoggingObserver("observer", log)
    for number in [1, 2] {
      try person.addObserver(
        observer, forKeyPath: "age", options: .prior, context: context(number))
    }
    observer.action = { [person, unowned observer] _, _, change in
      guard change.isPrior, person.observationInfo.count == 2 else { return }
      #expect(throws: Never.self) {
        try person.removeObserver(observer, forKeyPath: "age", context: context(1))
      }
    }
    person.age = 37
    #expect(
      log.take() == [
        "observer age #1: setting, prior", "observer age #2: setting, prior",
        "observer age #2: setting",
      ])
  }

  @Test("N2 An observer that dies in another observer's callback, removed or not, isn't called")
  func removedAndDead() throws {
    for isRemoved in [true, false] {
      let first = LoggingObserver("first", log)
      var second: LoggingObserver? = LoggingObserver("second", log)
      first.action = { [person] _, _, _ in
        if isRemoved, let mortal = second {
          #expect(throws: Never.self) { try person.removeObserver(mortal, forKeyPath: "age") }
        }
        second = nil
      }
      try person.addObserver(first, forKeyPath: "age")
      try person.addObserver(second!, forKeyPath: "age")
      person.age += 1
      person.age += 1
      #expect(log.take() == ["first age: setting", "first age: setting"])
      try person.removeObserver(first, forKeyPath: "age")
    }
  }

  // MARK: N2, registration

  @Test("N2 An observance added in a prior receives nothing for that change", arguments: mutations)
  func addedInPrior(mutation: String) throws {
    var late: [KeyValueObservation] = []
    let token = person.observe(\.firstName, options: .prior) { person, change in
      log.note("early", change)
      guard change.isPrior, late.isEmpty else { return }
      late = [
        person.observe(\.firstName, options: .prior, changeHandler: log.handler("late")),
        person.observe(\.fullName, options: .prior, changeHandler: log.handler("late dependent")),
      ]
    }
    try mutate(mutation)
    #expect(log.take() == ["early: setting, prior", "early: setting"])
    try mutate(mutation)
    #expect(
      log.take() == [
        "early: setting, prior", "late: setting, prior", "late dependent: setting, prior",
        "early: setting", "late: setting", "late dependent: setting",
      ])
    token.invalidate()
  }

  @Test(
    "N2 An observance added to a key with several observers receives nothing for that change",
    arguments: mutations)
  func addedToSeveral(mutation: String) throws {
    var late: KeyValueObservation?
    let tokens = ["first", "second"].map { name in
      person.observe(\.firstName) { person, change in
        log.note(name, change)
        guard late == nil else { return }
        late = person.observe(\.firstName, changeHandler: log.handler("late"))
      }
    }
    try mutate(mutation)
    #expect(log.take() == ["first: setting", "second: setting"])
    try mutate(mutation)
    #expect(log.take() == ["first: setting", "second: setting", "late: setting"])
    for token in tokens { token.invalidate() }
  }

  @Test("N2 An observance added in a post receives nothing for that change", arguments: mutations)
  func addedInPost(mutation: String) throws {
    var late: KeyValueObservation?
    let token = person.observe(\.firstName) { person, change in
      log.note("early", change)
      late = late ?? person.observe(\.firstName, changeHandler: log.handler("late"))
    }
    try mutate(mutation)
    #expect(log.take() == ["early: setting"])
    try mutate(mutation)
    #expect(log.take() == ["early: setting", "late: setting"])
    token.invalidate()
  }

  @Test("N2 An observance replaced in a prior is new: its first change is the next one")
  func replacedInPrior() throws {
    let observer = LoggingObserver("observer", log)
    var replaces = true
    observer.action = { [person, unowned observer] _, _, change in
      guard change.isPrior, replaces else { return }
      replaces = false
      #expect(throws: Never.self) {
        try person.removeObserver(observer, forKeyPath: "age")
        try person.addObserver(observer, forKeyPath: "age", context: context(2))
      }
    }
    try person.addObserver(observer, forKeyPath: "age", options: .prior, context: context(1))
    person.age = 37
    #expect(log.take() == ["observer age #1: setting, prior"])
    person.age = 38
    #expect(log.take() == ["observer age #2: setting"])
  }

  @Test("N2 An observance added inside a manual pair receives nothing for that change")
  func addedInsidePair() {
    person.willChangeValue(forKey: "age")
    let token = person.observe(\.age, changeHandler: log.handler("age"))
    person.didChangeValue(forKey: "age")
    #expect(log.take() == [])
    person.age = 37
    #expect(log.take() == ["age: setting"])
    token.invalidate()
  }

  @Test("N2 An observance that ends while its new value is read isn't called")
  func removedInGetter() {
    for others in 0...1 {
      let probe = Probe()
      let token = probe.observe(\.reading, options: .new, changeHandler: log.handler("reading"))
      let other = others == 0 ? nil : probe.observe(\.reading, changeHandler: log.handler("other"))
      probe.onRead = { token.invalidate() }
      probe.level = 1
      #expect(log.take() == (other == nil ? [] : ["other: setting"]))
      withExtendedLifetime(other) {}
    }
  }

  // MARK: Deaths in callbacks

  @Test(
    "R5 The observed object's last reference may be released in a prior or in a post",
    arguments: [
      true, false,
    ])
  func deathInCallback(isPrior: Bool) {
    for keyPath in ["firstName", "fullName", "account.balance"] {
      var mortal: Person? = Person()
      mortal?.account = Account()
      weak let witness = mortal
      weak let account = mortal?.account
      let token = try? mortal?.observe(keyPath, options: [.prior, .old, .new]) { _, change in
        if change.isPrior == isPrior { mortal = nil }
      }
      if keyPath == "account.balance" {
        mortal?.account?.balance += 1
      } else {
        mortal?.firstName += "!"
      }
      #expect(witness == nil)
      #expect(account == nil)
      #expect(token?.isValid == false)
    }
  }

  @Test("R5 An object on the path may die in a callback for its own change")
  func deathOnPathInCallback() {
    person.account = Account(balance: 1)
    weak let witness = person.account
    let token = person.observe(\.account.balance, options: [.old, .new]) { person, change in
      log.note("balance", change)
      if change.newValue != .some(nil) { person.account = nil }
    }
    person.account?.balance = 2
    #expect(witness == nil)
    #expect(
      log.take() == [
        "balance: setting, old: 1.0, new: 2.0", "balance: setting, old: 2.0, new: nil",
      ])
    token.invalidate()
  }
}
