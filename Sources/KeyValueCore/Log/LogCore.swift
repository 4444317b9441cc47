/// What a log does, whatever the class of its root.
///
/// Confined to where the objects are used; so exclusivity is unchecked.
final class LogCore {
  let collector: ChangeCollector
  /// The graph as all changes until now have left it.
  var graph: LogGraph {
    collector.settingsEnd()
    return collector.graph
  }
  private(set) var classes: LogClasses
  @exclusivity(unchecked) private var observers: [Observer] = [] {
    didSet { collector.setListening(!observers.isEmpty) }
  }

  /// The number of observers at which those that have ended are forgotten before another one is added.
  @exclusivity(unchecked) private var observerLimit = 16

  #if DEBUG || KVO_AUDIT
    private let lifetime = TokenLifetime()
    /// The classes of which it's known whether a snapshot of them can be restored.
    var checkedClasses: Set<ObjectIdentifier> = []
  #endif

  private struct Observer {
    let observance: Observance
    /// How many records had been made when it began; what these changed had happened then.
    let countBefore: UInt64
    let handler: ObserverHandler
  }

  /// An observer's handler, which is released when the observance ends, on any thread.
  // Checked by hand: the handler is accessed only inside `lock`, and is called only where the log is used.
  private final class ObserverHandler: @unchecked Sendable {
    private let lock = UnfairLock()
    @exclusivity(unchecked) private var held: ((ChangeCollector.Collected) -> Void)?

    init(_ handler: @escaping (ChangeCollector.Collected) -> Void) { held = handler }

    var call: ((ChangeCollector.Collected) -> Void)? {
      // A closure that a generic function returns is wrapped, which takes 300 instructions.
      lock.lock()
      defer { lock.unlock() }
      return held
    }

    func release() {
      let released = lock.withLock { held.take() }
      withExtendedLifetime(released) {}
    }
  }

  init(_ classes: LogClasses, keepsInstances: Bool = false) {
    self.classes = classes
    collector = ChangeCollector(keepsInstances: keepsInstances)
    graph.admits = { [unowned self] in try self.classes.admit($0) }
    if !classes.makesObjects {
      graph.standsIn = { [unowned self] schema, problem in
        LoggedClass(unlogged: schema, as: self.classes.noteUnlogged(schema.type), problem)
      }
    }
    collector.deliver = { [unowned self] in deliver($0) }
  }

  func attach(to root: any KeyValueObservable) throws {
    do {
      try graph.setRoot(root)
    } catch {
      graph.detachAll()
      throw error
    }
  }

  /// Detaches from all objects and ends the observers; a transaction may still hold the collector.
  func end() {
    collector.forgetLasting()
    graph.detachAll()
    collector.deliver = { _ in }
    collector.hasLeft = nil
    graph.admits = { _ in }
    graph.standsIn = nil
    for observer in observers { observer.observance.end() }
    observers = []
  }

  deinit {
    #if DEBUG || KVO_AUDIT
      EndedLog.watch(graph, for: observers.map(\.observance), since: lifetime)
    #endif
    end()
  }

  // MARK: Observers

  func observe(_ handler: @escaping (KeyValueTransactionRecord) -> Void) -> KeyValueObservation {
    observe { (collected: ChangeCollector.Collected) in handler(collected.record) }
  }

  /// `onEnd` is called once after the observation has ended; then the handler is released.
  func observe(
    isReceiverAlive: @escaping @Sendable () -> Bool = { true }, destination: String? = nil,
    onEnd: @escaping @Sendable () -> Void = {},
    _ handler: @escaping (ChangeCollector.Collected) -> Void
  ) -> KeyValueObservation {
    let handler = ObserverHandler(handler)
    let policy = ObservancePolicy(isReceiverAlive: isReceiverAlive, destination: destination) {
      onEnd()
      handler.release()
    }
    let observance = Observance(ObservedPath([]), options: [], policy: policy) { _, _, _ in }
    let observer = Observer(
      observance: observance, countBefore: collector.recordCount, handler: handler)
    if observers.count >= observerLimit { forgetEnded() }
    observers.append(observer)
    return KeyValueObservation(observance)
  }

  private func deliver(_ collected: ChangeCollector.Collected) {
    var haveAllStayed = true
    for observer in observers {
      let observance = observer.observance
      if observance.isActive {
        if !observance.isObserverAlive {
          observance.end()
        } else if collected.number > observer.countBefore {
          observer.handler.call?(collected)
        }
      }
      haveAllStayed = haveAllStayed && observance.isActive
    }
    if !haveAllStayed { forgetEnded() }
  }

  private func forgetEnded() {
    observers = observers.filter(\.observance.isActive)
    observerLimit = max(16, 2 * observers.count)
  }

  // MARK: State

