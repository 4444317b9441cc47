import KeyValueCore

/// A piece of work with a state that can be observed.
///
/// ```swift
/// let queue = OperationQueue()
/// let fetch = BlockOperation { print("fetch") }
/// let show = BlockOperation { print("show") }
/// show.addDependency(fetch)
/// let observation = show.observe(\.isFinished) { show, _ in print("finished:", show.isFinished) }
/// queue.addOperations([show, fetch], waitUntilFinished: true)
/// // fetch
/// // show
/// // finished: true
/// ```
///
/// The keys `isReady`, `isExecuting`, `isFinished`, `isCancelled`, `isAsynchronous`, `dependencies`,
/// `queuePriority`, `completionBlock` and `name` can be observed. The states can also be observed as `ready`,
/// `executing`, `finished` and `cancelled`, their names in Cocoa.
///
/// **Subclasses** override `main()`. A subclass whose work outlasts `start()` overrides `start()`,
/// `isExecuting`, `isFinished` and `isAsynchronous`, and announces the two states, as in Cocoa:
///
/// ```swift
/// final class Download: Operation, @unchecked Sendable {
///   private let lock = NSLock()
///   private var isRunning = false, isDone = false
///   override var isAsynchronous: Bool { true }
///   override var isExecuting: Bool { lock.withLock { isRunning } }
///   override var isFinished: Bool { lock.withLock { isDone } }
///   override func start() {
///     set("isExecuting") { isRunning = true }
///     DispatchQueue.global().async {
///       self.set("isExecuting") { self.isRunning = false }
///       self.set("isFinished") { self.isDone = true }
///     }
///   }
///   private func set(_ key: String, _ change: () -> Void) {
///     willChangeValue(forKey: key)
///     lock.withLock(change)
///     didChangeValue(forKey: key)
///   }
/// }
/// ```
///
/// Announce outside your locks: observers run in `didChangeValue(forKey:)`, and so does the queue. A `final`
/// class that announces by key path, `willChangeValue(for: \.isFinished)`, needs `@KeyValueObservable`;
/// without it, its key paths have no names.
///
/// Threading: all members may be used on any thread. Observers are called on the thread that makes the
/// change. Dependants, the queue and ``waitUntilFinished()`` continue after the observers of `isFinished`
/// have been called. A dependant that's added once the operation has finished doesn't wait for them, and neither
/// does an observer of another operation's end. The completion block runs on an unspecified queue.
///
/// Source of the behaviour: Apple's documentation of `Operation`. This class hides Foundation's, which can't
/// be observed because its `willChangeValue(forKey:)` can't be overridden.
// Checked by hand: all state is in `OperationLife`, under its lock.
open class Operation: NSObject, @unchecked Sendable {
  /// The priority of an operation among those that are ready.
  public typealias QueuePriority = Foundation.Operation.QueuePriority

  package let life = OperationLife()

  /// Creates an operation.
  ///
  /// It observes its own states from now on, so the objects on the key paths that `isReady` and `isFinished`
  /// depend on are read here, before a subclass's initialiser continues. It costs three registrations.
  public override init() {
    super.init()
    followStates()
  }

  /// Lists the keys by hand instead of with the macro, because each announces itself.
  open override class func _$kvoDefineKeys(in schema: KeyValueSchemaBuilder) {
    super._$kvoDefineKeys(in: schema)
    schema.computed("isReady", \Operation.isReady, get: { (object: Operation) in object.isReady })
    schema.computed(
      "isExecuting", \Operation.isExecuting, get: { (object: Operation) in object.isExecuting })
    schema.computed(
      "isFinished", \Operation.isFinished, get: { (object: Operation) in object.isFinished })
    schema.computed(
      "isCancelled", \Operation.isCancelled, get: { (object: Operation) in object.isCancelled })
    schema.computed(
      "isAsynchronous", \Operation.isAsynchronous,
      get: { (object: Operation) in object.isAsynchronous })
    schema.computed(
      "isConcurrent", \Operation.isConcurrent, get: { (object: Operation) in object.isConcurrent })
    schema.computed(
      "dependencies", \Operation.dependencies, get: { (object: Operation) in object.dependencies })
    schema.computed(
      "completionBlock", \Operation.completionBlock, notifiesManually: true,
      get: { (object: Operation) in object.completionBlock }, set: { $0.completionBlock = $1 })
    schema.computed(
      "queuePriority", \Operation.queuePriority, notifiesManually: true,
      get: { (object: Operation) in object.queuePriority }, set: { $0.queuePriority = $1 })
    schema.computed(
      "qualityOfService", \Operation.qualityOfService, notifiesManually: true,
      get: { (object: Operation) in object.qualityOfService }, set: { $0.qualityOfService = $1 })
    schema.computed(
      "threadPriority", \Operation.threadPriority, notifiesManually: true,
      get: { (object: Operation) in object.threadPriority }, set: { $0.threadPriority = $1 })
    schema.computed(
      "name", \Operation.name, notifiesManually: true,
      get: { (object: Operation) in object.name }, set: { $0.name = $1 })
    // This class announces these keys, and overrides must announce them.
    for key in [
      "isReady", "isExecuting", "isFinished", "isCancelled", "isAsynchronous", "isConcurrent",
      "dependencies",
    ] { schema.completeDependencies(of: key) }
    schema.addCocoaName(of: "isReady", \Operation.isReady)
    schema.addCocoaName(of: "isExecuting", \Operation.isExecuting)
    schema.addCocoaName(of: "isFinished", \Operation.isFinished)
    schema.addCocoaName(of: "isCancelled", \Operation.isCancelled)
    schema.addCocoaName(of: "isAsynchronous", \Operation.isAsynchronous)
    schema.addCocoaName(of: "isConcurrent", \Operation.isConcurrent)
  }

