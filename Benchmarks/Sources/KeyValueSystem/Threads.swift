import BenchmarkSupport
import KeyValueObserving
import Synchronization

// W13: many threads, with an object for each or one for all.

/// A count that any thread may increment; its observers receive every step once, in order.
// Checked by hand: while threads are running, `value` is accessed only inside `lock`.
@KeyValueObservable
final class SharedCounter: @unchecked Sendable {
  @KeyValueIgnored private let lock = Mutex(())
  var value = 0

  @inline(never) func increment() {
    // A set, as in every system; W14 modifies in place.
    lock.withLock { _ in value = value + 1 }
  }
}

let threadContenders: [Contender] =
  [1, 8].map { threads in
    Contender(.ownObjects(threads: threads), System.keyValue) { operations, tally in
      let notifications = Atomic(0)
      let sum = Atomic(0)
      let time = nanosecondsOnThreads(threads) { _, waitForOthers in
        let counter = Counter()
        let own = Tally()
        let token = counter.observe(\.value) { _, _ in own.notifications &+= 1 }
        waitForOthers()
        for step in 1...(operations / threads) { set(counter, step) }
        token.invalidate()
        notifications.add(own.notifications, ordering: .relaxed)
        sum.add(counter.value, ordering: .relaxed)
      }
      tally.notifications = notifications.load(ordering: .relaxed)
      tally.checksum = sum.load(ordering: .relaxed)
      return time
    }
  }
  + [1, 8].map { threads in
    Contender(.sharedObject(threads: threads), System.keyValue) { operations, tally in
      let counter = SharedCounter()
      // The counter holds its own lock while the observer runs.
      let token = counter.observe(\.value, options: [.old, .new]) { _, change in
        tally.record(old: change.oldValue ?? 0, new: change.newValue ?? 0)
      }
      let time = nanosecondsOnThreads(threads) { _, waitForOthers in
        waitForOthers()
        for _ in 0..<(operations / threads) { counter.increment() }
      }
      token.invalidate()
      return time
    }
  }
