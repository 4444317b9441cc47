import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Has a key whose getter runs an action.
@KeyValueObservable
private final class Ware {
  var weight = 5
  @KeyValueIgnored var onRead: (() -> Void)?

  @DependsOn("weight")
  var shownWeight: Int {
    onRead?()
    return weight
  }
}

@KeyValueObservable
private final class Shelf {
  var wares: [Ware] = []
}

/// Runs an action in its `deinit`.
@KeyValueObservable
private final class Crane {
  var wares: [Ware] = []
  @KeyValueIgnored var onDeath: ((Crane) -> Void)?

  deinit { onDeath?(self) }
}

@Suite("performChanges: registrations, removals and deaths inside")
struct TransactionLifetimeTests {
  private let log = ChangeLog()
  private let person = Person()

  @Test("An observer registered inside receives only later changes; one removed inside, none")
  func registrations() {
    let leaving = person.observe(
      \.age, options: [.old, .new], changeHandler: log.handler("leaving"))
    var arriving: [KeyValueObservation] = []
    person.performChanges {
      $0.age = 1
      arriving.append(
        $0.observe(\.age, options: [.old, .new], changeHandler: log.handler("first")))
      arriving.append(
        $0.observe(\.lastName, options: [.old, .new], changeHandler: log.handler("name")))
      $0.age = 2
      arriving.append(
        $0.observe(\.age, options: [.old, .new], changeHandler: log.handler("late")))
      leaving.invalidate()
    }
    #expect(log.take() == ["first: setting, old: 1, new: 2"])
    person.age = 3
    #expect(
      log.take() == ["first: setting, old: 2, new: 3", "late: setting, old: 2, new: 3"])
  }

  @Test("A transaction in the deinit of an observed object notifies of each change at once")
  func deinitOfObject() {
    var diary: Diary? = Diary()
    diary?.onDeath = { diary in
      diary.performChanges {
        $0.page = 5
        $0.page = 6
      }
    }
    let token = diary?.observe(
      \.page, options: [.old, .new, .prior], changeHandler: log.handler("page"))
    diary = nil
    #expect(
      log.take() == [
        "page: setting, old: 1, prior", "page: setting, old: 1, new: 5",
        "page: setting, old: 5, prior", "page: setting, old: 5, new: 6",
      ])
    #expect(token?.isValid == false)
  }

  @Test("P7 X4 In the deinit of an observed object, an operator's value follows each change")
  func operatorInDeinit() {
    var crane: Crane? = Crane()
    crane?.wares = [Ware()]
    crane?.onDeath = { crane in
      crane.performChanges {
        $0.wares.append(Ware())
        $0.wares.append(Ware())
        $0.wares.removeAll()
      }
    }
    let token = crane?.observe(
      \.wares[sum: \.weight], options: .new, changeHandler: log.handler("sum"))
    crane = nil
    #expect(
      log.take() == ["sum: setting, new: 10", "sum: setting, new: 15", "sum: setting, new: 0"])
    #expect(token?.isValid == false)
  }

  @Test("An observer registered during a change receives the value before its first change as old")
  func registrationDuringChange() {
    person.books = ["A"]
    let books = person.mutableArrayValue(for: \.books)
    var late: KeyValueObservation?
    let early = person.observe(\.books, options: .prior) { [log] person, change in
      guard change.isPrior, late == nil else { return }
      late = person.observe(\.books, options: [.old, .new], changeHandler: log.handler("late"))
      books.append("B")
    }
    person.performChanges { _ in
      books.insert("X", at: 0)
      books.append("C")
    }
    #expect(log.take() == [#"late: setting, old: ["A"], new: ["X", "A", "B", "C"]"#])
    early.invalidate()
    late?.invalidate()
  }

  @Test("An observer removed by a callback at the end isn't notified")
  func removalAtTheEnd() {
    var second: KeyValueObservation?
    let first = person.observe(\.age) { [log] _, _ in
      log.note("first")
      second?.invalidate()
    }
    second = person.observe(\.age, changeHandler: log.handler("second"))
    person.performChanges {
      $0.age = 1
      $0.age = 2
    }
    #expect(log.take() == ["first"])
    withExtendedLifetime(first) {}
  }

  @Test("An object that dies inside is released at once, and its observers aren't notified")
  func rootDies() {
    let tracker = LifetimeTracker()
    var crate: Crate? = Crate()
    crate?.cargo = tracker.instance()
    let token = crate?.observe(\.content, changeHandler: log.handler("content"))
    person.performChanges { _ in
      crate?.content = 1
      crate = nil
      #expect(tracker.liveCount == 0)
    }
    #expect(log.take() == [])
    #expect(token?.isValid == false)
  }

  @Test("The death of an object on the path is one change to nil")
  func weakIntermediateDies() {
    var boss: Person? = Person()
    person.manager = boss
    let token = person.observe(
      \.manager?.age, options: [.old, .new], changeHandler: log.handler("age"))
    person.performChanges { _ in
      boss?.age = 1
      boss = nil
    }
    #expect(log.take() == ["age: setting, old: 36, new: nil"])
    boss = Person()
    person.manager = boss
    _ = log.take()
    person.performChanges { _ in
      boss = nil
      #expect(log.take() == [])
    }
    #expect(log.take() == ["age: setting, new: nil"])
    withExtendedLifetime(token) {}
  }

  @Test("A path that another thread leads elsewhere ends with the value at its new end")
  func redirectedByAnotherThread() {
    nonisolated(unsafe) let person = person
    let first = Account(balance: 1)
    person.account = first
    let token = person.observe(
      \.account?.balance, options: [.old, .new], changeHandler: log.handler("balance"))
    person.performChanges { person in
      person.account?.balance = 2
      nonisolated(unsafe) let person = person
      onAnotherThread { person.account = Account(balance: 10) }
      #expect(log.take() == ["balance: setting, old: 2.0, new: 10.0"])
      person.account?.balance = 11
    }
    #expect(log.take() == ["balance: setting, old: 1.0, new: 11.0"])
    withExtendedLifetime((token, first)) {}
  }

  @Test("An observer object that dies inside isn't notified")
  func observerDies() throws {
    var observer: LoggingObserver? = LoggingObserver("observer", log)
    if let observer { try person.addObserver(observer, forKeyPath: "age", options: .new) }
    person.performChanges {
      $0.age = 1
      observer = nil
    }
    #expect(log.take() == [])
  }

  @Test("After the end, the transaction retains no old value, new value or handler")
  func nothingRetained() {
    let tracker = LifetimeTracker()
    let crate = Crate()
    crate.cargo = tracker.instance()
    var token: KeyValueObservation? = crate.observe(
      \.cargo, options: [.old, .new]
    ) { [witness = tracker.instance()] _, _ in _ = witness }
    crate.performChanges {
      $0.cargo = tracker.instance()
      $0.cargo = tracker.instance()
      #expect(tracker.liveCount == 3)  // the first, the last, the handler's
    }
    #expect(tracker.liveCount == 2)
    try? crate.performChanges(rollingBack: true) {
      $0.cargo = tracker.instance()
      throw CancellationError()
    }
    #expect(tracker.liveCount == 2)
    token?.invalidate()
    token = nil
    crate.cargo = nil
    #expect(tracker.liveCount == 0)
  }

  @Test(
    "An object that a callback at the end releases dies before the values, for one observer or two",
    arguments: 1...2)
  func releasedByCallback(observers: Int) {
    var crate: Crate? = Crate()
    var tokens: [KeyValueObservation] = []
    ViolationLog.record { violations in
      for _ in 0..<observers {
        crate?.observe(\.content, options: .new) { [log] _, _ in
          if crate != nil { log.note("told") }
          crate = nil
        }.store(in: &tokens)
      }
      // The report of a pair that is never completed shows that the crate has died.
      crate?.willChangeValue(forKey: "cargo")
      person.performChanges { [log] _ in
        crate?.content = Undertaker {
          log.note("content died, reports: \(violations.take().count)")
        }
      }
    }
    #expect(log.take() == ["told", "content died, reports: 1"])
  }

  @Test("A change that a deinit makes inside belongs to the transaction")
  func deinitChanges() {
    let crate = Crate()
    let person = person
    let token = person.observe(\.age, options: [.old, .new], changeHandler: log.handler("age"))
    crate.content = Undertaker { person.age += 1 }
    crate.performChanges {
      $0.content = nil
      person.age += 1
    }
    #expect(log.take() == ["age: setting, old: 36, new: 38"])
    crate.content = Undertaker { person.age += 1 }
    let watch = crate.observe(\.content, options: .old) { [log] _, _ in log.note("content") }
    // The old value is retained for the observer, and dies after its delivery.
    crate.performChanges {
      $0.content = nil
      person.age = 0
    }
    #expect(
      log.take() == ["age: setting, old: 38, new: 0", "content", "age: setting, old: 0, new: 1"])
    withExtendedLifetime((token, watch)) {}
  }

  @Test("X2 what a part keeps for its failure is released at its end, before observers are called")
  func keptForRollback() {
    let crate = Crate()
    let log = log
    let person = person
    let tokens = [
      crate.observe(\.content) { _, _ in log.note("told") },
      person.observe(\.age, options: [.old, .new], changeHandler: log.handler("age")),
    ]
    crate.content = Undertaker { log.note("old dies") }
    #expect(log.take() == ["told"])
    crate.performChanges(rollingBack: true) {
      $0.content = nil
      log.note("set")
    }
    #expect(log.take() == ["set", "old dies", "told"])

    crate.content = Undertaker { log.note("old dies") }
    #expect(log.take() == ["told"])
    crate.performChanges { crate in
      crate.performChanges(rollingBack: true) { $0.content = nil }
      log.note("inner part ended")
    }
    #expect(log.take() == ["old dies", "inner part ended", "told"])

    try? crate.performChanges(rollingBack: true) {
      $0.content = Undertaker { log.note("new dies") }
      throw CancellationError()
    }
    #expect(log.take() == ["new dies"])

    // What a deinit changes then belongs to the transaction.
    crate.content = Undertaker { person.age += 1 }
    #expect(log.take() == ["told"])
    crate.performChanges(rollingBack: true) {
      $0.content = nil
      person.age = 0
    }
    #expect(log.take() == ["told", "age: setting, old: 36, new: 1"])
    withExtendedLifetime(tokens) {}
  }

  /// Expects a transaction of the thread to be one, and a rollback to take its sets back.
  private func expectWholeTransactions(from age: Int) {
    person.performChanges {
      $0.age = 5
      $0.age = 6
    }
    #expect(log.take() == ["age: setting, old: \(age), new: 6"])
    try? person.performChanges(rollingBack: true) {
      $0.age = 7
      throw CancellationError()
    }
    #expect(log.take() == [] && person.age == 6)
  }

  @Test("X1 A transaction in a deinit at the end of another one is part of it")
  func transactionInDeinit() {
    let crate = Crate()
    let person = person
    let token = person.observe(\.age, options: [.old, .new], changeHandler: log.handler("age"))
    crate.content = Undertaker { person.performChanges { $0.age += 1 } }
    crate.performChanges(rollingBack: true) {
      $0.content = nil
      person.age = 0
    }
    #expect(log.take() == ["age: setting, old: 36, new: 1"])
    expectWholeTransactions(from: 1)
    withExtendedLifetime(token) {}
  }

  @Test("X1 A transaction in a getter that another one calls at its end is part of it")
  func transactionInGetter() throws {
    let (shelf, ware) = (Shelf(), Ware())
    let person = person
    let tokens = [
      try shelf.observe(
        "wares.@sum.shownWeight", options: .new, changeHandler: log.handler("sum")),
      person.observe(\.age, options: [.old, .new], changeHandler: log.handler("age")),
    ]
    ware.onRead = { [unowned ware] in
      ware.onRead = nil
      person.performChanges { $0.age = 1 }
    }
    shelf.performChanges {
      $0.wares.append(ware)
      person.age = 0
    }
    #expect(log.take() == ["sum: setting, new: 5", "age: setting, old: 36, new: 1"])
    expectWholeTransactions(from: 1)
    withExtendedLifetime(tokens) {}
  }

  @Test("X2 What a deinit changes when a restored value replaces its object is announced")
  func deinitOfReplaced() {
    let crate = Crate()
    let person = person
    let token = person.observe(\.age, options: [.old, .new], changeHandler: log.handler("age"))
    func fail(_ body: () -> Void) {
      try? KeyValueTransaction.perform(rollingBack: true) {
        body()
        throw CancellationError()
      }
    }
    fail {
      crate.content = Undertaker { person.age += 1 }
      person.age = 0
    }
    #expect(log.take() == ["age: setting, old: 36, new: 37"])
    // A nested part's changes are the outer one's, which tells of them or takes them back.
    KeyValueTransaction.perform {
      fail { crate.content = Undertaker { person.age += 1 } }
      #expect(log.take() == [] && person.age == 38)
    }
    #expect(log.take() == ["age: setting, old: 37, new: 38"])
    fail {
      fail { crate.content = Undertaker { person.age += 1 } }
      #expect(person.age == 39)
    }
    #expect(log.take() == [] && person.age == 38)
    withExtendedLifetime(token) {}
  }

  @Test("Two-way bound properties agree after a transaction that sets both")
  func bindings() {
    let (left, right) = (Person(), Person())
    let binding = left.kvo.age.bindTwoWay(to: right.kvo.age)
    KeyValueTransaction.perform {
      left.age = 1
      right.age = 2
    }
    #expect(left.age == right.age)
    right.performChanges { $0.age = 7 }
    #expect(left.age == 7 && right.age == 7)
    withExtendedLifetime(binding) {}
  }
}
