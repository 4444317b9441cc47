import Dispatch
import KeyValueObserving
import KeyValueTestSupport
import Synchronization
import Testing

private actor Receiver {
  private(set) var count = 0
  func add() { count += 1 }
}

/// A value with members that threads share under a lock.
@KeyValueObservable
private final class SharedPanel: Sendable {
  struct Frame {
    var title = ""
    var width = 0
  }

  @KeyValueIgnored private let storage = Lock(Frame())

  @NotifiesManually var frame: Frame {
    get { storage.withLock { $0 } }
    set { withChange(of: "frame") { storage.withLock { $0 = newValue } } }
  }
}

/// A text that threads share under a lock.
@KeyValueObservable
private final class SharedCaption: Sendable {
  @KeyValueIgnored private let storage = Lock("")

  @NotifiesManually var text: String {
    get { storage.withLock { $0 } }
    set { withChange(of: "text") { storage.withLock { $0 = newValue } } }
  }
}

@Suite("T. Threads: bindings, transactions, delivery elsewhere, until")
struct ThreadedLayerTests {
  private let tracker = LifetimeTracker()
  private let queue = DispatchQueue(label: "delivery")

  /// Waits for pending deliveries; a running one may enqueue another.
  private func drain() {
    for _ in 0..<2 { queue.sync {} }
  }

  // MARK: Bindings

