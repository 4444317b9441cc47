import FoundationKVO
import Testing

/// An operation that announces its end under Cocoa's name of the state.
// Checked by hand: only one thread at a time changes the state.
private final class Fetch: Operation, @unchecked Sendable {
  private var isDone = false

  override var isAsynchronous: Bool { true }
  override var isFinished: Bool { isDone }

  override func start() {
    willChangeValue(forKey: "finished")
    isDone = true
    didChangeValue(forKey: "finished")
  }
}

@Suite("State keys by their Objective-C names, without Swift's is prefix")
struct CocoaNamesTests {
  private let observer = HistoryObserver()

  private func observe(_ object: NSObject, _ keys: String...) {
    for key in keys {
      object.addObserver(observer, forKeyPath: key, options: [.old, .new], context: nil)
    }
  }

  @Test("An operation's states are observed and announced under both names")
  func operations() {
    let fetch = Fetch()
    observe(fetch, "finished", "isFinished")
    let queue = OperationQueue()
    queue.addOperations([fetch], waitUntilFinished: true)
    #expect(observer.history.take() == ["finished old 0 new 1", "isFinished old 0 new 1"])
    let block = BlockOperation {}
    observe(block, "ready", "executing", "finished", "cancelled")
    block.cancel()
    queue.addOperations([block], waitUntilFinished: true)
    #expect(
      observer.history.take() == [
        "ready old 1 new 1", "cancelled old 0 new 1", "finished old 0 new 1",
      ])
    #expect(block.value(forKey: "cancelled") as? Bool == true)
    #expect(block.value(forKey: "asynchronous") as? Bool == false)
  }

  @Test("The states of a queue and a progress are observed and set under both names")
  func queuesAndProgress() {
    let queue = OperationQueue()
    observe(queue, "suspended")
    queue.isSuspended = true
    queue.setValue(false, forKey: "suspended")
    #expect(!queue.isSuspended)
    #expect(observer.history.take() == ["suspended old 0 new 1", "suspended old 1 new 0"])
    let progress = Progress(totalUnitCount: 1)
    observe(progress, "finished", "cancelled", "paused", "indeterminate", "pausable")
    progress.isPausable = true
    progress.pause()
    progress.cancel()
    progress.completedUnitCount = 1
    #expect(
      observer.history.take() == [
        "pausable old 0 new 1", "paused old 0 new 1", "cancelled old 0 new 1",
        "finished old 0 new 1",
      ])
  }

  @Test("An operation keeps its thread priority and notifies observers of it")
  func threadPriority() {
    let operation = Operation()
    observe(operation, "threadPriority")
    #expect(operation.threadPriority == 0.5)
    operation.threadPriority = 0.75
    #expect(observer.history.take() == ["threadPriority old 0.5 new 0.75"])
  }

  @Test("An undo manager's properties are read and set by key")
  func undoManagers() {
    let manager = UndoManager()
    #expect(manager.value(forKey: "canUndo") as? Bool == false)
    manager.registerUndo(withTarget: observer) { _ in }
    manager.setActionName("Rename")
    #expect(manager.value(forKey: "canUndo") as? Bool == true)
    #expect(manager.value(forKey: "undoMenuItemTitle") as? String == "Undo Rename")
    #expect(manager.value(forKey: "undoing") as? Bool == false)
    manager.setValue(3, forKey: "levelsOfUndo")
    #expect(manager.levelsOfUndo == 3)
  }
}
