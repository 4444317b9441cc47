import FoundationKVO
import Testing

private final class Counter {
  let undoManager = UndoManager()
  private(set) var number = 0

  func set(_ new: Int) {
    let old = number
    number = new
    undoManager.registerUndo(withTarget: self) { $0.set(old) }
  }
}

@Suite("UndoManager: notifications of undo and redo")
struct UndoNotificationsTests {
  @Test("A document's change count follows closed groups, undos and redos")
  func changeCount() {
    let (counter, history) = (Counter(), History())
    counter.undoManager.groupsByEvent = false
    let changes: [(NSNotification.Name, String)] = [
      (.NSUndoManagerDidCloseUndoGroup, "+"), (.NSUndoManagerDidUndoChange, "-"),
      (.NSUndoManagerDidRedoChange, "+"),
    ]
    let tokens = changes.map { name, sign in
      NotificationCenter.default.addObserver(
        forName: name, object: counter.undoManager, queue: nil
      ) { _ in history.add(sign) }
    }
    counter.undoManager.beginUndoGrouping()
    counter.set(1)
    counter.undoManager.endUndoGrouping()
    #expect(history.take() == ["+"])
    counter.undoManager.undo()
    #expect(history.take() == ["-"])
    counter.undoManager.redo()
    #expect(history.take() == ["+"])
    for token in tokens { NotificationCenter.default.removeObserver(token) }
  }

  @Test("Groups that collect an undo or a redo aren't told")
  func groups() {
    let (counter, history) = (Counter(), History())
    counter.set(1)
    counter.undoManager.endUndoGrouping()
    let names: [NSNotification.Name] = [
      .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup,
      .NSUndoManagerDidCloseUndoGroup,
    ]
    let tokens = names.map { name in
      NotificationCenter.default.addObserver(
        forName: name, object: counter.undoManager, queue: nil
      ) { history.add($0.name.rawValue) }
    }
    counter.undoManager.undo()
    counter.undoManager.redo()
    #expect(history.take() == [])
    for token in tokens { NotificationCenter.default.removeObserver(token) }
  }

  @Test("The manager is undoing or redoing during the notifications before and after it")
  func states() {
    let (counter, history) = (Counter(), History())
    let names: [NSNotification.Name] = [
      .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange, .NSUndoManagerWillRedoChange,
      .NSUndoManagerDidRedoChange,
    ]
    let tokens = names.map { name in
      NotificationCenter.default.addObserver(
        forName: name, object: counter.undoManager, queue: nil
      ) { notification in
        guard let manager = notification.object as? UndoManager else { return }
        history.add("\(manager.isUndoing) \(manager.isRedoing)")
      }
    }
    counter.set(1)
    counter.undoManager.undo()
    counter.undoManager.redo()
    #expect(history.take() == ["true false", "true false", "false true", "false true"])
    #expect(!counter.undoManager.isUndoing && !counter.undoManager.isRedoing)
    for token in tokens { NotificationCenter.default.removeObserver(token) }
  }

  @Test("What an observer of an undo registers, unless the manager is undoing, leaves the redo")
  func redoStays() {
    let counter = Counter()
    nonisolated(unsafe) let shared = counter
    let token = NotificationCenter.default.addObserver(
      forName: .NSUndoManagerDidUndoChange, object: counter.undoManager, queue: nil
    ) { _ in
      // As a setter that's undoable by itself does.
      let manager = shared.undoManager
      if !manager.isUndoing, !manager.isRedoing {
        manager.registerUndo(withTarget: shared) { _ in }
      }
    }
    counter.set(1)
    counter.undoManager.undo()
    #expect(counter.undoManager.canRedo)
    NotificationCenter.default.removeObserver(token)
  }
}
