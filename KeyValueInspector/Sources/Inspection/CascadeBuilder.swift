import KeyValueObserving

/// Assembles events: a beginning and its end become a span, and a span that no observed event
/// caused becomes a cascade with everything that happened inside it.
struct CascadeBuilder {
  /// How many spans of one cascade are kept; later ones are only counted.
  let spanLimit: Int
  /// How many violations of one cascade are kept beyond that.
  let violationLimit: Int
  /// How many of the latest links are kept at least; at most twice as many are.
  let linkLimit: Int

  /// Cascades that have ended since the last `takeEnded`.
  private var ended: [Draft] = []
  private var open: [UInt64: Draft] = [:]
  /// The spans that have not ended, each with its cascade's number.
  private var running: [UInt64: Running] = [:]
  /// The latest links, by the numbers of their events.
  private var links: [UInt64: Link] = [:]
  /// The links before these.
  private var earlierLinks: [UInt64: Link] = [:]
  /// How many spans began since the last `takeEnded`.
  private var seenCount = 0

  /// A cascade whose events have no words yet.
  struct Draft {
    let root: KeyValueTrace.Event
    /// The event that led to the root, if it's known.
    let origin: KeyValueTrace.Event?
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

  /// An event that has no end and leads to others.
  ///
  /// A registration leads to its initial call, a death to the ends of registrations and to calls, and a deferral
  /// to the call itself.
  private struct Link {
    /// The event and what led to it, innermost first.
    let events: [KeyValueTrace.Event]
    /// The cascade that others are part of while it's open.
    ///
    /// Nil if a queue or an actor makes the call, which begins a cascade of its own.
    let cascade: UInt64?
  }

  init(spanLimit: Int, violationLimit: Int, linkLimit: Int) {
    self.spanLimit = spanLimit
    self.violationLimit = violationLimit
    self.linkLimit = linkLimit
  }

  /// Adds the next event.
  mutating func take(_ event: KeyValueTrace.Event) {
    switch event.kind {
    case .changeEnded, .returned: end(event)
    case .changeBegan, .delivered:
      let cascade = begin(event)
      running[event.id] = Running(event: event, cascade: cascade)
    case .registered, .deferred, .died:
      let cascade = beginAndEnd(event)
      keep(
        Link(
          events: [event] + surroundings(of: event),
          cascade: event.destination == nil ? cascade : nil), of: event.id)
    case .ended, .skipped, .violation: beginAndEnd(event)
    }
  }

  /// The events that led to the event, innermost first: those that contain it, and those before a link.
  func surroundings(of event: KeyValueTrace.Event, limit: Int = 40) -> [KeyValueTrace.Event] {
    var events: [KeyValueTrace.Event] = []
    var next = event.cause
    while let cause = next, events.count < limit {
      guard let outer = running[cause] else {
        events += (link(cause)?.events ?? []).prefix(limit - events.count)
        break
      }
      events.append(outer.event)
      next = outer.event.cause
    }
    return events
  }

  private func link(_ event: UInt64) -> Link? { links[event] ?? earlierLinks[event] }

  private mutating func keep(_ link: Link, of event: UInt64) {
    if links.count == linkLimit { (earlierLinks, links) = (links, [:]) }
    links[event] = link
  }

  /// Adds the event to a cascade, and returns the cascade's number.
  private mutating func begin(_ event: KeyValueTrace.Event) -> UInt64 {
    seenCount += 1
    let cascade = openCascade(of: event) ?? event.id
    if cascade == event.id {
      let outer = surroundings(of: event)
      // A deferral is named by the change that it belongs to.
      let origin = outer.first { $0.kind != .deferred } ?? outer.first
      open[cascade] = Draft(root: event, origin: origin, lastTime: event.nanoseconds)
    }
    open[cascade]?.add(
      event, limit: event.kind == .violation ? spanLimit + violationLimit : spanLimit)
    return cascade
  }

  /// Adds an event that takes no time, and returns its cascade's number.
  @discardableResult
  private mutating func beginAndEnd(_ event: KeyValueTrace.Event) -> UInt64 {
    let cascade = begin(event)
    if cascade == event.id { close(cascade, at: event.nanoseconds) }
    return cascade
  }

  /// The open cascade that the event is part of.
  ///
  /// It's nil if the event has no cause, or one that was lost, or whose cascade has ended; the event then begins a
  /// cascade of its own.
  private func openCascade(of event: KeyValueTrace.Event) -> UInt64? {
    guard let cause = event.cause, let cascade = running[cause]?.cascade ?? link(cause)?.cascade,
      open.keys.contains(cascade)
    else { return nil }
    return cascade
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
