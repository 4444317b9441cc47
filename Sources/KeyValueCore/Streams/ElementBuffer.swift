/// Pending elements and the count of dropped ones: a pure value.
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
  /// - Parameter element: The element.
  /// - Returns: The dropped element, possibly the new one. Release it without a lock held.
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

  /// Removes all elements; the count of dropped ones stays.
  mutating func removeAll() {
    elements = Fifo()
  }
}
