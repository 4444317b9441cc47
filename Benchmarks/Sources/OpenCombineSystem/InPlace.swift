import BenchmarkSupport
import OpenCombine

// W14: the code is written as an in-place modification, but both publishers assign a changed copy. A new
// sink is called with the current value; that call isn't counted.

@inline(never) private func increment(_ counter: Counter) { counter.value += 1 }
@inline(never) private func increment(_ counter: Signal) { counter.value.value += 1 }
@inline(never) private func append(_ list: NumberList, _ number: Int) {
  list.numbers.append(number)
}
@inline(never) private func append(_ list: NumberSignal, _ number: Int) {
  list.numbers.value.append(number)
}

let inPlaceContenders: [Contender] = [
  Contender(.addInPlace(withValues: false), published) { operations, tally in
    let counter = Counter()
    let token = counter.$value.sink { _ in tally.notifications &+= 1 }
    tally.reset()
    let time = nanoseconds { for _ in 0..<operations { increment(counter) } }
    token.cancel()
    tally.checksum = counter.value
    return time
  },
  Contender(.addInPlace(withValues: true), published) { operations, tally in
    let counter = Counter()
    let token = counter.$value.withPrevious(0).sink { tally.record(old: $0.old, new: $0.new) }
    tally.reset()
    let time = nanoseconds { for _ in 0..<operations { increment(counter) } }
    token.cancel()
    return time
  },
  Contender(.appendInPlace, published) { operations, tally in
    let list = NumberList([])
    list.numbers.reserveCapacity(operations)
    let token = list.$numbers.sink { _ in tally.notifications &+= 1 }
    tally.reset()
    let time = nanoseconds { for step in 1...operations { append(list, step) } }
    token.cancel()
    tally.checksum = list.numbers.reduce(0, +)
    return time
  },
  Contender(.addInPlace(withValues: false), currentValue) { operations, tally in
    let counter = Signal()
    let token = counter.value.sink { _ in tally.notifications &+= 1 }
    tally.reset()
    let time = nanoseconds { for _ in 0..<operations { increment(counter) } }
    token.cancel()
    tally.checksum = counter.value.value
    return time
  },
  Contender(.addInPlace(withValues: true), currentValue) { operations, tally in
    let counter = Signal()
    let token = counter.value.withPrevious(0).sink { tally.record(old: $0.old, new: $0.new) }
    tally.reset()
    let time = nanoseconds { for _ in 0..<operations { increment(counter) } }
    token.cancel()
    return time
  },
  Contender(.appendInPlace, currentValue) { operations, tally in
    let list = NumberSignal([])
    list.numbers.value.reserveCapacity(operations)
    let token = list.numbers.sink { _ in tally.notifications &+= 1 }
    tally.reset()
    let time = nanoseconds { for step in 1...operations { append(list, step) } }
    token.cancel()
    tally.checksum = list.numbers.value.reduce(0, +)
    return time
  },
]
