import KeyValueObserving

/// Everything that the page shows, built from a trace's events.
///
/// It belongs to one task, the inspector's. The program's threads only add to the `EventBuffer`.
package struct Inspection {
  /// How much it keeps and sends.
  package struct Limits: Sendable {
    /// How many spans of one cascade are sent.
    package var spansPerCascade = 200
    /// How many violations of one cascade are sent if they come after these spans.
    package var violationsPerCascade = 20
    /// How many spans a batch contains; at least as many as one cascade has.
    package var spansPerBatch = 400
    /// How many objects are remembered.
    package var objects = 4000
    /// How many objects are listed at once.
    package var listedObjects = 300
    /// How many registrations, deaths and deferrals are remembered at least, with what led to them.
    package var links = 5000
    /// How many events are searched for findings.
    package var eventsForFindings = 8000
    /// How many of a log's records are kept.
    package var records = 5000
    /// How many objects of a log's graph are listed at once.
    package var historyObjects = 300
    /// How many deliveries one change may cause.
    package var avalanche = 20
    /// After how many nanoseconds a running cascade is sent.
    package var patience: UInt64 = 500_000_000

    /// The limits in use.
    package init() {}
  }

  private let limits: Limits
  private var builder: CascadeBuilder
  private var roster: Roster
  private var detective: Detective
  private var lostCount = 0
  private var history: GraphHistory?
  private var logCount = 0
  private var sentHistory: HistoryRange?

  /// Creates an inspection without events.
  package init(limits: Limits = Limits()) {
    self.limits = limits
    builder = CascadeBuilder(
      spanLimit: limits.spansPerCascade, violationLimit: limits.violationsPerCascade,
      linkLimit: limits.links)
    roster = Roster(objectLimit: limits.objects)
    detective = Detective(window: limits.eventsForFindings, avalancheLimit: limits.avalanche)
  }

  /// Adds events in the order of their ids, and the number of events lost among them.
  package mutating func take(_ events: [KeyValueTrace.Event], lostCount: Int = 0) {
    for event in events {
      roster.take(event, inside: builder.surroundings(of: event))
      builder.take(event)
    }
    detective.take(events)
    if lostCount > 0 {
      self.lostCount += lostCount
      builder.forgetRunning()
    }
  }

  /// Returns what happened since the last batch, as much of it as the page can show.
  package mutating func batch(now: UInt64, seconds: Double) -> Batch {
    detective.lookIfDue(now: now, wording: wording)
    let (drafts, seen) = builder.takeEnded(now: now, patience: limits.patience)
    let chosen = Sampling.choose(
      sizes: drafts.map(\.events.count), isImportant: drafts.map(\.hasViolation),
      budget: limits.spansPerBatch)
    let cascades = chosen.map { cascade(drafts[$0]) }
    let lost = lostCount
    lostCount = 0
    return Batch(
      revision: roster.revision + detective.revision, seconds: seconds, seen: seen,
      shown: min(seen, cascades.reduce(0) { $0 + $1.spans.count }), lost: lost,
      cascades: cascades, history: newHistory())
  }

  // MARK: A log

  /// Adds a log's records, and its state before them if it's another log than before.
  package mutating func take(
    beginning: KeyValueSnapshot?, _ records: [KeyValueTransactionRecord]
  ) {
    if let beginning {
      history = GraphHistory(
        beginning, limit: limits.records, listedObjects: limits.historyObjects)
      logCount += 1
    }
    history?.take(records)
  }

  /// The positions of the history; nil without a log.
  package var historyRange: HistoryRange? {
    history.map { HistoryRange(log: logCount, first: $0.first, last: $0.last) }
  }

  /// The log's graph after a number of records; nil without a log.
  package mutating func history(at position: Int) -> HistoryAnswer? {
    history?.answer(at: position)
  }

  private mutating func newHistory() -> HistoryRange? {
    let range = historyRange
    if range == sentHistory { return nil }
    sentHistory = range
    return range
  }

  // MARK: Answers

  /// The objects whose class, key, value or place contains the text.
  package func objects(search: String) -> ObjectsAnswer {
    roster.objects(search: search, limit: limits.listedObjects)
  }

  /// One object's keys and observers; nil if the object is unknown or has been dropped.
  package func object(id: String) -> ObjectAnswer? { roster.object(id: id) }

  /// The graph around an object; nil if the object is unknown or has been dropped.
  ///
  /// - Parameters:
  ///   - id: The object.
  ///   - opened: The combined nodes whose members are shown one by one.
  ///   - cause: The ids of the nodes that are lit, which are drawn before others; nil for the object's
  ///     last cause.
  /// - Returns: The graph.
  package func graph(
    around id: String, opened: Set<String> = [], lighting cause: Set<String>? = nil
  ) -> GraphAnswer? {
    roster.graph(around: id, opened: opened, lighting: cause)
  }

  /// Probable mistakes in the program.
  package mutating func findings() -> FindingsAnswer {
    detective.answer(wording: wording)
  }

  // MARK: Words

  private var wording: Wording { Wording(roster: roster) }

  private func cascade(_ draft: CascadeBuilder.Draft) -> Cascade {
    Cascade(
      id: draft.root.id, title: wording.words(for: draft.root, endedBy: draft.ends[draft.root.id]),
      thread: draft.root.thread,
      duration: Double(draft.lastTime - min(draft.lastTime, draft.root.nanoseconds)) / 1000,
      deliveries: draft.deliveryCount,
      spans: draft.events.map { span($0, of: draft) },
      omitted: draft.omittedCount, isOpen: draft.isOpen)
  }

  private func span(_ event: KeyValueTrace.Event, of draft: CascadeBuilder.Draft) -> Span {
    let object = roster.entry(of: event.object)
    let end = draft.ends[event.id]
    return Span(
      id: event.id, parent: event.cause, kind: Span.Kind(event.kind),
      duration: end?.duration.map { Double($0) / 1000 }, object: object?.id,
      class: event.object?.className, key: event.keyPath.isEmpty ? nil : event.keyPath,
      place: event.place?.description,
      nodes: roster.nodeIDs(of: event), words: wording.words(for: event, endedBy: end),
      inside: event.kind == .changeBegan ? "because" : "while",
      origin: origin(of: event, in: draft))
  }

  /// The origin of an event without a cause in its cascade.
  private func origin(
    of event: KeyValueTrace.Event, in draft: CascadeBuilder.Draft
  ) -> String {
    let thread = "on thread \(event.thread)"
    if event.id != draft.root.id {
      return "What led to it is among the events that were left out, \(thread)."
    }
    if event.isInitial { return "The registration requested it, \(thread)." }
    let origin = draft.origin.map { ": \(wording.words(for: $0))" }
    if let destination = event.destination {
      return "An earlier change elsewhere is delivered on \(destination), \(thread)"
        + "\(origin ?? "")."
    }
    if let origin { return "An earlier event led to it, \(thread)\(origin)." }
    return "No handler caused this: other code of the program did it, \(thread)."
  }
}

extension Span.Kind {
  init(_ kind: KeyValueTrace.Event.Kind) {
    self =
      switch kind {
      case .changeBegan, .changeEnded: .change
      case .delivered, .returned: .delivery
      case .registered: .registered
      case .ended: .ended
      case .deferred: .deferred
      case .skipped: .skipped
      case .died: .died
      case .violation: .violation
      }
  }
}
