/// The values of one key path as an asynchronous sequence, the current one first.
///
/// ```swift
/// for await age in person.kvo.age.values() {
///   print(age)                      // 36
/// }                                 // 37
/// ```
///
/// Each element is the value read at the time of a change's delivery, so the last element is never
/// outdated, whatever other observers and threads do. By default the sequence buffers one value,
/// the newest: a slow loop misses values, but never the last.
///
/// Start, end, several iterators and sendability work as in ``KeyValueChanges``. The sequence
/// doesn't skip equal values. It keeps the newest value for further iterators, so changing a
/// collection in place copies it. The objects that a `weak` key refers to are kept weakly, unless a
/// string path leads to the key through a collection.
///
/// Source of the behaviour: this library's.
public struct KeyValueValues<Value>: AsyncSequence {
  /// A value of the path.
  public typealias Element = Value
  /// Iterating doesn't fail.
  public typealias Failure = Never

  let source: StreamSource<Value>

  /// The number of values that the buffers of all iterators dropped.
  public var droppedCount: Int { source.broadcast.droppedCount }

  /// Makes an iterator; the first gets the values since the sequence's creation.
  public func makeAsyncIterator() -> Iterator {
    Iterator(listener: StreamListener(source))
  }

  /// An iterator over the values.
  public struct Iterator: AsyncIteratorProtocol {
    let listener: StreamListener<Value>

    /// The number of values that this iterator's buffer dropped.
    public var droppedCount: Int { listener.droppedCount }

    /// The next value, after waiting for one; nil at the end.
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
