import Dispatch
import KeyValueObserving
import KeyValueTestSupport
import Synchronization
import Testing

@Suite("T. Threads, paths and isolation")
struct ThreadedPathTests {
  @Test(
    "T1 Each concurrent replacement of an object on the path notifies; only the last is followed")
  func concurrentExchange() {
    for _ in 0..<20 {
      let gauges = (0..<400).map { _ in Gauge() }
      let pipe = Pipe(gauges[0])
      let calls = Atomic<Int>(0)
      let token = pipe.observe(\.gauge.level) { _, _ in calls.add(1, ordering: .relaxed) }
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for step in 0..<100 { pipe.gauge = gauges[thread * 100 + step] }
      }
      #expect(calls.load(ordering: .relaxed) == 400)
      calls.store(0, ordering: .relaxed)
      let last = pipe.gauge
      for gauge in gauges where gauge !== last { gauge.level += 1 }
      #expect(calls.load(ordering: .relaxed) == 0)
      last.level += 1
      #expect(calls.load(ordering: .relaxed) == 1)
      token.invalidate()
      last.level += 1
      #expect(calls.load(ordering: .relaxed) == 1)
    }
  }

  @Test("T1 A leaf that changes while it is attached and detached notifies while it is attached")
  func leafAndExchange() {
    let first = Gauge()
    let second = Gauge()
    let pipe = Pipe(first)
    let calls = Atomic<Int>(0)
    let exchanges = Atomic<Int>(0)
    let link = pipe.observe(\.gauge) { _, _ in exchanges.add(1, ordering: .relaxed) }
    let path = pipe.observe(\.gauge.level, options: [.old, .new]) { _, _ in
      calls.add(1, ordering: .relaxed)
    }
    DispatchQueue.concurrentPerform(iterations: 3) { thread in
      for step in 0..<5_000 {
        switch thread {
        case 0: pipe.gauge = step.isMultiple(of: 2) ? second : first
        case 1: first.level = step
        default: second.level = step
        }
      }
    }
    #expect(exchanges.load(ordering: .relaxed) == 5_000)
    #expect((5_000...15_000).contains(calls.load(ordering: .relaxed)))
    calls.store(0, ordering: .relaxed)
    let (here, there) = pipe.gauge === first ? (first, second) : (second, first)
    there.level = 1
    #expect(calls.load(ordering: .relaxed) == 0)
    here.level = 1
    #expect(calls.load(ordering: .relaxed) == 1)
    withExtendedLifetime((link, path)) {}
  }

  @Test("T1 A path registered while its object is being replaced follows the last object")
  func registrationAndExchange() {
    var ghosts = 0
    var lost = 0
    for _ in 0..<20_000 {
      let first = Gauge()
      let second = Gauge()
      let pipe = Pipe(first)
      let calls = Atomic<Int>(0)
      let token = Lock<KeyValueObservation?>(nil)
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          pipe.gauge = second
        } else {
          let made = pipe.observe(\.gauge.level) { _, _ in calls.add(1, ordering: .relaxed) }
          token.withLock { $0 = made }
        }
      }
      calls.store(0, ordering: .relaxed)
      first.level = 1
      ghosts += calls.exchange(0, ordering: .relaxed)
      second.level = 1
      lost += 1 - calls.load(ordering: .relaxed)
    }
    #expect(ghosts == 0)
    #expect(lost == 0)
  }

  // MARK: T2

  @Test("T2 A main-actor class, its observers and its handlers stay on the main actor")
  @MainActor
  func mainActor() throws {
    let log = ChangeLog()
    let model = ScreenModel()
    let screen = Screen(log)
    let token = model.observe(\.title, options: .new) { model, change in
      log.note("title of \(model.count)", change)
    }
    try model.addObserver(screen, forKeyPath: "summary", options: .new)
    model.title = "Home"
    model.count += 1
    #expect(
      log.take() == [
        "title of 0: setting, new: \"Home\"", "screen summary: setting, new: \"Home 0\"",
        "screen summary: setting, new: \"Home 1\"",
      ])
    token.invalidate()
  }

  /// A main-actor class.
  @MainActor
  @KeyValueObservable
  final class ScreenModel {
    var title = ""
    var count = 0
    var summary: String { "\(title) \(count)" }
  }

  /// A main-actor observer.
  @MainActor
  final class Screen: @MainActor KeyValueObserver {
    private let log: ChangeLog
    init(_ log: ChangeLog) { self.log = log }
    func observeValue(
      forKeyPath keyPath: String, of object: any KeyValueObservable,
      change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
    ) {
      log.note("screen \(keyPath)", change)
    }
  }

  @Test("T2 An object that isn't Sendable is observed inside an actor")
  func actorIsolated() async {
    let desk = Desk()
    #expect(await desk.work() == ["age: setting, new: 37"])
  }

  /// An actor that keeps an observed object to itself.
  actor Desk {
    private let person = Person()
    private let log = ChangeLog()
    func work() -> [String] {
      let token = person.observe(\.age, options: .new, changeHandler: log.handler("age"))
      person.age = 37
      token.invalidate()
      return log.take()
    }
  }

  @Test("T2 A change with a Sendable value may cross threads, and a token may end on any thread")
  func sendable() {
    let gauge = Gauge()
    let changes = Lock<[KeyValueObservedChange<Int>]>([])
    let token = gauge.observe(\.level, options: [.old, .new]) { _, change in
      changes.withLock { $0.append(change) }
    }
    DispatchQueue(label: "elsewhere").sync { gauge.level = 1 }
    #expect(changes.withLock { $0.map { "\($0)" } } == ["setting, old: 0, new: 1"])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in token.invalidate() }
    gauge.level = 2
    #expect(changes.withLock { $0.count } == 1)
  }

  // MARK: T3

  @Test("T3 After invalidate returns, no callback starts, even for changes in progress elsewhere")
  func noneAfterInvalidate() {
    for _ in 0..<500 {
      let gauge = Gauge()
      let isOver = Atomic<Bool>(false)
      let late = Atomic<Int>(0)
      let first = gauge.observe(\.level) { _, _ in }
      let second = gauge.observe(\.level) { _, _ in
        if isOver.load(ordering: .acquiring) { late.add(1, ordering: .relaxed) }
      }
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          for step in 0..<50 { gauge.level = step }
        } else {
          second.invalidate()
          isOver.store(true, ordering: .releasing)
        }
      }
      // A callback that has started may still run; none may start afterwards.
      #expect(late.load(ordering: .relaxed) <= 1)
      let before = late.load(ordering: .relaxed)
      gauge.level = -1
      #expect(late.load(ordering: .relaxed) == before)
      first.invalidate()
    }
  }

  @Test("T3 A callback that is running may finish while another thread ends its observation")
  func invalidateDuringCallback() {
    let gauge = Gauge()
    let entered = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    let calls = Atomic<Int>(0)
    let token = gauge.observe(\.level) { _, _ in
      calls.add(1, ordering: .relaxed)
      entered.signal()
      ended.wait()
      calls.add(1, ordering: .relaxed)
    }
    // On one core, `concurrentPerform` has one thread, and this waits for another one.
    DispatchQueue(label: "elsewhere").async {
      entered.wait()
      token.invalidate()
      ended.signal()
    }
    gauge.level = 1
    #expect(calls.load(ordering: .relaxed) == 2)
    gauge.level = 2
    #expect(calls.load(ordering: .relaxed) == 2)
  }

  // MARK: T4

  @Test("T4 Two objects that observe and set each other from two threads cannot deadlock")
  func noDeadlock() {
    let twins = [Twin(), Twin()]
    let orders = Atomic<Int>(0)
    let answers = Atomic<Int>(0)
    let tokens = [(twins[0], twins[1]), (twins[1], twins[0])].flatMap { mine, other in
      [
        mine.observe(\.order, options: [.old, .new, .prior]) { _, change in
          orders.add(1, ordering: .relaxed)
          // In priors and in posts.
          other.answer += 1
        },
        mine.observe(\.answer, options: [.old, .new]) { _, _ in
          answers.add(1, ordering: .relaxed)
        },
      ]
    }
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      for step in 1...5_000 { twins[thread].order = step }
    }
    #expect(orders.load(ordering: .relaxed) == 20_000)
    #expect(answers.load(ordering: .relaxed) == 20_000)
    withExtendedLifetime(tokens) {}
  }

  /// A class with two keys under its own lock.
  @KeyValueObservable
  final class Twin: Sendable {
    @KeyValueIgnored private let storage = Lock((order: 0, answer: 0))
    @NotifiesManually var order: Int {
      get { storage.withLock { $0.order } }
      set { withChange(of: "order") { storage.withLock { $0.order = newValue } } }
    }
    @NotifiesManually var answer: Int {
      get { storage.withLock { $0.answer } }
      set { withChange(of: "answer") { storage.withLock { $0.answer = newValue } } }
    }
  }

  @Test("T4 Objects that register with each other from two threads cannot deadlock")
  func noDeadlockRegistering() {
    for _ in 0..<200 {
      let pair = [Pipe(Gauge()), Pipe(Gauge())]
      let calls = Atomic<Int>(0)
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        let (mine, other) = (pair[thread], pair[1 - thread])
        for _ in 0..<20 {
          let token = mine.observe(\.gauge.level, options: [.initial, .prior]) { _, _ in
            calls.add(1, ordering: .relaxed)
            other.observe(\.gauge) { _, _ in }.invalidate()
          }
          other.gauge = mine.gauge
          token.invalidate()
        }
      }
      #expect(calls.load(ordering: .relaxed) >= 40)
      #expect(pair.allSatisfy { $0.observationInfo.isEmpty })
    }
  }
}
