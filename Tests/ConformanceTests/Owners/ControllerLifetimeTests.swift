import KeyValueObserving
import KeyValueTestSupport
import Synchronization
import Testing

/// What keeps a gauge alive until some thread thinks better of it.
private final class Cell: Sendable {
  let gauge = Lock<Gauge?>(Gauge())
}

@Suite("Observing for an owner: who goes first")
struct ControllerLifetimeTests {
  private let log = ChangeLog()
  private let person = Person()

  @Test("The owner is not retained, and everything ends with it")
  func ownerDies() {
    var owner: ObservingOwner? = ObservingOwner(log)
    weak let weakOwner = owner
    owner?.observer.observe(person.kvo.age) { owner, _, _ in owner.log.note("called") }
    owner?.observer.observe(person.kvo.fullName) { owner, _, _ in owner.log.note("called") }
    person.age = 1
    owner = nil
    #expect(weakOwner == nil && isIdle(person))
    person.age = 2
    #expect(log.take() == ["called"])
  }

  @Test("A controller that outlives its owner calls nobody")
  func controllerOutlives() {
    var owner: ObservingOwner? = ObservingOwner(log)
    let observer = KeyValueObserverController(owner: owner!)
    observer.observe(person.kvo.age) { owner, _, _ in owner.log.note("called") }
    owner = nil
    #expect(observer.owner == nil && person.observationInfo.isEmpty)
    person.age = 1
    #expect(log.take() == [] && isIdle(person))
    observer.observe(person.kvo.age) { owner, _, _ in owner.log.note("called") }
    #expect(isIdle(person))
    #expect("\(observer)" == "KeyValueObserverController<ObservingOwner>(0 observed)")
  }

  @Test("Letting go of a controller ends everything while the owner lives")
  func controllerDies() {
    final class Bare {}
    let owner = Bare()
    var observer: KeyValueObserverController<Bare>? = KeyValueObserverController(owner: owner)
    observer?.observe(person.kvo.age) { [log] _, _, _ in log.note("called") }
    let kept = observer?.observe(person.kvo.firstName) { [log] _, _, _ in log.note("called") }
    person.age = 1
    observer = nil
    person.age = 2
    person.firstName = "Grace"
    #expect(log.take() == ["called"] && isIdle(person) && kept?.isValid == false)
    withExtendedLifetime(owner) {}
  }

  @Test("An owner that dies in the middle of a delivery gets no call after it")
  func ownerDiesInDelivery() {
    var owner: ObservingOwner? = ObservingOwner(log)
    let outside = KeyValueObserverController(owner: owner!)
    let before = person.observe(\.age, options: .prior) { [log] _, change in
      log.note("before", change)
      if !change.isPrior { owner = nil }
    }
    owner?.observer.observe(person.kvo.age, options: .prior) { owner, _, change in
      owner.log.note("own", change)
    }
    outside.observe(person.kvo.age, options: .prior) { owner, _, change in
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
    var owner: ObservingOwner? = ObservingOwner(log)
    let observer = owner!.observer!
    observer.observe(person.kvo.age) { [person] handed, _, _ in
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

  @Test("Objects that die leave nothing behind, and a recycled address is a new object")
  func recycledAddresses() {
    let owner = ObservingOwner(log)
    let tracker = LifetimeTracker()
    var addresses: Set<ObjectIdentifier> = []
    for round in 1...500 {
      let mortal = Account()
      addresses.insert(ObjectIdentifier(mortal))
      let witness = tracker.instance()
      owner.observer.observe(mortal.kvo.balance) { owner, _, _ in
        withExtendedLifetime(witness) { owner.log.note("\(round)") }
      }
      mortal.balance = 1
      #expect(log.take() == ["\(round)"])
    }
    if allocatorReusesAddresses() { #expect(addresses.count < 500) }
    #expect(tracker.liveCount == 0)
    #expect("\(owner.observer!)" == "KeyValueObserverController<ObservingOwner>(0 observed)")
  }

  @Test("Owner, controller and object may go in any order, also from another thread")
  func deaths() async {
    for order in 0..<6 {
      let tracker = LifetimeTracker()
      var owner: ObservingOwner? = ObservingOwner(log)
      var observer: KeyValueObserverController<ObservingOwner>? = KeyValueObserverController(
        owner: owner!)
      var object: Account? = Account()
      let witness = tracker.instance()
      observer?.observe(object!.kvo.balance) { _, _, _ in withExtendedLifetime(witness) {} }
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
            observer.observe(gauge.kvo.level) { watcher, _, _ in
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

  @Test("Asking tokens for an object that dies on another thread gives it alive or not at all")
  func dyingObject() async {
    for _ in 1...200 {
      let mortal = Cell()
      let token = mortal.gauge.withLock { $0!.observe(\.level) { _, _ in } }
      await withTaskGroup(of: Void.self) { group in
        for _ in 1...2 {
          group.addTask {
            for _ in 1...50 {
              guard let gauge = token.object as? Gauge else { break }
              #expect(gauge.level == 0)
            }
          }
        }
        group.addTask { mortal.gauge.withLock { $0 = nil } }
      }
      #expect(token.object == nil && !token.isValid)
    }
  }
}
