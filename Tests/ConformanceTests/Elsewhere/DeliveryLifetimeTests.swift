import Dispatch
import KeyValueObserving
import KeyValueTestSupport
import Synchronization
import Testing

private actor Listener {}

@Suite("Delivery elsewhere: invalidation, deallocation and threads")
struct DeliveryLifetimeTests {
  private let lines = AtomicList()
  private let queue = DispatchQueue(label: "delivery")

  /// Observes the age, and suspends delivery until `queue.resume()`.
  private func suspendedObservation(of person: Person) -> KeyValueObservation {
    queue.suspend()
    return person.kvo.age.observe(options: .new, on: .queue(queue)) { [lines] change in
      lines.append("\(change)")
    }
  }

  private func delivered() -> [String] {
    queue.sync {}
    return lines.take()
  }

  // MARK: The end of the token

  @Test("T3 Pending changes are not delivered after invalidate()")
  func invalidate() {
    let person = Person()
    let token = suspendedObservation(of: person)
    person.age = 1
    token.invalidate()
    queue.resume()
    #expect(delivered() == [])
    #expect(isIdle(person))
  }

  @Test("T3 Pending changes are not delivered after the token is released")
  func drop() {
    let person = Person()
    var token: KeyValueObservation? = suspendedObservation(of: person)
    person.age = 1
    #expect(token?.isValid == true)
    token = nil
    queue.resume()
    #expect(delivered() == [])
    #expect(isIdle(person))
  }

  @Test("T3 A handler that ends its observation does not receive pending changes")
  func insideHandler() {
    let person = Person()
    let token = Lock<KeyValueObservation?>(nil)
    queue.suspend()
    let made = person.kvo.age.observe(options: .new, on: .queue(queue)) { [lines] change in
      lines.append("\(change)")
      token.withLock { $0 }?.invalidate()
    }
    token.withLock { $0 = made }
    for age in 1...3 { person.age = age }
    queue.resume()
    #expect(delivered() == ["setting, new: 1"])
    #expect(isIdle(person))
  }

  @Test("T3 After invalidate() on the main actor, nothing is delivered there")
  @MainActor func mainActor() async {
    let person = Person()
    var told = 0
    let (arrivals, signal) = AsyncStream<Void>.makeStream()
    let token = person.kvo.age.observe(on: .mainActor) { _ in told += 1 }
    person.age = 1
    token.invalidate()
    // Reaches the main actor after the pending change.
    let second = person.kvo.age.observe(on: .mainActor) { _ in signal.finish() }
    person.age = 2
    for await _ in arrivals {}
    #expect(told == 0)
    second.invalidate()
  }

  @Test("T3 After invalidate() on another thread, at most one call that has begun still runs")
  func invalidateElsewhere() {
    for _ in 0..<300 {
      let gauge = Gauge()
      let isOver = Atomic<Bool>(false)
      let late = Atomic<Int>(0)
      let token = gauge.kvo.level.observe(on: .queue(queue)) { _ in
        if isOver.load(ordering: .acquiring) { late.add(1, ordering: .relaxed) }
      }
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          for step in 0..<50 { gauge.level = step }
        } else {
          token.invalidate()
          isOver.store(true, ordering: .releasing)
        }
      }
      queue.sync {}
      #expect(late.load(ordering: .relaxed) <= 1)
    }
  }

  // MARK: Deallocation

  @Test("Deallocating the object invalidates the token; pending changes are still delivered")
  func objectDies() {
    var person: Person? = Person()
    let token = person.map(suspendedObservation)
    person?.age = 1
    person?.age = 2
    person = nil
    #expect(token?.isValid == false)
    queue.resume()
    #expect(delivered() == ["setting, new: 1", "setting, new: 2"])
  }

  @Test("T3 After the object is deallocated, invalidate() still discards pending changes")
  func invalidateAfterDeath() {
    var person: Person? = Person()
    let token = person.map(suspendedObservation)
    person?.age = 1
    person = nil
    token?.invalidate()
    queue.resume()
    #expect(delivered() == [])
  }

  @Test("An observation does not retain its actor, and ends with it")
  func actorDies() {
    let person = Person()
    var listener: Listener? = Listener()
    weak let witness = listener
    let token = listener.map { listener in
      person.kvo.age.observe(on: .actor(listener)) { [lines] _, _ in lines.append("told") }
    }
    listener = nil
    #expect(witness == nil && token?.isValid == false)
    person.age = 1
    #expect(isIdle(person))
    #expect(lines.take() == [])
  }

  @Test("invalidate() releases pending values; releasing the token releases the handler")
  func release() {
    let tracker = LifetimeTracker()
    let person = Person()
    var token: KeyValueObservation?
    queue.suspend()
    do {
      let witness = tracker.instance()
      token = person.kvo.age.observe(on: .queue(queue)) { _ in withExtendedLifetime(witness) {} }
    }
    let box = Holder()
    let values = box.kvo.content.observe(options: .new, on: .queue(queue)) { _ in }
    box.content = tracker.instance()
    box.content = nil
    #expect(tracker.liveCount == 2)
    values.invalidate()
    #expect(tracker.liveCount == 1)
    token = nil
    #expect(tracker.liveCount == 0)
    withExtendedLifetime(token) {}
    queue.resume()
  }

  @KeyValueObservable
  final class Holder {
    var content: LifetimeTracker.Instance?
  }

  // MARK: Threads

  @Test("T1 Concurrent sets are each delivered once, one call at a time")
  func concurrentSets() {
    let gauge = Gauge()
    let concurrent = DispatchQueue(label: "delivery", attributes: .concurrent)
    let calls = Atomic<Int>(0)
    let running = Atomic<Int>(0)
    let overlaps = Atomic<Int>(0)
    let done = DispatchSemaphore(value: 0)
    let token = gauge.kvo.level.observe(options: .new, on: .queue(concurrent)) { _ in
      if running.add(1, ordering: .sequentiallyConsistent).newValue > 1 {
        overlaps.add(1, ordering: .relaxed)
      }
      running.subtract(1, ordering: .sequentiallyConsistent)
      if calls.add(1, ordering: .relaxed).newValue == 20_000 { done.signal() }
    }
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for step in 0..<5_000 { gauge.level = step }
    }
    done.wait()
    token.invalidate()
    concurrent.sync(flags: .barrier) {}
    #expect(calls.load(ordering: .relaxed) == 20_000)
    #expect(overlaps.load(ordering: .relaxed) == 0)
  }

  @Test("R3 The initial change comes first, even if another thread sets the value")
  func initialRaces() {
    for _ in 0..<300 {
      let gauge = Gauge()
      let history = Lock<[Int]>([])
      let token = Lock<KeyValueObservation?>(nil)
      DispatchQueue.concurrentPerform(iterations: 2) { [queue] thread in
        if thread == 0 {
          for level in 1...20 { gauge.level = level }
        } else {
          let made = gauge.kvo.level.observe(options: [.initial, .new], on: .queue(queue)) {
            change in
            history.withLock { $0.append(change.newValue ?? -1) }
          }
          token.withLock { $0 = made }
        }
      }
      // A drain that finds more changes when it is done schedules another one.
      queue.sync {}
      queue.sync {}
      // A change delivered before the initial value was read would break the order.
      let levels = history.withLock { $0 }
      #expect(levels == levels.sorted() && levels.last == 20)
      token.withLock { $0 }?.invalidate()
    }
  }
}
