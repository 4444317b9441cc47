// Calls that a queue or an actor makes later. `deferred` is emitted where the change is made,
// `delivered` where the call is made.

/// What led to a deferred call, outermost first, ending with its deferral; empty while nothing is traced.
struct Deferral: Sendable {
  private let events: [KeyValueTrace.Event]

  /// The deferral of the call that the thread is handing over.
  static var current: Deferral {
    guard !ThreadActivity.isNone, Tracer.thread != nil else { return Deferral(events: []) }
    // A call that leads to its own next one, by way of a queue, would pass on ever more.
    let events = Array(Tracer.openEvents.suffix(64))
    return Deferral(events: events.last?.destination == nil ? [] : events)
  }

  /// Makes the call, and emits an event before and after it.
  func deliver(_ body: () -> Void) {
    guard let deferred = events.last, let thread = Tracer.thread else { return body() }
    thread.reenter(events)
    let id = thread.enter(.delivered) { $0.tell(deferred) }
    body()
    thread.end(id, .returned)
    thread.leave(events)
  }

  /// Emits an event for a call that isn't made.
  func skip(_ reason: KeyValueTrace.SkipReason) {
    guard let deferred = events.last, let thread = Tracer.thread else { return }
    thread.reenter(events)
    thread.emit(.skipped) { event in
      event.tell(deferred)
      event.reason = reason
    }
    thread.leave(events)
  }
}

extension ThreadTrace {
  /// Reopens the events that led to a deferred call, whose change another thread made or this one
  /// is still making.
  fileprivate func reenter(_ events: [KeyValueTrace.Event]) {
    for event in events { reenter(event) }
  }

  fileprivate func leave(_ events: [KeyValueTrace.Event]) {
    for event in events.reversed() { leave(event.id) }
  }
}

extension KeyValueTrace.Event.Fields {
  /// Describes the call that another event deferred.
  fileprivate mutating func tell(_ deferred: KeyValueTrace.Event) {
    let now = self
    self = deferred.fields
    kind = now.kind
    id = now.id
    nanoseconds = now.nanoseconds
    thread = now.thread
    depth = now.depth
    cause = deferred.id
  }
}
