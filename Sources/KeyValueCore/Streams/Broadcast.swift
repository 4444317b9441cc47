/// A sequence's elements, kept for each iterator until it takes them.
// Checked by hand: it has no state but its superclass's.
package final class Broadcast<Element>: BoxBroadcast, ElementReceiver, @unchecked Sendable {
  func open(with element: Element) -> Bool { open(withBox: ValueBox(element)) }

  func append(_ element: Element) { append(box: ValueBox(element)) }

  /// Appends an element, and the first element of a further iterator.
  func append(_ element: Element, current: Element, readAt reading: UInt64) {
    append(box: ValueBox(element), currentBox: ValueBox(current), readAt: reading)
  }

  /// The next element; nil if there is none, now or ever.
  package func take(_ number: Int) -> Element? {
    guard let box = takeBox(number) else { return nil }
    // Only boxes of this type are appended.
    return unsafeDowncast(box, to: ValueBox<Element>.self).value
  }
}
