import Dispatch
import KeyValueObserving
import KeyValueTestSupport
import Synchronization
import Testing

/// A slot whose content several threads may read, replace and release.
final class Slot<Content: Sendable>: Sendable {
  private let storage: Lock<Content?>

  init(_ content: Content?) { storage = Lock(content) }

  /// The content; setting it releases the former content outside of the lock.
  var content: Content? {
    get { storage.withLock { $0 } }
    set {
      let former = storage.withLock { content in
        defer { content = newValue }
        return content
      }
      withExtendedLifetime(former) {}
    }
  }
}

/// A weak link to a gauge, which any thread may replace.
@KeyValueObservable
final class LooseLink: Sendable {
  private struct Weak: Sendable {
    weak var gauge: Gauge?
  }

  @KeyValueIgnored private let storage: Lock<Weak>

  @NotifiesManually var gauge: Gauge? {
    get { storage.withLock { $0.gauge } }
    set { withChange(of: "gauge") { storage.withLock { $0.gauge = newValue } } }
  }

  init(_ gauge: Gauge?) { storage = Lock(Weak(gauge: gauge)) }
}

@Suite("T. Threads: ends of observations, and deaths")
struct ThreadedDeathTests {
  private let tracker = LifetimeTracker()

  /// A handler that counts its calls and captures a tracked instance.
  private func counting(_ count: Counter) -> (Gauge, KeyValueObservedChange<Int>) -> Void {
    let witness = tracker.instance()
    return { _, _ in withExtendedLifetime(witness) { count.add() } }
  }

