import KeyValueObserving
import KeyValueTestSupport
import Synchronization
import Testing

/// Keeps a gauge alive until a thread clears it.
private final class Cell: Sendable {
  let gauge = Lock<Gauge?>(Gauge())
}

@Suite("Observing for an owner: orders of death")
struct ControllerLifetimeTests {
  private let log = ChangeLog()
  private let person = Person()

  @Test("The owner isn't retained, and its observations end with it")
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

  @Test("A controller that outlives its owner calls no handler")
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

  @Test("Releasing a controller ends its observations while the owner lives")
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

  @Test("An owner that dies during a delivery receives no further call")
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

  @Test("An owner released inside its own handler finishes that call and receives none afterwards")
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
    // The owner lives until its handler returns, so it also received the change made there.
    #expect(log.take() == ["age 1", "age 2"])
    person.age = 1
    #expect(log.take() == [] && weakOwner == nil && isIdle(person))
  }

  @Test("Objects that die leave nothing behind, and an object at a recycled address is new")
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

  @Test("Owner, controller and object may die in any order")
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

  @Test("A shared object may change while owners are created and released on other threads")
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

  @Test("A token returns its object alive or nil while the object dies on another thread")
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
