/// The changes of one key path as an asynchronous sequence.
///
/// ```swift
/// for await change in person.kvo.age.changes(options: [.initial, .new]) {
///   print(change)                   // setting, new: 36
/// }                                 // setting, new: 37
/// ```
///
/// It observes from the moment it is made, and keeps what comes for its first iterator; so nothing is
/// missed before the loop begins. It may be iterated over several times, at once or one after the
/// other: each further iterator hears what comes from its own beginning on, after an initial change of
/// its own where `initial` was asked for. Each has its own buffer.
///
/// An iteration ends when the observed object dies, after what was told before, and at once when its
/// task is cancelled; then what was not taken yet is let go of. The observation itself ends when the
/// sequence and its iterators are gone. The object is not retained.
///
/// It can be sent to other tasks where the value can. Changes are taken down where they are made, in
/// the order in which an observer would be told.
///
/// Source of the behaviour: this library's.
public struct KeyValueChanges<Value>: AsyncSequence {
  /// A change.
  public typealias Element = KeyValueObservedChange<Value>
  /// Iterating does not fail.
  public typealias Failure = Never

  let source: StreamSource<Element>

  /// How many changes were dropped for want of room, of all iterators together.
  public var droppedCount: Int { source.broadcast.droppedCount }

  /// Makes an iterator: the first takes what has come since the sequence was made.
  public func makeAsyncIterator() -> Iterator {
    Iterator(listener: StreamListener(source))
  }

  /// Takes changes, one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let listener: StreamListener<Element>

    /// How many changes this iterator missed because there was no room for them.
    public var droppedCount: Int { listener.droppedCount }

    /// The next change, waited for where there is none; nil at the end.
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
