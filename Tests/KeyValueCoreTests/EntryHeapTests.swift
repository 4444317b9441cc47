import KeyValueTestSupport
import Testing

@testable import KeyValueCore

@Suite("EntryHeap")
struct EntryHeapTests {
  /// What the entries' values are: the heap compares integers itself.
  enum Values: CaseIterable {
    case integers, doubles

    func entry(_ number: Int) -> HeapEntry {
      HeapEntry(self == .integers ? number : Double(number) as Any, .number)
    }

    func heap(isMaximum: Bool) -> EntryHeap {
      EntryHeap(isMaximum: isMaximum) {
        isMaximum
          ? EntryHeapTests.number($0) > EntryHeapTests.number($1)
          : EntryHeapTests.number($0) < EntryHeapTests.number($1)
      }
    }
  }

  private static func number(_ entry: HeapEntry) -> Int {
    entry.value as? Int ?? Int(entry.value as! Double)
  }

  @Test("The extremum is first after any insertions and removals", arguments: 1...8)
  func random(seed: UInt64) {
    for values in Values.allCases {
      for isMaximum in [false, true] { random(seed, values, isMaximum: isMaximum) }
    }
  }

  private func random(_ seed: UInt64, _ values: Values, isMaximum: Bool) {
    var generator = SeededGenerator(seed: seed)
    var heap = values.heap(isMaximum: isMaximum)
    var present: [HeapEntry] = []
    func numbers() -> [Int] {
      let sorted = present.map(EntryHeapTests.number).sorted()
      return isMaximum ? sorted.reversed() : sorted
    }
    for _ in 0..<400 {
      if present.isEmpty || Int.random(in: 0..<10, using: &generator) < 6 {
        let entry = values.entry(Int.random(in: 0..<1_000, using: &generator))
        heap.insert(entry)
        present.append(entry)
      } else {
        heap.remove(present.remove(at: Int.random(in: 0..<present.count, using: &generator)))
      }
      #expect(heap.first.map(EntryHeapTests.number) == numbers().first)
    }
    var taken: [Int] = []
    while taken.count <= present.count, let first = heap.first {
      taken.append(EntryHeapTests.number(first))
      heap.remove(first)
    }
    #expect(taken == numbers())
  }

  @Test("Removing an absent entry changes nothing")
  func absent() {
    var heap = Values.integers.heap(isMaximum: false)
    let entry = HeapEntry(1, .number)
    heap.insert(entry)
    heap.remove(HeapEntry(1, .number))
    #expect(heap.first === entry)
    heap.remove(entry)
    heap.remove(entry)
    #expect(heap.first == nil)
  }
}
