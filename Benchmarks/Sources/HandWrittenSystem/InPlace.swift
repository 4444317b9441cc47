import BenchmarkSupport

// W14: in-place modification. A `didSet` that doesn't name `oldValue` modifies in place. Unsupported:
// removing observers, locking, and detecting a read of the property during a modification.

private final class Numbers {
  var numbers: [Int] = [] {
    didSet { for observer in observers { observer() } }
  }
  private var observers: [() -> Void] = []

  func observe(_ observer: @escaping () -> Void) { observers.append(observer) }
}

@inline(never) private func increment(_ counter: Counter) { counter.value += 1 }
@inline(never) private func increment(_ level: Level) { level.value += 1 }
@inline(never) private func append(_ list: Numbers, _ number: Int) { list.numbers.append(number) }

let inPlaceContenders: [Contender] = [
  Contender(.addInPlace(withValues: false), System.handWritten) { operations, tally in
    let counter = Counter()
    counter.observe { tally.notifications &+= 1 }
    let time = nanoseconds { for _ in 0..<operations { increment(counter) } }
    tally.checksum = counter.value
    return time
  },
  Contender(.addInPlace(withValues: true), System.handWritten) { operations, tally in
    let level = Level()
    level.observe { tally.record(old: $0, new: $1) }
    return nanoseconds { for _ in 0..<operations { increment(level) } }
  },
  Contender(.appendInPlace, System.handWritten) { operations, tally in
    let list = Numbers()
    list.numbers.reserveCapacity(operations)
    list.observe { tally.notifications &+= 1 }
    let time = nanoseconds { for step in 1...operations { append(list, step) } }
    tally.checksum = list.numbers.reduce(0, +)
    return time
  },
]
