import BenchmarkSupport
import OpenCombine

// W16 and W17. OpenCombine has no transactions.

@inline(never) private func assign(_ list: NumberList, _ numbers: [Int]) { list.numbers = numbers }
@inline(never) private func assign(_ list: NumberSignal, _ numbers: [Int]) {
  list.numbers.value = numbers
}

let changeContenders: [Contender] = [
  Contender(.elementChanges, published) { operations, tally in
    let list = NumberList(shortAndLong[0])
    let arrays = shortAndLong
    let token = list.$numbers.withPrevious(arrays[0]).sink { tally.recordRun($0.old, $0.new) }
    tally.reset()
    let time = nanoseconds { for step in 1...operations { assign(list, arrays[step & 1]) } }
    token.cancel()
    return time
  },
  Contender(.elementChanges, currentValue) { operations, tally in
    let list = NumberSignal(shortAndLong[0])
    let arrays = shortAndLong
    let token = list.numbers.withPrevious(arrays[0]).sink { tally.recordRun($0.old, $0.new) }
    tally.reset()
    let time = nanoseconds { for step in 1...operations { assign(list, arrays[step & 1]) } }
    token.cancel()
    return time
  },
  Contender(.sequence, published) {
    { operations in waiting { await publishedValues(operations) } }
  },
  Contender(.sequence, currentValue) {
    { operations in waiting { await currentValues(operations) } }
  },
]

// OpenCombine's sequence requests one value at a time; until then, the publisher keeps the current one.

private func publishedValues(_ operations: Int) async -> Reading {
  let counter = Counter()
  let tally = Tally()
  var values = counter.$value.values.makeAsyncIterator()
  _ = await values.next()
  let stopwatch = Stopwatch()
  for step in 1...operations {
    set(counter, step)
    guard let value = await values.next() else { break }
    tally.record(value)
  }
  return Reading(total: stopwatch.nanoseconds, tally)
}

private func currentValues(_ operations: Int) async -> Reading {
  let counter = Signal()
  let tally = Tally()
  var values = counter.value.values.makeAsyncIterator()
  _ = await values.next()
  let stopwatch = Stopwatch()
  for step in 1...operations {
    set(counter, step)
    guard let value = await values.next() else { break }
    tally.record(value)
  }
  return Reading(total: stopwatch.nanoseconds, tally)
}
