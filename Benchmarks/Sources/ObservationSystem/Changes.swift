import BenchmarkSupport
import Observation

// W15 and W16. Tracking reports the first change only; what else is set before it is renewed belongs to
// the same report.

let changeContenders: [Contender] = [
  Contender(.transaction, observation) { operations, tally in
    let counter = Counter()
    let tracker = Tracker({ counter.value }, { tally.record(old: $0, new: $1) })
    return nanoseconds {
      for step in 0..<operations {
        let first = Workload.setsTogether * step + 1
        for index in 0..<Workload.setsTogether { set(counter, first + index) }
        tracker.renew()
      }
    }
  },
  Contender(.elementChanges, observation) { operations, tally in
    let list = NumberList(shortAndLong[0])
    let arrays = shortAndLong
    let tracker = Tracker({ list.numbers }, { tally.recordRun($0, $1) })
    return nanoseconds {
      for step in 1...operations {
        assign(list, arrays[step & 1])
        tracker.renew()
      }
    }
  },
]

@inline(never) private func assign(_ list: NumberList, _ numbers: [Int]) { list.numbers = numbers }
