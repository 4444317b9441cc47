import BenchmarkSupport
import KeyValueObserving
import Synchronization

// W1 to W4 with classes of this module.

@KeyValueObservable
final class Counter {
  var value = 0
}

@KeyValueObservable
final class Label {
  var text = ""
}

@inline(never) func set(_ counter: Counter, _ value: Int) { counter.value = value }
@inline(never) func get(_ counter: Counter) -> Int { counter.value }
@inline(never) func set(_ label: Label, _ text: String) { label.text = text }

let sameModuleContenders: [Contender] =
  [
    Contender(.setUnobserved(.sameModule), System.keyValue) { operations, tally in
      let counter = Counter()
      let time = nanoseconds { for step in 1...operations { set(counter, step) } }
      tally.checksum = counter.value
      return time
    },
    Contender(.readUnobserved(.sameModule), System.keyValue) { operations, tally in
      let counter = Counter()
      set(counter, 7)
      var sum = 0
      let time = nanoseconds { for _ in 0..<operations { sum &+= get(counter) } }
      tally.checksum = sum
      return time
    },
    Contender(.oneObserver(.sameModule), System.keyValue) { operations, tally in
      severalObservers(1, operations, tally)
    },
    Contender(.intWithValues(.sameModule), System.keyValue) { operations, tally in
      let counter = Counter()
      let token = counter.observe(\.value, options: [.old, .new]) { _, change in
        tally.record(old: change.oldValue ?? 0, new: change.newValue ?? 0)
      }
      let time = nanoseconds { for step in 1...operations { set(counter, step) } }
      token.invalidate()
      return time
    },
    Contender(.traced, System.keyValue) { operations, tally in
      let counter = Counter()
      let token = counter.observe(\.value, options: [.old, .new]) { _, change in
        tally.record(old: change.oldValue ?? 0, new: change.newValue ?? 0)
      }
      let events = Atomic<Int>(0)
      let trace = KeyValueTrace.observe { _ in events.add(1, ordering: .relaxed) }
      let time = nanoseconds { for step in 1...operations { set(counter, step) } }
      trace.invalidate()
      token.invalidate()
      precondition(events.load(ordering: .relaxed) == 4 * operations, "events are missing")
      return time
    },
    Contender(.textWithValues(.sameModule), System.keyValue) { operations, tally in
      let label = Label()
      let texts = texts
      let token = label.observe(\.text, options: [.old, .new]) { _, change in
        tally.record(old: change.oldValue ?? "", new: change.newValue ?? "")
      }
      let time = nanoseconds { for step in 1...operations { set(label, text(texts, step)) } }
      token.invalidate()
      return time
    },
  ]
  + [10, 100].map { count in
    Contender(.observers(count), System.keyValue) { operations, tally in
      severalObservers(count, operations, tally)
    }
  }

private func severalObservers(_ count: Int, _ operations: Int, _ tally: Tally) -> Double {
  let counter = Counter()
  let tokens = (0..<count).map { _ in
    counter.observe(\.value) { _, _ in tally.notifications &+= 1 }
  }
  let time = nanoseconds { for step in 1...operations { set(counter, step) } }
  for token in tokens { token.invalidate() }
  tally.checksum = counter.value
  return time
}
