/// A queue with amortised O(1) operations at both ends.
struct Fifo<Element> {
  private var elements: ContiguousArray<Element?> = []
  private var head = 0

  var count: Int { elements.count - head }

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    defer { compact() }
    let first = elements[head]
    elements[head] = nil
    head += 1
    return first
  }

  /// Moves the elements to the front if half of the storage is unused.
  private mutating func compact() {
    guard head * 2 >= elements.count else { return }
    elements.removeFirst(head)
    head = 0
  }
}
