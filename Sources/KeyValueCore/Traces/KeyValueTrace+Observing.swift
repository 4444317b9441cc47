extension KeyValueTrace {
  /// Whether events are being traced at this moment.
  public static var isOn: Bool { Tracer.isOn }

  /// Calls a closure with each event until the token is invalidated.
  ///
  /// ```swift
  /// let token = KeyValueTrace.observe { event in print(event) }
  /// ```
  ///
  /// The closure runs on the thread on which the event happens, while it happens. Several threads
  /// may call the closure at once. The closure's own changes and registrations aren't traced.
  ///
  /// - Important: Return soon, because the traced code waits.
  ///
  /// A thread that has called the closure keeps it until its next event is traced, or until it ends.
  ///
  /// - Parameter handler: Called with each event.
  /// - Returns: The token. Releasing it ends the tracing.
  public static func observe(_ handler: @escaping @Sendable (Event) -> Void) -> Token {
    Token(Tracer.begin(ClosureSink(handler)))
  }

  /// Ends a closure's tracing.
  public final class Token: Sendable {
    private let sink: TraceSink

    init(_ sink: TraceSink) {
      self.sink = sink
    }

    deinit {
      invalidate()
    }

    /// Ends the tracing; calling it again does nothing.
    ///
    /// After it returns, no new call starts. A call that's running on another thread may finish.
    public func invalidate() {
      Tracer.end(sink)
    }
  }

  /// The events from now on as an asynchronous sequence.
  ///
  /// ```swift
  /// for await event in KeyValueTrace.events(bufferingNewest: 1_000) { print(event) }
  /// ```
  ///
  /// Tracing begins with this call, not with the iteration. It ends when the sequence and its
  /// iterators are released.
  ///
  /// - Parameter limit: How many pending events to keep; older ones are dropped and counted.
  /// - Returns: The sequence.
  public static func events(bufferingNewest limit: Int = 10_000) -> Events {
    Events(limit)
  }

  /// Events as an asynchronous sequence.
  public struct Events: AsyncSequence, Sendable {
    /// Iterating doesn't fail.
    public typealias Failure = Never

    private let source: EventSource

    init(_ limit: Int) {
      source = EventSource(limit)
    }

    /// The number of events that the buffers of all iterators dropped.
    public var droppedCount: Int { source.broadcast.droppedCount }

    /// Makes an iterator; the first one gets the events since the sequence was created.
    public func makeAsyncIterator() -> Iterator {
      Iterator(listener: StreamListener(source.broadcast, keeping: source))
    }

    /// An iterator over the events.
    public struct Iterator: AsyncIteratorProtocol {
      let listener: StreamListener<Event>

      /// The number of events that this iterator's buffer dropped.
      public var droppedCount: Int { listener.droppedCount }

      /// Waits for the next event and returns it; nil if the task is cancelled.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async -> Event? {
        await listener.next(isolation: actor)
      }
    }
  }

  // MARK: Recording

  /// Records the events that a closure causes.
  ///
  /// ```swift
  /// let trace = KeyValueTrace.recording { person.firstName = "Grace" }
  /// print(trace.deliveries(to: \Person.fullName).count)     // 1
  /// ```
  ///
  /// The record covers the calling thread, and tasks that the closure starts, until the closure
  /// returns. With `everywhere`, it covers all threads during that time.
  ///
  /// - Parameters:
  ///   - everywhere: Whether to record other threads too.
  ///   - body: The closure.
  /// - Returns: The record.
  /// - Throws: The closure's error.
  public static func recording(
    everywhere: Bool = false, _ body: () throws -> Void
  ) rethrows -> KeyValueTrace {
    let sink = RecordingSink(everywhere: everywhere)
    Tracer.begin(sink)
    defer { Tracer.end(sink) }
    try TraceRecording.$current.withValue(sink.marker) { try body() }
    return sink.finish()
  }

  /// Records the events that an asynchronous closure causes.
  ///
  /// The record covers the closure's task, on any thread, and tasks that the closure starts, until
  /// the closure returns.
  ///
  /// - Parameters:
  ///   - everywhere: Whether to record other threads and tasks too.
  ///   - isolation: The actor on which the closure runs.
  ///   - body: The closure.
  /// - Returns: The record.
  /// - Throws: The closure's error.
  public static func recording(
    everywhere: Bool = false, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Void
  ) async rethrows -> KeyValueTrace {
    let sink = RecordingSink(everywhere: everywhere)
    Tracer.begin(sink)
    defer { Tracer.end(sink) }
    try await TraceRecording.$current.withValue(sink.marker) { try await body() }
    return sink.finish()
  }
}

extension KeyValueTrace {
  /// The living objects that were observed while events were traced.
  ///
  /// Tracing doesn't retain the objects. An object that was observed before tracing began is
  /// included once something observes it again.
  ///
  /// - Important: You may read this on any thread. Use an object where it belongs, on its actor or
  ///   under its lock.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of registrations.
  public static var observedObjects: [any KeyValueObservable] {
    Tracer.observedObjects.compactMap { $0 as? any KeyValueObservable }
  }
}
