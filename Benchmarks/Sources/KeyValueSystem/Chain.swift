import BenchmarkSupport
import KeyValueObserving

// W11: the first observer writes its value to the next path, which the second observes; and
// bindings.

let chainContenders: [Contender] = [
  Contender(.chain, System.keyValue) { operations, tally in
    let first = Root(Middle(Leaf()))
    let second = Root(Middle(Leaf()))
    let last = Root(Middle(Leaf()))
    let leaf = first.a.b
    func pass(_ source: Root, on target: Root) -> KeyValueObservation {
      source.observe(\.a.b.c, options: .new) { _, change in
        let value = change.newValue ?? 0
        tally.notifications &+= 1
        tally.checksum &+= value
        target.a.b.c = value
      }
    }
    let tokens = [pass(first, on: second), pass(second, on: last)]
    let time = nanoseconds { for step in 1...operations { set(leaf, step) } }
    for token in tokens { token.invalidate() }
    precondition(last.a.b.c == operations, "the last object has the last value")
    return time
  },
  Contender(.bindings(twoWay: false), System.keyValue) { operations, tally in
    let counters = [Counter(), Counter(), Counter()]
    let bindings = [
      counters[0].kvo.value.bind(to: counters[1].kvo.value),
      counters[1].kvo.value.bind(to: counters[2].kvo.value),
    ]
    return passOn(counters, bindings, operations, tally)
  },
  Contender(.bindings(twoWay: true), System.keyValue) { operations, tally in
    let counters = [Counter(), Counter(), Counter()]
    let bindings = [
      counters[0].kvo.value.bindTwoWay(to: counters[1].kvo.value),
      counters[1].kvo.value.bindTwoWay(to: counters[2].kvo.value),
    ]
    return passOn(counters, bindings, operations, tally)
  },
]

private func passOn(
  _ counters: [Counter], _ bindings: [KeyValueBinding], _ operations: Int, _ tally: Tally
) -> Double {
  let token = counters[2].observe(\.value, options: .new) { _, change in
    tally.notifications &+= 1
    tally.checksum &+= change.newValue ?? 0
  }
  let first = counters[0]
  let time = nanoseconds { for step in 1...operations { set(first, step) } }
  token.invalidate()
  for binding in bindings { binding.invalidate() }
  return time
}
