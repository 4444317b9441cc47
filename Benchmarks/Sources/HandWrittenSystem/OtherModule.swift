import BenchmarkSupport
import HandWrittenModels

// W1 to W3 with public classes of another module, which lists what they do not support.

@inline(never) private func set(_ counter: PublicCounter, _ value: Int) { counter.value = value }
@inline(never) private func get(_ counter: PublicCounter) -> Int { counter.value }
@inline(never) private func set(_ level: PublicLevel, _ value: Int) { level.value = value }
@inline(never) private func set(_ label: PublicLabel, _ text: String) { label.text = text }

let otherModuleContenders: [Contender] = [
  Contender(.setUnobserved(.otherModule), System.handWritten) { operations, tally in
    let counter = PublicCounter()
    let time = nanoseconds { for step in 1...operations { set(counter, step) } }
    tally.checksum = counter.value
    return time
  },
  Contender(.readUnobserved(.otherModule), System.handWritten) { operations, tally in
    let counter = PublicCounter()
    set(counter, 7)
    var sum = 0
    let time = nanoseconds { for _ in 0..<operations { sum &+= get(counter) } }
    tally.checksum = sum
    return time
  },
  Contender(.oneObserver(.otherModule), System.handWritten) { operations, tally in
    let counter = PublicCounter()
    counter.observe { tally.notifications &+= 1 }
    let time = nanoseconds { for step in 1...operations { set(counter, step) } }
    tally.checksum = counter.value
    return time
  },
  Contender(.intWithValues(.otherModule), System.handWritten) { operations, tally in
    let level = PublicLevel()
    level.observe { tally.record(old: $0, new: $1) }
    return nanoseconds { for step in 1...operations { set(level, step) } }
  },
  Contender(.textWithValues(.otherModule), System.handWritten) { operations, tally in
    let label = PublicLabel()
    label.observe { tally.record(old: $0, new: $1) }
    let texts = texts
    return nanoseconds { for step in 1...operations { set(label, text(texts, step)) } }
  },
]
