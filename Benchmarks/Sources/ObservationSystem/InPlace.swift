import BenchmarkSupport
import Observation

// W14: in-place modification.

@Observable
private final class Numbers {
  var numbers: [Int] = []
}

@inline(never) private func increment(_ counter: Counter) { counter.value += 1 }
@inline(never) private func append(_ list: Numbers, _ number: Int) { list.numbers.append(number) }

let inPlaceContenders: [Contender] = [
  Contender(.addInPlace(withValues: false), observation) { operations, tally in
    let counter = Counter()
    let tracker = Tracker({ _ = counter.value }, { _, _ in tally.notifications &+= 1 })
    let time = nanoseconds {
      for _ in 0..<operations {
        increment(counter)
        tracker.renew()
      }
    }
    tally.checksum = counter.value
    return time
  },
  Contender(.addInPlace(withValues: true), observation) { operations, tally in
    let counter = Counter()
    let tracker = Tracker({ counter.value }, { tally.record(old: $0, new: $1) })
    return nanoseconds {
      for _ in 0..<operations {
        increment(counter)
        tracker.renew()
      }
    }
  },
  Contender(.appendInPlace, observation) { operations, tally in
    let list = Numbers()
    list.numbers.reserveCapacity(operations)
    let tracker = Tracker({ _ = list.numbers }, { _, _ in tally.notifications &+= 1 })
    let time = nanoseconds {
      for step in 1...operations {
        append(list, step)
        tracker.renew()
      }
    }
    tally.checksum = list.numbers.reduce(0, +)
    return time
  },
]
