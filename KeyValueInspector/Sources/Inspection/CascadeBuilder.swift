import KeyValueObserving

/// Assembles events: a beginning and its end become a span, and a span that no observed event
/// caused becomes a cascade with everything that happened inside it.
struct CascadeBuilder {
  /// How many spans of one cascade are kept; later ones are only counted.
  let spanLimit: Int
  /// How many violations of one cascade are kept beyond that.
  let violationLimit: Int

  /// Cascades that have ended since the last `takeEnded`.
  private var ended: [Draft] = []
  private var open: [UInt64: Draft] = [:]
  /// The spans that have not ended, each with its cascade's number.
  private var running: [UInt64: Running] = [:]
  /// How many spans began since the last `takeEnded`.
  private var seenCount = 0

  /// A cascade whose events have no words yet.
  struct Draft {
    let root: KeyValueTrace.Event
    var events: [KeyValueTrace.Event] = []
    /// By the number of the event that began the span.
    var ends: [UInt64: KeyValueTrace.Event] = [:]
    var deliveryCount = 0
    var omittedCount = 0
    var lastTime: UInt64
    var isOpen = true
    /// Whether it has changed since it was last returned.
    var hasNews = true

    var spanCount: Int { events.count + omittedCount }
    var hasViolation: Bool { events.contains { $0.kind == .violation } }
  }

  /// A span that has not ended.
  struct Running {
    let event: KeyValueTrace.Event
    let cascade: UInt64
  }

  init(spanLimit: Int, violationLimit: Int) {
    self.spanLimit = spanLimit
    self.violationLimit = violationLimit
  }

  /// Adds the next event.
  mutating func take(_ event: KeyValueTrace.Event) {
    switch event.kind {
    case .changeEnded, .returned: end(event)
    case .changeBegan, .delivered: begin(event, runs: true)
    case .registered, .ended, .deferred, .skipped, .died, .violation: begin(event, runs: false)
    }
  }

  /// The running events that contain the event, innermost first.
  func surroundings(of event: KeyValueTrace.Event, limit: Int = 40) -> [KeyValueTrace.Event] {
    var events: [KeyValueTrace.Event] = []
    var next = event.cause
    while let cause = next, let outer = running[cause], events.count < limit {
      events.append(outer.event)
      next = outer.event.cause
    }
    return events
  }

  private mutating func begin(_ event: KeyValueTrace.Event, runs: Bool) {
    seenCount += 1
    let cascade = event.cause.flatMap { running[$0]?.cascade } ?? event.id
    // A cause that isn't running was lost or has ended, so this event begins a cascade of its own.
    open[cascade, default: Draft(root: event, lastTime: event.nanoseconds)].add(
      event, limit: event.kind == .violation ? spanLimit + violationLimit : spanLimit)
    if runs {
      running[event.id] = Running(event: event, cascade: cascade)
    } else if cascade == event.id {
      close(cascade, at: event.nanoseconds)
    }
  }

  private mutating func end(_ event: KeyValueTrace.Event) {
    guard let begun = event.cause, let span = running.removeValue(forKey: begun) else { return }
    open[span.cascade]?.end(begun, with: event)
    if span.cascade == begun { close(begun, at: event.nanoseconds) }
  }

  private mutating func close(_ cascade: UInt64, at time: UInt64) {
    guard var draft = open.removeValue(forKey: cascade) else { return }
    draft.isOpen = false
    draft.lastTime = time
    ended.append(draft)
  }

  /// Returns the cascades that have ended since the last call, and those that have news and have
  /// been running for longer than `patience`; and how many spans began since then.
  mutating func takeEnded(
    now: UInt64, patience: UInt64
  ) -> (cascades: [Draft], seenCount: Int) {
    var cascades = ended
    for (id, draft) in open
    where draft.hasNews && now > draft.root.nanoseconds
      && now - draft.root.nanoseconds > patience
    {
      cascades.append(draft)
      open[id]?.hasNews = false
    }
    let count = seenCount
    ended = []
    seenCount = 0
    return (cascades.sorted { $0.root.id < $1.root.id }, count)
  }

  /// Forgets the running spans: events were lost, perhaps including the spans' ends.
  mutating func forgetRunning() {
    running = [:]
    for id in open.keys { close(id, at: open[id]?.lastTime ?? 0) }
  }
}

extension CascadeBuilder.Draft {
  fileprivate mutating func add(_ event: KeyValueTrace.Event, limit: Int) {
    hasNews = true
    lastTime = event.nanoseconds
    if event.kind == .delivered { deliveryCount += 1 }
    if events.count < limit {
      events.append(event)
    } else {
      omittedCount += 1
    }
  }

  fileprivate mutating func end(_ begun: UInt64, with event: KeyValueTrace.Event) {
    hasNews = true
    lastTime = event.nanoseconds
    // Only for spans that are kept, which are the first ones.
    if let last = events.last?.id, begun <= last { ends[begun] = event }
  }
}
