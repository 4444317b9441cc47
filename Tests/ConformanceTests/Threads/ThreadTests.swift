import Dispatch
import KeyValueObserving
import KeyValueTestSupport
import Synchronization
import Testing

@Suite("T. Threads")
struct ThreadTests {
  private static let threads = 4

  /// The thread sanitizer detects this race about once in tens of thousands of registrations.
  private static let registrations = 20_000

  /// Runs the body on several threads at once; returns when all are done.
  private func concurrently(_ body: @escaping @Sendable (Int) -> Void) {
    DispatchQueue.concurrentPerform(iterations: ThreadTests.threads, execute: body)
  }

  // MARK: T1

  @Test("T1 4 × 40,000 concurrent sets deliver 160,000 callbacks")
  func noneLost() {
    let gauge = Gauge()
    let calls = Atomic<Int>(0)
    let token = gauge.observe(\.level) { _, _ in calls.add(1, ordering: .relaxed) }
    concurrently { thread in
      for step in 0..<40_000 { gauge.level = thread * 40_000 + step }
    }
    #expect(calls.load(ordering: .relaxed) == 160_000)
    token.invalidate()
  }

  @Test("T1 No prior, old or new value is lost when every thread sets its own values")
  func valuesOfConcurrentSets() {
    let gauge = Gauge()
    let priors = Atomic<Int>(0)
    let posts = Atomic<Int>(0)
    let missing = Atomic<Int>(0)
    let token = gauge.observe(\.level, options: [.old, .new, .prior]) { _, change in
      if change.isPrior {
        priors.add(1, ordering: .relaxed)
      } else {
        posts.add(1, ordering: .relaxed)
      }
      if change.oldValue == nil || (change.newValue == nil) != change.isPrior {
        missing.add(1, ordering: .relaxed)
      }
    }
    concurrently { _ in
      for step in 0..<5_000 { gauge.level = step }
    }
    #expect(priors.load(ordering: .relaxed) == 20_000)
    #expect(posts.load(ordering: .relaxed) == 20_000)
    #expect(missing.load(ordering: .relaxed) == 0)
    token.invalidate()
  }

  @Test("T1 An automatic property under the class's own lock loses no change")
  func automatic() {
    let counter = Counter()
    let calls = Atomic<Int>(0)
    let token = counter.observe(\.value, options: [.old, .new]) { _, change in
      if change.newValue == change.oldValue.map({ $0 + 1 }) { calls.add(1, ordering: .relaxed) }
    }
    concurrently { _ in
      for _ in 0..<10_000 { counter.increment() }
    }
    #expect(counter.value == 40_000)
    #expect(calls.load(ordering: .relaxed) == 40_000)
    token.invalidate()
  }

  /// A class that guards its plain property itself.
  // Checked by hand: while threads are running, `value` is accessed inside `lock` or by one thread
  // only.
  @KeyValueObservable
  final class Counter: @unchecked Sendable {
    @KeyValueIgnored private let lock = Lock(())
    var value = 0
    func increment() {
      lock.withLock { _ in value += 1 }
    }
  }

  @Test("T1 Manual pairs on several threads don't interfere")
  func pairs() {
    let gauge = Gauge()
    let calls = Atomic<Int>(0)
    let token = gauge.observe(\.level, options: [.old, .new]) { _, _ in
      calls.add(1, ordering: .relaxed)
    }
    concurrently { _ in
      for _ in 0..<5_000 {
        gauge.willChangeValue(forKey: "level")
        gauge.willChangeValue(forKey: "level")
        gauge.didChangeValue(forKey: "level")
        gauge.didChangeValue(forKey: "level")
      }
    }
    #expect(calls.load(ordering: .relaxed) == 40_000)
    token.invalidate()
  }

