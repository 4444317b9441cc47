import BenchmarkSupport
import OpenCombine

// W1 to W5 and W10 with `CurrentValueSubject`. A new sink is called with the current value; that
// call isn't counted.

let currentValue = "OpenCombine CurrentValueSubject"

final class Signal {
  let value = CurrentValueSubject<Int, Never>(0)
}

final class TextSignal {
  let text = CurrentValueSubject<String, Never>("")
}

@inline(never) func set(_ counter: Signal, _ value: Int) { counter.value.value = value }
@inline(never) func get(_ counter: Signal) -> Int { counter.value.value }
@inline(never) func set(_ label: TextSignal, _ text: String) { label.text.value = text }

@inline(never) private func add(_ counter: Signal, _ tally: Tally) -> AnyCancellable {
  counter.value.sink { _ in tally.notifications &+= 1 }
}

let currentValueContenders: [Contender] =
  [
    Contender(.setUnobserved(.sameModule), currentValue) { operations, tally in
      let counter = Signal()
      let time = nanoseconds { for step in 1...operations { set(counter, step) } }
      tally.checksum = counter.value.value
      return time
    },
    Contender(.readUnobserved(.sameModule), currentValue) { operations, tally in
      let counter = Signal()
      set(counter, 7)
      var sum = 0
      let time = nanoseconds { for _ in 0..<operations { sum &+= get(counter) } }
      tally.checksum = sum
      return time
    },
    Contender(.oneObserver(.sameModule), currentValue) { operations, tally in
      severalObservers(1, operations, tally)
    },
    Contender(.intWithValues(.sameModule), currentValue) { operations, tally in
      let counter = Signal()
      let token = counter.value.withPrevious(0).sink { tally.record(old: $0.old, new: $0.new) }
      tally.reset()
      let time = nanoseconds { for step in 1...operations { set(counter, step) } }
      token.cancel()
      return time
    },
    Contender(.textWithValues(.sameModule), currentValue) { operations, tally in
      let label = TextSignal()
      let texts = texts
      let token = label.text.withPrevious("").sink { tally.record(old: $0.old, new: $0.new) }
      tally.reset()
      let time = nanoseconds { for step in 1...operations { set(label, text(texts, step)) } }
      token.cancel()
      return time
    },
  ]
  + [10, 100].map { count in
    Contender(.observers(count), currentValue) { operations, tally in
      severalObservers(count, operations, tally)
    }
  }
  + [false, true].map { besideAnother in
    Contender(.addAndRemove(besideAnother: besideAnother), currentValue) { operations, tally in
      let counter = Signal()
      let other = besideAnother ? add(counter, tally) : nil
      let time = nanoseconds { for _ in 0..<operations { add(counter, tally).cancel() } }
      tally.reset()
      counter.value.value = 1
      let last = add(counter, tally)
      tally.notifications -= 1
      counter.value.value = 2
      last.cancel()
      other?.cancel()
      tally.checksum = counter.value.value
      return time
    }
  }
  + [100, 1_000].map { count in
    Contender(.addAndRemoveMany(count), currentValue) { operations, tally in
      let counter = Signal()
      var tokens: [AnyCancellable] = []
      tokens.reserveCapacity(count)
      var time = 0.0
      for _ in 0..<(operations / count) {
        time += nanoseconds { for _ in 0..<count { tokens.append(add(counter, tally)) } }
        tally.notifications -= count
        counter.value.value = 1
        time += nanoseconds {
          for token in tokens { token.cancel() }
          tokens.removeAll(keepingCapacity: true)
        }
      }
      counter.value.value = 2
      tally.checksum = counter.value.value
      return time
    }
  }
  + MemoryStage.allCases.map { stage in
    Contender(.memory(stage), currentValue) { operations, tally in
      let total = MemorySubject(
        make: Signal.init, observe: { counter in add(counter, tally) },
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
  let counter = Signal()
  let tokens = (0..<count).map { _ in add(counter, tally) }
  tally.reset()
  let time = nanoseconds { for step in 1...operations { set(counter, step) } }
  for token in tokens { token.cancel() }
  tally.checksum = counter.value.value
  return time
}
