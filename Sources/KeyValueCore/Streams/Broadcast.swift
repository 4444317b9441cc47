/// A sequence's elements, kept for each iterator until it takes them.
package final class Broadcast<Element>: ElementReceiver, Sendable {
  private let boxes: BoxBroadcast

  /// With `hasInitial`, every iterator begins with the current value.
  ///
  /// `onNews` is called when there may be an element to take, or at the end.
  init(
    _ policy: KeyValueBufferingPolicy, hasInitial: Bool,
    keeping: BoxBroadcast.Keeping = .strongly, onNews: @escaping @Sendable () -> Void = {}
  ) {
    boxes = BoxBroadcast(policy, hasInitial: hasInitial, keeping: keeping, onNews: onNews)
  }

  // MARK: Where changes are made

  func beginInitial() -> Bool { boxes.beginInitial() }

  func open(with element: Element) -> Bool { boxes.open(with: ValueBox(element)) }

  func append(_ element: Element) { boxes.append(ValueBox(element)) }

  /// Numbers a reading of the value that begins now.
  func beginReading() -> UInt64 { boxes.beginReading() }

  /// Appends an element, and the first element of a further iterator.
  func append(_ element: Element, current: Element, readAt reading: UInt64) {
    boxes.append(ValueBox(element), current: ValueBox(current), readAt: reading)
  }

  /// Ends the sequence after its pending elements.
  func end() { boxes.end() }

  // MARK: Boxes of elements, where the caller has them

  /// Takes the initial element in its `ValueBox`, as `open(with:)` does.
  func open(withBox box: AnyObject) -> Bool { boxes.open(with: box) }

  /// Appends the current value, in its `ValueBox`.
  ///
  /// If a value of a later reading is already here, that one is appended again, so the last
  /// element is never outdated.
  func append(currentBox box: AnyObject, readAt reading: UInt64) {
    boxes.append(current: box, readAt: reading)
  }

  // MARK: Where elements are taken

  /// The number of elements that all iterators have dropped, including those that are gone.
  package var droppedCount: Int { boxes.droppedCount }

  func droppedCount(of number: Int) -> Int { boxes.droppedCount(of: number) }

  /// Adds an iterator; the first gets all elements so far.
  func addListener() -> Int { boxes.addListener() }

  func removeListener(_ number: Int) { boxes.removeListener(number) }

  /// The next element; nil if there is none, now or ever.
  package func take(_ number: Int) -> Element? {
    guard let box = boxes.take(number) else { return nil }
    // Only boxes of this type are appended.
    return unsafeDowncast(box, to: ValueBox<Element>.self).value
  }

  /// Whether the sequence has ended and the iterator has taken everything.
  package func isAtEnd(_ number: Int) -> Bool { boxes.isAtEnd(number) }

  /// Resumes the waiter when there is an element to take, possibly at once.
  func wait(_ number: Int, _ waiter: CheckedContinuation<Void, Never>) {
    boxes.wait(number, waiter)
  }

  /// Ends one iterator at once and releases its pending elements.
  package func cancel(_ number: Int) { boxes.cancel(number) }
}
