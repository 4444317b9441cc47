/// An operation that runs closures concurrently.
///
/// ```swift
/// let operation = BlockOperation { print("first") }
/// operation.completionBlock = { print("both are done") }
/// operation.addExecutionBlock { print("second") }
/// operation.start()                    // first and second, in any order, then "both are done"
/// ```
///
/// It finishes when all closures have returned.
///
/// Source of the behaviour: Apple's documentation of `BlockOperation`.
// Checked by hand: `blocks` is accessed only inside `lock`.
open class BlockOperation: Operation, @unchecked Sendable {
  private let lock = UnfairLockBox()
  private var blocks: [@Sendable () -> Void] = []

  /// Creates an operation without closures.
  public override init() {
    super.init()
  }

  /// Creates an operation that runs a closure.
  public convenience init(block: @escaping @Sendable () -> Void) {
    self.init()
    addExecutionBlock(block)
  }

  /// Adds a closure; raises an `NSInvalidArgumentException` once the operation executes.
  open func addExecutionBlock(_ block: @escaping @Sendable () -> Void) {
    if isExecuting || isFinished {
      Exception.invalidArgument.raise(
        "\(Exception.address(of: self)): blocks cannot be added after the operation has started executing "
          + "or finished")
    }
    lock.withLock { blocks.append(block) }
  }

  /// The closures.
  open var executionBlocks: [@Sendable () -> Void] { lock.withLock { blocks } }

  /// Runs the closures, and waits for them.
  open override func main() {
    let blocks = executionBlocks
    if blocks.count == 1 { return blocks[0]() }
    DispatchQueue.concurrentPerform(iterations: blocks.count) { blocks[$0]() }
  }
}
