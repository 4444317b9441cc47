import BenchmarkSupport
import Observation

// W2, W3 and W17 with `Observations`, an asynchronous sequence of values. Each step waits for its value:
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
      Contender(.sequence, sequence) { { operations in waiting { await values(operations) } } },
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
  let stopwatch = Stopwatch()
  for step in 1...operations {
    set(counter, step)
    guard let new = await values.next() else { break }
    if withValues {
      tally.record(old: old, new: new)
    } else {
      tally.notifications &+= 1
    }
    old = new
  }
  let time = stopwatch.nanoseconds
  if !withValues { tally.checksum = counter.value }
  return Reading(total: time, tally)
}

@available(macOS 26, *)
private func values(_ operations: Int) async -> Reading {
  nonisolated(unsafe) let counter = Counter()
  let tally = Tally()
  var values = Observations { counter.value }.makeAsyncIterator()
  _ = await values.next()
  let stopwatch = Stopwatch()
  for step in 1...operations {
    set(counter, step)
    guard let value = await values.next() else { break }
    tally.record(value)
  }
  return Reading(total: stopwatch.nanoseconds, tally)
}
