import KeyValueTestSupport
import Testing

@testable import KeyValueCore

@Suite("EntryHeap")
struct EntryHeapTests {
  private static func number(_ entry: HeapEntry) -> Int { entry.value as! Int }

  private func heap() -> EntryHeap {
    EntryHeap { EntryHeapTests.number($0) < EntryHeapTests.number($1) }
  }

  @Test("The least entry is first after any insertions and removals", arguments: 1...8)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var heap = heap()
    var present: [HeapEntry] = []
    for _ in 0..<400 {
      if present.isEmpty || Int.random(in: 0..<10, using: &generator) < 6 {
        let entry = HeapEntry(Int.random(in: 0..<1_000, using: &generator), .number)
        heap.insert(entry)
        present.append(entry)
      } else {
        heap.remove(present.remove(at: Int.random(in: 0..<present.count, using: &generator)))
      }
      #expect(heap.first.map(EntryHeapTests.number) == present.map(EntryHeapTests.number).min())
    }
    var taken: [Int] = []
    while taken.count <= present.count, let first = heap.first {
      taken.append(EntryHeapTests.number(first))
      heap.remove(first)
    }
    #expect(taken == present.map(EntryHeapTests.number).sorted())
  }

  @Test("Removing an absent entry changes nothing")
  func absent() {
    var heap = heap()
    let entry = HeapEntry(1, .number)
    heap.insert(entry)
    heap.remove(HeapEntry(1, .number))
    #expect(heap.first === entry)
    heap.remove(entry)
    heap.remove(entry)
    #expect(heap.first == nil)
  }
}
