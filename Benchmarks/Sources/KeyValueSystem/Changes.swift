import BenchmarkSupport
import KeyValueObserving

// W15 to W17: transactions, element changes, and values as a sequence.

@inline(never) private func setTogether(_ counter: Counter, from first: Int) {
  counter.performChanges { counter in
    for index in 0..<Workload.setsTogether { set(counter, first + index) }
  }
}
@inline(never) private func assign(_ list: NumberList, _ numbers: [Int]) { list.numbers = numbers }

let changeContenders: [Contender] = [
  Contender(.transaction, System.keyValue) { operations, tally in
    let counter = Counter()
    let token = counter.kvo.value.observe(options: [.old, .new]) { _, change in
      tally.record(old: change.oldValue ?? 0, new: change.newValue ?? 0)
    }
    let time = nanoseconds {
      for step in 0..<operations { setTogether(counter, from: Workload.setsTogether * step + 1) }
    }
    token.invalidate()
    return time
  },
  Contender(.elementChanges, System.keyValue) { operations, tally in
    let list = NumberList()
    let arrays = shortAndLong
    list.numbers = arrays[0]
    let token = list.kvo.numbers.observe(options: [.old, .new, .elementChanges]) { _, change in
      let index = change.indexes?.ranges.first?.lowerBound ?? 0
      let isInsertion = change.kind == .insertion
      let element = isInsertion ? change.newValue?.first : change.oldValue?.first
      tally.record(old: index, new: isInsertion ? element ?? 0 : -(element ?? 0))
    }
    let time = nanoseconds { for step in 1...operations { assign(list, arrays[step & 1]) } }
    token.invalidate()
    return time
  },
  Contender(.sequence, System.keyValue) { { operations in waiting { await values(operations) } } },
]

private func values(_ operations: Int) async -> Reading {
  let counter = Counter()
  let tally = Tally()
  var values = counter.kvo.value.values().makeAsyncIterator()
  _ = await values.next()
  let stopwatch = Stopwatch()
  for step in 1...operations {
    set(counter, step)
    guard let value = await values.next() else { break }
    tally.record(value)
  }
  return Reading(total: stopwatch.nanoseconds, tally)
}
