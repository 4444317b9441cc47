#if canImport(Combine) || OpenCombine
  import Dispatch
  import KeyValueObserving
  import KeyValueTestSupport
  import OpenCombineKVO
  import Synchronization
  import Testing

  /// A subscriber on which any thread may request elements.
  private final class SharedSubscriber: Subscriber, Sendable {
    typealias Input = KeyValueObservedChange<Int>
    typealias Failure = Never
    // Checked by hand: Combine requires that a subscription can be used from any thread.
    private struct Held: @unchecked Sendable {
      let subscription: any Subscription
    }

    private let held = Lock<Held?>(nil)
    private let running = Atomic<Int>(0)
    private let received = Atomic<Int>(0)
    private let ends = Atomic<Int>(0)
    private let overlaps = Atomic<Int>(0)
    private let witness: LifetimeTracker.Instance?

    init(_ witness: LifetimeTracker.Instance? = nil) { self.witness = witness }

    var receivedCount: Int { received.load(ordering: .relaxed) }
    var endCount: Int { ends.load(ordering: .relaxed) }
    /// The number of elements that arrived while another was being received.
    var overlapCount: Int { overlaps.load(ordering: .relaxed) }

    func receive(subscription: any Subscription) {
      let new = Held(subscription: subscription)
      held.withLock { $0 = new }
    }

    func receive(_ input: KeyValueObservedChange<Int>) -> Subscribers.Demand {
      if running.add(1, ordering: .sequentiallyConsistent).newValue > 1 {
        overlaps.add(1, ordering: .relaxed)
      }
      received.add(1, ordering: .relaxed)
      running.subtract(1, ordering: .sequentiallyConsistent)
      return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {
      ends.add(1, ordering: .relaxed)
    }

    func request(_ demand: Subscribers.Demand) {
      held.withLock { $0 }?.subscription.request(demand)
    }

    func cancel() {
      let last = held.withLock { held in
        defer { held = nil }
        return held
      }
      last?.subscription.cancel()
    }
  }

  @Suite("Publishers and threads, with the trait OpenCombine")
  struct PublisherThreadTests {
    private let tracker = LifetimeTracker()

    private func isIdle(_ object: any KeyValueObservable) -> Bool {
      object._$kvoWithRegistrar { $0.isIdle }
    }

    @Test("T1 With concurrent demand and changes, each change is delivered once, one at a time")
    func concurrentDemand() {
      let gauge = Gauge()
      let subscriber = SharedSubscriber()
      gauge.kvo.level.publisher(changes: []).subscribe(subscriber)
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for step in 0..<2_000 {
          if thread < 2 { gauge.level = step } else { subscriber.request(.max(1)) }
        }
      }
      #expect(subscriber.receivedCount == 4_000)
      #expect(subscriber.overlapCount == 0 && subscriber.endCount == 0)
      subscriber.cancel()
      #expect(isIdle(gauge))
    }

    @Test("T3 After cancelling on another thread nothing is delivered, and nothing is retained")
    func cancel() {
      for _ in 0..<500 {
        let gauge = Gauge()
        let subscriber = SharedSubscriber(tracker.instance())
        gauge.kvo.level.publisher(changes: [.old, .new]).subscribe(subscriber)
        subscriber.request(.unlimited)
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
          if thread == 0 {
            for step in 0..<30 { gauge.level = step }
          } else {
            subscriber.cancel()
          }
        }
        let before = subscriber.receivedCount
        gauge.level = -1
        #expect(subscriber.receivedCount == before && before <= 30)
        #expect(subscriber.endCount == 0 && isIdle(gauge))
      }
      #expect(tracker.liveCount == 0)
    }

    @Test("R5 If the object dies on another thread, all its changes arrive, then one completion")
    func death() {
      for _ in 0..<500 {
        let gauge = Lock<Gauge?>(Gauge())
        let subscriber = SharedSubscriber(tracker.instance())
        gauge.withLock { $0 }?.kvo.level.publisher(changes: []).subscribe(subscriber)
        subscriber.request(.unlimited)
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
          if thread == 0, let gauge = gauge.withLock({ $0 }) {
            for step in 0..<30 { gauge.level = step }
          } else if thread == 1 {
            let former = gauge.withLock { gauge in
              defer { gauge = nil }
              return gauge
            }
            withExtendedLifetime(former) {}
          }
        }
        #expect([0, 30].contains(subscriber.receivedCount))
        #expect(subscriber.endCount == 1 && subscriber.overlapCount == 0)
        subscriber.cancel()
      }
      #expect(tracker.liveCount == 0)
    }

    @Test("R5 T1 A subscription that races the object's death completes exactly once")
    func deathAndSubscribing() {
      for _ in 0..<500 {
        let gauge = Lock<Gauge?>(Gauge())
        guard let made = gauge.withLock({ $0 })?.kvo.level.publisher(changes: []) else { return }
        nonisolated(unsafe) let publisher = made  // only one thread uses it
        let subscriber = SharedSubscriber(tracker.instance())
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
          if thread == 0 {
            publisher.subscribe(subscriber)
          } else {
            let former = gauge.withLock { gauge in
              defer { gauge = nil }
              return gauge
            }
            withExtendedLifetime(former) {}
          }
        }
        #expect(subscriber.endCount == 1)
        subscriber.cancel()
      }
      #expect(tracker.liveCount == 0)
    }
  }
#endif
