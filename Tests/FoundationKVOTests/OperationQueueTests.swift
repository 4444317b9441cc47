import FoundationKVO
import Testing

/// An operation that becomes ready when the test calls `open()`.
// Checked by hand: `isOpen` is accessed only inside `lock`.
private final class Gated: Operation, @unchecked Sendable {
  private let lock = NSLock()
  private var isOpen = false
  private let work: @Sendable () -> Void

  init(_ work: @escaping @Sendable () -> Void) {
    self.work = work
    super.init()
  }

  override var isReady: Bool { lock.withLock { isOpen } && super.isReady }
  override func main() { work() }

  func open(after meanwhile: () -> Void = {}) {
    willChangeValue(forKey: "isReady")
    meanwhile()
    lock.withLock { isOpen = true }
    didChangeValue(forKey: "isReady")
  }
}

/// An operation whose states depend on its stage.
// Checked by hand: only one thread at a time changes the stage.
@KeyValueObservable
private final class Staged: Operation, @unchecked Sendable {
  /// Called after observers of a change of the stage have been looked up.
  @KeyValueIgnored var meanwhile: () -> Void = {}
  /// Called when the queue looks whether the operation is ready.
  @KeyValueIgnored var reading: () -> Void = {}

  dynamic var stage = 0 {
    willSet { meanwhile() }
  }

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    let keyPaths = super.keyPathsForValuesAffectingValue(forKey: key)
    return ["isReady", "isFinished"].contains(key) ? keyPaths.union(["stage"]) : keyPaths
  }

  override var isReady: Bool {
    reading()
    return stage > 0 && super.isReady
  }
  override var isFinished: Bool { stage > 1 }
  override func start() { stage = 2 }

  func enter(_ stage: Int, meanwhile: @escaping () -> Void) {
    self.meanwhile = meanwhile
    self.stage = stage
    self.meanwhile = {}
  }
}

/// An operation that becomes ready only when it's cancelled.
private final class Abandoned: Operation, @unchecked Sendable {
  override var isReady: Bool { isCancelled }
}

/// An operation that finishes in `start()`, and announces nothing.
// Checked by hand: only the thread that starts it changes `isDone`.
private final class Silent: Operation, @unchecked Sendable {
  private var isDone = false

  override var isFinished: Bool { isDone }
  override func start() { isDone = true }
}

/// A queue that records the operations that are added to it.
private final class Recording: OperationQueue, @unchecked Sendable {
  let history = History()

  override func addOperation(_ op: Operation) {
    history.add("\(type(of: op))")
    super.addOperation(op)
  }
}

/// A condition of an operation's readiness.
@KeyValueObservable
private final class Lock: NSObject, @unchecked Sendable {
  /// Called after observers of a change have been looked up.
  @KeyValueIgnored var meanwhile: () -> Void = {}

  dynamic var isOpen = false {
    willSet { meanwhile() }
  }
}

/// An operation that may outlive the object that its readiness depends on.
// Checked by hand: only one thread uses it before the queue does.
@KeyValueObservable
private final class Locked: Operation, @unchecked Sendable {
  dynamic weak var door: Lock?

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    let keyPaths = super.keyPathsForValuesAffectingValue(forKey: key)
    return key == "isReady" ? keyPaths.union(["door.isOpen"]) : keyPaths
  }

  override var isReady: Bool { door?.isOpen == true && super.isReady }
}

@Suite("OperationQueue")
struct OperationQueueTests {
  /// A suspended queue that runs one operation at a time once it's resumed.
  private func suspendedQueue() -> OperationQueue {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    return queue
  }

  @Test("Operations run in order of readiness, then priority, then insertion")
  func order() {
    let history = History()
    let queue = suspendedQueue()
    var operations: [Operation] = []
    for (number, priority) in [
      (0, .normal), (1, .low), (2, .veryHigh), (3, .normal), (4, .high), (5, .veryLow),
    ] as [(Int, Operation.QueuePriority)] {
      let operation = BlockOperation { history.add("\(number)") }
      operation.queuePriority = priority
      operations.append(operation)
    }
    operations[0].addDependency(operations[3])
    queue.addOperations(operations, waitUntilFinished: false)
    operations[5].queuePriority = .veryHigh
    #expect(queue.operations == operations && queue.operationCount == 6)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(history.take() == ["2", "5", "4", "3", "0", "1"])
    #expect(queue.operations == [] && queue.operationCount == 0)
  }

