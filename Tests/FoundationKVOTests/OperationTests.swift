import FoundationKVO
import Testing

/// Cocoa's usual asynchronous operation, with two states that it announces manually.
// Checked by hand: the states are accessed only inside `lock`.
private final class Download: Operation, @unchecked Sendable {
  private let lock = NSLock()
  private var isRunning = false
  private var isDone = false
  private let work: @Sendable (Download) -> Void

  /// Creates an operation with `work`, which calls `finish()` at once or later.
  init(_ work: @escaping @Sendable (Download) -> Void = { $0.finish() }) {
    self.work = work
    super.init()
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { isRunning } }
  override var isFinished: Bool { lock.withLock { isDone } }

  override func start() {
    if isCancelled { return set("isFinished") { isDone = true } }
    set("isExecuting") { isRunning = true }
    DispatchQueue.global().async { self.work(self) }
  }

  func finish() {
    set("isExecuting") { isRunning = false }
    set("isFinished") { isDone = true }
  }

  private func set(_ key: String, _ change: () -> Void) {
    willChangeValue(forKey: key)
    lock.withLock(change)
    didChangeValue(forKey: key)
  }
}

/// The same operation, with states announced by key path.
// Checked by hand, as above.
@KeyValueObservable
private class Upload: Operation, @unchecked Sendable {
  @KeyValueIgnored private let lock = NSLock()
  @KeyValueIgnored private var running = false
  @KeyValueIgnored private var done = false

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { running } }
  override var isFinished: Bool { lock.withLock { done } }

  override func start() {
    willChangeValue(for: \.isExecuting)
    lock.withLock { running = true }
    didChangeValue(for: \.isExecuting)
    DispatchQueue.global().async { self.finish() }
  }

  private func finish() {
    willChangeValue(for: \.isExecuting)
    willChangeValue(for: \.isFinished)
    lock.withLock { (running, done) = (false, true) }
    didChangeValue(for: \.isExecuting)
    didChangeValue(for: \.isFinished)
  }
}

/// An operation whose Cocoa keys depend on one observable state behind a lock.
// Checked by hand: `stored` is accessed only inside `lock`.
@KeyValueObservable
private final class Task: Operation, @unchecked Sendable {
  @KeyValueIgnored private let lock = NSLock()
  @KeyValueIgnored private var stored = "waiting"

  fileprivate dynamic var state: String {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }

  override var isAsynchronous: Bool { true }
  override var isReady: Bool { state != "waiting" && super.isReady }
  override var isExecuting: Bool { state == "executing" }
  override var isFinished: Bool { state == "finished" }

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    let keyPaths = super.keyPathsForValuesAffectingValue(forKey: key)
    return ["isReady", "isExecuting", "isFinished"].contains(key)
      ? keyPaths.union(["state"]) : keyPaths
  }

  override func start() {
    state = "executing"
    DispatchQueue.global().async { self.state = "finished" }
  }
}

/// The pattern of many tutorials: the key is derived from a state's name.
// Checked by hand: only one thread at a time changes the state.
private class AsyncOperation: Operation, @unchecked Sendable {
  enum State: String {
    case ready, executing, finished

    var key: String { "is" + rawValue.capitalized }
  }

  private let lock = NSLock()
  private var stored = State.ready

  var state: State {
    get { lock.withLock { stored } }
    set {
      let old = state
      willChangeValue(forKey: newValue.key)
      willChangeValue(forKey: old.key)
      lock.withLock { stored = newValue }
      didChangeValue(forKey: old.key)
      didChangeValue(forKey: newValue.key)
    }
  }

  override var isReady: Bool { super.isReady && state == .ready }
  override var isExecuting: Bool { state == .executing }
  override var isFinished: Bool { state == .finished }
  override var isAsynchronous: Bool { true }

  override func start() {
    if isCancelled {
      state = .finished
      return
    }
    state = .executing
    main()
  }

  override func main() {
    DispatchQueue.global().async { self.state = .finished }
  }
}

/// Keeps the address of an operation that may die from being used again.
private struct KeptAddress {
  unowned let operation: Operation
}

@Suite("Operation")
struct OperationTests {
  private static let states = ["isReady", "isExecuting", "isFinished", "isCancelled"]

  private func observe(_ operation: Operation, _ observer: HistoryObserver) {
    for key in Self.states {
      operation.addObserver(observer, forKeyPath: key, options: [.old, .new], context: nil)
    }
  }

