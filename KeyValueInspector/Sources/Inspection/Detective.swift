import KeyValueObserving

/// Looks for findings in the latest events, and remembers what it found.
///
/// Registrations and their ends are kept apart from other events, which are far more numerous: a
/// leak shows only over time.
struct Detective {
  private let window: Int
  private let avalancheLimit: Int
  private var events: [KeyValueTrace.Event] = []
  private var registrations: [KeyValueTrace.Event] = []
  /// The number of the last event that has left the window.
  private var lastForgotten: UInt64 = 0
  private var newCount = 0
  private var lastLook: UInt64 = 0
  private var found: [FindingsAnswer.Finding] = []
  private var times: FindingsAnswer.Finding?

  /// Grows with each event.
  private(set) var revision = 0

  init(window: Int, avalancheLimit: Int) {
    self.window = window
    self.avalancheLimit = avalancheLimit
  }

  mutating func take(_ new: [KeyValueTrace.Event]) {
    for event in new {
      switch event.kind {
      case .registered, .ended: registrations.append(event)
      default: events.append(event)
      }
    }
    newCount += new.count
    revision += new.count
    // Trimmed only occasionally, because removing events moves the others.
    if events.count > 2 * window {
      lastForgotten = events[events.count - window - 1].id
      events.removeFirst(events.count - window)
    }
    if registrations.count > 2 * window {
      registrations.removeFirst(registrations.count - window)
    }
  }

  /// Looks once a second, or before many events leave the window, so a busy program's findings
  /// aren't missed.
  mutating func lookIfDue(now: UInt64, wording: Wording) {
    guard newCount > 0, newCount > window / 2 || now &- lastLook > 1_000_000_000 else { return }
    lastLook = now
    look(wording)
  }

  /// All findings so far, most recent first, and where the time went.
  mutating func answer(wording: Wording) -> FindingsAnswer {
    if newCount > 0 { look(wording) }
    let serious = found.filter(\.isSerious)
    return FindingsAnswer(
      list: serious + found.filter { !$0.isSerious } + (times.map { [$0] } ?? []),
      note: serious.isEmpty
        ? "No cycle, avalanche, leak or violation was seen yet."
        : "Findings stay here, even if they do not recur.")
  }

  private mutating func look(_ wording: Wording) {
    newCount = 0
    let writer = FindingWriter(wording: wording)
    let trace = KeyValueTrace(registrations + events)
    let findings = trace.findings(avalancheLimit: avalancheLimit)
    let violations = trace.events.filter { $0.kind == .violation }
    for finding in writer.findings(findings, after: lastForgotten)
      + violations.map(writer.violation)
    { keep(finding) }
    times = writer.times(findings.handlers)
  }

  /// How many findings of one kind are kept, so that no kind displaces another.
  private static let mostOfKind = 60

  private mutating func keep(_ finding: FindingsAnswer.Finding) {
    let alike = found.indices.filter { found[$0].kind == finding.kind }
    if let index = alike.first(where: { found[$0].subject == finding.subject }) {
      found[index] = finding
      return
    }
    if alike.count == Self.mostOfKind { found.remove(at: alike[alike.count - 1]) }
    found.insert(finding, at: 0)
  }
}

/// Puts findings into words, with their place in the source.
struct FindingWriter {
  let wording: Wording

  /// - Parameters:
  ///   - findings: What the trace's events show.
  ///   - lastForgotten: The last event that the trace lacks. A registration before it may have been
  ///     called, so it isn't reported as having ended at once.
  /// - Returns: The findings in words.
  func findings(
    _ findings: KeyValueTrace.Findings, after lastForgotten: UInt64
  ) -> [FindingsAnswer.Finding] {
    findings.equalValues.map(equal) + findings.toldAgain.map(again)
      + findings.endedAtOnce.filter { $0.event.id > lastForgotten }.map(endedAtOnce)
      + findings.growing.map(growing)
      + findings.avalanches.map(avalanche) + findings.cycles.map(cycle)
  }

  func cycle(_ cycle: KeyValueTrace.Cycle) -> FindingsAnswer.Finding {
    let first = cycle.events[0]
    return FindingsAnswer.Finding(
      kind: "cycle",
      title: "Cycle: a change of \(wording.subject(of: first)) leads to another change of it",
      words: "The \(observer(cycle.closing)) closes it\(times(cycle.count)).",
      lines: cycle.events.map { wording.words(for: $0) }, isSerious: true,
      subject: Set(cycle.events.map(step)))
  }

  /// An event of a cycle without its values, which differ from round to round.
  private func step(_ event: KeyValueTrace.Event) -> String {
    wording.subject(of: event) + (event.registration.map { ": \($0)" } ?? "")
  }

