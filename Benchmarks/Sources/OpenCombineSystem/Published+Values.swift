import BenchmarkSupport
import OpenCombine

// W1 to W5 and W10 with `@Published`. A new sink is called with the current value; that call isn't
// counted.

let published = "OpenCombine @Published"

final class Counter {
  @Published var value = 0
}

final class Label {
  @Published var text = ""
}

@inline(never) func set(_ counter: Counter, _ value: Int) { counter.value = value }
@inline(never) func get(_ counter: Counter) -> Int { counter.value }
@inline(never) func set(_ label: Label, _ text: String) { label.text = text }

@inline(never) private func add(_ counter: Counter, _ tally: Tally) -> AnyCancellable {
  counter.$value.sink { _ in tally.notifications &+= 1 }
}

extension OpenCombine.Publisher {
  /// The previous and the current value, in the usual Combine style.
  func withPrevious(_ initial: Output) -> Publishers.Scan<Self, (old: Output, new: Output)> {
    scan((old: initial, new: initial)) { (old: $0.new, new: $1) }
  }
}

let publishedValueContenders: [Contender] =
  [
    Contender(.setUnobserved(.sameModule), published) { operations, tally in
      let counter = Counter()
      let time = nanoseconds { for step in 1...operations { set(counter, step) } }
      tally.checksum = counter.value
      return time
    },
    Contender(.readUnobserved(.sameModule), published) { operations, tally in
      let counter = Counter()
      set(counter, 7)
      var sum = 0
      let time = nanoseconds { for _ in 0..<operations { sum &+= get(counter) } }
      tally.checksum = sum
      return time
    },
    Contender(.oneObserver(.sameModule), published) { operations, tally in
      severalObservers(1, operations, tally)
    },
    Contender(.intWithValues(.sameModule), published) { operations, tally in
      let counter = Counter()
      let token = counter.$value.withPrevious(0).sink { tally.record(old: $0.old, new: $0.new) }
      tally.reset()
      let time = nanoseconds { for step in 1...operations { set(counter, step) } }
      token.cancel()
      return time
    },
    Contender(.textWithValues(.sameModule), published) { operations, tally in
      let label = Label()
      let texts = texts
      let token = label.$text.withPrevious("").sink { tally.record(old: $0.old, new: $0.new) }
      tally.reset()
      let time = nanoseconds { for step in 1...operations { set(label, text(texts, step)) } }
      token.cancel()
      return time
    },
  ]
  + [10, 100].map { count in
    Contender(.observers(count), published) { operations, tally in
      severalObservers(count, operations, tally)
    }
  }
  + [false, true].map { besideAnother in
    Contender(.addAndRemove(besideAnother: besideAnother), published) { operations, tally in
      let counter = Counter()
      let other = besideAnother ? add(counter, tally) : nil
      let time = nanoseconds { for _ in 0..<operations { add(counter, tally).cancel() } }
      tally.reset()
      counter.value = 1
      let last = add(counter, tally)
      tally.notifications -= 1
      counter.value = 2
      last.cancel()
      other?.cancel()
      tally.checksum = counter.value
      return time
    }
  }
  + [100, 1_000].map { count in
    Contender(.addAndRemoveMany(count), published) { operations, tally in
      let counter = Counter()
      var tokens: [AnyCancellable] = []
      tokens.reserveCapacity(count)
      var time = 0.0
      for _ in 0..<(operations / count) {
        time += nanoseconds { for _ in 0..<count { tokens.append(add(counter, tally)) } }
        tally.notifications -= count
        counter.value = 1
        time += nanoseconds {
          for token in tokens { token.cancel() }
          tokens.removeAll(keepingCapacity: true)
        }
      }
      counter.value = 2
      tally.checksum = counter.value
      return time
    }
  }
  + MemoryStage.allCases.map { stage in
    Contender(.memory(stage), published) { operations, tally in
      let total = MemorySubject(
        make: Counter.init, observe: { counter in add(counter, tally) },
        remove: { _, token in token.cancel() },
        set: { set($0, 1) }
      ).bytes(stage, operations)
      // Each new sink was called once, including the one that warms up.
      let making = [.unobserved: 0, .firstObservation: 1, .secondObservation: 2, .removed: 2][stage]
      tally.notifications -= 1 + operations * (making ?? 0)
      return total
    }.atMost(100_000)
  }

private func severalObservers(_ count: Int, _ operations: Int, _ tally: Tally) -> Double {
  let counter = Counter()
  let tokens = (0..<count).map { _ in add(counter, tally) }
  tally.reset()
  let time = nanoseconds { for step in 1...operations { set(counter, step) } }
  for token in tokens { token.cancel() }
  tally.checksum = counter.value
  return time
}