  @Test("A binding's token is released on another thread while its source is set")
  func droppedBinding() {
    for _ in 0..<500 {
      let (source, target) = (Gauge(), Gauge())
      let witness = tracker.instance()
      let binding = Slot(
        source.kvo.level.bind(to: target.kvo.level) { level in
          withExtendedLifetime(witness) { level }
        })
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          for level in 1...30 { source.level = level }
        } else {
          binding.content = nil
        }
      }
      let before = target.level
      #expect((0...30).contains(before))
      source.level = 777
      #expect(target.level == before)
      #expect(isIdle(source, target))
    }
    #expect(tracker.liveCount == 0)
  }

  @Test("Either side of a two-way binding dies on another thread while the other side is set")
  func deadBinding() {
    for round in 0..<500 {
      let sides = [Slot(Gauge()), Slot(Gauge())]
      let binding = sides[0].content.flatMap { left in
        sides[1].content.map { right in left.kvo.level.bindTwoWay(to: right.kvo.level) }
      }
      let (mortal, other) = (sides[round % 2], sides[1 - round % 2])
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          for level in 1...30 { other.content?.level = level }
        } else {
          mortal.content = nil
        }
      }
      #expect(other.content?.level == 30)
      other.content?.level = 31
      #expect(binding?.isValid == false)
      #expect(other.content.map { isIdle($0) } == true)
    }
  }

  @Test("T1 A member of a value that two threads set is bound in both directions")
  func memberOfSharedValue() {
    let (panel, caption) = (SharedPanel(), SharedCaption())
    let binding = panel.kvo.frame.title.bindTwoWay(to: caption.kvo.text)
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      for step in 0..<10_000 {
        // Every second one changes another member only.
        panel.frame = SharedPanel.Frame(title: "\(thread), \(step / 2)", width: step)
      }
    }
    panel.frame = SharedPanel.Frame(title: "last", width: 0)
    #expect(caption.text == "last" && panel.frame.title == "last")
    caption.text = "back"
    #expect(panel.frame.title == "back")
    binding.invalidate()
    #expect(isIdle(panel, caption))
  }

  // MARK: Transactions

  @Test("T1 Each thread's transactions notify once; other threads' changes notify at once")
  func transactions() {
    let gauge = Gauge()
    let calls = Atomic<Int>(0)
    let token = gauge.observe(\.level, options: [.old, .new]) { _, change in
      if change.oldValue != nil, change.newValue != nil { calls.add(1, ordering: .relaxed) }
    }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for step in 0..<1_000 {
        if thread == 3 {
          gauge.level = step
        } else {
          gauge.performChanges { gauge in
            for inner in 0..<3 { gauge.level = step * 3 + inner }
          }
        }
      }
    }
    #expect(calls.load(ordering: .relaxed) == 4_000)
    token.invalidate()
    #expect(isIdle(gauge))
  }

  @Test("T1 Observers register and end on another thread while transactions are open")
  func transactionsAndObservers() {
    let gauge = Gauge()
    let calls = Atomic<Int>(0)
    let token = gauge.observe(\.level) { _, _ in calls.add(1, ordering: .relaxed) }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for step in 0..<500 {
        if thread < 2 {
          gauge.performChanges { gauge in
            gauge.level = step
            gauge.level += 1
          }
        } else {
          let witness = tracker.instance()
          let guest = gauge.observe(\.level, options: [.old, .new]) { _, _ in
            withExtendedLifetime(witness) {}
          }
          if step.isMultiple(of: 2) { guest.invalidate() }
        }
      }
    }
    #expect(calls.load(ordering: .relaxed) == 1_000)
    token.invalidate()
    #expect(isIdle(gauge) && tracker.liveCount == 0)
  }

  // MARK: Delivery elsewhere

  @Test("T3 Releasing a token on another thread ends its delivery and releases its handler")
  func droppedDelivery() {
    for _ in 0..<300 {
      let gauge = Gauge()
      let calls = Atomic<Int>(0)
      let witness = tracker.instance()
      let token = Slot(
        gauge.kvo.level.observe(options: .new, on: .queue(queue)) { _ in
          withExtendedLifetime(witness) { _ = calls.add(1, ordering: .relaxed) }
        })
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          for step in 0..<30 { gauge.level = step }
        } else {
          token.content = nil
        }
      }
      drain()
      #expect(calls.load(ordering: .relaxed) <= 30)
      let before = calls.load(ordering: .relaxed)
      gauge.level = -1
      drain()
      #expect(calls.load(ordering: .relaxed) == before)
      #expect(isIdle(gauge))
    }
    #expect(tracker.liveCount == 0)
  }

  @Test("Changes made before the object dies on another thread are all delivered")
  func deadObject() {
    for _ in 0..<300 {
      let gauge = Slot(Gauge())
      let calls = Atomic<Int>(0)
      let token = gauge.content?.kvo.level.observe(on: .queue(queue)) { _ in
        calls.add(1, ordering: .relaxed)
      }
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0, let gauge = gauge.content {
          for step in 0..<30 { gauge.level = step }
        } else if thread == 1 {
          gauge.content = nil
        }
      }
      drain()
      let count = calls.load(ordering: .relaxed)
      // The setter found no object, or retained it until it finished.
      #expect(count == 0 || count == 30)
      #expect(token?.isValid == false)
    }
  }

  @Test("The receiving actor dies on another thread while values are set")
  func deadActor() {
    for _ in 0..<300 {
      let gauge = Gauge()
      let receiver = Slot(Receiver())
      let token = receiver.content.map { receiver in
        gauge.kvo.level.observe(on: .actor(receiver)) { receiver, _ in receiver.add() }
      }
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          for step in 0..<30 { gauge.level = step }
        } else {
          receiver.content = nil
        }
      }
      token?.invalidate()
      #expect(isIdle(gauge))
    }
  }

  // MARK: Until

  @Test("T1 A handler that has returned true isn't called by any thread afterwards")
  func until() {
    for _ in 0..<300 {
      let gauge = Gauge()
      let calls = Atomic<Int>(0)
      let token = gauge.kvo.level.observe(until: { _, _ in
        calls.add(1, ordering: .relaxed)
        return true
      })
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for step in 0..<20 { gauge.level = step }
      }
      // A call on another thread may have begun before the first one returned.
      #expect((1...4).contains(calls.load(ordering: .relaxed)))
      #expect(!token.isValid && isIdle(gauge))
    }
  }
}
