import BenchmarkSupport

// W11: what the first observer sees it writes to the next path, which the second observes.

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
  }
]
