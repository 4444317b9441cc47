import BenchmarkSupport
import Synchronization

// W13: many threads, with an object for each or one for all.

final class SharedCounter: Sendable {
  private struct State {
    var value = 0
    var observers: [@Sendable (Int, Int) -> Void] = []
  }
  private let state = Mutex(State())

  func observe(_ observer: @escaping @Sendable (Int, Int) -> Void) {
    state.withLock { $0.observers.append(observer) }
  }

  @inline(never) func increment() {
    state.withLock { state in
      state.value += 1
      for observer in state.observers { observer(state.value - 1, state.value) }
    }
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
      // Only the observer uses it, which runs inside the counter's lock.
      nonisolated(unsafe) let heard = tally
      counter.observe { heard.record(old: $0, new: $1) }
      return nanosecondsOnThreads(threads) { _, waitForOthers in
        waitForOthers()
        for _ in 0..<(operations / threads) { counter.increment() }
      }
    }
  }
