import BenchmarkSupport
import PlainModels

// The floor: unobserved stored properties. This module has no key path literal.

final class Counter {
  var value = 0
}

@inline(never) func set(_ counter: Counter, _ value: Int) { counter.value = value }
@inline(never) func get(_ counter: Counter) -> Int { counter.value }
@inline(never) func set(_ counter: PublicCounter, _ value: Int) { counter.value = value }
@inline(never) func get(_ counter: PublicCounter) -> Int { counter.value }

@inline(never) func boxed(_ counter: Counter) -> Any? { counter.value }

/// Sums boxed values, as code without static types does.
@inline(never) func boxedSum(_ counters: [Counter]) -> Any? {
  var sum = 0
  for counter in counters { sum += boxed(counter) as? Int ?? 0 }
  return sum
}

final class Bonus {
  let bonus: Double
  init(_ salary: Int) { bonus = Double(salary) / 2 }
}

@inline(never) func boxed(_ bonus: Bonus) -> Any? { bonus.bonus }

@inline(never) func boxedSum(_ bonuses: [Bonus]) -> Any? {
  var sum = 0.0
  for bonus in bonuses { sum += boxed(bonus) as? Double ?? 0 }
  return sum
}

func counters(_ count: Int) -> [Counter] {
  (0..<count).map { value in
    let counter = Counter()
    set(counter, value)
    return counter
  }
}

/// The workloads of plain stored properties.
public let plainContenders: [Contender] = [
  Contender(.setUnobserved(.sameModule), System.plain) { operations, tally in
    let counter = Counter()
    let time = nanoseconds { for step in 1...operations { set(counter, step) } }
    tally.checksum = counter.value
    return time
  },
  Contender(.setUnobserved(.otherModule), System.plain) { operations, tally in
    let counter = PublicCounter()
    let time = nanoseconds { for step in 1...operations { set(counter, step) } }
    tally.checksum = counter.value
    return time
  },
  Contender(.readUnobserved(.sameModule), System.plain) { operations, tally in
    let counter = Counter()
    set(counter, 7)
    var sum = 0
    let time = nanoseconds { for _ in 0..<operations { sum &+= get(counter) } }
    tally.checksum = sum
    return time
  },
  Contender(.readUnobserved(.otherModule), System.plain) { operations, tally in
    let counter = PublicCounter()
    set(counter, 7)
    var sum = 0
    let time = nanoseconds { for _ in 0..<operations { sum &+= get(counter) } }
    tally.checksum = sum
    return time
  },
  Contender(.memory(.unobserved), System.plain) { operations, _ in
    MemorySubject(
      make: Counter.init, observe: { _ in }, remove: { _, _ in }, set: { set($0, 1) }
    ).bytes(.unobserved, operations)
  },
  Contender(.valueForKey, System.boxed) { operations, tally in
    let counter = Counter()
    set(counter, 7)
    var sum = 0
    let time = nanoseconds {
      for _ in 0..<operations { sum &+= boxed(counter) as? Int ?? 0 }
    }
    tally.checksum = sum
    return time
  },
  Contender(.sumOperator, System.boxed) {
    let counters = counters(10_000)
    return { operations in
      var sum = 0
      let time = nanoseconds {
        for _ in 0..<operations { sum &+= boxedSum(counters) as? Int ?? 0 }
      }
      return Reading(total: time, notifications: 0, checksum: sum)
    }
  },
  Contender(.sumElement(ofDoubles: false), System.boxed) {
    let counters = counters(1_000)
    return { operations in
      var sum = 0
      let time = nanoseconds {
        for _ in 0..<operations / 1_000 { sum &+= boxedSum(counters) as? Int ?? 0 }
      }
      return Reading(total: time, notifications: 0, checksum: sum)
    }
  },
  Contender(.sumElement(ofDoubles: true), System.boxed) {
    let bonuses = (0..<1_000).map(Bonus.init)
    return { operations in
      var sum = 0.0
      let time = nanoseconds {
        for _ in 0..<operations / 1_000 { sum += boxedSum(bonuses) as? Double ?? 0 }
      }
      return Reading(total: time, notifications: 0, checksum: Int(sum))
    }
  },
  readContender,
]
