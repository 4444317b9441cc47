/// Elements that wait to be taken, and the count of those that there was no room for: a pure value.
struct ElementBuffer<Element> {
  private let policy: KeyValueBufferingPolicy
  private var elements = Fifo<Element>()
  private(set) var droppedCount = 0

  init(_ policy: KeyValueBufferingPolicy) {
    self.policy = policy
  }

  var isEmpty: Bool { elements.count == 0 }

  /// Adds an element.
  ///
  /// - Returns: What was dropped for it, or it itself: to be let go of where no lock is held.
  mutating func append(_ element: Element) -> Element? {
    switch policy {
    case .unbounded: break
    case .bufferingOldest(let limit):
      if elements.count >= max(1, limit) {
        droppedCount += 1
        return element
      }
    case .bufferingNewest(let limit):
      if elements.count >= max(1, limit) {
        droppedCount += 1
        let oldest = elements.popFirst()
        elements.append(element)
        return oldest
      }
    }
    elements.append(element)
    return nil
  }

  mutating func popFirst() -> Element? {
    elements.popFirst()
  }

  /// Empties it; the count of the dropped stays.
  mutating func removeAll() {
    elements = Fifo()
  }
}
