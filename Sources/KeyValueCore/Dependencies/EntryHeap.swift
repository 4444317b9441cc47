/// A binary heap whose entries know their indexes, so any entry can be removed in O(log n).
struct EntryHeap {
  private var entries: [HeapEntry] = []
  private let precedes: (HeapEntry, HeapEntry) -> Bool

  init(precedes: @escaping (HeapEntry, HeapEntry) -> Bool) {
    self.precedes = precedes
  }

  var first: HeapEntry? { entries.first }

  mutating func insert(_ entry: HeapEntry) {
    entry.index = entries.count
    entries.append(entry)
    siftUp(from: entry.index)
  }

  mutating func remove(_ entry: HeapEntry) {
    let index = entry.index
    guard index >= 0, index < entries.count, entries[index] === entry else { return }
    let last = entries.removeLast()
    entry.index = -1
    guard index < entries.count else { return }
    place(last, at: index)
    siftUp(from: index)
    siftDown(from: last.index)
  }

  private mutating func place(_ entry: HeapEntry, at index: Int) {
    entries[index] = entry
    entry.index = index
  }

  private mutating func siftUp(from start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard precedes(entries[index], entries[parent]) else { return }
      exchange(index, parent)
      index = parent
    }
  }

  private mutating func siftDown(from start: Int) {
    var index = start
    while true {
      var best = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < entries.count && precedes(entries[child], entries[best]) {
        best = child
      }
      if best == index { return }
      exchange(index, best)
      index = best
    }
  }

  private mutating func exchange(_ a: Int, _ b: Int) {
    let entry = entries[a]
    place(entries[b], at: a)
    place(entry, at: b)
  }
}
