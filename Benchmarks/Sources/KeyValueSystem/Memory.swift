import BenchmarkSupport
import KeyValueObserving

// W10: the memory of an object, of its observations, and of their remains.

let memoryContenders = MemoryStage.allCases.map { stage in
  Contender(.memory(stage), System.keyValue) { operations, tally in
    let path = KeyValuePath<Counter, Int>(\.value)
    return MemorySubject(
      make: { Counter() },
      observe: { counter in counter.observe(path) { _, _ in tally.notifications &+= 1 } },
      remove: { _, token in token.invalidate() },
      set: { set($0, 1) }
    ).bytes(stage, operations)
  }
}
