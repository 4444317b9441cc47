import KeyValueCore

/// Runs operations: those that are ready, by priority and in the order in which they were added.
///
/// ```swift
/// let queue = OperationQueue()
/// queue.maxConcurrentOperationCount = 1
/// queue.addOperation { print("first") }
/// queue.addBarrierBlock { print("after all before it") }
/// queue.addOperation { print("last") }
/// queue.waitUntilAllOperationsAreFinished()
/// // first
/// // after all before it
/// // last
/// print(queue.operationCount)          // 0
/// ```
///
/// The keys `operations`, `operationCount`, `isSuspended`, `maxConcurrentOperationCount` and `name` can be
/// observed.
///
/// The queue follows its operations' `isReady` and `isFinished`, and starts them on Dispatch's threads. When
/// `start()` returns, the queue also looks at `isFinished`, unless the operation is asynchronous. It
/// retains an operation until it has finished, and lives as long as it has operations that it may start.
///
/// Threading: all members may be used on any thread. Observers are called on the thread that adds an
/// operation, or on which one finishes. Two threads may do so at once, so read `operationCount` in the
/// observer where the latest value matters.
///
/// Cost: adding, starting and finishing take O(log *n*) for *n* operations; `operations` takes
/// O(*n* log *n*).
///
/// Source of the behaviour: Apple's documentation of `OperationQueue`. This class hides Foundation's, which
/// takes only Foundation's operations.
// Checked by hand: all state is in `OperationSchedule`, under its lock.
open class OperationQueue: NSObject, ProgressReporting, @unchecked Sendable {
  /// Lets Dispatch decide how many operations run at the same time.
  public static let defaultMaxConcurrentOperationCount = -1

  package let schedule: OperationSchedule
  private let isMain: Bool

  /// Creates a queue.
  public override init() {
    schedule = OperationSchedule()
    isMain = false
    super.init()
  }

  private init(main: DispatchQueue) {
    schedule = OperationSchedule(main: main)
    isMain = true
    super.init()
  }

  /// The queue of the main thread, which runs one operation at a time.
  open class var main: OperationQueue { mainQueue }
  private static let mainQueue = OperationQueue(main: .main)

  /// The queue that started the operation on this thread; otherwise, on the main thread, its queue.
  open class var current: OperationQueue? {
    Thread.current.threadDictionary[currentKey] as? OperationQueue
      ?? (Thread.isMainThread ? mainQueue : nil)
  }
  private static let currentKey = "FoundationKVO.OperationQueue.current"

  /// Lists the keys by hand instead of with the macro, because each announces itself.
  open override class func _$kvoDefineKeys(in schema: KeyValueSchemaBuilder) {
    super._$kvoDefineKeys(in: schema)
    schema.computed(
      "operations", \OperationQueue.operations,
      get: { (object: OperationQueue) in object.operations })
    schema.computed(
      "operationCount", \OperationQueue.operationCount,
      get: { (object: OperationQueue) in object.operationCount })
    schema.computed(
      "progress", \OperationQueue.progress, get: { (object: OperationQueue) in object.progress })
    schema.computed(
      "maxConcurrentOperationCount", \OperationQueue.maxConcurrentOperationCount,
      notifiesManually: true,
      get: { (object: OperationQueue) in object.maxConcurrentOperationCount },
      set: { $0.maxConcurrentOperationCount = $1 })
    schema.computed(
      "isSuspended", \OperationQueue.isSuspended, notifiesManually: true,
      get: { (object: OperationQueue) in object.isSuspended }, set: { $0.isSuspended = $1 })
    schema.computed(
      "name", \OperationQueue.name, notifiesManually: true,
      get: { (object: OperationQueue) in object.name }, set: { $0.name = $1 })
    schema.computed(
      "qualityOfService", \OperationQueue.qualityOfService, notifiesManually: true,
      get: { (object: OperationQueue) in object.qualityOfService },
      set: { $0.qualityOfService = $1 })
    // This class announces these keys, and overrides must announce them.
    for key in ["operations", "operationCount", "progress"] { schema.completeDependencies(of: key) }
    schema.addCocoaName(of: "isSuspended", \OperationQueue.isSuspended)
  }