  func avalanche(_ avalanche: KeyValueTrace.Avalanche) -> FindingsAnswer.Finding {
    var lines: [String] = []
    func list(_ branch: KeyValueTrace.Avalanche.Branch, depth: Int) {
      guard lines.count < 16, depth < 6 else { return }
      let count = branch.count > 1 ? "\(branch.count) × " : ""
      lines.append(
        String(repeating: "\u{2007}\u{2007}", count: depth) + count
          + wording.words(for: branch.event))
      for inner in branch.branches { list(inner, depth: depth + 1) }
    }
    list(avalanche.root, depth: 0)
    return FindingsAnswer.Finding(
      kind: "avalanche",
      title: "Avalanche: one change of \(wording.subject(of: avalanche.root.event))",
      words: "It leads to \(avalanche.deliveryCount) deliveries\(mainObserver(avalanche.root)).",
      lines: lines, isSerious: true, subject: [wording.subject(of: avalanche.root.event)])
  }

  /// The observer that is called most often.
  private func mainObserver(_ root: KeyValueTrace.Avalanche.Branch) -> String {
    var most: KeyValueTrace.Avalanche.Branch?
    func look(_ branch: KeyValueTrace.Avalanche.Branch) {
      if branch.event.kind == .delivered, branch.count > most?.count ?? 0 { most = branch }
      branch.branches.forEach(look)
    }
    look(root)
    return most.map { ", \($0.count) of them to the \(observer($0.event))" } ?? ""
  }

  /// A leak, or one registration for each key of each object, which may be intended.
  func growing(_ growth: KeyValueTrace.Growth) -> FindingsAnswer.Finding {
    let isOneEach = growth.count == growth.propertyCount
    let objects = growth.objectCount == 1 ? "one object" : "\(growth.objectCount) objects"
    let each = growth.count == growth.objectCount ? "one for each of" : "one for each key of"
    return FindingsAnswer.Finding(
      kind: "growing",
      title: (isOneEach ? "Growing" : "Leak")
        + ": registrations at \(place(growth.event)) only grow in number",
      words: "\(growth.count) were made, of \(path(growth.event))"
        + "\(growth.propertyCount > growth.objectCount ? " and others" : ""), "
        + "\(isOneEach ? each : "on") \(objects), and none has ended.",
      lines: [wording.words(for: growth.event)], isSerious: !isOneEach,
      subject: [place(growth.event)])
  }

  func endedAtOnce(_ growth: KeyValueTrace.Growth) -> FindingsAnswer.Finding {
    FindingsAnswer.Finding(
      kind: "ended", title: "Ended at once: the registration at \(place(growth.event))",
      words: "Its token was released before anything could be delivered\(times(growth.count)).",
      lines: [wording.words(for: growth.event)], isSerious: true, subject: [place(growth.event)])
  }

  func equal(_ repetition: KeyValueTrace.Repetition) -> FindingsAnswer.Finding {
    FindingsAnswer.Finding(
      kind: "equal", title: "Equal values: \(path(repetition.event))",
      words: "The \(observer(repetition.event)) was called although old and new are equal"
        + "\(times(repetition.count)).",
      lines: [wording.words(for: repetition.event)], isSerious: false,
      subject: [handler(repetition.event)])
  }

  func again(_ repetition: KeyValueTrace.Repetition) -> FindingsAnswer.Finding {
    FindingsAnswer.Finding(
      kind: "again", title: "Called again: \(path(repetition.event))",
      words: "The \(observer(repetition.event)) was called \(repetition.count) times by one cause.",
      lines: [wording.words(for: repetition.event)], isSerious: false,
      subject: [handler(repetition.event)])
  }

  func violation(_ event: KeyValueTrace.Event) -> FindingsAnswer.Finding {
    let words = event.message ?? wording.words(for: event)
    return FindingsAnswer.Finding(
      kind: "violation", title: "Violation", words: words, lines: [], isSerious: true,
      subject: [words])
  }

  /// The handlers that took the most time, as one finding; nil if none ran.
  func times(_ handlers: [KeyValueTrace.HandlerTime]) -> FindingsAnswer.Finding? {
    guard !handlers.isEmpty else { return nil }
    return FindingsAnswer.Finding(
      kind: "times", title: "Handlers by time",
      words: "In the latest events, including nested calls.",
      lines: handlers.prefix(8).map { handler in
        "\(milliseconds(handler.total)) in \(handler.count) calls, the longest "
          + "\(milliseconds(handler.longest)): \(self.handler(handler.event))"
      }, isSerious: false)
  }

  // MARK: Parts

  private func path(_ event: KeyValueTrace.Event) -> String { event.subject }

  private func observer(_ event: KeyValueTrace.Event) -> String {
    event.registration?.description ?? "observer"
  }

  /// The observer and what it observes.
  private func handler(_ event: KeyValueTrace.Event) -> String {
    "\(observer(event)) of \(path(event))"
  }

  private func place(_ event: KeyValueTrace.Event) -> String {
    event.registration?.place?.description ?? "an unknown place"
  }

  private func times(_ count: Int) -> String { count > 1 ? ", \(count) times" : "" }

  private func milliseconds(_ nanoseconds: UInt64) -> String {
    let hundredths = nanoseconds / 10_000
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) ms"
  }
}
