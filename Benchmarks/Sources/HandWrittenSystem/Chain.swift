import BenchmarkSupport

// W11: the first observer writes its value to the next path, which the second observes; the paths are
// W6's. Also bindings. Unsupported: ending one, locking, copying the initial value, and key paths.

let chainContenders: [Contender] = [
  Contender(.chain, System.handWritten) { operations, tally in
    let first = Root(Middle(Leaf()))
    let second = Root(Middle(Leaf()))
    let last = Root(Middle(Leaf()))
    let leaf = first.a.b
    func pass(_ source: Root, on target: Root) -> PathObserver {
      PathObserver(source) { _, value in
        tally.notifications &+= 1
        tally.checksum &+= value
        target.a.b.c = value
      }
    }
    let observers = [pass(first, on: second), pass(second, on: last)]
    let time = nanoseconds { for step in 1...operations { set(leaf, step) } }
    withExtendedLifetime(observers) {}
    precondition(last.a.b.c == operations, "the last object has the last value")
    return time
  },
  Contender(.bindings(twoWay: false), System.handWritten) { operations, tally in
    let levels = [Level(), Level(), Level()]
    bind(levels[0], to: levels[1])
    bind(levels[1], to: levels[2])
    return passOn(levels, operations, tally)
  },
  Contender(.bindings(twoWay: true), System.handWritten) { operations, tally in
    let levels = [Level(), Level(), Level()]
    for (one, other) in [(levels[0], levels[1]), (levels[1], levels[2])] {
      bind(one, to: other)
      bind(other, to: one)
    }
    return passOn(levels, operations, tally)
  },
]

/// Sets one level when the other changes; an equal value ends the echo.
private func bind(_ source: Level, to target: Level) {
  source.observe { [weak target] _, value in
    guard let target, target.value != value else { return }
    target.value = value
  }
}

private func passOn(_ levels: [Level], _ operations: Int, _ tally: Tally) -> Double {
  levels[2].observe { _, value in
    tally.notifications &+= 1
    tally.checksum &+= value
  }
  let first = levels[0]
  let time = nanoseconds { for step in 1...operations { set(first, step) } }
  withExtendedLifetime(levels) {}
  return time
}