  // MARK: State

  /// Whether the operation may start: it has no unfinished dependency, or it was cancelled.
  ///
  /// An override also checks `super.isReady`, and announces the key when its own condition changes.
  open var isReady: Bool { life.isReady }

  /// Whether the work is being done.
  open var isExecuting: Bool { life.phase == .executing }

  /// Whether the work is done or abandoned.
  open var isFinished: Bool { life.phase == .finished }

  /// Whether the operation was told to stop; `main()` has to check.
  open var isCancelled: Bool { life.isCancelled }

  /// Whether the work continues after `start()` returns.
  open var isAsynchronous: Bool { false }

  /// The former name of ``isAsynchronous``.
  open var isConcurrent: Bool { isAsynchronous }

  // MARK: Running

  /// Runs `main()`, and announces `isExecuting` and `isFinished`; a cancelled operation just finishes.
  ///
  /// Raises an `NSInvalidArgumentException` if the operation is running, or isn't ready.
  open func start() {
    if isFinished { return }
    let isInQueue = life.queue != nil
    if !isInQueue, !isReady {
      Exception.invalidArgument.raise(
        "\(Exception.address(of: self)): receiver is not yet ready to execute")
    }
    guard life.claimStart() else {
      Exception.invalidArgument.raise(
        "\(Exception.address(of: self)): receiver is already executing")
    }
    // As Cocoa's, its own flag: a subclass that replaces it finishes in `main()`.
    if life.isCancelled {
      change(["isFinished"]) { life.phase = .finished }
      return
    }
    change(["isExecuting"]) { life.phase = .executing }
    if let queue = life.queue { queue.callMain(of: self) } else { main() }
    change(["isFinished", "isExecuting"]) { life.phase = .finished }
  }

  /// The work; does nothing unless overridden.
  open func main() {}

  /// Marks the operation as cancelled and as ready, and announces `isReady`, unless the operation is executing.
  ///
  /// It stays in its queue until it's started there, and then finishes without calling `main()`.
  open func cancel() {
    if isFinished || !life.claimCancel() { return }
    // An override of `isReady` may depend on the cancellation, so the key is announced even if this class's
    // own value stays the same.
    change(isExecuting ? ["isCancelled"] : ["isCancelled", "isReady"]) { life.cancel() }
  }

  /// Waits until the operation has finished and its observers have been called.
  ///
  /// An observer of an operation's end waits for another operation only until that has finished, not for its
  /// observers. So two observers may wait for each other's operation. An observer of `isFinished` waits without end
  /// for an operation that starts only after it: a dependant, or the next one of a queue that runs one at a time.
  open func waitUntilFinished() {
    checkFinished()
    OperationLife.startHeldUp()
    life.wait()
  }

  private func change(_ keys: [String], _ body: () -> Void) {
    for key in keys { willChangeValue(forKey: key) }
    body()
    for key in keys.reversed() { didChangeValue(forKey: key) }
  }

  // MARK: Dependencies

  /// The operations that have to finish before this operation starts.
  ///
  /// Finished operations stay in the list.
  open var dependencies: [Operation] { life.dependencies }

