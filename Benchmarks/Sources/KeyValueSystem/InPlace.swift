import BenchmarkSupport
import KeyValueObserving

// W14: in-place modification.

@inline(never) private func increment(_ counter: Counter) { counter.value += 1 }
@inline(never) private func append(_ list: NumberList, _ number: Int) {
  list.numbers.append(number)
}

let inPlaceContenders: [Contender] = [
  Contender(.addInPlace(withValues: false), System.keyValue) { operations, tally in
    let counter = Counter()
    let token = counter.kvo.value.observe { _, _ in tally.notifications &+= 1 }
    let time = nanoseconds { for _ in 0..<operations { increment(counter) } }
    token.invalidate()
    tally.checksum = counter.value
    return time
  },
  Contender(.addInPlace(withValues: true), System.keyValue) { operations, tally in
    let counter = Counter()
    let token = counter.kvo.value.observe(options: [.old, .new]) { _, change in
      tally.record(old: change.oldValue ?? 0, new: change.newValue ?? 0)
    }
    let time = nanoseconds { for _ in 0..<operations { increment(counter) } }
    token.invalidate()
    return time
  },
  Contender(.appendInPlace, System.keyValue) { operations, tally in
    let list = NumberList()
    list.numbers.reserveCapacity(operations)
    let token = list.kvo.numbers.observe { _, _ in tally.notifications &+= 1 }
    let time = nanoseconds { for step in 1...operations { append(list, step) } }
    token.invalidate()
    tally.checksum = list.numbers.reduce(0, +)
    return time
  },
]
