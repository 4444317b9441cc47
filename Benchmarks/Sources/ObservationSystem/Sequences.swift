import BenchmarkSupport
import Foundation
import Observation

// W2 and W3 with `Observations`, an asynchronous sequence of values. Each step waits for its value:
// several sets in between would arrive as one.

private let sequence = "Observation Observations"

let sequenceContenders: [Contender] =
  if #available(macOS 26, *) {
    [
      Contender(.oneObserver(.sameModule), sequence) {
        { operations in
          waiting { await steps(operations, withValues: false) }
        }
      },
      Contender(.intWithValues(.sameModule), sequence) {
        { operations in
          waiting { await steps(operations, withValues: true) }
        }
      },
    ]
  } else {
    []
  }

@available(macOS 26, *)
private func steps(_ operations: Int, withValues: Bool) async -> Reading {
  // Only this task uses it: the sequence runs its closure inside `next`.
  nonisolated(unsafe) let counter = Counter()
  let tally = Tally()
  var values = Observations { counter.value }.makeAsyncIterator()
  var old = await values.next() ?? 0
  let clock = ContinuousClock()
  let start = clock.now
  for step in 1...operations {
    set(counter, step)
    guard let new = await values.next() else { break }
    if withValues {
      tally.record(old: old, new: new)
    } else {
      tally.notifications += 1
    }
    old = new
  }
  let (seconds, attoseconds) = (clock.now - start).components
  if !withValues { tally.checksum = counter.value }
  return Reading(total: Double(seconds) * 1e9 + Double(attoseconds) / 1e9, tally)
}

/// Runs a task and blocks until it is done.
private func waiting(_ work: @escaping @Sendable () async -> Reading) -> Reading {
  let done = DispatchSemaphore(value: 0)
  // Written before the signal, read after the wait.
  nonisolated(unsafe) var reading = Reading(total: 0, notifications: 0, checksum: 0)
  Task.detached {
    reading = await work()
    done.signal()
  }
  done.wait()
  return reading
}
