import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("R. Registering and removing")
struct RegisteringTests {
  // MARK: R1

  @Test("R1 Options, kinds and set mutations have Cocoa's raw values")
  func rawValues() {
    let options: [KeyValueObservingOptions] = [.new, .old, .initial, .prior, .elementChanges]
    #expect(options.map(\.rawValue) == [1, 2, 4, 8, 16])
    #expect(KeyValueChangeKind.allCases.map(\.rawValue) == [1, 2, 3, 4])
    #expect(KeyValueSetMutationKind.allCases.map(\.rawValue) == [1, 2, 3, 4])
  }

  @Test(
    "R1 old and new determine what a change carries, not whether it is delivered",
    arguments: [
      ([], "setting"), (.new, "setting, new: 37"), (.old, "setting, old: 36"),
      ([.old, .new], "setting, old: 36, new: 37"),
    ] as [(KeyValueObservingOptions, String)])
  func content(options: KeyValueObservingOptions, change: String) throws {
    let log = ChangeLog()
    let person = Person()
    let observer = LoggingObserver("observer", log)
    let typed = person.observe(\.age, options: options, changeHandler: log.handler("typed"))
    let string = try person.observe("age", options: options, changeHandler: log.handler("string"))
    let plain = person.observe(\Person.age, options: options, changeHandler: log.handler("plain"))
    let held = person.observe(
      KeyValuePath<Person, Int>(\.age), options: options, changeHandler: log.handler("held"))
    try person.addObserver(observer, forKeyPath: "age", options: options)

    person.age = 37
    #expect(
      log.take() == [
        "typed: \(change)", "string: \(change)", "plain: \(change)", "held: \(change)",
        "observer age: \(change)",
      ])
    withExtendedLifetime([typed, string, plain, held]) {}
  }

  // MARK: R2

  @Test(
    "R2 initial calls back once, before registration returns, with new if requested, never old",
    arguments: [
      (.initial, "setting"), ([.initial, .new], "setting, new: 36"),
      ([.initial, .old], "setting"), ([.initial, .prior], "setting"),
      ([.initial, .old, .new, .prior], "setting, new: 36"),
    ] as [(KeyValueObservingOptions, String)])
  func initial(options: KeyValueObservingOptions, change: String) throws {
    let log = ChangeLog()
    let person = Person()
    let observer = LoggingObserver("observer", log)
    let typed = person.observe(\.age, options: options, changeHandler: log.handler("typed"))
    log.note("registered")
    let string = try person.observe("age", options: options, changeHandler: log.handler("string"))
    log.note("registered")
    try person.addObserver(observer, forKeyPath: "age", options: options, context: context(1))
    log.note("registered")
    #expect(
      log.take() == [
        "typed: \(change)", "registered", "string: \(change)", "registered",
        "observer age #1: \(change)", "registered",
      ])
    withExtendedLifetime([typed, string]) {}
  }

  @Test("R2 initial delivers the value of a dependent key or path, and nil for a broken path")
  func initialOfPaths() throws {
    let log = ChangeLog()
    let person = Person()
    var tokens: Set<KeyValueObservation> = []
    person.observe(\.fullName, options: [.initial, .new], changeHandler: log.handler("name"))
      .store(in: &tokens)
    person.observe(
      \.account.balance, options: [.initial, .new], changeHandler: log.handler("typed")
    )
    .store(in: &tokens)
    try person.observe(
      "account.balance", options: [.initial, .new], changeHandler: log.handler("string")
    ).store(in: &tokens)
    person.account = Account(balance: 5)
    person.observe(
      \.account.balance, options: [.initial, .new], changeHandler: log.handler("late")
    )
    .store(in: &tokens)
    #expect(
      log.take() == [
        "name: setting, new: \"Ada Lovelace\"", "typed: setting, new: nil",
        "string: setting, new: nil", "typed: setting, new: 5.0", "string: setting, new: 5.0",
        "late: setting, new: 5.0",
      ])
  }

  @Test("R2 initial is delivered for a key that doesn't notify automatically")
  func initialOfManualKey() throws {
    let log = ChangeLog()
    let ledger = Ledger()
    let observer = LoggingObserver("observer", log)
    let token = ledger.observe(
      \.openingBalance, options: [.initial, .new], changeHandler: log.handler("typed"))
    try ledger.addObserver(observer, forKeyPath: "openingBalance", options: [.initial, .new])
    ledger.openingBalance = 1
    #expect(
      log.take() == ["typed: setting, new: 0.0", "observer openingBalance: setting, new: 0.0"])
    token.invalidate()
  }

  @Test(
    "R2 An observer may remove itself in its initial callback",
    arguments: [
      "age", "fullName", "account.balance",
    ])
  func removalInInitial(keyPath: String) throws {
    let log = ChangeLog()
    let person = Person()
    person.account = Account()
    let observer = LoggingObserver("observer", log)
    observer.action = { [unowned observer] keyPath, object, _ in
      #expect(throws: Never.self) { try object.removeObserver(observer, forKeyPath: keyPath) }
    }
    try person.addObserver(observer, forKeyPath: keyPath, options: .initial)
    #expect(person.observationInfo.isEmpty)
    person.age = 37
    person.firstName = "Grace"
    person.account?.balance = 1
    person.account = nil
    #expect(log.take() == ["observer \(keyPath): setting"])
  }

  @Test(
    "R2 The observed object's last reference may be released in the initial callback",
    arguments: [
      "age", "fullName", "account.balance",
    ])
  func deathInInitial(keyPath: String) throws {
    let log = ChangeLog()
    var person: Person? = Person()
    person?.account = Account()
    weak let witness = person
    let token = try person!.observe(keyPath, options: .initial) { _, change in
      log.note(keyPath, change)
      person = nil
    }
    #expect(log.take() == ["\(keyPath): setting"])
    #expect(witness == nil)
    #expect(!token.isValid)
  }

  // MARK: R3

  @Test("R3 A change made in the initial callback is delivered to the same observance")
  func changeInInitial() {
    let log = ChangeLog()
    let person = Person()
    let token = person.observe(\.age, options: [.initial, .old, .new]) { person, change in
      log.note("age", change)
      if person.age < 38 { person.age += 1 }
    }
    #expect(
      log.take() == [
        "age: setting, new: 36", "age: setting, old: 36, new: 37", "age: setting, old: 37, new: 38",
      ])
    person.age = 39
    #expect(log.take() == ["age: setting, old: 38, new: 39"])
    token.invalidate()
  }

  @Test("R3 A path whose object is replaced in the initial callback follows the new object")
  func exchangeInInitial() {
    let log = ChangeLog()
    let person = Person()
    let first = Account(balance: 1)
    let second = Account(balance: 2)
    person.account = first
    let token = person.observe(\.account.balance, options: [.initial, .new]) { person, change in
      log.note("balance", change)
      if person.account === first { person.account = second }
    }
    #expect(log.take() == ["balance: setting, new: 1.0", "balance: setting, new: 2.0"])
    first.balance = 10
    second.balance = 20
    #expect(log.take() == ["balance: setting, new: 20.0"])
    token.invalidate()
  }

  @Test("R3 A path registered while its first object is being replaced follows the new object")
  func registrationDuringExchange() {
    let log = ChangeLog()
    let person = Person()
    let first = Account(balance: 1)
    let second = Account(balance: 2)
    person.account = first
    var late: KeyValueObservation?
    let early = person.observe(\.account, options: .prior) { person, change in
      guard change.isPrior else { return }
      late = person.observe(\.account.balance, options: .new, changeHandler: log.handler("late"))
    }
    person.account = second
    early.invalidate()
    #expect(log.take() == [])
    first.balance = 10
    #expect(log.take() == [])
    second.balance = 20
    #expect(log.take() == ["late: setting, new: 20.0"])
    withExtendedLifetime(late) {}
  }

  @Test("R3 A path registered inside a manual pair of its first key follows the new object")
  func registrationInsidePair() {
    let log = ChangeLog()
    let ledger = Ledger()
    ledger.successor = Ledger()
    let late = ledger.withChange(of: \.successor) { () -> KeyValueObservation in
      defer { ledger.successor = Ledger() }
      return ledger.observe(\.successor.rate, options: .new, changeHandler: log.handler("late"))
    }
    #expect(log.take() == [])
    ledger.successor?.rate = 0.75
    #expect(log.take() == ["late: setting, new: 0.75"])
    late.invalidate()
  }

  @Test(
    "R3 A getter may replace an object of the path during registration; the old one is detached")
  func lazyRelationship() {
    let log = ChangeLog()
    let workshop = Workshop()
    let token = workshop.observe(
      \.account.balance, options: .new, changeHandler: log.handler("balance"))
    let first = workshop.account
    _ = log.take()
    first.balance = 1
    #expect(log.take() == ["balance: setting, new: 1.0"])
    workshop.made = Account(balance: 2)
    #expect(log.take() == ["balance: setting, new: 2.0"])
    first.balance = 3
    #expect(log.take() == [])
    workshop.account.balance = 4
    #expect(log.take() == ["balance: setting, new: 4.0"])
    token.invalidate()
    #expect(workshop.observationInfo.isEmpty)
  }
}