  /// Makes this operation wait until another one has finished.
  ///
  /// It doesn't wait for one that has finished, whose observers may still be called.
  open func addDependency(_ op: Operation) {
    if op === self {
      Exception.invalidArgument.raise("\(Exception.address(of: self)) cannot depend on itself")
    }
    willChangeValue(forKey: "dependencies")
    willChangeValue(forKey: "isReady")
    if life.add(op) {
      op.checkFinished()
      if op.isFinished || !op.life.addDependant(self) { life.forget(op) }
    }
    didChangeValue(forKey: "isReady")
    didChangeValue(forKey: "dependencies")
  }

  /// Makes this operation no longer wait for another one.
  open func removeDependency(_ op: Operation) {
    change(["dependencies", "isReady"]) {
      if life.remove(op) { op.life.removeDependant(self) }
    }
  }

  /// Called when a dependency has finished.
  fileprivate func dependencyFinished(_ op: Operation) {
    if life.forgetUnlessLast(op) { return }
    change(["isReady"]) { life.forget(op) }
  }

  // MARK: Following the states

  /// Follows both states, whatever code announces them.
  ///
  /// What waits for a state continues after its observers, however late they were registered. An observer of
  /// `isFinished` may wait for the operation itself, so the first observation notes the thread.
  private func followStates() {
    follow("isReady", .last) { $0.life.queue?.examine($0) }
    follow("isFinished", []) { operation in
      operation.life.beginTelling()
      operation.openIfFinished()
    }
    follow("isFinished", .last) { operation in
      operation.finishIfDone()
      operation.life.endTelling()
    }
  }

  private func follow(
    _ state: String, _ options: KeyValueObservingOptions,
    _ handler: @escaping (Operation) -> Void
  ) {
    life.keep(
      Exception.raising(self) {
        try observe(state, options: options) { operation, _ in handler(operation) }
      })
  }

  // MARK: Finishing

  /// Lets everything that waits for the operation continue if it has finished without an announcement.
  func checkFinished() {
    if !life.isTelling { finishIfDone() }
  }

  /// Announces that a key is about to change, by its Swift or its Cocoa name.
  open override func willChangeValue(forKey key: String) {
    // Another thread may see the new value before this one calls the observers.
    if Operation.swiftName(of: key) == "isFinished" { life.beginTelling() }
    super.willChangeValue(forKey: Operation.swiftName(of: key))
  }

  /// `isFinished` for `finished`: announcing a state by its Cocoa name announces the property.
  private static func swiftName(of key: String) -> String {
    switch key {
    case "ready", "executing", "finished", "cancelled": "is" + key.capitalized
    default: key
    }
  }

  /// Announces that a key has changed, by its Swift or its Cocoa name.
  open override func didChangeValue(forKey key: String) {
    // Observers of `isExecuting` may be called before those of `isFinished`.
    if life.isTelling { openIfFinished() }
    super.didChangeValue(forKey: Operation.swiftName(of: key))
    if Operation.swiftName(of: key) == "isFinished" { life.endTelling() }
  }

  /// Lets observers of other operations' ends continue that wait for this one.
  private func openIfFinished() {
    if isFinished { life.gate.open(.finished) }
  }

  private func finishIfDone() {
    guard isFinished, let waiting = life.finish() else { return }
    // An end without an announcement has observers too: the queue's.
    life.beginTelling()
    defer { life.endTelling() }
    life.gate.open(.finished)
    for dependant in waiting.dependants { dependant.dependencyFinished(self) }
    if let completion = waiting.completion {
      DispatchQueue.global().async {
        completion()
        withExtendedLifetime(self) {}
      }
    }
    waiting.queue?.finished(self)
    life.gate.open(.told)
  }

  // MARK: Properties

  /// Called on an unspecified queue once the operation has finished; nil from then on.
  @preconcurrency open var completionBlock: (@Sendable () -> Void)? {
    get { life.completion }
    set {
      checkFinished()
      change(["completionBlock"]) { life.setCompletion(newValue) }
    }
  }

  /// The operation's priority among those of its queue that are ready.
  open var queuePriority: QueuePriority {
    get { life.priority }
    set {
      change(["queuePriority"]) { life.priority = newValue }
      life.queue?.priorityChanged(self)
    }
  }

  /// How urgent the work is; stored, but only the queue's value reaches Dispatch.
  open var qualityOfService: QualityOfService {
    get { life.quality }
    set { life.quality = newValue }
  }

  /// How much of the processor the work should get, from 0 to 1; stored, but unused.
  open var threadPriority: Double {
    get { life.threadPriority }
    set { change(["threadPriority"]) { life.threadPriority = newValue } }
  }

  /// A name for debugging.
  open var name: String? {
    get { life.name }
    set { change(["name"]) { life.name = newValue } }
  }
}
