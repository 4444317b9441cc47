import BenchmarkSupport

// W1 to W4 with classes of this module: `didSet` and an array of closures. Unsupported: removing
// observers, locking, and an observer that adds another or sets the property.

final class Counter {
  var value = 0 {
    didSet { for observer in observers { observer() } }
  }
  private var observers: [() -> Void] = []

  func observe(_ observer: @escaping () -> Void) { observers.append(observer) }
}

final class Level {
  var value = 0 {
    didSet { for observer in observers { observer(oldValue, value) } }
  }
  private var observers: [(Int, Int) -> Void] = []

  func observe(_ observer: @escaping (Int, Int) -> Void) { observers.append(observer) }
}

final class Label {
  var text = "" {
    didSet { for observer in observers { observer(oldValue, text) } }
  }
  private var observers: [(String, String) -> Void] = []

  func observe(_ observer: @escaping (String, String) -> Void) { observers.append(observer) }
}

@inline(never) func set(_ counter: Counter, _ value: Int) { counter.value = value }
@inline(never) func get(_ counter: Counter) -> Int { counter.value }
@inline(never) func set(_ level: Level, _ value: Int) { level.value = value }
@inline(never) func set(_ label: Label, _ text: String) { label.text = text }

let sameModuleContenders: [Contender] =
  [
    Contender(.setUnobserved(.sameModule), System.handWritten) { operations, tally in
      let counter = Counter()
      let time = nanoseconds { for step in 1...operations { set(counter, step) } }
      tally.checksum = counter.value
      return time
    },
    Contender(.readUnobserved(.sameModule), System.handWritten) { operations, tally in
      let counter = Counter()
      set(counter, 7)
      var sum = 0
      let time = nanoseconds { for _ in 0..<operations { sum &+= get(counter) } }
      tally.checksum = sum
      return time
    },
    Contender(.oneObserver(.sameModule), System.handWritten) { operations, tally in
      severalObservers(1, operations, tally)
    },
    Contender(.intWithValues(.sameModule), System.handWritten) { operations, tally in
      let level = Level()
      level.observe { tally.record(old: $0, new: $1) }
      return nanoseconds { for step in 1...operations { set(level, step) } }
    },
    Contender(.textWithValues(.sameModule), System.handWritten) { operations, tally in
      let label = Label()
      label.observe { tally.record(old: $0, new: $1) }
      let texts = texts
      return nanoseconds { for step in 1...operations { set(label, text(texts, step)) } }
    },
  ]
  + [10, 100].map { count in
    Contender(.observers(count), System.handWritten) { operations, tally in
      severalObservers(count, operations, tally)
    }
  }

private func severalObservers(_ count: Int, _ operations: Int, _ tally: Tally) -> Double {
  let counter = Counter()
  for _ in 0..<count { counter.observe { tally.notifications &+= 1 } }
  let time = nanoseconds { for step in 1...operations { set(counter, step) } }
  tally.checksum = counter.value
  return time
}