  // MARK: Adding

  /// Adds an operation, which starts as soon as it's ready and its turn has come.
  ///
  /// Raises an `NSInvalidArgumentException` if the operation is executing, has finished, or was added to a
  /// queue before.
  open func addOperation(_ op: Operation) {
    enqueue([op])
  }

  /// Adds a closure as an operation, through `addOperation(_:)` for operations, which a subclass may override.
  open func addOperation(_ block: @escaping @Sendable () -> Void) {
    addOperation(BlockOperation(block: block))
  }

  /// Adds several operations, and waits for them if requested.
  open func addOperations(_ ops: [Operation], waitUntilFinished wait: Bool) {
    enqueue(ops)
    if wait { for operation in ops { operation.waitUntilFinished() } }
  }

  /// Adds a closure that runs after all operations before it, and before all later ones.
  ///
  /// It isn't one of the queue's operations, and its end isn't a part of the queue's progress.
  open func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
    enqueue([BlockOperation(block: barrier)], isBarrier: true)
  }

  private func enqueue(_ operations: [Operation], isBarrier: Bool = false) {
    if operations.isEmpty { return }
    for operation in operations {
      let problem =
        operation.isExecuting
        ? "is executing" : operation.isFinished ? "is finished" : nil
      if let problem {
        Exception.invalidArgument.raise(
          "\(Exception.address(of: operation)): operation \(problem) and cannot be enqueued")
      }
      if !operation.life.claim(for: self, isBarrier: isBarrier) {
        Exception.invalidArgument.raise(
          "\(Exception.address(of: operation)): operation is already enqueued on a queue")
      }
    }
    announce(isBarrier: isBarrier) {
      for operation in operations { schedule.add(operation, to: self) }
    }
    for operation in operations {
      operation.checkFinished()
      examine(operation)
    }
  }

  /// Adds or removes operations, and announces it; barriers aren't among `operations`.
  private func announce(isBarrier: Bool, _ body: () -> Void) {
    if isBarrier { return body() }
    willChangeValue(forKey: "operations")
    willChangeValue(forKey: "operationCount")
    body()
    didChangeValue(forKey: "operationCount")
    didChangeValue(forKey: "operations")
  }

  // MARK: Starting

  /// Checks whether an operation is ready, on one thread at a time; does nothing if it isn't in the queue.
  func examine(_ operation: Operation) {
    guard schedule.beginExamining(operation) else { return }
    while !schedule.endExamining(operation, isReady: operation.isReady) {}
    startMore()
  }

  /// Requests as many calls from Dispatch as operations may start.
  func startMore() {
    let (count, target) = schedule.takeTickets()
    for _ in 0..<count { target.async(qos: schedule.quality) { self.startNext() } }
  }

  /// Starts the operation whose turn it is.
  private func startNext() {
    guard let operation = schedule.next() else { return startMore() }
    let thread = Thread.current
    let outer = thread.threadDictionary[Self.currentKey]
    thread.threadDictionary[Self.currentKey] = self
    operation.start()
    // A thread of an asynchronous operation may be between the change of `isFinished` and its observers, which
    // are called before the queue continues.
    if !operation.isConcurrent { operation.checkFinished() }
    thread.threadDictionary[Self.currentKey] = outer
  }

  /// Removes an operation that has finished.
  func finished(_ operation: Operation) {
    schedule.leaving {
      announce(isBarrier: operation.life.isBarrier) { schedule.remove(operation) }
      startMore()
    }
  }

  func priorityChanged(_ operation: Operation) {
    schedule.setPriority(operation)
    startMore()
  }

  // MARK: State

  /// The operations that haven't finished, in the order in which they were added, without barriers.
  open var operations: [Operation] { schedule.operations(withBarriers: false) }

  /// How many operations haven't finished, not counting barriers.
  open var operationCount: Int { schedule.count }

  /// How many operations may run at the same time; the main queue's is always 1.
  open var maxConcurrentOperationCount: Int {
    get { schedule.limit }
    set {
      if isMain { return }
      change("maxConcurrentOperationCount") { schedule.limit = newValue }
      startMore()
    }
  }

  /// Whether no further operation is started; the main queue's is always false.
  open var isSuspended: Bool {
    get { schedule.isSuspended }
    set {
      if isMain { return }
      change("isSuspended") { schedule.suspend(newValue, self) }
      startMore()
    }
  }

  /// A name for debugging; `NSOperationQueue` and the queue's address where none is set.
  ///
  /// The main queue's is always `NSOperationQueue Main Queue`.
  open var name: String? {
    get { schedule.name ?? generalName }
    set {
      if isMain { return }
      change("name") { schedule.name = newValue }
    }
  }

  private var generalName: String {
    isMain
      ? "NSOperationQueue Main Queue"
      : "NSOperationQueue \(Unmanaged.passUnretained(self).toOpaque())"
  }

  /// How urgent the work is; the main queue's can't be set.
  open var qualityOfService: QualityOfService {
    get { schedule.qualityOfService }
    set { if !isMain { schedule.qualityOfService = newValue } }
  }

  /// The Dispatch queue that runs the operations; nil for one of the queue's own.
  ///
  /// Raises an `NSInvalidArgumentException` if it's set while there are operations.
  open var underlyingQueue: DispatchQueue? {
    get { schedule.underlying }
    set {
      if operationCount > 0 {
        Exception.invalidArgument.raise(
          "\(Exception.address(of: self)): the underlying queue can't be changed while there are operations"
        )
      }
      schedule.underlying = newValue
    }
  }

  /// Cancels all operations and barriers.
  open func cancelAllOperations() {
    for operation in schedule.operations(withBarriers: true) { operation.cancel() }
  }

  /// Waits until there is no operation and no barrier, and observers have been called.
  ///
  /// An observer of an operation's end, or of `operationCount`, waits only until the queue is empty, not for other
  /// observers. An observer of `isFinished` waits without end for the queue of its operation, which the operation
  /// leaves after its observers.
  open func waitUntilAllOperationsAreFinished() {
    OperationLife.startHeldUp()
    schedule.waitUntilEmpty()
  }

  /// How many operations have finished, out of its `totalUnitCount`.
  ///
  /// An operation that starts once `totalUnitCount` is set is one unit, which is completed when `main()`
  /// returns. If `main()` creates a progress, that progress is the unit, and is cancelled with the queue's.
  /// If that progress never finishes, neither does the unit, and the queue's progress retains it.
  /// Operations that override `start()` without calling `super`, or are cancelled before they start, aren't counted.
  public let progress = Progress.discreteProgress(totalUnitCount: 0)

  /// Does an operation's work as a part of the queue's progress.
  func callMain(of operation: Operation) {
    if progress.totalUnitCount <= 0 || operation.life.isBarrier { return operation.main() }
    let part = Progress.discreteProgress(totalUnitCount: 1)
    progress.addChild(part, withPendingUnitCount: 1)
    part.performAsCurrent(withPendingUnitCount: 1) { operation.main() }
  }

  private func change(_ key: String, _ body: () -> Void) {
    willChangeValue(forKey: key)
    body()
    didChangeValue(forKey: key)
  }
}

extension NotificationCenter {
  /// Calls a closure on a queue for each notification, and waits for it, as Foundation's queues do.
  @_disfavoredOverload
  public func addObserver(
    forName name: NSNotification.Name?, object obj: Any?, queue: OperationQueue?,
    using block: @escaping @Sendable (Notification) -> Void
  ) -> any Foundation.NSObjectProtocol {
    addObserver(forName: name, object: obj, queue: nil as Foundation.OperationQueue?) {
      guard let queue, queue !== OperationQueue.current else { return block($0) }
      let call = NotificationCall(notification: $0, block: block)
      queue.addOperations(
        [BlockOperation { call.block(call.notification) }], waitUntilFinished: true)
    }
  }
}

// Checked by hand: the poster waits until the call has returned.
private struct NotificationCall: @unchecked Sendable {
  let notification: Notification
  let block: @Sendable (Notification) -> Void
}
