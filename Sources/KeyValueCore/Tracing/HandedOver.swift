// Calls that a queue or an actor makes later: `deferred` where the change is made, `delivered` there.

extension ThreadTrace {
  /// Tells that a call is put off, while a sink passes it on to a queue or an actor.
  func handOver(_ event: KeyValueTrace.Event, to destination: String, _ sink: () -> Void) {
    event.destination = destination
    enter(event)
    sink()
    leave(event.id)
  }
}

/// What led to a call that's put off, the outermost first, and last that it was; nothing while nothing is
/// traced.
struct Deferral: Sendable {
  private let events: [KeyValueTrace.Event]

  /// The deferral of the call that the thread is passing on.
  static var current: Deferral {
    guard !ThreadActivity.isNone, Tracer.thread != nil else { return Deferral(events: []) }
    let events = Tracer.openEvents
    return Deferral(events: events.last?.destination == nil ? [] : events)
  }

  /// Makes the call, and tells before and after it.
  func deliver(_ body: () -> Void) {
    guard let deferred = events.last, let thread = Tracer.thread else { return body() }
    let event = thread.event(.delivered, after: events, like: deferred)
    thread.enter(event)
    body()
    if let begun = thread.leave(event.id) { thread.emit(thread.end(of: begun, .returned)) }
    thread.leave(events)
  }

  /// Tells that the call isn't made.
  func skip(_ reason: KeyValueTrace.SkipReason) {
    guard let deferred = events.last, let thread = Tracer.thread else { return }
    let event = thread.event(.skipped, after: events, like: deferred)
    event.reason = reason
    thread.emit(event)
    thread.leave(events)
  }
}

extension ThreadTrace {
  /// An event of a call that was put off, inside of what led to it.
  fileprivate func event(
    _ kind: KeyValueTrace.Event.Kind, after events: [KeyValueTrace.Event],
    like deferred: KeyValueTrace.Event
  ) -> KeyValueTrace.Event {
    // Another thread made the change, or this one did, and is still in the middle of it.
    for event in events { reenter(event) }
    let now = event(kind)
    let event = KeyValueTrace.Event(kind, id: now.id, like: deferred)
    event.nanoseconds = now.nanoseconds
    event.thread = now.thread
    event.depth = now.depth
    event.cause = deferred.id
    return event
  }

  fileprivate func leave(_ events: [KeyValueTrace.Event]) {
    for event in events.reversed() { leave(event.id) }
  }
}
