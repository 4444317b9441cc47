// Calls that a queue or an actor makes later: `deferred` where the change is made, `delivered` there.

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
    thread.reenter(events)
    let id = thread.enter(.delivered) { $0.tell(deferred) }
    body()
    thread.end(id, .returned)
    thread.leave(events)
  }

  /// Tells that the call isn't made.
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
  /// Continues with what led to a call that was put off: another thread made the change, or this one did,
  /// and is still in the middle of it.
  fileprivate func reenter(_ events: [KeyValueTrace.Event]) {
    for event in events { reenter(event) }
  }

  fileprivate func leave(_ events: [KeyValueTrace.Event]) {
    for event in events.reversed() { leave(event.id) }
  }
}

extension KeyValueTrace.Event.Fields {
  /// Tells the call that another event put off.
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
