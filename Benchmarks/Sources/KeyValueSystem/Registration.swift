import BenchmarkSupport
import KeyValueObserving

// W5, in three spellings: the literal as it stands in the documentation, a plain key path, and a path
// that is kept.

private typealias Add = @Sendable (Counter, Tally) -> KeyValueObservation

@inline(never) private func addLiteral(_ counter: Counter, _ tally: Tally) -> KeyValueObservation {
  counter.observe(\.value) { _, _ in tally.notifications &+= 1 }
}

@inline(never) private func addPlain(_ counter: Counter, _ tally: Tally) -> KeyValueObservation {
  counter.observe(\Counter.value) { _, _ in tally.notifications &+= 1 }
}

@inline(never) private func addKept(_ counter: Counter, _ tally: Tally) -> KeyValueObservation {
  counter.observe(Kept.value) { _, _ in tally.notifications &+= 1 }
}

private enum Kept {
  // Immutable; KeyValuePath is not Sendable because a key path's literal may capture anything.
  nonisolated(unsafe) static let value = KeyValuePath<Counter, Int>(\.value)
}

let registrationContenders: [Contender] =
  contenders(System.keyValue, addLiteral)
  + contenders("swift-kvo, plain key path", addPlain)
  + contenders("swift-kvo, kept path", addKept)

private func contenders(_ system: String, _ add: @escaping Add) -> [Contender] {
  [false, true].map { besideAnother in
    Contender(.addAndRemove(besideAnother: besideAnother), system) { operations, tally in
      addAndRemove(besideAnother, operations, tally, add)
    }
  }
    + [100, 1_000].map { count in
      Contender(.addAndRemoveMany(count), system) { operations, tally in
        addAndRemoveMany(count, operations, tally, add)
      }
    }
}

private func addAndRemove(
  _ besideAnother: Bool, _ operations: Int, _ tally: Tally, _ add: Add
) -> Double {
  let counter = Counter()
  let other = besideAnother ? add(counter, tally) : nil
  let time = nanoseconds {
    for _ in 0..<operations { add(counter, tally).invalidate() }
  }
  counter.value = 1
  let last = add(counter, tally)
  counter.value = 2
  last.invalidate()
  other?.invalidate()
  tally.checksum = counter.value
  return time
}

private func addAndRemoveMany(
  _ count: Int, _ operations: Int, _ tally: Tally, _ add: Add
) -> Double {
  let counter = Counter()
  var tokens: [KeyValueObservation] = []
  tokens.reserveCapacity(count)
  var time = 0.0
  for _ in 0..<(operations / count) {
    time += nanoseconds { for _ in 0..<count { tokens.append(add(counter, tally)) } }
    counter.value = 1
    time += nanoseconds {
      for token in tokens { token.invalidate() }
      tokens.removeAll(keepingCapacity: true)
    }
  }
  counter.value = 2
  tally.checksum = counter.value
  return time
}
