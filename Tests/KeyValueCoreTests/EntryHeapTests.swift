import KeyValueTestSupport
import Testing

@testable import KeyValueCore

@Suite("EntryHeap")
struct EntryHeapTests {
  private static func number(_ entry: HeapEntry) -> Int { entry.value as! Int }

  private func heap() -> EntryHeap {
    EntryHeap { EntryHeapTests.number($0) < EntryHeapTests.number($1) }
  }

  @Test("The least entry is first, whatever is inserted and removed", arguments: 1...8)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var heap = heap()
    var present: [HeapEntry] = []
    var firsts: [Int?] = []
    var least: [Int?] = []
    for step in 0..<600 {
      // Grows, then shrinks.
      if present.isEmpty || Int.random(in: 0..<10, using: &generator) < (step < 300 ? 7 : 3) {
        let entry = HeapEntry(Int.random(in: 0..<50, using: &generator), .number)
        heap.insert(entry)
        present.append(entry)
      } else {
        heap.remove(present.remove(at: Int.random(in: 0..<present.count, using: &generator)))
      }
      firsts.append(heap.first.map(EntryHeapTests.number))
      least.append(present.map(EntryHeapTests.number).min())
    }
    #expect(firsts == least)
  }

  @Test("The entry that takes a removed one's place moves up where it has to")
  func movesUp() {
    var heap = heap()
    let entries = [0, 10, 1, 11, 12, 2, 3].map { HeapEntry($0, .number) }
    for entry in entries { heap.insert(entry) }
    heap.remove(entries[3])
    var taken: [Int] = []
    while let first = heap.first {
      taken.append(EntryHeapTests.number(first))
      heap.remove(first)
    }
    #expect(taken == [0, 1, 2, 3, 10, 12])
  }

  @Test("Removing an entry that is not there changes nothing")
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