  @Test("M1 A did on another thread than its will completes nothing and is reported")
  func pairAcrossThreads() async {
    await #expect(processExitsWith: .success) {
      let violations = ViolationLog.install()
      let gauge = Gauge()
      let calls = Atomic<Int>(0)
      let token = gauge.observe(\.level) { _, _ in calls.add(1, ordering: .relaxed) }
      gauge.willChangeValue(forKey: "level")
      onAnotherThread { gauge.didChangeValue(forKey: "level") }
      #expect(calls.load(ordering: .relaxed) == 0)
      #expect(violations.take().count == 1)
      gauge.didChangeValue(forKey: "level")
      #expect(calls.load(ordering: .relaxed) == 1)
      #expect(violations.take() == [])
      token.invalidate()
    }
  }

  @Test("T1 An observation misses no change while others begin and end on other threads")
  func comingAndGoing() {
    let gauge = Gauge()
    let calls = Atomic<Int>(0)
    let transient = Atomic<Int>(0)
    let token = gauge.observe(\.level) { _, _ in calls.add(1, ordering: .relaxed) }
    concurrently { thread in
      for step in 0..<10_000 {
        if thread < 2 {
          gauge.level = step
        } else {
          let guest = gauge.observe(\.level, options: [.initial, .old, .new]) { _, change in
            if change.oldValue == nil { transient.add(1, ordering: .relaxed) }
          }
          if step.isMultiple(of: 2) { guest.invalidate() }
        }
      }
    }
    #expect(calls.load(ordering: .relaxed) == 20_000)
    // Every guest receives its initial callback. A guest that registers during a set may also
    // receive that set's value, without an old one, because it may have read the value before (R3).
    // All other changes carry their old values.
    #expect((20_000...40_000).contains(transient.load(ordering: .relaxed)))
    #expect(gauge.observationInfo.count == 1)
    token.invalidate()
    #expect(gauge.observationInfo.isEmpty)
  }

  @Test("T1 N11 Observers register and end while a property is modified in place")
  func guestsOfModification() {
    let counter = Counter()
    let wrong = Atomic<Int>(0)
    concurrently { thread in
      for _ in 0..<3_000 {
        if thread == 0 {
          counter.value += 1
        } else {
          let guest = counter.kvo.value.observe(options: thread == 1 ? [] : [.old, .new]) {
            _, change in
            if let old = change.oldValue, change.newValue != old + 1 {
              wrong.add(1, ordering: .relaxed)
            }
          }
          guest.invalidate()
        }
      }
    }
    #expect(counter.value == 3_000)
    #expect(wrong.load(ordering: .relaxed) == 0)
    #expect(counter.observationInfo.isEmpty)
    // No mark is left behind: otherwise another modification would trap.
    counter.value += 1
    #expect(counter.value == 3_001)
  }

  @Test("T1 The first observers of many objects may register from several threads at once")
  func firstObservers() {
    let gauges = (0..<2_000).map { _ in Gauge() }
    let calls = Atomic<Int>(0)
    let kept = Lock<[KeyValueObservation]>([])
    concurrently { _ in
      for gauge in gauges {
        let token = gauge.observe(\.level) { _, _ in calls.add(1, ordering: .relaxed) }
        kept.withLock { $0.append(token) }
      }
    }
    for gauge in gauges { gauge.level = 1 }
    #expect(calls.load(ordering: .relaxed) == 8_000)
    #expect(gauges.allSatisfy { $0.observationInfo.count == 4 })
    let tokens = kept.withLock { tokens in
      defer { tokens = [] }
      return tokens
    }
    let groups = (0..<ThreadTests.threads).map { thread in
      tokens.indices.filter { $0 % ThreadTests.threads == thread }.map { tokens[$0] }
    }
    concurrently { thread in groups[thread].forEach { $0.invalidate() } }
    for gauge in gauges { gauge.level = 2 }
    #expect(calls.load(ordering: .relaxed) == 8_000)
    #expect(gauges.allSatisfy { $0.observationInfo.isEmpty })
  }

  @Test("R4 Removals from several threads at once remove one registration each")
  func concurrentRemovals() throws {
    let observer = SilentObserver()
    let failures = Atomic<Int>(0)
    var left = 0
    for _ in 0..<500 {
      let gauge = Gauge()
      for _ in 0..<40 { try gauge.addObserver(observer, forKeyPath: "level") }
      concurrently { _ in
        for _ in 0..<10 {
          do {
            try gauge.removeObserver(observer, forKeyPath: "level")
          } catch {
            failures.add(1, ordering: .relaxed)
          }
        }
      }
      left += gauge.observationInfo.count
    }
    #expect(left == 0)
    #expect(failures.load(ordering: .relaxed) == 0)
  }

  @Test("R4 T1 Registering and removing one observer on several threads leaves no registration")
  func concurrentRegistrations() throws {
    let observer = SilentObserver()
    let failures = Atomic<Int>(0)
    let gauge = Gauge()
    // Each thread adds a registration before it removes one, which may be another thread's, still
    // in progress.
    concurrently { _ in
      for _ in 0..<ThreadTests.registrations {
        do {
          try gauge.addObserver(observer, forKeyPath: "level")
          try gauge.removeObserver(observer, forKeyPath: "level")
        } catch {
          failures.add(1, ordering: .relaxed)
        }
      }
    }
    #expect(failures.load(ordering: .relaxed) == 0)
    #expect(gauge.observationInfo.isEmpty)
  }

  @Test("R3 With initial, the last concurrent change is always delivered")
  func initialAndConcurrentChange() {
    for _ in 0..<5_000 {
      let gauge = Gauge()
      let last = Atomic<Int>(-1)
      let token = Lock<KeyValueObservation?>(nil)
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          gauge.level = 1
        } else {
          let made = gauge.observe(\.level, options: [.initial, .new]) { _, change in
            last.max(change.newValue ?? -1, ordering: .relaxed)
          }
          token.withLock { $0 = made }
        }
      }
      #expect(last.load(ordering: .relaxed) == 1)
    }
  }

  // MARK: N9

  @Test("N9 Depth is counted per thread: concurrent changes aren't recursion")
  func depthPerThread() {
    let gauge = Gauge()
    let depth = Lock<[Int]>(Array(repeating: 0, count: ThreadTests.threads))
    let calls = Atomic<Int>(0)
    let key = DispatchSpecificKey<Int>()
    let queues = (0..<ThreadTests.threads).map { number in
      let queue = DispatchQueue(label: "thread \(number)")
      queue.setSpecific(key: key, value: number)
      return queue
    }
    let token = gauge.observe(\.level) { gauge, _ in
      calls.add(1, ordering: .relaxed)
      guard let number = DispatchQueue.getSpecific(key: key) else { return }
      let isDeepEnough = depth.withLock { depth in
        depth[number] += 1
        return depth[number] >= 40
      }
      if !isDeepEnough { gauge.level += 1 }
    }
    concurrently { number in
      queues[number].sync {
        for _ in 0..<50 {
          depth.withLock { $0[number] = 0 }
          gauge.level += 1
        }
      }
    }
    #expect(calls.load(ordering: .relaxed) == ThreadTests.threads * 50 * 40)
    token.invalidate()
  }
}

/// Runs the body on another thread, and waits until it returns.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  DispatchQueue.global().async {
    body()
    done.signal()
  }
  done.wait()
}

/// An observer that ignores every change, on any thread.
private final class SilentObserver: KeyValueObserver, Sendable {
  func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {}
}