  @Test("An operation that is started directly notifies observers of its states")
  func start() {
    let observer = HistoryObserver()
    let operation = BlockOperation { observer.history.add("runs") }
    observe(operation, observer)
    #expect(operation.isReady && !operation.isExecuting && !operation.isFinished)
    operation.start()
    #expect(
      observer.history.take() == [
        "isExecuting old 0 new 1", "runs", "isExecuting old 1 new 0", "isFinished old 0 new 1",
      ])
    operation.start()
    operation.cancel()
    #expect(observer.history.take() == [] && operation.isFinished && !operation.isCancelled)
    #expect(!operation.isAsynchronous && !operation.isConcurrent)
  }

  @Test("A cancelled operation finishes without running its work")
  func cancel() {
    let observer = HistoryObserver()
    let operation = BlockOperation { observer.history.add("runs") }
    let dependency = BlockOperation()
    operation.addDependency(dependency)
    observe(operation, observer)
    #expect(!operation.isReady)
    operation.cancel()
    operation.cancel()
    #expect(
      observer.history.take() == ["isReady old 0 new 1", "isCancelled old 0 new 1"])
    operation.start()
    #expect(observer.history.take() == ["isFinished old 0 new 1"])
    #expect(operation.isFinished && operation.isCancelled && !dependency.isFinished)
    let running = BlockOperation()
    running.addExecutionBlock { [unowned running] in running.cancel() }
    observe(running, observer)
    running.start()
    #expect(
      observer.history.take() == [
        "isExecuting old 0 new 1", "isCancelled old 0 new 1", "isExecuting old 1 new 0",
        "isFinished old 0 new 1",
      ])
  }

  @Test("An operation is ready once its dependencies finish, before or after they're added")
  func dependencies() {
    let observer = HistoryObserver()
    let (first, second, last) = (BlockOperation(), BlockOperation(), BlockOperation())
    first.start()
    last.addDependency(first)
    #expect(last.isReady)
    last.addDependency(second)
    last.addDependency(second)
    #expect(!last.isReady && last.dependencies == [first, second])
    observe(last, observer)
    second.start()
    #expect(observer.history.take() == ["isReady old 0 new 1"])
    let third = BlockOperation()
    last.addDependency(third)
    last.removeDependency(third)
    #expect(observer.history.take() == ["isReady old 1 new 0", "isReady old 0 new 1"])
    #expect(last.isReady && last.dependencies == [first, second])
  }

  @Test("The asynchronous pattern notifies observers, waiting threads and completion blocks")
  func asynchronous() {
    let completed = DispatchSemaphore(value: 0)
    for operation in [Download(), Upload()] as [Operation] {
      let observer = HistoryObserver()
      observe(operation, observer)
      operation.completionBlock = { completed.signal() }
      operation.start()
      operation.waitUntilFinished()
      completed.wait()
      #expect(
        observer.history.take() == [
          "isExecuting old 0 new 1", "isExecuting old 1 new 0", "isFinished old 0 new 1",
        ])
      #expect(operation.isFinished && operation.completionBlock == nil)
    }
  }

  @Test("A queue and observers follow states that depend on an observable property")
  func dependentStates() {
    let history = History()
    let task = Task()
    let show = BlockOperation { history.add("shows") }
    show.addDependency(task)
    let token = task.observe(\.isFinished, options: [.new]) {
      history.add("finished \($1.newValue!)")
    }
    let queue = OperationQueue()
    queue.addOperations([show, task], waitUntilFinished: false)
    task.state = "ready"
    queue.waitUntilAllOperationsAreFinished()
    #expect(
      history.take() == ["finished false", "finished false", "finished true", "shows"])
    token.invalidate()
  }

  @Test("What waits for a state continues after its observers, however late they were registered")
  func lastObservers() {
    let (history, queue) = (History(), OperationQueue())
    let (task, next) = (Task(), BlockOperation { history.add("next") })
    next.addDependency(task)
    queue.addOperations([next, task], waitUntilFinished: false)
    let token = task.observe(\.isFinished, options: [.prior, .new]) { task, change in
      if change.newValue == true { task.waitUntilFinished() }
      let isWaitedFor = queue.operations.contains(task) && !next.isReady
      history.add("\(change.newValue.map { "\($0)" } ?? "prior") \(isWaitedFor)")
    }
    task.state = "ready"
    queue.waitUntilAllOperationsAreFinished()
    #expect(
      history.take() == [
        "prior true", "false true", "prior true", "false true", "prior true", "true true", "next",
      ])
    token.invalidate()
  }

  @Test("A dependant added once an operation has finished doesn't wait for its observers")
  func newDependants() {
    let history = History()
    let (first, old) = (BlockOperation {}, BlockOperation { history.add("old") })
    old.addDependency(first)
    let queue = OperationQueue()
    queue.addOperation(old)
    let token = first.observe(\.isFinished, options: [.prior]) { first, change in
      let new = BlockOperation { history.add("new") }
      new.addDependency(first)
      history.add("\(change.isPrior) \(first.isFinished) \(new.isReady) \(old.isReady)")
      if change.isPrior { return }
      new.start()
      new.removeDependency(first)
      new.addDependency(first)
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        let other = BlockOperation {}
        other.addDependency(first)
        history.add("elsewhere \(other.isReady) \(old.isReady) \(queue.operationCount)")
        isDone.signal()
      }
      #expect(isDone.isSignalledInTime())
      history.add("\(new.isReady) \(old.isReady)")
    }
    first.start()
    queue.waitUntilAllOperationsAreFinished()
    #expect(
      history.take() == [
        "true false false false", "false true true false", "new", "elsewhere true false 1",
        "true false", "old",
      ])
    token.invalidate()
  }

  @Test("A queue and observers follow a chain of operations with a named state")
  func namedStates() {
    let history = History()
    let queue = OperationQueue()
    var operations: [Operation] = []
    for number in 0..<4 {
      let operation = AsyncOperation()
      if let last = operations.last { operation.addDependency(last) }
      let observer = HistoryObserver(history, name: "\(number) ")
      operation.addObserver(observer, forKeyPath: "isFinished", options: [.new], context: nil)
      operation.completionBlock = { withExtendedLifetime(observer) {} }
      operations.append(operation)
    }
    operations[2].cancel()
    queue.addOperations(operations.reversed(), waitUntilFinished: false)
    queue.waitUntilAllOperationsAreFinished()
    // The cancelled operation doesn't wait for the others.
    let lines = history.take()
    #expect(
      lines.sorted()
        == ["0 isFinished new 1", "1 isFinished new 1", "2 isFinished new 1", "3 isFinished new 1"])
    #expect(
      lines.filter { $0 != "2 isFinished new 1" && $0 != "3 isFinished new 1" }
        == ["0 isFinished new 1", "1 isFinished new 1"])
  }

  @Test("A block operation finishes after all its blocks")
  func blocks() {
    let history = History()
    let operation = BlockOperation { history.add("x") }
    for _ in 0..<5 { operation.addExecutionBlock { history.add("x") } }
    #expect(operation.executionBlocks.count == 6)
    operation.start()
    #expect(history.take() == Array(repeating: "x", count: 6))
    BlockOperation().start()
  }

  @Test("An observer of isFinished or operationCount may wait for the operation or the queue")
  func waitingObservers() {
    let history = History()
    let queue = OperationQueue()
    let operation = BlockOperation {}
    let first = operation.observe(\.isFinished) { operation, _ in
      operation.waitUntilFinished()
      history.add("operation")
    }
    let second = queue.observe(\.operationCount) { queue, _ in
      if queue.operationCount > 0 { return }
      queue.waitUntilAllOperationsAreFinished()
      history.add("queue")
    }
    queue.addOperation(operation)
    queue.waitUntilAllOperationsAreFinished()
    #expect(history.take() == ["operation", "queue"])
    first.invalidate()
    second.invalidate()
  }

  @Test("Dependants become ready in the order in which they were added")
  func dependantsInOrder() {
    let (history, first) = (History(), BlockOperation {})
    let dependants = (0..<40).map { _ in BlockOperation {} }
    var tokens: [NSKeyValueObservation] = []
    for (number, dependant) in dependants.enumerated() {
      dependant.addDependency(first)
      tokens.append(dependant.observe(\.isReady) { _, _ in history.add("\(number)") })
    }
    first.start()
    #expect(history.take() == (0..<40).map { "\($0)" })
    // An optimised build would release them before the first one starts.
    withExtendedLifetime(dependants) {}
    for token in tokens { token.invalidate() }
  }

  @Test("Observers of two operations' ends may wait for each other's operation", arguments: 0...4)
  func waitingForEachOther(way: Int) {
    // Observers of `isExecuting` are called before those of `isFinished`.
    let operations: [Operation] =
      switch way {
      case 0, 1: [BlockOperation {}, BlockOperation {}]
      case 2, 3: [AsyncOperation(), AsyncOperation()]
      default: [Task(), Task()]
      }
    let (first, second) = (operations[0], operations[1])
    let meeting = DispatchGroup()
    for _ in 0..<2 { meeting.enter() }
    let waited = DispatchSemaphore(value: 0)
    func observation(of operation: Operation, waitingFor other: Operation)
      -> NSKeyValueObservation
    {
      let handler: (Operation, NSKeyValueObservedChange<Bool>) -> Void = { operation, _ in
        if !operation.isFinished { return }
        meeting.leave()
        meeting.wait()
        other.waitUntilFinished()
        waited.signal()
      }
      return way.isMultiple(of: 2)
        ? operation.observe(\.isFinished, changeHandler: handler)
        : operation.observe(\.isExecuting, changeHandler: handler)
    }
    let tokens = [
      observation(of: first, waitingFor: second), observation(of: second, waitingFor: first),
    ]
    let queue = OperationQueue()
    queue.addOperations(operations, waitUntilFinished: false)
    for case let task as Task in operations { task.state = "ready" }
    for _ in tokens { #expect(waited.isSignalledInTime()) }
    for token in tokens { token.invalidate() }
  }

  @Test("An observer's wait for another operation ends with that, before its observers")
  func waitingForRunning() {
    let (history, queue) = (History(), OperationQueue())
    let (begun, waited) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (first, second) = (BlockOperation {}, BlockOperation { begun.wait() })
    let tokens = [
      first.observe(\.isFinished) { _, _ in
        begun.signal()
        second.waitUntilFinished()
        waited.signal()
      },
      second.observe(\.isFinished) { _, _ in
        history.add(waited.isSignalledInTime() ? "waited" : "waits")
      },
    ]
    queue.addOperations([first, second], waitUntilFinished: true)
    #expect(history.take() == ["waited"])
    for token in tokens { token.invalidate() }
  }

  @Test("Operations that have died, or no longer depend on another one, take no place there")
  func formerDependants() {
    let (first, second) = (BlockOperation {}, BlockOperation {})
    var addresses: [KeptAddress] = []
    for _ in 0..<1000 {
      let mortal = BlockOperation {}
      addresses.append(KeptAddress(operation: mortal))
      mortal.addDependency(first)
      #expect(first.life.dependantCount < 100)
    }
    withExtendedLifetime(addresses) {}
    let former = (0..<40).map { _ in BlockOperation {} }
    for operation in former {
      operation.addDependency(second)
      operation.removeDependency(second)
    }
    #expect(second.life.dependantCount == 0)
    former[0].addDependency(second)
    #expect(!former[0].isReady)
    second.start()
    #expect(former[0].isReady && second.life.dependantCount == 0)
  }

  @Test("A queue doesn't retain a finished operation")
  func finishedOperations() {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    weak var first: Operation?
    do {
      let operation = BlockOperation {}
      first = operation
      queue.isSuspended = true
      queue.addOperation {}
      queue.addBarrierBlock {}
      queue.addOperation(operation)
      operation.queuePriority = .high
      operation.queuePriority = .low
      queue.isSuspended = false
    }
    queue.waitUntilAllOperationsAreFinished()
    while first != nil { Thread.yield() }
  }

  @Test("An operation and its tokens are freed")
  func deaths() {
    weak var dead: Operation?
    weak var deadQueue: OperationQueue?
    do {
      let queue = OperationQueue()
      let (operation, dependency) = (BlockOperation {}, Download())
      operation.addDependency(dependency)
      operation.completionBlock = {}
      (dead, deadQueue) = (operation, queue)
      let suspended = OperationQueue()
      suspended.isSuspended = true
      suspended.addOperation {}
      queue.addOperations([operation, dependency], waitUntilFinished: true)
      queue.waitUntilAllOperationsAreFinished()
    }
    // Dispatch's threads release both a little later.
    while dead != nil || deadQueue != nil { Thread.yield() }
  }

  @Test("An operation keeps its properties, and announces those set by key")
  func properties() {
    let observer = HistoryObserver()
    let operation = Operation()
    operation.addObserver(observer, forKeyPath: "name", options: [.old, .new], context: nil)
    operation.setValue("fetch", forKey: "name")
    operation.name = "show"
    operation.qualityOfService = .utility
    operation.queuePriority = .high
    #expect(observer.history.take() == ["name old <null> new fetch", "name old fetch new show"])
    #expect(operation.qualityOfService == .utility && operation.queuePriority == .high)
    #expect(operation.value(forKey: "isReady") as? Bool == true)
    operation.removeObserver(observer, forKeyPath: "name")
  }

  @Test("Misuse that raises in Cocoa ends the program")
  func raises() async {
    await #expect(processExitsWith: .failure) {
      let operation = Operation()
      operation.addDependency(Operation())
      operation.start()
    }
    await #expect(processExitsWith: .failure) {
      let operation = BlockOperation {}
      operation.start()
      operation.addExecutionBlock {}
    }
    await #expect(processExitsWith: .failure) {
      let operation = BlockOperation {}
      operation.start()
      OperationQueue().addOperation(operation)
    }
    await #expect(processExitsWith: .failure) {
      let (queue, operation) = (OperationQueue(), BlockOperation {})
      queue.isSuspended = true
      queue.addOperation(operation)
      queue.addOperation(operation)
    }
  }
}

extension Thread {
  fileprivate static func yield() { sched_yield() }
}