  @Test("A barrier runs after everything before it, and before everything after it")
  func barriers() {
    let history = History()
    let queue = OperationQueue()
    let gate = Gated { history.add("before") }
    queue.addOperation(gate)
    queue.addOperation { history.add("before") }
    queue.addBarrierBlock { history.add("barrier") }
    for _ in 0..<3 { queue.addOperation { history.add("between") } }
    queue.addBarrierBlock { history.add("barrier") }
    queue.addBarrierBlock { history.add("barrier") }
    queue.addOperation { history.add("after") }
    gate.open()
    queue.waitUntilAllOperationsAreFinished()
    #expect(
      history.take() == [
        "before", "before", "barrier", "between", "between", "between", "barrier", "barrier",
        "after",
      ])
  }

  @Test("The queue follows an operation's own readiness")
  func readiness() {
    let history = History()
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let gated = Gated { history.add("gated") }
    let free = BlockOperation { history.add("free") }
    queue.addOperations([gated, free], waitUntilFinished: false)
    free.waitUntilFinished()
    #expect(queue.operations == [gated])
    gated.open()
    gated.waitUntilFinished()
    #expect(history.take() == ["free", "gated"])
  }

  @Test("No more operations than allowed run at the same time")
  func limit() {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 3
    let lock = NSLock()
    nonisolated(unsafe) var running = 0
    nonisolated(unsafe) var most = 0
    let gate = DispatchSemaphore(value: 0)
    for number in 0..<30 {
      queue.addOperation {
        lock.withLock {
          running += 1
          most = max(most, running)
          // The third operation releases the first two.
          if number < 3, running == 3 { for _ in 0..<3 { gate.signal() } }
        }
        if number < 3 { gate.wait() }
        lock.withLock { running -= 1 }
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(lock.withLock { (most, running) } == (3, 0))
  }

  @Test("Cancelled operations leave the queue without running their work")
  func cancelling() {
    let history = History()
    let queue = suspendedQueue()
    let dependency = Gated { history.add("dependency") }
    let waiting = BlockOperation { history.add("waiting") }
    waiting.addDependency(dependency)
    queue.addOperation { history.add("block") }
    queue.addOperation(waiting)
    queue.addBarrierBlock { history.add("barrier") }
    queue.cancelAllOperations()
    #expect(queue.operationCount == 2 && waiting.isCancelled && !waiting.isFinished)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(history.take() == [] && waiting.isFinished)
  }

  @Test("An operation that is ready only when cancelled is announced as ready, and finishes")
  func readyWhenCancelled() {
    let observer = HistoryObserver()
    let queue = OperationQueue()
    let abandoned = Abandoned()
    abandoned.addObserver(observer, forKeyPath: "isReady", options: [.old, .new], context: nil)
    let finished = DispatchSemaphore(value: 0)
    abandoned.completionBlock = { finished.signal() }
    queue.addOperation(abandoned)
    queue.cancelAllOperations()
    #expect(finished.isSignalledInTime())
    #expect(observer.history.take() == ["isReady old 0 new 1"])
    abandoned.removeObserver(observer, forKeyPath: "isReady")
  }

  @Test("What waits for an operation that finishes in start() without announcing it continues")
  func silent() {
    let queue = OperationQueue()
    let silent = Silent()
    let finished = DispatchSemaphore(value: 0)
    let next = BlockOperation { finished.signal() }
    next.addDependency(silent)
    silent.completionBlock = { finished.signal() }
    queue.addOperations([next, silent], waitUntilFinished: false)
    for _ in 0..<2 { #expect(finished.isSignalledInTime()) }
  }

  @Test("What waits for an operation doesn't continue between the two halves of an announcement")
  func openAnnouncement() {
    let (silent, next) = (Silent(), BlockOperation {})
    next.addDependency(silent)
    silent.willChangeValue(forKey: "finished")
    silent.start()
    // Setting the block looks at `isFinished`.
    silent.completionBlock = {}
    #expect(silent.isFinished && !next.isReady)
    silent.didChangeValue(forKey: "finished")
    #expect(next.isReady)
  }

  @Test("A closure is added through an override of addOperation; several operations aren't")
  func closures() {
    let queue = Recording()
    queue.addOperation { queue.history.add("runs") }
    queue.waitUntilAllOperationsAreFinished()
    queue.addOperations([BlockOperation {}], waitUntilFinished: true)
    #expect(queue.history.take() == ["BlockOperation", "runs"])
  }

  @Test("A barrier is counted neither as an operation nor in the progress")
  func uncountedBarriers() {
    let history = History()
    let queue = suspendedQueue()
    queue.progress.totalUnitCount = 3
    let observer = HistoryObserver(history)
    queue.addObserver(observer, forKeyPath: "operationCount", options: [.old, .new], context: nil)
    for _ in 0..<3 { queue.addOperation {} }
    queue.addBarrierBlock { [unowned queue] in
      history.add("barrier \(queue.progress.completedUnitCount)")
    }
    #expect(queue.operations.count == 3 && queue.operationCount == 3)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(
      history.take() == [
        "operationCount old 0 new 1", "operationCount old 1 new 2", "operationCount old 2 new 3",
        "operationCount old 3 new 2", "operationCount old 2 new 1", "operationCount old 1 new 0",
        "barrier 3",
      ])
    #expect(queue.progress.completedUnitCount == 3)
    queue.removeObserver(observer, forKeyPath: "operationCount")
  }

  @Test("An observer of operationCount may wait for a barrier that starts after it")
  func waitingForBarrier() {
    let history = History()
    let queue = suspendedQueue()
    let waited = DispatchSemaphore(value: 0)
    let token = queue.observe(\.operationCount) { queue, _ in
      if queue.operationCount > 0 { return }
      queue.waitUntilAllOperationsAreFinished()
      history.add("waited")
      waited.signal()
    }
    queue.addOperation {}
    queue.addBarrierBlock { history.add("barrier") }
    queue.isSuspended = false
    #expect(waited.isSignalledInTime())
    #expect(history.take() == ["barrier", "waited"])
    token.invalidate()
  }

  @Test("Two observers of operationCount may wait for the queue at the same time")
  func waitingTogether() {
    let queue = suspendedQueue()
    queue.maxConcurrentOperationCount = 2
    for _ in 0..<2 { queue.addOperation {} }
    let meeting = DispatchGroup()
    for _ in 0..<2 { meeting.enter() }
    let waited = DispatchSemaphore(value: 0)
    let token = queue.observe(\.operationCount) { queue, _ in
      meeting.leave()
      meeting.wait()
      queue.waitUntilAllOperationsAreFinished()
      waited.signal()
    }
    queue.isSuspended = false
    for _ in 0..<2 { #expect(waited.isSignalledInTime()) }
    token.invalidate()
  }

  @Test("Observers of two queues' operationCount may wait for each other's queue")
  func waitingForEachOther() {
    let (first, second) = (suspendedQueue(), suspendedQueue())
    let meeting = DispatchGroup()
    for queue in [first, second] {
      for _ in 0..<2 { queue.addOperation {} }
      meeting.enter()
    }
    let waited = DispatchSemaphore(value: 0)
    func observation(of queue: OperationQueue, waitingFor other: OperationQueue)
      -> NSKeyValueObservation
    {
      queue.observe(\.operationCount) { queue, _ in
        if queue.operationCount > 0 {
          meeting.leave()
          meeting.wait()
        }
        other.waitUntilAllOperationsAreFinished()
        waited.signal()
      }
    }
    let tokens = [
      observation(of: first, waitingFor: second), observation(of: second, waitingFor: first),
    ]
    for queue in [first, second] { queue.isSuspended = false }
    for _ in 0..<4 { #expect(waited.isSignalledInTime()) }
    for token in tokens { token.invalidate() }
  }

  @Test("An observer's wait for another queue ends once that is empty, before its observers")
  func waitingForRunning() {
    let history = History()
    let (first, second) = (suspendedQueue(), suspendedQueue())
    let (begun, waited) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    first.addOperation {}
    second.addOperation { begun.wait() }
    let tokens = [
      first.observe(\.operationCount) { _, _ in
        begun.signal()
        second.waitUntilAllOperationsAreFinished()
        waited.signal()
      },
      second.observe(\.operationCount) { _, _ in
        history.add(waited.isSignalledInTime() ? "waited" : "waits")
      },
    ]
    for queue in [second, first] { queue.isSuspended = false }
    for queue in [first, second] { queue.waitUntilAllOperationsAreFinished() }
    #expect(history.take() == ["waited"])
    for token in tokens { token.invalidate() }
  }

  @Test("An announcement that doesn't end makes its thread an observer only until others continue")
  func announcementWithoutEnd() {
    let silent = Silent()
    for _ in 0..<2 { silent.willChangeValue(forKey: "isFinished") }
    silent.start()
    #expect(OperationLife.holdsUpOthers)
    silent.didChangeValue(forKey: "isFinished")
    #expect(!OperationLife.holdsUpOthers)
    silent.didChangeValue(forKey: "isFinished")
  }

  @Test("An operation that gets many priorities takes few places, and its turn by the last one")
  func places() {
    let (history, queue) = (History(), suspendedQueue())
    let operations = ["first", "second"].map { name in BlockOperation { history.add(name) } }
    queue.addOperations(operations, waitUntilFinished: false)
    for _ in 0..<1000 {
      operations[0].queuePriority = .high
      operations[0].queuePriority = .low
    }
    #expect(queue.schedule.placeCount < 100)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(history.take() == ["second", "first"])
  }

  @Test("An observer of operationCount may wait for the operation, which ended unannounced")
  func waitingForSilent() {
    let queue = suspendedQueue()
    let silent = Silent()
    queue.addOperation(silent)
    let waited = DispatchSemaphore(value: 0)
    let token = queue.observe(\.operationCount) { _, _ in
      silent.waitUntilFinished()
      waited.signal()
    }
    queue.isSuspended = false
    #expect(waited.isSignalledInTime())
    token.invalidate()
  }

  @Test("An observer of operationCount may wait for an operation that starts after it")
  func waitingForNext() {
    let history = History()
    let queue = suspendedQueue()
    let next = BlockOperation { history.add("next") }
    queue.addOperations([BlockOperation {}, next], waitUntilFinished: false)
    let waited = DispatchSemaphore(value: 0)
    let token = queue.observe(\.operationCount) { queue, _ in
      if queue.operationCount == 0 { return }
      next.waitUntilFinished()
      history.add("waited")
      waited.signal()
    }
    queue.isSuspended = false
    #expect(waited.isSignalledInTime())
    #expect(history.take() == ["next", "waited"])
    token.invalidate()
  }

  @Test("An observer of operationCount may wait for what depends on the queue's next operation")
  func waitingForDependantOfNext() {
    let history = History()
    let (queue, other) = (suspendedQueue(), OperationQueue())
    let next = BlockOperation { history.add("next") }
    let dependant = BlockOperation { history.add("dependant") }
    dependant.addDependency(next)
    other.addOperation(dependant)
    queue.addOperations([BlockOperation {}, next], waitUntilFinished: false)
    let waited = DispatchSemaphore(value: 0)
    let token = queue.observe(\.operationCount) { queue, _ in
      if queue.operationCount == 0 { return }
      dependant.waitUntilFinished()
      history.add("waited")
      waited.signal()
    }
    queue.isSuspended = false
    #expect(waited.isSignalledInTime())
    #expect(history.take() == ["next", "dependant", "waited"])
    token.invalidate()
  }

  @Test("The queue notifies observers of its operations, counts and settings")
  func counts() {
    let history = History()
    let queue = suspendedQueue()
    let generalName = queue.name ?? "nil"
    let observer = HistoryObserver(history)
    for key in ["operationCount", "isSuspended", "name", "maxConcurrentOperationCount"] {
      queue.addObserver(observer, forKeyPath: key, options: [.old, .new], context: nil)
    }
    let token = queue.observe(\.operations, options: [.new]) {
      history.add("operations \($1.newValue!.count)")
    }
    queue.addOperation {}
    queue.addOperation {}
    queue.name = "mine"
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(
      history.take() == [
        "operationCount old 0 new 1", "operations 1", "operationCount old 1 new 2",
        "operations 2", "name old \(generalName) new mine",
        "maxConcurrentOperationCount old 1 new 1",
        "isSuspended old 1 new 0", "operationCount old 2 new 1", "operations 1",
        "operationCount old 1 new 0", "operations 0",
      ])
    for key in ["operationCount", "isSuspended", "name", "maxConcurrentOperationCount"] {
      queue.removeObserver(observer, forKeyPath: key)
    }
    token.invalidate()
  }

  @Test("Adding no operations notifies no observer")
  func nothingAdded() {
    let (queue, observer) = (OperationQueue(), HistoryObserver())
    queue.addObserver(observer, forKeyPath: "operationCount", options: [], context: nil)
    queue.addOperations([], waitUntilFinished: true)
    queue.removeObserver(observer, forKeyPath: "operationCount")
    #expect(observer.history.take() == [])
  }

  @Test("OperationQueue.current is the running queue, and its progress counts operations")
  func current() {
    let history = History()
    let queue = OperationQueue()
    queue.progress.totalUnitCount = 4
    let token = queue.progress.observe(\.isFinished, options: .new) {
      history.add("\($1.newValue!)")
    }
    for _ in 0..<4 {
      queue.addOperation { [unowned queue] in
        history.add("\(OperationQueue.current === queue)")
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(history.take().sorted() == ["true", "true", "true", "true", "true"])
    #expect(queue.progress.completedUnitCount == 4)
    token.invalidate()
  }

  @Test("The main queue's settings stay; a queue's name is its address until it's set")
  func settings() {
    let main = OperationQueue.main
    main.maxConcurrentOperationCount = 2
    main.isSuspended = true
    main.name = "mine"
    main.qualityOfService = .background
    #expect(main.maxConcurrentOperationCount == 1 && !main.isSuspended)
    #expect(main.name == "NSOperationQueue Main Queue" && main.qualityOfService != .background)
    #expect(main.underlyingQueue?.label == DispatchQueue.main.label)
    let queue = OperationQueue()
    let name = "NSOperationQueue \(Unmanaged.passUnretained(queue).toOpaque())"
    #expect(queue.name == name)
    queue.name = "mine"
    #expect(queue.name == "mine")
    queue.name = nil
    #expect(queue.name == name)
  }

  @Test("A progress made in an operation is a part of the queue's, and is cancelled with it")
  func progressParts() {
    let history = History()
    let queue = OperationQueue()
    queue.progress.totalUnitCount = 2
    let token = queue.progress.observe(\.fractionCompleted, options: .new) {
      history.add("\($1.newValue!)")
    }
    let first = BlockOperation {
      let part = Progress(totalUnitCount: 2)
      part.completedUnitCount = 1
      part.completedUnitCount = 2
      history.add("cancelled \(part.isCancelled)")
    }
    queue.addOperations([first], waitUntilFinished: true)
    queue.progress.cancel()
    let second = BlockOperation {
      history.add("cancelled \(Progress(totalUnitCount: 1).isCancelled)")
    }
    queue.addOperations([second], waitUntilFinished: true)
    #expect(history.take() == ["0.25", "0.5", "cancelled false", "cancelled true"])
    token.invalidate()
  }

  @Test("A queue runs operations on its underlying dispatch queue")
  func underlying() {
    let history = History()
    let queue = OperationQueue()
    let key = DispatchSpecificKey<String>()
    let dispatch = DispatchQueue(label: "given")
    dispatch.setSpecific(key: key, value: "given")
    queue.underlyingQueue = dispatch
    queue.addOperations(
      [BlockOperation { history.add(DispatchQueue.getSpecific(key: key) ?? "another") }],
      waitUntilFinished: true)
    #expect(history.take() == ["given"])
  }

  @Test("A notification observer's block runs on the queue")
  func notifications() {
    let history = History()
    let queue = OperationQueue()
    let name = NSNotification.Name("swift-kvo-tests.\(UUID().uuidString)")
    let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: queue) {
      _ in
      history.add("\(OperationQueue.current === queue)")
    }
    NotificationCenter.default.post(name: name, object: nil)
    #expect(history.take() == ["true"])
    NotificationCenter.default.removeObserver(token)
  }

  @Test("An operation that's added while it becomes ready is started")
  func addedWhileBecomingReady() {
    let queue = OperationQueue()
    let started = DispatchSemaphore(value: 0)
    let gate = Gated { started.signal() }
    gate.open(after: { queue.addOperation(gate) })
    #expect(started.isSignalledInTime())
  }

  @Test("An operation that's added while a key of its readiness changes is started")
  func addedWhileKeyChanges() {
    let queue = OperationQueue()
    let (staged, next) = (Staged(), Staged())
    next.addDependency(staged)
    next.stage = 1
    let finished = DispatchSemaphore(value: 0)
    next.completionBlock = { finished.signal() }
    queue.addOperation(next)
    queue.isSuspended = true
    staged.enter(1) { queue.addOperation(staged) }
    queue.isSuspended = false
    #expect(finished.isSignalledInTime())
    #expect(staged.stage == 2 && next.stage == 2)
  }

  @Test(
    "An operation that's added after a change's observers were found, before any is called, is started",
    arguments: [true, false])
  func addedBeforePriors(onAnotherThread: Bool) {
    let queue = OperationQueue()
    let staged = Staged()
    let finished = DispatchSemaphore(value: 0)
    staged.completionBlock = { finished.signal() }
    // The old value is read between the two.
    let token = staged.observe(\.isReady, options: .old) { _, _ in }
    staged.reading = {
      staged.reading = {}
      guard onAnotherThread else { return queue.addOperation(staged) }
      let added = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        queue.addOperation(staged)
        added.signal()
      }
      added.wait()
    }
    staged.stage = 1
    #expect(finished.isSignalledInTime())
    token.invalidate()
  }

  @Test("An operation is started even if an object that its readiness depends on died before")
  func deadDependency() {
    let queue = OperationQueue()
    let locked = Locked()
    do {
      let first = Lock()
      locked.door = first
    }
    #expect(locked.door == nil)
    let second = Lock()
    locked.door = second
    let finished = DispatchSemaphore(value: 0)
    locked.completionBlock = { finished.signal() }
    second.meanwhile = { queue.addOperation(locked) }
    second.isOpen = true
    #expect(finished.isSignalledInTime())
  }

  @Test("What begins to wait for an operation while a key of its end changes continues")
  func waitedForWhileKeyChanges() {
    let queue = OperationQueue()
    let finished = DispatchSemaphore(value: 0)
    let staged = Staged()
    let next = BlockOperation { finished.signal() }
    staged.enter(2) {
      next.addDependency(staged)
      queue.addOperation(next)
      staged.completionBlock = { finished.signal() }
    }
    for _ in 0..<2 { #expect(finished.isSignalledInTime()) }
  }

  @Test("Observers from before an operation is added are called before the queue looks at it")
  func observersFirst() throws {
    let queue = OperationQueue()
    queue.isSuspended = true
    let history = History()
    let staged = Staged()
    let token = try staged.observe("isReady", options: []) { _, _ in history.add("told") }
    staged.reading = { history.add("looked") }
    queue.addOperation(staged)
    _ = history.take()
    staged.stage = 1
    #expect(history.take() == ["told", "looked"])
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    token.invalidate()
  }

  @Test("Threads add, cancel and suspend operations, and make them ready, at the same time")
  func threads() {
    for limit in [-1, 1, 4] {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = limit
      let history = History()
      let gates = (0..<12).map { _ in Gated { history.add("gated") } }
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        var last: Operation?
        for turn in 0..<30 {
          let operation: Operation =
            turn.isMultiple(of: 10)
            ? gates[thread * 3 + turn / 10] : BlockOperation { history.add("block") }
          if turn % 4 == 0, let last { operation.addDependency(last) }
          if turn % 7 == 0 { operation.queuePriority = .high }
          queue.addOperation(operation)
          if turn % 11 == 0 { queue.isSuspended.toggle() }
          if turn == 15 { queue.addBarrierBlock { history.add("barrier") } }
          last = operation
        }
      }
      queue.isSuspended = false
      DispatchQueue.concurrentPerform(iterations: gates.count) { gates[$0].open() }
      queue.waitUntilAllOperationsAreFinished()
      let lines = history.take()
      #expect(lines.count(where: { $0 == "gated" }) == 12)
      #expect(lines.count(where: { $0 == "barrier" }) == 4)
      #expect(lines.count(where: { $0 == "block" }) == 108)
      #expect(queue.operationCount == 0)
    }
  }
}
