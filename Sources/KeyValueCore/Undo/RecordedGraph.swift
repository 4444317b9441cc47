/// A graph that a recorder records as a whole.
///
/// Confined to the recorder's place, as the recorder.
final class RecordedGraph {
  private(set) var root: (any KeyValueObservable)?
  /// Nil once the graph is no longer recorded; a level that is being undone may still have changes of it.
  private(set) var core: LogCore?
  private var token: KeyValueObservation?
  /// How many records of other programs it has had.
  // Unchecked: as stated in `KeyValueChangeRecorder`.
  @exclusivity(unchecked) var countOfOthers = 0
  /// The number of the last record that is forgotten, although it may not have been delivered yet.
  @exclusivity(unchecked) private(set) var lastForgotten: UInt64 = 0
  /// Whether an object has been reported that another graph of the recorder has, too.
  private var hasReportedShared = false

  #if DEBUG || KVO_AUDIT
    private let lifetime = TokenLifetime()
  #endif

  /// - Throws: As `KeyValueChangeRecorder.record(graph:)`.
  init(of root: some KeyValueObservable, for scope: RecordingScope) throws {
    let core = LogCore(LogClasses([], makesObjects: false), keepsInstances: true)
    try core.attach(to: root)
    (self.root, self.core) = (root, core)
    // Unmanaged, because the token ends with the graph.
    let unretained = Unmanaged.passUnretained(self)
    token = core.observe { (collected: ChangeCollector.Collected) in
      let graph = unretained.takeUnretainedValue()
      guard collected.number > graph.lastForgotten,
        let recorder = scope.recorder?.takeUnretainedValue()
      else { return }
      if recorder.graphs.count > 1 { graph.reportArrived(with: collected.record, recorder.graphs) }
      recorder.note(collected, graph)
    }
    core.collector.hasLeft = { scope.left() }
  }

  deinit {
    #if DEBUG || KVO_AUDIT
      if let core { EndedLog.watchRecorded(core.graph, since: lifetime) }
    #endif
    end()
  }

  /// Whether observers of a change of the graph are being called.
  var isTold: Bool { core.map { $0.collector.depth > 0 } ?? false }

  /// Forgets what the graph's changes until now have recorded, or will have recorded when their observers have been
  /// called.
  func forgetRecords() {
    guard let collector = core?.collector else { return }
    // What a group has changed until now is forgotten, too.
    if collector.isGrouping { collector.collectGroup() }
    lastForgotten = collector.recordCount
  }

  /// Reports an object that another graph of the recorder has, too.
  func reportShared(with others: [RecordedGraph]) {
    guard !others.isEmpty, let core else { return }
    report(Array(core.graph.entries.values), with: others)
  }

  /// The same for the objects that have entered with a record.
  private func reportArrived(with record: KeyValueTransactionRecord, _ others: [RecordedGraph]) {
    let arrived = record.edits.compactMap { edit -> LogGraph.Entry? in
      if case .create(let id, _, _) = edit { core?.collector.graph.entry(id) } else { nil }
    }
    report(arrived, with: others)
  }

  private func report(_ entries: [LogGraph.Entry], with others: [RecordedGraph]) {
    if hasReportedShared { return }
    for entry in entries {
      guard let other = others.first(where: { $0 !== self && $0.has(entry.instance) }) else {
        continue
      }
      (hasReportedShared, other.hasReportedShared) = (true, true)
      func name(_ graph: RecordedGraph) -> String { graph.root?.schema.name ?? "an object" }
      return KeyValueViolation.report(
        .tolerated,
        "The graphs of \(name(other)) and of \(name(self)), which one recorder records, both have the same "
          + "\(entry.type.schema.name). Its changes are recorded twice, and undo() throws at them. Record one "
          + "object that leads to both.")
    }
  }

  private func has(_ object: AnyObject) -> Bool {
    core?.collector.graph.entry(of: object) != nil
  }

  /// Stops recording; what was recorded can't be undone any more.
  func end() {
    token?.invalidate()
    core?.end()
    // An object that dies here may make changes.
    let (lastRoot, lastCore) = (root, core)
    (root, core, token) = (nil, nil, nil)
    withExtendedLifetime((lastRoot, lastCore)) {}
  }
}