  /// Counts calls from any thread.
  private final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    func add() { count.add(1, ordering: .relaxed) }
    var value: Int { count.load(ordering: .relaxed) }
  }

  // MARK: Tokens

  @Test("R5 T3 A token released on another thread ends its observation and releases its handler")
  func droppedToken() {
    for _ in 0..<500 {
      let gauge = Gauge()
      let count = Counter()
      let token = Slot(gauge.observe(\.level, changeHandler: counting(count)))
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          for step in 0..<50 { gauge.level = step }
        } else {
          token.content = nil
        }
      }
      let before = count.value
      gauge.level = -1
      #expect(count.value == before && before <= 50)
      #expect(isIdle(gauge))
    }
    #expect(tracker.liveCount == 0)
  }

  @Test("R5 P2 A path's token released on another thread detaches every object of the path")
  func droppedPath() {
    for _ in 0..<300 {
      let gauges = (0..<3).map { _ in Gauge() }
      let pipe = Pipe(gauges[0])
      let count = Counter()
      let witness = tracker.instance()
      let token = Slot(
        pipe.observe(\.gauge.level, options: [.old, .new]) { _, _ in
          withExtendedLifetime(witness) { count.add() }
        })
      DispatchQueue.concurrentPerform(iterations: 3) { thread in
        switch thread {
        case 0: for step in 0..<30 { pipe.gauge = gauges[step % 3] }
        case 1: for step in 0..<30 { gauges[step % 3].level = step }
        default: token.content = nil
        }
      }
      let before = count.value
      pipe.gauge = gauges[1]
      for gauge in gauges { gauge.level = -1 }
      #expect(count.value == before)
      #expect(isIdle(pipe) && gauges.allSatisfy { isIdle($0) })
    }
    #expect(tracker.liveCount == 0)
  }

  @Test("R4 T1 A token that all threads invalidate at once ends once")
  func invalidatedByAll() {
    let gauge = Gauge()
    let count = Counter()
    for _ in 0..<500 {
      let token = gauge.observe(\.level, changeHandler: counting(count))
      let other = gauge.observe(\.level, changeHandler: counting(count))
      DispatchQueue.concurrentPerform(iterations: 4) { _ in token.invalidate() }
      #expect(!token.isValid && other.isValid)
      #expect(gauge.observationInfo.count == 1)
    }
    #expect(isIdle(gauge) && tracker.liveCount == 0)
  }

  // MARK: Deaths

  @Test("R5 T1 An object's last reference is released while another thread registers with it")
  func deathAndRegistration() {
    let count = Counter()
    for _ in 0..<1_000 {
      let gauge = Slot<Gauge>(Gauge())
      let token = Slot<KeyValueObservation>(nil)
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          gauge.content = nil
        } else if let gauge = gauge.content {
          token.content = gauge.observe(
            \.level, options: [.initial, .new], changeHandler: counting(count))
        }
      }
      // Whichever thread released it last, the object is dead.
      #expect(token.content?.isValid != true)
      #expect(token.content?.object == nil)
    }
    #expect(tracker.liveCount == 0)
  }

  @Test("R5 P5 A weakly held object dies while another thread registers a path through it")
  func looseDeathAndRegistration() {
    for _ in 0..<1_000 {
      let gauge = Slot<Gauge>(Gauge())
      let link = LooseLink(gauge.content)
      let nils = Counter()
      let witness = tracker.instance()
      let token = Slot<KeyValueObservation>(nil)
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          gauge.content = nil
        } else {
          token.content = link.observe(\.gauge.level, options: [.initial, .new]) { _, change in
            withExtendedLifetime(witness) {
              if change.newValue == .some(nil) { nils.add() }
            }
          }
        }
      }
      // The gauge was nil at the registration, or became nil afterwards.
      #expect(nils.value >= 1)
      let before = nils.value
      link.gauge = nil
      #expect(nils.value == before + 1)
      token.content = nil
      #expect(isIdle(link))
    }
    #expect(tracker.liveCount == 0)
  }

  @Test("R5 P5 Weakly held objects die while they are replaced and while their values change")
  func looseDeathAndExchange() {
    for _ in 0..<200 {
      let gauges = (0..<20).map { _ in Slot<Gauge>(Gauge()) }
      let link = LooseLink(gauges[0].content)
      let witness = tracker.instance()
      let token = link.observe(\.gauge.level, options: [.old, .new]) { _, _ in
        withExtendedLifetime(witness) {}
      }
      DispatchQueue.concurrentPerform(iterations: 3) { thread in
        for gauge in gauges {
          switch thread {
          case 0: link.gauge = gauge.content
          case 1: gauge.content?.level += 1
          default: gauge.content = nil
          }
        }
      }
      #expect(link.gauge == nil)
      #expect(token.isValid && link.observationInfo.count == 1)
      let last = Gauge()
      let heard = Counter()
      link.gauge = last
      let second = link.observe(\.gauge.level) { _, _ in heard.add() }
      last.level = 1
      #expect(heard.value == 1)
      withExtendedLifetime((token, second, last)) {}
    }
    #expect(tracker.liveCount == 0)
  }

  @Test("R5 A path's objects and its token are released on separate threads while values are set")
  func everythingDies() {
    for _ in 0..<500 {
      let gauge = Slot<Gauge>(Gauge())
      let pipe = gauge.content.map { Slot(Pipe($0)) }
      let witness = tracker.instance()
      let token = Slot(
        pipe?.content?.observe(\.gauge.level, options: [.old, .new, .prior]) { _, _ in
          withExtendedLifetime(witness) {}
        })
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        switch thread {
        case 0: for step in 0..<10 { gauge.content?.level = step }
        case 1: gauge.content = nil
        case 2: pipe?.content = nil
        default: token.content = nil
        }
      }
    }
    #expect(tracker.liveCount == 0)
  }

  // MARK: Observer objects

  private final class Listener: KeyValueObserver, Sendable {
    private let calls = Atomic<Int>(0)
    let witness: LifetimeTracker.Instance

    init(_ witness: LifetimeTracker.Instance) { self.witness = witness }

    func observeValue(
      forKeyPath keyPath: String, of object: any KeyValueObservable,
      change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
    ) {
      calls.add(1, ordering: .relaxed)
    }
  }

  @Test("R5 T1 An observer object that dies on another thread is called alive or not at all")
  func observerDies() throws {
    for _ in 0..<500 {
      let gauge = Gauge()
      let listener = Slot(Listener(tracker.instance()))
      if let listener = listener.content {
        try gauge.addObserver(listener, forKeyPath: "level", options: [.old, .new])
      }
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          for step in 0..<30 { gauge.level = step }
        } else {
          listener.content = nil
        }
      }
      gauge.level = -1
      #expect(gauge.observationInfo.isEmpty)
    }
    #expect(tracker.liveCount == 0)
  }
}
