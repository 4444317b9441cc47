import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("R. Lifetimes")
struct LifetimeTests {
  private let log = ChangeLog()

  // MARK: R5, nothing is retained

  @Test("R5 A registration retains neither the observed object nor the objects along the path")
  func nothingRetained() throws {
    let observer = LoggingObserver("observer", log)
    var person: Person? = Person()
    person?.account = Account()
    weak let weakPerson = person
    weak let weakAccount = person?.account
    let token = person!.observe(\.account.balance, options: [.old, .new, .initial]) { _, _ in }
    try person!.addObserver(observer, forKeyPath: "account.balance", options: [.old, .new])
    try person!.addObserver(observer, forKeyPath: "fullName")
    person?.account?.balance = 1
    person = nil
    #expect(weakPerson == nil)
    #expect(weakAccount == nil)
    #expect(!token.isValid)
    #expect(log.take() == ["observer account.balance: setting, old: 0.0, new: 1.0"])
  }

  @Test("R5 An object that leaves the path is released, and its death doesn't notify")
  func replacedObjectDies() {
    let person = Person()
    person.account = Account(balance: 1)
    weak let first = person.account
    let token = person.observe(
      \.account.balance, options: [.old, .new], changeHandler: log.handler("balance"))
    person.account = Account(balance: 2)
    #expect(first == nil)
    person.account = nil
    #expect(
      log.take() == [
        "balance: setting, old: 1.0, new: 2.0", "balance: setting, old: 2.0, new: nil",
      ])
    token.invalidate()
  }

  @Test("R5 An observer object isn't retained; once dead, it is neither called nor listed")
  func observerDies() throws {
    let person = Person()
    var observer: LoggingObserver? = LoggingObserver("observer", log)
    weak let witness = observer
    try person.addObserver(observer!, forKeyPath: "age", options: [.initial, .new])
    try person.addObserver(observer!, forKeyPath: "fullName", options: .prior)
    #expect(log.take() == ["observer age: setting, new: 36"])
    observer = nil
    #expect(witness == nil)
    #expect(person.observationInfo.map(\.keyPath) == [])
    person.age = 37
    person.firstName = "Grace"
    #expect(log.take() == [])
  }

  @Test(
    "R5 A handler is released when its registration ends, even if the token is kept",
    arguments: [
      "age", "fullName", "account.balance",
    ])
  func handlerIsFreed(keyPath: String) throws {
    let tracker = LifetimeTracker()
    let person = Person()
    person.account = Account()
    func token() throws -> KeyValueObservation {
      let instance = tracker.instance()
      return try person.observe(keyPath) { _, _ in withExtendedLifetime(instance) {} }
    }
    let invalidated = try token()
    let dropped = Mortal(try token())
    #expect(tracker.liveCount == 2)
    invalidated.invalidate()
    #expect(tracker.liveCount == 1)
    dropped.value = nil
    #expect(tracker.liveCount == 0)
    #expect(person.observationInfo.isEmpty)
  }

  /// Holds a value until a test releases it.
  final class Mortal<Value> {
    var value: Value?
    init(_ value: Value) { self.value = value }
  }

  @Test("R5 Values carried by changes aren't retained")
  func valuesAreFreed() {
    let tracker = LifetimeTracker()
    let crate = Crate()
    let token = crate.observe(\.cargo, options: [.old, .new, .initial, .prior]) { _, _ in }
    crate.cargo = tracker.instance()
    crate.cargo = tracker.instance()
    #expect(tracker.liveCount == 1)
    crate.withChange(of: \.cargo) { crate.cargo = nil }
    #expect(tracker.liveCount == 0)
    token.invalidate()
  }

  // MARK: R5, orders of death

  @Test("R5 Deaths and removals in any order neither crash nor leak", arguments: permutations(5))
  func ordersOfDeath(order: [Int]) throws {
    let tracker = LifetimeTracker()
    var person: Person? = Person()
    var account: Account? = Account()
    person?.account = account
    person?.manager = person
    var observer: LoggingObserver? = LoggingObserver("observer", log)
    func captured() -> () -> Void {
      let instance = tracker.instance()
      return { withExtendedLifetime(instance) {} }
    }
    observer?.action = { [captured = captured()] _, _, _ in captured() }
    for keyPath in ["age", "fullName", "account.balance", "account.owner.age", "manager.age"] {
      try person?.addObserver(observer!, forKeyPath: keyPath, options: [.old, .new, .prior])
      try account?.addObserver(observer!, forKeyPath: "owner.account.balance")
    }
    var token = person?.observe(\.account.owner.account.balance) { [captured = captured()] _, _ in
      captured()
    }
    weak let weakPerson = person
    weak let weakAccount = account
    for step in order {
      switch step {
      case 0: person = nil
      case 1: account = nil
      case 2: observer = nil
      case 3: token = nil
      default: account?.owner = person
      }
      person?.age += 1
      person?.firstName += "!"
      account?.balance += 1
      person?.account?.balance += 1
    }
    #expect(weakPerson == nil)
    #expect(weakAccount == nil)
    #expect(tracker.liveCount == 0)
    withExtendedLifetime((observer, token)) {}
  }

  @Test("R5 Every handler is freed after any order of deaths", arguments: permutations(4))
  func ordersOfDeathFreeHandlers(order: [Int]) throws {
    let tracker = LifetimeTracker()
    func handler() -> (Person, KeyValueObservedChange<Any?>) -> Void {
      let instance = tracker.instance()
      return { _, _ in withExtendedLifetime(instance) {} }
    }
    var person: Person? = Person()
    var account: Account? = Account()
    person?.account = account
    account?.owner = person
    var path = try person?.observe("account.owner.age", changeHandler: handler())
    var dependent = try person?.observe("wealth", options: .old, changeHandler: handler())
    for step in order {
      switch step {
      case 0: person = nil
      case 1: account = nil
      case 2: path = nil
      default: dependent = nil
      }
      account?.balance += 1
      person?.age += 1
      person?.account = person?.account
    }
    #expect(tracker.liveCount == 0)
    withExtendedLifetime((path, dependent)) {}
  }

  @Test("R5 A token becomes invalid when its object dies, not when an object on the path does")
  func validity() throws {
    var person: Person? = Person()
    person?.account = Account()
    let tokens = try ["age", "fullName", "account.balance"].map { keyPath in
      try person!.observe(keyPath) { _, _ in }
    }
    #expect(tokens.map(\.isValid) == [true, true, true])
    person?.account = nil
    #expect(tokens.map(\.isValid) == [true, true, true])
    person = nil
    #expect(tokens.map(\.isValid) == [false, false, false])
    tokens.forEach { $0.invalidate() }
  }

  // MARK: R5, self-observation

  @Test("R5 An object that observes itself and keeps the token is released")
  func selfObservation() {
    var diary: Diary? = Diary()
    weak let witness = diary
    diary?.begin(log)
    diary?.page = 2
    diary = nil
    #expect(witness == nil)
    #expect(log.take() == ["page: setting, new: 2"])
  }

  @Test(
    "R5 An object may be its own observer, and dies without removing itself",
    arguments: [
      "age", "fullName", "account.balance", "account.owner.age",
    ])
  func ownObserver(keyPath: String) throws {
    var person: Introvert? = Introvert()
    weak let witness = person
    person?.account = Account()
    person?.account?.owner = person
    try person?.addObserver(person!, forKeyPath: keyPath)
    person?.age += 1
    person?.lastName = "King"
    person?.account?.balance = 1
    #expect(person?.told == [keyPath])
    person = nil
    #expect(witness == nil)
  }

  @Test("R5 Observers may be removed in the deinit of the observed object or of the observer")
  func removalInDeinit() throws {
    var observer: LoggingObserver? = LoggingObserver("observer", log)
    var diary: Diary? = Diary()
    diary?.onDeath = { [observer] diary in
      log.note("removing")
      #expect(throws: Never.self) { try diary.removeObserver(observer!, forKeyPath: "page") }
    }
    try diary?.addObserver(observer!, forKeyPath: "page")
    diary = nil
    #expect(log.take() == ["removing"])
    observer = nil

    let person = Person()
    do {
      let leaver = Leaver(person)
      try person.addObserver(leaver, forKeyPath: "age")
      try person.addObserver(leaver, forKeyPath: "fullName", context: context(1))
    }
    #expect(person.observationInfo.isEmpty)
    person.age = 37
  }

  @Test("R5 An observer may be removed in its deinit after a change that found it dying")
  func removalAfterChangeInDeinit() throws {
    let person = Person()
    var removed = 0
    do {
      let leaver = LastWriter(person) { person, leaver in
        person.age += 1
        try person.removeObserver(leaver, forKeyPath: "age")
        try person.removeObserver(leaver, forKeyPath: "fullName", context: context(1))
        try [person].removeObserver(leaver, fromObjectsAt: RangeSet(0..<1), forKeyPath: "age")
        removed += 1
      }
      try person.addObserver(leaver, forKeyPath: "age")
      try person.addObserver(leaver, forKeyPath: "age")
      try person.addObserver(leaver, forKeyPath: "fullName", context: context(1))
    }
    #expect(removed == 1 && person.observationInfo.isEmpty)
  }

  @Test("R5 A property may be set in deinit, observed or not")
  func changeInDeinit() throws {
    for keyPath in ["page", "title"] {
      var diary: Diary? = Diary()
      diary?.onDeath = { diary in diary.page += 1 }
      let token = try diary?.observe(keyPath, options: [.old, .new, .prior]) { _, _ in }
      diary = nil
      #expect(token?.isValid == false)
    }
  }

  @Test("R5 A dead object's observers never observe the next object at its address")
  func recycledAddress() {
    var tokens: [KeyValueObservation] = []
    var calls = 0
    for round in 0..<200 {
      let account = Account()
      #expect(account.observationInfo.isEmpty)
      account.balance = Double(round)
      #expect(calls == round)
      tokens.append(account.observe(\.balance) { _, _ in calls += 1 })
      account.balance += 1
    }
    #expect(calls == 200)
    #expect(tokens.allSatisfy { !$0.isValid })
  }
}

/// All permutations of the first `count` numbers.
private func permutations(_ count: Int) -> [[Int]] {
  guard count > 0 else { return [[]] }
  return permutations(count - 1).flatMap { shorter in
    (0..<count).map { place in
      var longer = shorter
      longer.insert(count - 1, at: place)
      return longer
    }
  }
}

/// Calls a closure when it dies.
private final class LastWriter: KeyValueObserver {
  private let person: Person
  private let onDeath: (Person, LastWriter) throws -> Void

  init(_ person: Person, onDeath: @escaping (Person, LastWriter) throws -> Void) {
    self.person = person
    self.onDeath = onDeath
  }

  deinit { #expect(throws: Never.self) { try onDeath(person, self) } }

  func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {}
}
