#if canImport(Dispatch)
  import Dispatch
#endif

/// Where a log calls its observer: on the main actor, on an actor, on a queue, or at once.
///
/// ```swift
/// let observation = log.observe(on: .mainActor) { record in view.append(record) }
/// ```
///
/// It's the `on:` argument of ``KeyValueChangeLog/observe(on:_:)`` and determines the handler's type and
/// isolation, which the compiler checks. Records arrive in order, each once.
///
/// Source of the behaviour: this library's, as on a bound path.
public struct KeyValueLogDelivery<Handler>: Sendable, CustomStringConvertible {
  /// The destination as written: `mainActor`, `actor(History)`, `queue(label)` or `immediate`.
  public let description: String
  let route: @Sendable (Handler) -> DeliveryRoute<KeyValueTransactionRecord>

  /// Uses the delivery of changes: a record is the new value of a change.
  private init<ChangeHandler>(
    _ delivery: KeyValueDelivery<KeyValueTransactionRecord, ChangeHandler>,
    _ changes: @escaping @Sendable (Handler) -> ChangeHandler
  ) {
    description = delivery.description
    route = { handler in delivery.route(changes(handler)) }
  }
}

extension KeyValueLogDelivery
where Handler == @MainActor @Sendable (KeyValueTransactionRecord) -> Void {
  /// The main actor.
  ///
  /// Delivery is asynchronous even if the change is made there.
  public static var mainActor: Self {
    Self(.mainActor) { handler in { change in change.newValue.map(handler) } }
  }
}

extension KeyValueLogDelivery {
  /// An actor, which is held weakly and passed to the handler; the observation ends with it.
  ///
  /// Delivery is asynchronous even if the change is made there.
  public static func actor<Destination: Actor>(_ actor: Destination) -> Self
  where Handler == @Sendable (isolated Destination, KeyValueTransactionRecord) -> Void {
    Self(.actor(actor)) { handler in
      { actor, change in
        if let record = change.newValue { handler(actor, record) }
      }
    }
  }
}

extension KeyValueLogDelivery where Handler == @Sendable (KeyValueTransactionRecord) -> Void {
  /// At once, on the thread that makes the change, as without `on:`.
  public static var immediate: Self {
    Self(.immediate) { handler in { change in change.newValue.map(handler) } }
  }

  #if canImport(Dispatch)
    /// A dispatch queue, serial or concurrent; one observation makes one call at a time.
    ///
    /// Delivery is asynchronous even if the change is made on the queue.
    public static func queue(_ queue: DispatchQueue) -> Self {
      Self(.queue(queue)) { handler in { change in change.newValue.map(handler) } }
    }
  #endif
}

extension KeyValueChangeLog {
  /// Calls a handler with each record, on an actor or a queue.
  ///
  /// ```swift
  /// let observation = log.observe(on: .actor(store)) { store, record in store.append(record) }
  /// ```
  ///
  /// Records are `Sendable`, so they may go anywhere. They arrive in order.
  ///
  /// - Parameters:
  ///   - delivery: `.mainActor`, `.actor(_:)`, `.queue(_:)` or `.immediate`.
  ///   - handler: Called with each record; with `.actor(_:)`, with the actor and the record.
  /// - Returns: The token; the observation ends with it, with the log, and with the actor.
  public func observe<Handler>(
    on delivery: KeyValueLogDelivery<Handler>, _ handler: Handler
  ) -> KeyValueObservation {
    switch delivery.route(handler) {
    case .immediate(let handler):
      return observe { handler(KeyValueObservedChange(kind: .setting, newValue: $0)) }
    case .queued(let isAlive, let schedule):
      let queue = DeliveryQueue<KeyValueTransactionRecord>([], schedule: schedule)
      let token = core.observe(
        isReceiverAlive: isAlive, destination: delivery.description,
        onEnd: { if queue.isInvalidated { queue.discard(.ended) } }
      ) { (collected: ChangeCollector.Collected) in
        queue.append(KeyValueObservedChange(kind: .setting, newValue: collected.record))
      }
      queue.follow(token)
      return token
    }
  }

  /// The records as an asynchronous sequence, from now on.
  ///
  /// ```swift
  /// for await record in log.records() { try await send(record) }
  /// ```
  ///
  /// - Parameter bufferingPolicy: Which records to keep if they aren't taken in time. A record that's dropped
  ///   leaves a gap that later records don't fill.
  /// - Returns: The sequence; it ends with the log.
  public func records(
    bufferingPolicy: KeyValueBufferingPolicy = .unbounded
  ) -> KeyValueRecords {
    let broadcast = Broadcast<KeyValueTransactionRecord>(bufferingPolicy, hasInitial: false)
    let token = core.observe(onEnd: broadcast.end) {
      (collected: ChangeCollector.Collected) in broadcast.append(collected.record)
    }
    return KeyValueRecords(source: StreamSource(broadcast, token))
  }
}

/// A log's records as an asynchronous sequence.
///
/// Start, end, several iterators and buffering work as in ``KeyValueChanges``.
///
/// Source of the behaviour: this library's.
public struct KeyValueRecords: AsyncSequence, Sendable {
  /// A record.
  public typealias Element = KeyValueTransactionRecord
  /// Iterating doesn't fail.
  public typealias Failure = Never

  let source: StreamSource<KeyValueTransactionRecord>

  /// The number of records that the buffers of all iterators dropped.
  public var droppedCount: Int { source.broadcast.droppedCount }

  /// Makes an iterator; the first gets the records since the sequence's creation.
  public func makeAsyncIterator() -> Iterator {
    Iterator(listener: StreamListener(source))
  }

  /// An iterator over the records.
  public struct Iterator: AsyncIteratorProtocol {
    let listener: StreamListener<KeyValueTransactionRecord>

    /// The number of records that this iterator's buffer dropped.
    public var droppedCount: Int { listener.droppedCount }

    /// The next record, after waiting for one; nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> KeyValueTransactionRecord? {
      await listener.next(isolation: actor)
    }
  }
}