  func snapshot() throws -> KeyValueSnapshot {
    if graph.hasRefused { try graph.checkReferences() }
    #if DEBUG || KVO_AUDIT
      reportUnfindable()
    #endif
    var objects = [KeyValueObjectID: KeyValueSnapshot.Object](minimumCapacity: graph.entries.count)
    let left = graph.hideUnreached()
    defer { graph.unhideUnreached() }
    // Encoding a value may let objects leave. So all are retained until each has been written.
    let entries = Array(graph.entries.values)
    for entry in entries where left.isEmpty || !left.contains(entry.identity) {
      objects[entry.id] = .init(class: entry.type.name, values: try graph.values(of: entry))
    }
    return KeyValueSnapshot(root: graph.rootID, objects: objects)
  }

  func restore(_ snapshot: KeyValueSnapshot) throws -> any KeyValueObservable {
    defer { graph.endArrivals() }
    // As in an initialiser, no property observers run.
    var application = LogApplication(
      to: graph, collector, classes, runsPropertyObservers: false)
    let reachable = try snapshot.completelyReachable()
    // Each reachable object is there, and is listed once.
    let isWhole = reachable.count == snapshot.objects.count
    let stray = isWhole ? [] : Set(snapshot.objects.keys).subtracting(reachable)
    if let id = stray.min(by: { $0.number < $1.number }) {
      throw KeyValueLogError.invalidEdit(
        .init(
          object: id, type: snapshot.objects[id]?.class,
          reason: "nothing in the snapshot leads to it"))
    }
    try RecordedForm.snapshot.explainingUnknownKeys {
      try application.make(reachable) { snapshot.objects[$0] }
    }
    try application.checkReach(reachable, in: snapshot)
    let root = try graph.instance(snapshot.root)
    application.performArrivals()
    try attach(to: root)
    return root
  }

  private func application(runsPropertyObservers: Bool) -> LogApplication {
    LogApplication(
      to: graph, collector, classes, runsPropertyObservers: runsPropertyObservers,
      observing: classes.observing)
  }

  // MARK: Applying

  /// Begins to apply a record or a snapshot; the caller ends it.
  ///
  /// What another one changed now would contradict what has been prepared, and the log takes each expected change for
  /// one of the last record that it was given.
  ///
  /// - Throws: `KeyValueLogError.incompleteChange`, while another one is prepared, or isn't complete.
  private func beginApplying() throws {
    guard collector.mayApply else {
      throw KeyValueLogError.incompleteChange(
        .init(
          reason: "apply() was called while the log applied another record or snapshot, whose "
            + "changes had not all been made"))
    }
    collector.isApplying = true
  }

  private func endApplying() {
    collector.isApplying = false
    graph.endArrivals()
  }

  /// Applies a record, or throws and changes nothing.
  func apply(
    _ record: KeyValueTransactionRecord, from origin: String?, runsPropertyObservers: Bool
  ) throws {
    try beginApplying()
    defer { endApplying() }
    var application = application(runsPropertyObservers: runsPropertyObservers)
    try RecordedForm.record.explainingUnknownKeys { try application.prepare(record) }
    application.keepTargets()
    var applied = record
    applied.edits = application.edits ?? []
    if let origin { applied.origin = .remote(origin) }
    perform(
      application, applied, asTransaction: record.isTransaction || !application.isOneOperation)
  }

  func apply(
    _ snapshot: KeyValueSnapshot, from origin: String?, runsPropertyObservers: Bool
  ) throws {
    try beginApplying()
    defer { endApplying() }
    var application = application(runsPropertyObservers: runsPropertyObservers)
    try RecordedForm.snapshot.explainingUnknownKeys { try application.prepare(snapshot) }
    application.keepTargets()
    if application.changeCount == 0 { return }
    let record = KeyValueTransactionRecord(
      application.edits ?? [], isTransaction: true, origin: origin.map { .remote($0) } ?? .local)
    perform(application, record, asTransaction: true)
  }

  private func perform(
    _ application: LogApplication, _ record: KeyValueTransactionRecord, asTransaction: Bool
  ) {
    guard case .remote(let author) = record.origin else {
      return performHere(application, record, asTransaction: asTransaction)
    }
    // A setting that lasts would be this program's as well as the other writer's.
    ThreadContext.current?.endLastingSettings()
    ThreadContext.performing(from: author) {
      performHere(application, record, asTransaction: asTransaction)
      ThreadContext.current?.endLastingSettings()
    }
  }

  private func performHere(
    _ application: LogApplication, _ record: KeyValueTransactionRecord, asTransaction: Bool
  ) {
    if Transaction.current != nil { return application.perform() }
    // An observer of another record's last change may have called, or one of a proxy's operation.
    let outer = collector.applied
    if collector.isGrouping { collector.collectGroup() }
    collector.applied = record
    defer {
      if collector.isGrouping { collector.collectGroup() }
      collector.applied = outer
    }
    // A transaction of one change would merge an empty insertion into a setting, for example.
    if asTransaction {
      Transaction.perform(rollingBack: false) { application.perform() }
    } else {
      application.performAsOneOperation()
    }
  }
}
