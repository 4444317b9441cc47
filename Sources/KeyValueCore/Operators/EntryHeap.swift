/// A binary heap whose entries know their indexes, so any entry can be removed in O(log n).
struct EntryHeap {
  private var entries: [HeapEntry] = []
  /// Whether the greatest value is the first.
  private let isMaximum: Bool
  /// Whether one value precedes another; not called for integers.
  private let precedes: (HeapEntry, HeapEntry) -> Bool

  init(isMaximum: Bool, precedes: @escaping (HeapEntry, HeapEntry) -> Bool) {
    self.isMaximum = isMaximum
    self.precedes = precedes
  }

  private func precedes(_ index: Int, _ other: Int) -> Bool {
    guard let a = entries[index].integer, let b = entries[other].integer else {
      return precedes(entries[index], entries[other])
    }
    return isMaximum ? a > b : a < b
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
      guard precedes(index, parent) else { return }
      exchange(index, parent)
      index = parent
    }
  }

  private mutating func siftDown(from start: Int) {
    var index = start
    while true {
      var best = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < entries.count && precedes(child, best) {
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

/// A value that an aggregate orders to maintain the extremum.
// Checked by hand: only the thread that changes the heap touches the index.
final class HeapEntry: @unchecked Sendable {
  let value: Any
  /// The value, if it is an `Int`: comparing `Any`s takes 400 instructions.
  let integer: Int?
  let kind: Contribution.Kind
  var index = -1

  init(_ value: Any, _ kind: Contribution.Kind) {
    self.value = value
    integer = value as? Int
    self.kind = kind
  }
}
