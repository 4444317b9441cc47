import KeyValueCore

/// An operation's state.
///
/// An operation waits, executes, and has finished. `claimStart`, `claimCancel` and `finish` each let one
/// thread through. Nothing is called under the lock, and no object is deallocated there.
// Checked by hand: `lock` guards `state`.
final class OperationLife: @unchecked Sendable {
  enum Phase {
    case waiting
    case executing
    case finished
  }

  /// What continues when an operation has finished.
  struct Waiting {
    let dependants: [Operation]
    let completion: (@Sendable () -> Void)?
    let queue: OperationQueue?
  }

  private struct Dependant {
    weak var operation: Operation?
  }

  private struct State {
    var phase = Phase.waiting
    var isStarted = false
    var isCancelling = false
    var isCancelled = false
    /// The threads that are announcing `isFinished` or calling its observers, once for each announcement and for
    /// each call.
    var telling: [ObjectIdentifier] = []
    var hasFinished = false
    var dependencies: [Operation] = []
    var unfinished: Set<ObjectIdentifier> = []
    var dependants: [Dependant] = []
    var isEnqueued = false
    var isBarrier = false
    weak var queue: OperationQueue?
    var completion: (@Sendable () -> Void)?
    var priority = Operation.QueuePriority.normal
    var quality = QualityOfService.default
    var threadPriority = 0.5
    var name: String?
    var tokens: [NSKeyValueObservation] = []
  }

  private let lock = UnfairLock()
  private var state = State()
  /// Opens when the operation has finished and its observers have been called.
  let gate = OperationGate()

  private func update<Value>(_ body: (inout State) -> Value) -> Value {
    lock.withLock { body(&state) }
  }

  // MARK: Properties

  var phase: Phase {
    get { lock.withLock { state.phase } }
    set { lock.withLock { state.phase = newValue } }
  }

  var isReady: Bool { lock.withLock { state.unfinished.isEmpty || state.isCancelled } }
  var isCancelled: Bool { lock.withLock { state.isCancelled } }
  var dependencies: [Operation] { lock.withLock { state.dependencies } }
  var queue: OperationQueue? { lock.withLock { state.queue } }
  var isBarrier: Bool { lock.withLock { state.isBarrier } }
  var completion: (@Sendable () -> Void)? { lock.withLock { state.completion } }

  var priority: Operation.QueuePriority {
    get { lock.withLock { state.priority } }
    set { lock.withLock { state.priority = newValue } }
  }

  var quality: QualityOfService {
    get { lock.withLock { state.quality } }
    set { lock.withLock { state.quality = newValue } }
  }

  var threadPriority: Double {
    get { lock.withLock { state.threadPriority } }
    set { lock.withLock { state.threadPriority = newValue } }
  }

  var name: String? {
    get { lock.withLock { state.name } }
    set { lock.withLock { state.name = newValue } }
  }

  func keep(_ token: NSKeyValueObservation) {
    update { $0.tokens.append(token) }
  }

  func setCompletion(_ block: (@Sendable () -> Void)?) {
    let old = update { state in
      let old = state.completion
      state.completion = block
      return old
    }
    withExtendedLifetime(old) {}
  }

  // MARK: Claims

  func claimStart() -> Bool {
    update { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
  }

  func claimCancel() -> Bool {
    update { state in
      defer { state.isCancelling = true }
      return !state.isCancelling
    }
  }

  func cancel() { update { $0.isCancelled = true } }

  // MARK: Waiting

  /// Whether the operation wasn't in a queue before.
  func claim(for queue: OperationQueue, isBarrier: Bool) -> Bool {
    update { state in
      if state.isEnqueued { return false }
      state.isEnqueued = true
      state.isBarrier = isBarrier
      state.queue = queue
      return true
    }
  }

  /// Notes that this thread is announcing `isFinished` or calling its observers.
  func beginTelling() {
    let thread = ObjectIdentifier(Thread.current)
    update { $0.telling.append(thread) }
  }

  func endTelling() {
    let thread = ObjectIdentifier(Thread.current)
    update { state in
      if let index = state.telling.lastIndex(of: thread) { state.telling.remove(at: index) }
    }
  }

  /// Whether a thread is announcing `isFinished` or calling its observers, and lets others continue after them.
  var isTelling: Bool { lock.withLock { !state.telling.isEmpty } }

  /// Waits until the operation has finished and its observers have been called; an observer doesn't wait for
  /// itself.
  func wait() {
    let thread = ObjectIdentifier(Thread.current)
    if !update({ $0.telling.contains(thread) }) { gate.wait() }
  }

  /// What continues now; nil if it was returned before.
  func finish() -> Waiting? {
    update { state in
      if state.hasFinished { return nil }
      state.hasFinished = true
      defer { (state.dependants, state.completion) = ([], nil) }
      return Waiting(
        dependants: state.dependants.compactMap(\.operation), completion: state.completion,
        queue: state.queue)
    }
  }

  // MARK: Dependencies

  /// Adds a dependency to wait for; returns whether it's new.
  func add(_ operation: Operation) -> Bool {
    update { state in
      if state.dependencies.contains(where: { $0 === operation }) { return false }
      state.dependencies.append(operation)
      state.unfinished.insert(ObjectIdentifier(operation))
      return true
    }
  }

  /// Returns false if this operation has finished.
  func addDependant(_ operation: Operation) -> Bool {
    update { state in
      if state.hasFinished { return false }
      state.dependants.append(Dependant(operation: operation))
      return true
    }
  }

  func forget(_ operation: Operation) {
    update { _ = $0.unfinished.remove(ObjectIdentifier(operation)) }
  }

  /// Forgets a dependency, unless its end makes the operation ready.
  func forgetUnlessLast(_ operation: Operation) -> Bool {
    update { state in
      let identity = ObjectIdentifier(operation)
      if state.unfinished == [identity], !state.isCancelled { return false }
      state.unfinished.remove(identity)
      return true
    }
  }

  func remove(_ operation: Operation) {
    // The caller retains the operation, so it isn't deallocated here.
    update { state in
      state.dependencies.removeAll { $0 === operation }
      state.unfinished.remove(ObjectIdentifier(operation))
    }
  }
}

/// A gate where threads wait until it opens permanently.
// Checked by hand: `isOpen` is accessed only inside `condition`.
final class OperationGate: @unchecked Sendable {
  private let condition = NSCondition()
  private var isOpen = false

  func wait() {
    condition.withLock { while !isOpen { condition.wait() } }
  }

  func open() {
    condition.withLock {
      isOpen = true
      condition.broadcast()
    }
  }
}
