import FoundationKVO
import Testing

private final class Steps {
  let undoManager = UndoManager()
  var undone: [Int] = []
  var levels: [Int] = []
  var isDone = false

  func register(_ step: Int) {
    undoManager.registerUndo(withTarget: self) { $0.undone.append(step) }
  }
}

@Suite("UndoManager: groups in a pass of the run loop")
struct UndoEventTests {
  /// Runs code in one pass, until the event's group has closed.
  private func event(_ steps: Steps, _ body: @escaping @Sendable (Steps) -> Void) {
    nonisolated(unsafe) let shared = steps
    RunLoop.current.perform {
      body(shared)
      shared.isDone = true
    }
    while !steps.isDone || steps.undoManager.groupingLevel > 0 {
      _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
    }
  }

  /// Runs code in one pass, until what ends its event has run.
  private func pass(_ steps: Steps, _ body: @escaping @Sendable (Steps) -> Void) {
    nonisolated(unsafe) let shared = steps
    steps.isDone = false
    RunLoop.current.perform {
      body(shared)
      RunLoop.current.perform { shared.isDone = true }
    }
    while !steps.isDone {
      _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
    }
  }

  @Test("A group that's open over several events ends with the event that closes it")
  func acrossEvents() {
    let steps = Steps()
    pass(steps) {
      $0.undoManager.beginUndoGrouping()
      $0.register(1)
    }
    pass(steps) { $0.undoManager.endUndoGrouping() }
    #expect(steps.undoManager.groupingLevel == 0)
    pass(steps) { $0.register(2) }
    steps.undoManager.undo()
    #expect(steps.undone == [2])
    steps.undoManager.undo()
    #expect(steps.undone == [2, 1])
  }

  @Test("Groups opened by hand in one event are undone together")
  func twoGroups() {
    let steps = Steps()
    event(steps) { steps in
      for step in 1...2 {
        steps.undoManager.beginUndoGrouping()
        steps.levels.append(steps.undoManager.groupingLevel)
        steps.register(step)
        steps.undoManager.endUndoGrouping()
        steps.levels.append(steps.undoManager.groupingLevel)
      }
    }
    // GNUstep's test of the same, "implicit open when grouping by events", which passes on Apple's systems.
    #expect(steps.levels == [2, 1, 2, 1])
    #expect(steps.undoManager.undoCount == 1)
    steps.undoManager.undo()
    #expect(steps.undone == [2, 1])
  }

  @Test("A group opened by hand is undone with what the event registers behind it")
  func groupAndRegistration() {
    let steps = Steps()
    event(steps) { steps in
      steps.undoManager.beginUndoGrouping()
      steps.register(1)
      steps.undoManager.setActionIsDiscardable(true)
      steps.undoManager.endUndoGrouping()
      steps.register(2)
    }
    // The mark is the outermost group's.
    #expect(steps.undoManager.undoActionIsDiscardable)
    steps.undoManager.undo()
    #expect(steps.undone == [2, 1])
    #expect(!steps.undoManager.canUndo)
  }
}
