import BenchmarkSupport
import Observation

// W1 to W4, W7, W8, W10. There is no W5: tracking can't be ended from outside.

let observation = "Observation withObservationTracking"

@Observable
final class Counter {
  var value = 0
}

@Observable
final class Label {
  var text = ""
}

@inline(never) func set(_ counter: Counter, _ value: Int) { counter.value = value }
@inline(never) func get(_ counter: Counter) -> Int { counter.value }
@inline(never) func set(_ label: Label, _ text: String) { label.text = text }

let valueContenders: [Contender] =
  [
    Contender(.setUnobserved(.sameModule), observation) { operations, tally in
      let counter = Counter()
      let time = nanoseconds { for step in 1...operations { set(counter, step) } }
      tally.checksum = counter.value
      return time
    },
    Contender(.readUnobserved(.sameModule), observation) { operations, tally in
      let counter = Counter()
      set(counter, 7)
      var sum = 0
      let time = nanoseconds { for _ in 0..<operations { sum &+= get(counter) } }
      tally.checksum = sum
      return time
    },
    Contender(.oneObserver(.sameModule), observation) { operations, tally in
      severalObservers(1, operations, tally)
    },
    Contender(.intWithValues(.sameModule), observation) { operations, tally in
      let counter = Counter()
      let tracker = Tracker({ counter.value }, { tally.record(old: $0, new: $1) })
      return nanoseconds {
        for step in 1...operations {
          set(counter, step)
          tracker.renew()
        }
      }
    },
    Contender(.textWithValues(.sameModule), observation) { operations, tally in
      let label = Label()
      let texts = texts
      let tracker = Tracker({ label.text }, { tally.record(old: $0, new: $1) })
      return nanoseconds {
        for step in 1...operations {
          set(label, text(texts, step))
          tracker.renew()
        }
      }
    },
  ]
  + [10, 100].map { count in
    Contender(.observers(count), observation) { operations, tally in
      severalObservers(count, operations, tally)
    }
  }
  + MemoryStage.allCases.filter { $0 != .removed }.map { stage in
    Contender(.memory(stage), observation) { operations, tally in
      MemorySubject(
        make: Counter.init,
        observe: { counter in
          // A closure in a separate tracker would add that tracker's memory.
          nonisolated(unsafe) let heard = tally
          withObservationTracking {
            _ = counter.value
          } onChange: {
            heard.notifications &+= 1
          }
        },
        remove: { _, _ in }, set: { set($0, 1) }
      ).bytes(stage, operations)
    }.atMost(100_000)
  }

private func severalObservers(_ count: Int, _ operations: Int, _ tally: Tally) -> Double {
  let counter = Counter()
  let trackers = (0..<count).map { _ in
    Tracker({ _ = counter.value }, { _, _ in tally.notifications &+= 1 })
  }
  let time = nanoseconds {
    for step in 1...operations {
      set(counter, step)
      for tracker in trackers { tracker.renew() }
    }
  }
  tally.checksum = counter.value
  return time
}
