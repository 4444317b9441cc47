#if DEBUG || KVO_AUDIT
  import Synchronization

  /// Reports a log that nothing keeps, while a token of its observer is kept (Parity L3).
  ///
  /// The log ended where it began, as `TokenLifetime` says. That alone is no mistake: an object that has both
  /// may end the log just before the token. A later change of an object of the graph, with the token still
  /// alive, is one: the token's keeper expects its record.
  ///
  /// The watching ends with the last token, or with the report.
  // Checked by hand: the members are immutable; the journal's own state is used before the log's end is over, and
  // afterwards by the first caller of `stop()`.
  final class EndedLog: Journal, @unchecked Sendable {
    private struct Member {
      weak let object: (any KeyValueObservable)?
      let schema: KeyValueSchema
    }

    /// What the tokens' observances keep.
    private final class Watch: Sendable {
      let log: EndedLog

      init(_ log: EndedLog) { self.log = log }

      deinit { log.stop() }
    }

    private let root: KeyValueSchema
    private let members: [Member]
    private let hasStopped = Atomic(false)

    private init(_ graph: LogGraph, root: KeyValueSchema) {
      self.root = root
      members = graph.entries.values.map { Member(object: $0.object, schema: $0.type.schema) }
      super.init()
      for entry in graph.entries.values { attach(to: entry.object, entry.type.schema) }
    }

    /// Watches the objects of a log that is ending, for the observers whose tokens are alive.
    static func watch(_ graph: LogGraph, for observances: [Observance], since: TokenLifetime) {
      guard since.wasUseless, let root = graph.root?.type.schema else { return }
      let kept = observances.filter(\.isActive)
      if kept.isEmpty { return }
      let watch = Watch(EndedLog(graph, root: root))
      for observance in kept { observance.audit.withLock { $0.endedLog = watch } }
    }

    override func changed(_ entry: Entry) {
      stop()
      ReportOnce.tolerated("log not kept", of: root.type, "", isProblem: false) {
        "A KeyValueChangeLog of \(root.name) ended at once, because nothing keeps it, so its observer gets no "
          + "record of this change, although its token is kept. A token does not keep its log: keep the "
          + "log, too. If it was to end, end the observer with invalidate()."
      }
    }

    private func stop() {
      if hasStopped.exchange(true, ordering: .acquiringAndReleasing) { return }
      for member in members {
        if let object = member.object { detach(from: object, member.schema) }
      }
      end()
    }
  }
#endif
