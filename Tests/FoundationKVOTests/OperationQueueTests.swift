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
    queue.cancelAllOperations()
    #expect(queue.operationCount == 2 && waiting.isCancelled && !waiting.isFinished)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(history.take() == [] && waiting.isFinished)
  }

  @Test("The queue notifies observers of its operations, counts and settings")
  func counts() {
    let history = History()
    let queue = suspendedQueue()
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
        "operations 2", "name old <null> new mine", "maxConcurrentOperationCount old 1 new 1",
        "isSuspended old 1 new 0", "operationCount old 2 new 1", "operations 1",
        "operationCount old 1 new 0", "operations 0",
      ])
    for key in ["operationCount", "isSuspended", "name", "maxConcurrentOperationCount"] {
      queue.removeObserver(observer, forKeyPath: key)
    }
    token.invalidate()
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
    #expect(OperationQueue.main.maxConcurrentOperationCount == 1)
    #expect(OperationQueue.main.underlyingQueue?.label == DispatchQueue.main.label)
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
    #expect(started.wait(timeout: .now() + 10) == .success)
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
