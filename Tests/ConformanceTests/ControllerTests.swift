import KeyValueObserving
import KeyValueTestSupport
import Synchronization
import Testing

/// Somebody who observes for himself.
private final class Owner {
  let log: ChangeLog
  private(set) var observer: KeyValueObserverController<Owner>!

  init(_ log: ChangeLog) {
    self.log = log
    observer = KeyValueObserverController(owner: self)
  }
}

@Suite("Observing for an owner")
struct ControllerTests {
  private let log = ChangeLog()
  private let person = Person()

  @Test("Every spelling hands in the owner, the object and the change")
  func spellings() throws {
    let owner = Owner(log)
    let observer = owner.observer!
    let held = KeyValuePath<Person, String>(\.firstName)
    observer.observe(person, \.account.balance, options: .new) { owner, _, change in
      owner.log.note("plain", change)
    }
    observer.observe(person, \.manager?.nickname, options: .new) { owner, person, change in
      owner.log.note("marked \(person.firstName)", change)
    }
    observer.observe(person, held, options: [.old, .new]) { owner, _, change in
      owner.log.note("held", change)
    }
    try observer.observe(person, "age", options: .new) { owner, _, change in
      owner.log.note("string", change)
    }
    try observer.observe(person, "lastName", "fullName") { owner, _, keyPath, change in
      owner.log.note("several \(keyPath)", change)
    }
    try observer.observe(person, ["books", "tags"]) { owner, _, keyPath, change in
      owner.log.note("listed \(keyPath)", change)
    }
    try observer.observe(person, "nickname") { owner, _, keyPath, change in
      owner.log.note("one \(keyPath)", change)
    }
    let manager = Person()
    person.account = Account(balance: 1)
    person.manager = manager
    person.firstName = "Grace"
    person.lastName = "Hopper"
    person.age = 37
    person.books = []
    person.tags = []
    person.nickname = "G"
    #expect(
      log.take() == [
        "plain: setting, new: 1.0", "marked Ada: setting, new: nil",
        "held: setting, old: \"Ada\", new: \"Grace\"", "several fullName: setting",
        "several lastName: setting", "several fullName: setting", "string: setting, new: 37",
        "listed books: setting", "listed tags: setting", "one nickname: setting",
      ])
    #expect("\(observer)" == "KeyValueObserverController<Owner>(9 observed)")
    observer.unobserveAll()
    #expect("\(observer)" == "KeyValueObserverController<Owner>(0 observed)")
    #expect(isIdle(person, manager))
  }

  @Test("The owner is not retained, and everything ends with it")
  func ownerDies() {
    var owner: Owner? = Owner(log)
    weak let weakOwner = owner
    owner?.observer.observe(person, \.age) { owner, _, _ in owner.log.note("called") }
    owner?.observer.observe(person, \.fullName) { owner, _, _ in owner.log.note("called") }
    person.age = 1
    owner = nil
    #expect(weakOwner == nil && isIdle(person))
    person.age = 2
    #expect(log.take() == ["called"])
  }

  @Test("A controller that outlives its owner calls nobody")
  func controllerOutlives() {
    var owner: Owner? = Owner(log)
    let observer = KeyValueObserverController(owner: owner!)
    observer.observe(person, \.age) { owner, _, _ in owner.log.note("called") }
    owner = nil
    #expect(observer.owner == nil && person.observationInfo.isEmpty)
    person.age = 1
    #expect(log.take() == [] && isIdle(person))
    observer.observe(person, \.age) { owner, _, _ in owner.log.note("called") }
    #expect(isIdle(person))
    #expect("\(observer)" == "KeyValueObserverController<Owner>(0 observed)")
  }

  @Test("Letting go of a controller ends everything while the owner lives")
  func controllerDies() {
    final class Bare {}
    let owner = Bare()
    var observer: KeyValueObserverController<Bare>? = KeyValueObserverController(owner: owner)
    observer?.observe(person, \.age) { [log] _, _, _ in log.note("called") }
    person.age = 1
    observer = nil
    person.age = 2
    #expect(log.take() == ["called"] && isIdle(person))
    withExtendedLifetime(owner) {}
  }

  @Test("An owner that dies in the middle of a delivery gets no call after it")
  func ownerDiesInDelivery() {
    var owner: Owner? = Owner(log)
    let outside = KeyValueObserverController(owner: owner!)
    let before = person.observe(\.age, options: .prior) { [log] _, change in
      log.note("before", change)
      if !change.isPrior { owner = nil }
    }
    owner?.observer.observe(person, \.age, options: .prior) { owner, _, change in
      owner.log.note("own", change)
    }
    outside.observe(person, \.age, options: .prior) { owner, _, change in
      owner.log.note("outside", change)
    }
    person.age = 1
    #expect(
      log.take() == [
        "before: setting, prior", "own: setting, prior", "outside: setting, prior",
        "before: setting",
      ])
    before.invalidate()
    #expect(isIdle(person))
  }

  @Test("An owner that goes inside its own handler finishes that call and gets no other")
  func ownerDiesInHandler() {
    var owner: Owner? = Owner(log)
    let observer = owner!.observer!
    observer.observe(person, \.age) { [person] handed, _, _ in
      owner = nil
      handed.log.note("age \(person.age)")
      if person.age < 2 { person.age += 1 }
    }
    weak let weakOwner = owner
    person.age = 1
    // Alive in its handler, it was told of the change that it made there too.
    #expect(log.take() == ["age 1", "age 2"])
    person.age = 1
    #expect(log.take() == [] && weakOwner == nil && isIdle(person))
  }

  @Test("Unobserving by object, by path in every spelling, and from inside a handler")
  func unobserving() throws {
    let owner = Owner(log)
    let observer = owner.observer!
    let other = Person()
    func observeAll() throws {
      for (label, person) in [("a", person), ("b", other)] {
        try observer.observe(person, "age", "account.balance", "nickname") { owner, _, key, _ in
          owner.log.note("\(label) \(key)")
        }
      }
    }
    func stir() -> [String] {
      for person in [person, other] {
        person.age += 1
        person.account = nil
        person.nickname = nil
      }
      return log.take()
    }
    let (a, b) = (
      ["a age", "a account.balance", "a nickname"], ["b age", "b account.balance", "b nickname"]
    )
    try observeAll()
    #expect(stir() == a + b)
    observer.unobserve(person)
    #expect(stir() == b && isIdle(person))
    observer.unobserve(other, "age")
    #expect(stir() == ["b account.balance", "b nickname"])
    observer.unobserve(other, \.account?.balance)
    #expect(stir() == ["b nickname"])
    observer.unobserve(other, \.nickname)
    #expect(stir() == [] && isIdle(other))
    try observeAll()
    observer.unobserve(other, KeyValuePath(\.age))
    observer.unobserve(other, \.account.balance)
    observer.unobserve(other, \.books)
    observer.unobserve(Person())
    #expect(stir() == a + ["b nickname"])
    observer.unobserveAll()
    #expect(stir() == [] && isIdle(person, other))
    observer.observe(person, \.age) { [observer] owner, person, _ in
      owner.log.note("once")
      observer.unobserve(person, \.age)
      person.age += 1
    }
    #expect(stir() == ["once"] && isIdle(person))
  }

  @Test("A handler may undo its registration in the initial call, and register again")
  func initial() throws {
    let owner = Owner(log)
    owner.observer.observe(person, \.age, options: [.initial, .new]) { owner, person, change in
      owner.log.note("first", change)
      owner.observer.unobserve(person)
      person.age += 1
      guard person.age < 38 else { return }
      owner.observer.observe(person, \.age, options: .new) { owner, _, change in
        owner.log.note("second", change)
      }
    }
    person.age = 50
    #expect(log.take() == ["first: setting, new: 36", "second: setting, new: 50"])
    #expect("\(owner.observer!)" == "KeyValueObserverController<Owner>(1 observed)")
  }

  @Test("Of several paths all are observed or none")
  func allOrNone() throws {
    let owner = Owner(log)
    #expect(throws: KeyValueCodingError.self) {
      try owner.observer.observe(person, "age", "agee") { _, _, _, _ in }
    }
    #expect(isIdle(person))
    try owner.observer.observe(person, "age") { owner, _, change in owner.log.note("age", change) }
    #expect(throws: KeyValueCodingError.self) {
      try owner.observer.observe(person, "fullName..x") { _, _, _ in }
    }
    person.age = 1
    #expect(log.take() == ["age: setting"])
  }

  @Test("A duplicate is ignored and reported, however its path is written; another tail is none")
  func duplicates() async {
    await #expect(processExitsWith: .success) {
      let violations = ViolationLog.install()
      let (log, person) = (ChangeLog(), Person())
      let owner = Owner(log)
      let observer = owner.observer!
      observer.observe(person, \.account.balance) { owner, _, _ in owner.log.note("first") }
      observer.observe(person, \.account?.balance) { owner, _, _ in owner.log.note("marked") }
      try observer.observe(person, "account.balance") { owner, _, _ in owner.log.note("string") }
      let words =
        "tolerated: 'account.balance' of Person is observed by this controller of Owner already, "
        + "and the second registration was ignored. Unobserve the first, or do both things in one "
        + "handler."
      #expect(violations.take() == [words, words])
      person.account = Account()
      #expect(log.take() == ["first"])
      observer.observe(person, \.frame.origin.x) { owner, _, _ in owner.log.note("x") }
      observer.observe(person, \.frame.origin.y) { owner, _, _ in owner.log.note("y") }
      observer.observe(person, \.frame) { owner, _, _ in owner.log.note("frame") }
      observer.observe(person, \.fullName.count) { owner, _, _ in owner.log.note("count") }
      observer.observe(person, \.fullName.isEmpty) { owner, _, _ in owner.log.note("empty") }
      #expect(violations.take() == [])
      person.frame = Frame()
      person.firstName = "Grace"
      #expect(log.take() == ["x", "y", "frame", "count", "empty"])
      observer.observe(person, \.fullName.count) { _, _, _ in }
      #expect(violations.take().count == 1)
      observer.unobserve(person, \.fullName.count)
      person.firstName = "Ada"
      #expect(log.take() == ["empty"])
      observer.observe(person, \.fullName.count) { owner, _, _ in owner.log.note("again") }
      person.firstName = "Ada"
      #expect(log.take() == ["empty", "again"] && violations.take() == [])
      // Another controller of the same owner is another observer.
      let second = KeyValueObserverController(owner: owner)
      second.observe(person, \.age) { owner, _, _ in owner.log.note("second") }
      #expect(violations.take() == [])
    }
  }

  @Test("Objects that die leave nothing behind, and a recycled address is a new object")
  func recycledAddresses() {
    let owner = Owner(log)
    let tracker = LifetimeTracker()
    var addresses: Set<ObjectIdentifier> = []
    for round in 1...500 {
      let mortal = Account()
      addresses.insert(ObjectIdentifier(mortal))
      let witness = tracker.instance()
      owner.observer.observe(mortal, \.balance) { owner, _, _ in
        withExtendedLifetime(witness) { owner.log.note("\(round)") }
      }
      mortal.balance = 1
      #expect(log.take() == ["\(round)"])
    }
    #expect(addresses.count < 500)
    #expect(tracker.liveCount == 0)
    #expect("\(owner.observer!)" == "KeyValueObserverController<Owner>(0 observed)")
  }

  @Test("Owner, controller and object may go in any order, also from another thread")
  func deaths() async {
    for order in 0..<6 {
      let tracker = LifetimeTracker()
      var owner: Owner? = Owner(log)
      var observer: KeyValueObserverController<Owner>? = KeyValueObserverController(owner: owner!)
      var object: Account? = Account()
      let witness = tracker.instance()
      observer?.observe(object!, \.balance) { _, _, _ in withExtendedLifetime(witness) {} }
      let steps = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]][order]
      for step in steps {
        switch step {
        case 0: owner = nil
        case 1: observer = nil
        default: object = nil
        }
        object?.balance += 1
      }
      #expect(owner == nil && observer == nil && object == nil)
    }
    #expect(log.take() == [])
  }

  @Test("A shared object that changes while owners come and go on other threads")
  func threads() async {
    final class Watcher: Sendable {
      let calls = Atomic<Int>(0)
    }
    let gauge = Gauge()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for level in 1...2000 { gauge.level = level } }
      for _ in 1...3 {
        group.addTask {
          for _ in 1...500 {
            let watcher = Watcher()
            let observer = KeyValueObserverController(owner: watcher)
            observer.observe(gauge, \.level) { watcher, _, _ in
              watcher.calls.add(1, ordering: .relaxed)
            }
            gauge.level = 0
            #expect(watcher.calls.load(ordering: .relaxed) >= 1)
          }
        }
      }
    }
    gauge.level = 1
    #expect(isIdle(gauge))
  }
}
