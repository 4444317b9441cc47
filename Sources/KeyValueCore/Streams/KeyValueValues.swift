/// The values of one key path as an asynchronous sequence, the current one first.
///
/// ```swift
/// for await age in person.kvo.age.values() {
///   print(age)                      // 36
/// }                                 // 37
/// ```
///
/// Each element is the value as it was read when a change was told, so the last element is never an
/// outdated one, whatever other observers and other threads do meanwhile. Unless told otherwise it
/// keeps one value, the newest: who is late misses values, but never the last.
///
/// Beginning, end, several iterators and sending are those of ``KeyValueChanges``. Equal values in a row
/// are not left out. The newest value is kept for further iterators, so changing a collection in place
/// copies it.
///
/// Source of the behaviour: this library's.
public struct KeyValueValues<Value>: AsyncSequence {
  /// A value.
  public typealias Element = Value
  /// Iterating does not fail.
  public typealias Failure = Never

  let source: StreamSource<Value>

  /// How many values were dropped for want of room, of all iterators together.
  public var droppedCount: Int { source.broadcast.droppedCount }

  /// Makes an iterator: the first takes what has come since the sequence was made.
  public func makeAsyncIterator() -> Iterator {
    Iterator(listener: StreamListener(source))
  }

  /// Takes values, one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let listener: StreamListener<Value>

    /// How many values this iterator missed because there was no room for them.
    public var droppedCount: Int { listener.droppedCount }

    /// The next value, waited for where there is none; nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Value? {
      await listener.next(isolation: actor)
    }
  }
}

extension KeyValueValues: Sendable where Value: Sendable {}

extension KeyValueValues: CustomStringConvertible {
  /// The key path, and whether it is observed: `KeyValueValues(age, observing)`.
  public var description: String { "KeyValueValues(\(source.description))" }
}
