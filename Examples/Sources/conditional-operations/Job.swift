import FoundationKVO

/// An operation that waits for conditions, in the way of the libraries around `NSOperation`.
@KeyValueObservable
class Job: FoundationKVO.Operation, @unchecked Sendable {
  private enum State: Int { case made, pending, ready, executing, finished }

  // Keys without properties of their own stand for the states.
  class func keyPathsForValuesAffectingIsReady() -> Set<String> {
    return ["state", "cancelledState"]
  }
  class func keyPathsForValuesAffectingIsExecuting() -> Set<String> { return ["state"] }
  class func keyPathsForValuesAffectingIsFinished() -> Set<String> { return ["state"] }
  class func keyPathsForValuesAffectingIsCancelled() -> Set<String> { return ["cancelledState"] }

  private let lock = NSRecursiveLock()
  private var conditions: [() -> Bool]
  private var observers: [JobObserver] = []
  private var stored = State.made
  private var cancelled = false
  private(set) var failed = 0

  init(named name: String, conditions: [() -> Bool] = []) {
    self.conditions = conditions
    super.init()
    self.name = name
  }

  private var state: State {
    get { return lock.withLock { stored } }
    set {
      willChangeValue(forKey: "state")
      lock.withLock { stored = newValue }
      didChangeValue(forKey: "state")
    }
  }

  override var isReady: Bool {
    switch state {
    case .made: return isCancelled
    case .pending where super.isReady && !isCancelled:
      failed = conditions.filter { !$0() }.count
      lock.withLock { stored = .ready }
      return true
    case .pending, .ready: return super.isReady || isCancelled
    case .executing, .finished: return false
    }
  }
  override var isExecuting: Bool { return state == .executing }
  override var isFinished: Bool { return state == .finished }
  override var isCancelled: Bool { return lock.withLock { cancelled } }

  func willEnqueue() { state = .pending }

  func add(_ observer: JobObserver) { observers.append(observer) }

  override final func main() {
    guard failed == 0, !isCancelled else { return finish() }
    state = .executing
    for observer in observers { observer.jobDidStart(self) }
    execute()
  }

  func execute() { finish() }

  override func cancel() {
    guard !isFinished, !isCancelled else { return }
    willChangeValue(forKey: "cancelledState")
    lock.withLock { cancelled = true }
    didChangeValue(forKey: "cancelledState")
    for observer in observers { observer.jobDidCancel(self) }
  }

  final func finish() {
    for observer in observers { observer.jobDidFinish(self) }
    state = .finished
  }
}

protocol JobObserver: AnyObject {
  func jobDidStart(_ job: Job)
  func jobDidCancel(_ job: Job)
  func jobDidFinish(_ job: Job)
}
