import BenchmarkSupport
import KeyValueObserving

// W5: the bound path, spelt each time, beside Foundation's literal, a plain key path, and a stored
// path.

@KeyValueObservable
private final class Item {
  var n = 0
}

@KeyValueObservable
private final class Basket {
  var items = [Item()]
}

private typealias Add<Object> = @Sendable (Object, Tally) -> KeyValueObservation

// Immutable; KeyValuePath is not Sendable because a key path's literal may capture anything.
private enum Kept {
  nonisolated(unsafe) static let value = KeyValuePath<Counter, Int>(\.value)
  nonisolated(unsafe) static let abc = KeyValuePath<Root, Int>(\.a.b.c)
  nonisolated(unsafe) static let sum = KeyValuePath<Basket, Int>(\.items[sum: \.n])
}

// One property.

@inline(never) private func addBound(_ counter: Counter, _ tally: Tally) -> KeyValueObservation {
  counter.kvo.value.observe { _, _ in tally.notifications &+= 1 }
}

@inline(never) private func addLiteral(_ counter: Counter, _ tally: Tally) -> KeyValueObservation {
  counter.observe(\.value) { _, _ in tally.notifications &+= 1 }
}

@inline(never) private func addPlain(_ counter: Counter, _ tally: Tally) -> KeyValueObservation {
  counter.observe(\Counter.value) { _, _ in tally.notifications &+= 1 }
}

@inline(never) private func addKept(_ counter: Counter, _ tally: Tally) -> KeyValueObservation {
  counter.observe(Kept.value) { _, _ in tally.notifications &+= 1 }
}

// Three properties.

@inline(never) private func addBound(_ root: Root, _ tally: Tally) -> KeyValueObservation {
  root.kvo.a.b.c.observe { _, _ in tally.notifications &+= 1 }
}

@inline(never) private func addLiteral(_ root: Root, _ tally: Tally) -> KeyValueObservation {
  root.observe(\.a.b.c) { _, _ in tally.notifications &+= 1 }
}

@inline(never) private func addKept(_ root: Root, _ tally: Tally) -> KeyValueObservation {
  root.observe(Kept.abc) { _, _ in tally.notifications &+= 1 }
}

// A sum.

@inline(never) private func addBound(_ basket: Basket, _ tally: Tally) -> KeyValueObservation {
  basket.kvo.items[sum: \.n].observe { _, _ in tally.notifications &+= 1 }
}

@inline(never) private func addKept(_ basket: Basket, _ tally: Tally) -> KeyValueObservation {
  basket.observe(Kept.sum) { _, _ in tally.notifications &+= 1 }
}

let registrationContenders: [Contender] =
  contenders(System.keyValue, addBound)
  + contenders(System.keyPathLiteral, addLiteral)
  + contenders(System.plainKeyPath, addPlain)
  + contenders(System.keptPath, addKept)
  + [
    ofPath(System.keyValue, addBound), ofPath(System.keyPathLiteral, addLiteral),
    ofPath(System.keptPath, addKept),
    ofSum(System.keyValue, addBound), ofSum(System.keptPath, addKept),
  ]

private func ofPath(_ system: String, _ add: @escaping Add<Root>) -> Contender {
  Contender(.addAndRemovePath, system) { operations, tally in
    let root = Root(Middle(Leaf()))
    return addAndRemove(root, operations, tally, add, \.a.b.c)
  }
}

private func ofSum(_ system: String, _ add: @escaping Add<Basket>) -> Contender {
  Contender(.addAndRemoveSum, system) { operations, tally in
    let basket = Basket()
    return addAndRemove(basket, operations, tally, add, \.items[0].n)
  }
}

private func contenders(_ system: String, _ add: @escaping Add<Counter>) -> [Contender] {
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
  _ besideAnother: Bool, _ operations: Int, _ tally: Tally, _ add: Add<Counter>
) -> Double {
  let counter = Counter()
  let other = besideAnother ? add(counter, tally) : nil
  let time = addAndRemove(counter, operations, tally, add, \.value)
  other?.invalidate()
  return time
}

private func addAndRemove<Object>(
  _ object: Object, _ operations: Int, _ tally: Tally, _ add: Add<Object>,
  _ value: ReferenceWritableKeyPath<Object, Int>
) -> Double {
  let time = nanoseconds {
    for _ in 0..<operations { add(object, tally).invalidate() }
  }
  object[keyPath: value] = 1
  let last = add(object, tally)
  object[keyPath: value] = 2
  last.invalidate()
  tally.checksum = object[keyPath: value]
  return time
}

private func addAndRemoveMany(
  _ count: Int, _ operations: Int, _ tally: Tally, _ add: Add<Counter>
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
