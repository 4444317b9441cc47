import BenchmarkSupport
import KeyValueModels
import KeyValueObserving

// W1 to W3 with public classes of another module.

@inline(never) private func set(_ counter: PublicCounter, _ value: Int) { counter.value = value }
@inline(never) private func get(_ counter: PublicCounter) -> Int { counter.value }
@inline(never) private func set(_ label: PublicLabel, _ text: String) { label.text = text }

let otherModuleContenders: [Contender] = [
  Contender(.setUnobserved(.otherModule), System.keyValue) { operations, tally in
    let counter = PublicCounter()
    let time = nanoseconds { for step in 1...operations { set(counter, step) } }
    tally.checksum = counter.value
    return time
  },
  Contender(.readUnobserved(.otherModule), System.keyValue) { operations, tally in
    let counter = PublicCounter()
    set(counter, 7)
    var sum = 0
    let time = nanoseconds { for _ in 0..<operations { sum &+= get(counter) } }
    tally.checksum = sum
    return time
  },
  Contender(.oneObserver(.otherModule), System.keyValue) { operations, tally in
    let counter = PublicCounter()
    let token = counter.observe(\.value) { _, _ in tally.notifications &+= 1 }
    let time = nanoseconds { for step in 1...operations { set(counter, step) } }
    token.invalidate()
    tally.checksum = counter.value
    return time
  },
  Contender(.intWithValues(.otherModule), System.keyValue) { operations, tally in
    let counter = PublicCounter()
    let token = counter.observe(\.value, options: [.old, .new]) { _, change in
      tally.record(old: change.oldValue ?? 0, new: change.newValue ?? 0)
    }
    let time = nanoseconds { for step in 1...operations { set(counter, step) } }
    token.invalidate()
    return time
  },
  Contender(.textWithValues(.otherModule), System.keyValue) { operations, tally in
    let label = PublicLabel()
    let texts = texts
    let token = label.observe(\.text, options: [.old, .new]) { _, change in
      tally.record(old: change.oldValue ?? "", new: change.newValue ?? "")
    }
    let time = nanoseconds { for step in 1...operations { set(label, text(texts, step)) } }
    token.invalidate()
    return time
  },
]
