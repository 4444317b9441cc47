import BenchmarkSupport
import Synchronization

// W13: many threads, with an object for each or one for all. The first is W2's. Unsupported by the second:
// removing observers, and adding one during a set.

// Checked by hand: while threads are running, the properties are accessed only inside `lock`.
final class SharedCounter: @unchecked Sendable {
  private let lock = Mutex(())
  private var value = 0 {
    didSet { for observer in observers { observer(oldValue, value) } }
  }
  private var observers: [(Int, Int) -> Void] = []

  func observe(_ observer: @escaping (Int, Int) -> Void) { observers.append(observer) }

  @inline(never) func increment() {
    lock.withLock { _ in value = value + 1 }
  }
}

let threadContenders: [Contender] =
  [1, 8].map { threads in
    Contender(.ownObjects(threads: threads), System.handWritten) { operations, tally in
      let notifications = Atomic(0)
      let sum = Atomic(0)
      let time = nanosecondsOnThreads(threads) { _, waitForOthers in
        let counter = Counter()
        let own = Tally()
        counter.observe { own.notifications &+= 1 }
        waitForOthers()
        for step in 1...(operations / threads) { set(counter, step) }
        notifications.add(own.notifications, ordering: .relaxed)
        sum.add(counter.value, ordering: .relaxed)
      }
      tally.notifications = notifications.load(ordering: .relaxed)
      tally.checksum = sum.load(ordering: .relaxed)
      return time
    }
  }
  + [1, 8].map { threads in
    Contender(.sharedObject(threads: threads), System.handWritten) { operations, tally in
      let counter = SharedCounter()
      counter.observe { tally.record(old: $0, new: $1) }
      return nanosecondsOnThreads(threads) { _, waitForOthers in
        waitForOthers()
        for _ in 0..<(operations / threads) { counter.increment() }
      }
    }
  }
