import FoundationKVO
import Testing

/// An operation that first evaluates conditions, and has states of its own, among them whether it's cancelled.
// Checked by hand: the states are accessed only inside `lock`.
@KeyValueObservable
private class Job: Operation, @unchecked Sendable {
  enum State: Int { case made, pending, ready, executing, finished }

  typealias Condition = @Sendable (Job) -> Bool

  @KeyValueIgnored private let lock = NSRecursiveLock()
  @KeyValueIgnored private var current = State.made
  @KeyValueIgnored private var isMarked = false
  @KeyValueIgnored private var conditions: [Condition]
  @KeyValueIgnored private(set) var failures = 0
  @KeyValueIgnored let history: History
  @KeyValueIgnored let title: String
  @KeyValueIgnored let evaluated = DispatchSemaphore(value: 0)

  init(_ title: String, _ history: History, _ conditions: [Condition] = []) {
    (self.title, self.history, self.conditions) = (title, history, conditions)
    super.init()
  }

  class func keyPathsForValuesAffectingIsReady() -> Set<String> { ["state", "isCancelled"] }
  class func keyPathsForValuesAffectingIsExecuting() -> Set<String> { ["state"] }
  class func keyPathsForValuesAffectingIsFinished() -> Set<String> { ["state"] }

  fileprivate var state: State {
    get { lock.withLock { current } }
    set {
      willChangeValue(forKey: "state")
      // Conditions can still be evaluated after a cancelled job has finished, which is a job's last state.
      lock.withLock { if current != .finished { current = newValue } }
      didChangeValue(forKey: "state")
    }
  }

  override var isReady: Bool {
    switch state {
    case .made: return isCancelled
    case .pending:
      if isCancelled { return true }
      if super.isReady { evaluate() }
      return false
    case .ready: return super.isReady || isCancelled
    default: return false
    }
  }
  override var isExecuting: Bool { state == .executing }
  override var isFinished: Bool { state == .finished }
  override var isCancelled: Bool { lock.withLock { isMarked } }

  func willEnqueue() { state = .pending }

  private func evaluate() {
    let conditions = lock.withLock { () -> [Condition]? in
      defer { self.conditions = [] }
      return isEvaluated ? nil : self.conditions
    }
    guard let conditions else { return }
    isEvaluated = true
    DispatchQueue.global().async {
      self.failures = conditions.count { !$0(self) }
      self.state = .ready
      self.evaluated.signal()
    }
  }
  @KeyValueIgnored private var isEvaluated = false

  override final func main() {
    guard failures == 0, !isCancelled else { return finish() }
    state = .executing
    history.add("\(title) starts")
    execute()
  }

  func execute() { finish() }

  /// Cancels without the superclass's method, which would set the flag that this class replaces.
  override func cancel() {
    if isFinished { return }
    // Before the change, after which another thread may finish the job.
    history.add("\(title) cancelled")
    willChangeValue(forKey: "isCancelled")
    lock.withLock { isMarked = true }
    didChangeValue(forKey: "isCancelled")
    if state.rawValue > State.ready.rawValue { finish() }
  }

  func finish() {
    let isFirst = lock.withLock { () -> Bool in
      defer { isDone = true }
      return !isDone
    }
    guard isFirst else { return }
    history.add("\(title) finishes, \(failures) failed")
    state = .finished
  }
  @KeyValueIgnored private var isDone = false
}

extension Job {
  /// Waits until the job has finished; a job that never does fails the test.
  fileprivate func finishesInTime(sourceLocation: SourceLocation = #_sourceLocation) {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      self.waitUntilFinished()
      done.signal()
    }
    #expect(done.isSignalledInTime(), sourceLocation: sourceLocation)
  }
}

/// A queue that lets its jobs know that they're in it.
private final class JobQueue: OperationQueue, @unchecked Sendable {
  func add(_ jobs: Job...) {
    for job in jobs {
      job.willEnqueue()
      addOperation(job)
    }
  }
}

