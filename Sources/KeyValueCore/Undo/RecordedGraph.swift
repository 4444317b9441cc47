/// A graph that a recorder records as a whole.
///
/// Confined to the recorder's place, as the recorder.
final class RecordedGraph {
  private(set) var root: (any KeyValueObservable)?
  /// Nil once the graph is no longer recorded, which the recorder's levels outlive.
  private(set) var core: LogCore?
  private var token: KeyValueObservation?
  /// How many records of other programs it has had.
  // Unchecked: as stated in `KeyValueChangeRecorder`.
  @exclusivity(unchecked) var countOfOthers = 0

  #if DEBUG || KVO_AUDIT
    private let lifetime = TokenLifetime()
  #endif

  /// - Throws: As `KeyValueChangeRecorder.record(graph:)`.
  init(of root: some KeyValueObservable, for scope: RecordingScope) throws {
    let core = LogCore(LogClasses([], makesObjects: false), keepsInstances: true)
    try core.attach(to: root)
    (self.root, self.core) = (root, core)
    // Unmanaged, because the token ends with the graph.
    let graph = Unmanaged.passUnretained(self)
    token = core.observe { (collected: ChangeCollector.Collected) in
      scope.recorder?.takeUnretainedValue().note(collected, graph.takeUnretainedValue())
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
