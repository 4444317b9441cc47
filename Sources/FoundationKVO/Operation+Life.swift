import KeyValueCore

/// An operation's state.
///
/// An operation waits, executes, and has finished. `claimStart`, `claimCancel`, `claimWatch` and `finish`
/// each let one thread through. Nothing is called under the lock, and no object is deallocated there.
// Checked by hand: `lock` guards `state`.
final class OperationLife: @unchecked Sendable {
  enum Phase {
    case waiting
    case executing
    case finished
  }

  /// A state that others wait for, by its key.
  enum Followed: String {
    case isReady
    case isFinished
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
    var isWatched = false
    /// The threads that are announcing that the operation has finished, and then let others continue.
    var telling: [ObjectIdentifier] = []
    /// How many of those are still calling observers.
    var announcing = 0
    var hasFinished = false
    var dependencies: [Operation] = []
    var unfinished: Set<ObjectIdentifier> = []
    var dependants: [Dependant] = []
    var isEnqueued = false
    weak var queue: OperationQueue?
    var completion: (@Sendable () -> Void)?
    var priority = Operation.QueuePriority.normal
    var quality = QualityOfService.default
    var threadPriority = 0.5
    var name: String?
    var tokens: [NSKeyValueObservation] = []
    var changes: [Followed: Changes] = [:]
  }

  /// How many changes of a state are under way.
  private struct Changes {
    /// All of them.
    var begun = Count()
    /// Those of them after which the state is looked at anyway.
    var followed = Count()
  }

  private struct Count {
    private(set) var value = 0

    mutating func begin() { value += 1 }

    /// The death of an object that the state depends on is a change that only ends.
    mutating func end() { value = max(0, value - 1) }
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

  /// Whether the operation was ready; nil if it's already cancelled.
  func claimCancel() -> Bool? {
    update { state in
      if state.isCancelling { return nil }
      state.isCancelling = true
      return state.unfinished.isEmpty
    }
  }

  func cancel() { update { $0.isCancelled = true } }

  func claimWatch() -> Bool {
    update { state in
      defer { state.isWatched = true }
      return !state.isWatched
    }
  }

  // MARK: Changes that are under way

  func beginChange(of followed: Followed) {
    update { $0.changes[followed, default: Changes()].begun.begin() }
  }

  /// Whether the state has to be looked at now.
  ///
  /// With several changes under way, one look too many does no harm. If a followed change ends later, the look
  /// after it counts for this change, too.
  func endChange(of followed: Followed) -> Bool {
    update { state in
      var changes = state.changes[followed] ?? Changes()
      defer { state.changes[followed] = changes }
      changes.begun.end()
      return changes.begun.value >= changes.followed.value
    }
  }

  func beginFollowedChange(of followed: Followed) {
    update { $0.changes[followed, default: Changes()].followed.begin() }
  }

  func endFollowedChange(of followed: Followed) {
    update { $0.changes[followed, default: Changes()].followed.end() }
  }

  // MARK: Waiting

  /// Whether the operation wasn't in a queue before.
  func claim(for queue: OperationQueue) -> Bool {
    update { state in
      if state.isEnqueued { return false }
      state.isEnqueued = true
      state.queue = queue
      return true
    }
  }

  /// Runs the code that announces that the operation has finished.
  func telling(_ body: () -> Void) {
    let thread = ObjectIdentifier(Thread.current)
    update { $0.telling.append(thread) }
    body()
    update { state in
      if let index = state.telling.lastIndex(of: thread) { state.telling.remove(at: index) }
    }
  }

  /// Postpones what continues then until observers have been called.
  func announcing(_ body: () -> Void) {
    update { $0.announcing += 1 }
    body()
    update { $0.announcing -= 1 }
  }

  /// Waits until the operation has finished and its observers have been called; an observer doesn't wait for
  /// itself.
  func wait() {
    let thread = ObjectIdentifier(Thread.current)
    if !update({ $0.telling.contains(thread) }) { gate.wait() }
  }

  /// What continues now; nil if it was returned before, or while observers are still being called.
  func finish() -> Waiting? {
    update { state in
      if state.hasFinished || state.announcing > 0 || !state.isWatched { return nil }
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
