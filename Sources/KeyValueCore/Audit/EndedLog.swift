#if DEBUG || KVO_AUDIT
  import Synchronization

  /// Reports a log that nothing keeps, while a token of its observer is kept, and a recorder of a graph that
  /// nothing keeps (Parity L3).
  ///
  /// The log ended where it began, as `TokenLifetime` says. That alone is no mistake: an object that has both
  /// may end the log just before the token. A later change of an object of the graph, with the token still
  /// alive, is one: the token's keeper expects its record. A recorder may end just before its graph, so it's
  /// reported by a later change, too.
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

    /// What has kept the log.
    private enum Keeper {
      case program, recorder

      func report(_ root: KeyValueSchema) -> String {
        switch self {
        case .program:
          "A KeyValueChangeLog of \(root.name) ended at once, because nothing keeps it, so its observer gets no "
            + "record of this change, although its token is kept. A token does not keep its log: keep the "
            + "log, too. If it was to end, end the observer with invalidate()."
        case .recorder:
          "The recording of the graph of \(root.name) ended at once, because its recorder was not kept, so this "
            + "change can't be undone. Keep the recorder as long as it is needed, in a property. If it was to end, "
            + "end it with stopRecording(graph:)."
        }
      }
    }

    /// Those that watch; a token's end or the report takes one out.
    private static let watching = LockedValue<[EndedLog]>([])

    private let keeper: Keeper
    private let root: KeyValueSchema
    private let members: [Member]
    private let hasStopped = Atomic(false)

    private init(of keeper: Keeper, _ graph: LogGraph, root: KeyValueSchema) {
      self.keeper = keeper
      self.root = root
      members = graph.entries.values.map { Member(object: $0.object, schema: $0.type.schema) }
      super.init()
      for entry in graph.entries.values { attach(to: entry.object, entry.type.schema) }
    }

    /// Watches the objects of a log that is ending, for the observers whose tokens are alive.
    static func watch(_ graph: LogGraph, for observances: [Observance], since: TokenLifetime) {
      guard let root = root(of: graph, endedAtOnce: since) else { return }
      let kept = observances.filter(\.isActive)
      if kept.isEmpty { return }
      let watch = Watch(begin(of: .program, graph, root))
      for observance in kept { observance.audit.withLock { $0.endedLog = watch } }
    }

    /// Watches the objects of a graph whose recorder is ending.
    static func watchRecorded(_ graph: LogGraph, since: TokenLifetime) {
      guard let root = root(of: graph, endedAtOnce: since) else { return }
      _ = begin(of: .recorder, graph, root)
    }

    private static func begin(
      of keeper: Keeper, _ graph: LogGraph, _ root: KeyValueSchema
    ) -> EndedLog {
      let log = EndedLog(of: keeper, graph, root: root)
      // Objects that others watch may have died without a change.
      let dead = watching.withLock(\.self).filter(\.isDead)
      watching.withLock { all in
        all.removeAll { other in dead.contains { $0 === other } }
        all.append(log)
      }
      return log
    }

    /// The class of a graph's root, if its log or recorder ended where it began.
    private static func root(
      of graph: LogGraph, endedAtOnce lifetime: TokenLifetime
    ) -> KeyValueSchema? {
      lifetime.wasUseless ? graph.root?.type.schema : nil
    }

    private var isDead: Bool { members.allSatisfy { $0.object == nil } }

    override func changed(_ entry: Entry) {
      stop()
      ReportOnce.tolerated("\(keeper) doesn't keep its log", of: root.type, "", isProblem: false) {
        keeper.report(root)
      }
    }

    private func stop() {
      if hasStopped.exchange(true, ordering: .acquiringAndReleasing) { return }
      let own = EndedLog.watching.withLock { all in
        all.firstIndex { $0 === self }.map { all.remove(at: $0) }
      }
      withExtendedLifetime(own) {}
      for member in members {
        if let object = member.object { detach(from: object, member.schema) }
      }
      end()
    }
  }
#endif