/// A job that takes time.
private final class Delay: Job, @unchecked Sendable {
  override func execute() {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2)) { self.finish() }
  }
}

@Suite("Operations with conditions")
struct ConditionTests {
  private let history = History()
  private let queue = JobQueue()

  @Test("Cocoa's start() reads its own flag, so main() runs where isCancelled is overridden")
  func cancelledBeforeStart() {
    let job = Job("job", history)
    queue.isSuspended = true
    queue.add(job)
    job.cancel()
    queue.isSuspended = false
    job.finishesInTime()
    #expect(history.take() == ["job cancelled", "job finishes, 0 failed"])
    #expect(job.isFinished && job.isCancelled)
  }

  @Test("a job that's cancelled and finishes while its conditions are evaluated stays finished")
  func finishedWhileEvaluated() {
    let untilFinished: Job.Condition = {
      $0.waitUntilFinished()
      return true
    }
    let job = Job("job", history, [untilFinished])
    queue.add(job)
    job.cancel()
    job.finishesInTime()
    job.evaluated.wait()
    #expect(history.take() == ["job cancelled", "job finishes, 0 failed"])
    #expect(job.isFinished && job.isCancelled)
  }

  @Test("a job that's cancelled before it's in a queue, or while it runs, finishes once")
  func cancelled() {
    let early = Job("early", history)
    early.cancel()
    queue.add(early)
    early.finishesInTime()
    #expect(history.take() == ["early cancelled", "early finishes, 0 failed"])
    let running = Endless("running", history)
    queue.add(running)
    running.begun.wait()
    running.cancel()
    running.finishesInTime()
    running.cancel()
    #expect(
      history.take() == ["running starts", "running cancelled", "running finishes, 0 failed"])
  }

  @Test("conditions are evaluated once; a job of which one fails finishes without running")
  func conditions() {
    let (good, bad) = (Job("good", history, [{ _ in true }]), Job("bad", history, [{ _ in false }]))
    queue.add(good)
    good.finishesInTime()
    queue.add(bad)
    bad.finishesInTime()
    #expect(
      history.take() == ["good starts", "good finishes, 0 failed", "bad finishes, 1 failed"])
  }

  @Test("a dependency in another queue holds a job up, its end makes the job evaluate conditions")
  func dependencies() {
    let other = JobQueue()
    let first = Delay("first", history)
    let second = Job("second", history, [{ _ in first.isFinished }])
    second.addDependency(first)
    queue.add(second)
    other.add(first)
    second.finishesInTime()
    #expect(
      history.take() == [
        "first starts", "first finishes, 0 failed", "second starts", "second finishes, 0 failed",
      ])
  }

  @Test("a cancelled job doesn't wait for its dependency")
  func cancelledDependant() {
    let never = Job("never", history)
    let job = Job("job", history)
    job.addDependency(never)
    queue.add(job)
    job.cancel()
    job.finishesInTime()
    #expect(history.take() == ["job cancelled", "job finishes, 0 failed"])
    #expect(!never.isFinished)
  }

  @Test("observers of a job's keys are called in the order of its states")
  func observers() {
    let job = Delay("job", history)
    let observer = HistoryObserver(history)
    for key in ["isExecuting", "isFinished"] {
      job.addObserver(observer, forKeyPath: key, options: .new, context: nil)
    }
    queue.add(job)
    job.finishesInTime()
    // A state's announcement may overtake the one before it on another thread, so a value may come twice.
    let told = history.take().filter { $0.hasSuffix("new 1") }
    #expect(told.first == "isExecuting new 1" && told.last == "isFinished new 1")
    #expect(told.count { $0 == "isFinished new 1" } == 1)
  }
}

/// A job that runs until it's cancelled.
private final class Endless: Job, @unchecked Sendable {
  let begun = DispatchSemaphore(value: 0)
  override func execute() { begun.signal() }
}
