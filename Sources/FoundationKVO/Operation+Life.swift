import KeyValueCore

/// An operation's state.
///
/// An operation waits, executes, and has finished. `claimStart`, `claimCancel` and `finish` each let one
/// thread through. Nothing is called under the lock, and no object is deallocated there.
// Checked by hand: `lock` guards `state`.
package final class OperationLife: @unchecked Sendable {
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
    /// How often it was added and not taken back.
    var count = 1
    /// Increases from one dependant to the next one that's added.
    let number: Int
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
    /// By identity; an operation that has died may have had that of a new one.
    var dependants: [ObjectIdentifier: Dependant] = [:]
    var growth = GrowthLimit()
    var addedCount = 0
    var isEnqueued = false
    var isBarrier = false
    weak var queue: OperationQueue?
    var completion: (@Sendable () -> Void)?
    var priority = Operation.QueuePriority.normal
    var quality = QualityOfService.default
    var threadPriority = 0.5
    var name: String?
    var tokens: [NSKeyValueObservation] = []

    /// The living dependants, in the order in which they were added.
    var livingDependants: [Operation] {
      let numbered = dependants.values.compactMap { dependant in
        dependant.operation.map { (dependant.number, $0) }
      }
      return numbered.sorted { $0.0 < $1.0 }.map { $0.1 }
    }
  }

  private let lock = UnfairLock()
  private var state = State()
  /// Where threads wait for the operation's end.
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
    let isFirst = update { state -> Bool in
      defer { state.telling.append(thread) }
      return !state.telling.contains(thread)
    }
    if isFirst { ToldOperations.ofThisThread.begin(self) }
  }

  func endTelling() {
    let thread = ObjectIdentifier(Thread.current)
    let wasLast = update { state -> Bool in
      guard let index = state.telling.lastIndex(of: thread) else { return false }
      state.telling.remove(at: index)
      return !state.telling.contains(thread)
    }
    if wasLast { ToldOperations.ofThisThread.end(self) }
  }

  /// Whether this thread is announcing the end of any operation or calling its observers.
  ///
  /// A caller that waits there doesn't wait for other observers, which may wait for it.
  package static var holdsUpOthers: Bool { ToldOperations.ofThisThread.holdsUpOthers }

  /// Starts what may start in every queue that this thread is removing an operation from, because the caller waits.
  ///
  /// The queues themselves do so only after their observers.
  static func startHeldUp() { ToldOperations.ofThisThread.startHeldUp() }

  /// Whether a thread is announcing `isFinished` or calling its observers, and lets others continue after them.
  var isTelling: Bool { lock.withLock { !state.telling.isEmpty } }

  /// Waits until the operation has finished and its observers have been called; an observer doesn't wait for
  /// itself, nor for other observers.
  func wait() {
    let thread = ObjectIdentifier(Thread.current)
    if update({ $0.telling.contains(thread) }) { return }
    gate.wait(for: Self.holdsUpOthers ? .finished : .told)
  }

  /// What continues now; nil if it was returned before.
  func finish() -> Waiting? {
    update { state in
      if state.hasFinished { return nil }
      state.hasFinished = true
      defer { (state.dependants, state.completion) = ([:], nil) }
      return Waiting(
        dependants: state.livingDependants, completion: state.completion, queue: state.queue)
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
    let identity = ObjectIdentifier(operation)
    let (isAdded, living) = update { state -> (Bool, [Operation]) in
      if state.hasFinished { return (false, []) }
      if state.dependants[identity]?.operation != nil {
        state.dependants[identity]?.count += 1
        return (true, [])
      }
      state.dependants[identity] = Dependant(operation: operation, number: state.addedCount)
      state.addedCount += 1
      if !state.growth.isExceeded(by: state.dependants.count) { return (true, []) }
      let living = state.livingDependants
      state.growth.set(living: living.count)
      state.dependants = state.dependants.filter { $0.value.operation != nil }
      return (true, living)
    }
    // Outside the lock, because each may be an operation's last reference.
    withExtendedLifetime(living) {}
    return isAdded
  }

  /// Takes back one call of `addDependant(_:)`.
  func removeDependant(_ operation: Operation) {
    let identity = ObjectIdentifier(operation)
    update { state in
      // Not all calls: another thread may be adding the operation again.
      let count = state.dependants[identity]?.count ?? 0
      if count > 1 {
        state.dependants[identity]?.count = count - 1
      } else {
        state.dependants[identity] = nil
      }
    }
  }

  /// How many operations wait for this one, dead ones included.
  package var dependantCount: Int { lock.withLock { state.dependants.count } }

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

  /// Removes a dependency; returns whether it was one.
  func remove(_ operation: Operation) -> Bool {
    // The caller retains the operation, so it isn't deallocated here.
    update { state -> Bool in
      guard let index = state.dependencies.firstIndex(where: { $0 === operation }) else {
        return false
      }
      state.dependencies.remove(at: index)
      state.unfinished.remove(ObjectIdentifier(operation))
      return true
    }
  }
}

/// The operations whose ends one thread announces, or whose observers it calls; only that thread uses it.
private final class ToldOperations {
  private struct Told {
    weak var life: OperationLife?

    /// Whether what waits for the operation can't continue yet.
    var holdsUpOthers: Bool { life.map { !$0.gate.isOpen(.told) } ?? false }
  }

  private var all: [Told] = []
  private static let key = "FoundationKVO.Operation.told"

  static var ofThisThread: ToldOperations {
    let dictionary = Thread.current.threadDictionary
    if let known = dictionary[key] as? ToldOperations { return known }
    let made = ToldOperations()
    dictionary[key] = made
    return made
  }

  /// Whether what waits for one of the operations can't continue yet.
  ///
  /// An announcement that never ends on its thread doesn't count once what waits for its operation has continued.
  var holdsUpOthers: Bool { all.contains(where: \.holdsUpOthers) }

  func startHeldUp() {
    for told in all { told.life?.queue?.startMore() }
  }

  func begin(_ life: OperationLife) {
    all = all.filter(\.holdsUpOthers) + [Told(life: life)]
  }

  func end(_ life: OperationLife) {
    all = all.filter { $0.life !== life }
  }
}

/// A gate where threads wait until it opens permanently, to its first stage or to its last.
// Checked by hand: `stage` is accessed only inside `condition`.
final class OperationGate: @unchecked Sendable {
  /// How far the end of an operation has come.
  enum Stage: Comparable {
    case unfinished
    case finished
    /// Observers have been called.
    case told
  }

  private let condition = NSCondition()
  private var stage = Stage.unfinished

  func wait(for stage: Stage) {
    condition.withLock { while self.stage < stage { condition.wait() } }
  }

  func open(_ stage: Stage) {
    condition.withLock {
      self.stage = max(self.stage, stage)
      condition.broadcast()
    }
  }

  func isOpen(_ stage: Stage) -> Bool { condition.withLock { self.stage >= stage } }
}
