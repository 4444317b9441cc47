/// The changes of one key path as an asynchronous sequence.
///
/// ```swift
/// for await change in person.kvo.age.changes(options: [.initial, .new]) {
///   print(change)                   // setting, new: 36
/// }                                 // setting, new: 37
/// ```
///
/// The sequence observes from its creation and keeps the changes for its first iterator, so a loop
/// that starts later misses none. Several iterators may run, at once or one after the other. Each
/// further iterator gets the changes from its own creation on, after its own initial change if the
/// options contain `initial`. Each has its own buffer.
///
/// When the observed object dies, an iteration ends after the pending changes. When its task is
/// cancelled, it ends at once and drops them. The observation ends when the sequence and its
/// iterators are gone. The sequence doesn't retain the object.
///
/// The sequence is `Sendable` if the value is. Changes arrive in the order in which an observer is
/// notified of them.
///
/// Source of the behaviour: this library's.
public struct KeyValueChanges<Value>: AsyncSequence {
  /// A change of the value.
  public typealias Element = KeyValueObservedChange<Value>
  /// Iterating doesn't fail.
  public typealias Failure = Never

  let source: StreamSource<Element>

  /// The number of changes that the buffers of all iterators dropped.
  public var droppedCount: Int { source.broadcast.droppedCount }

  /// Makes an iterator; the first gets the changes since the sequence's creation.
  public func makeAsyncIterator() -> Iterator {
    Iterator(listener: StreamListener(source))
  }

  /// An iterator over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    let listener: StreamListener<Element>

    /// The number of changes that this iterator's buffer dropped.
    public var droppedCount: Int { listener.droppedCount }

    /// The next change, after waiting for one; nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Element? {
      await listener.next(isolation: actor)
    }
  }
}

extension KeyValueChanges: Sendable where Value: Sendable {}

extension KeyValueChanges: CustomStringConvertible {
  /// The key path, and whether it is observed: `KeyValueChanges(age, observing)`.
  public var description: String { "KeyValueChanges(\(source.description))" }
}
