import FoundationKVO
import Testing

/// Typing that's registered late: Apple's *Using Undo Notifications* has it wait for the checkpoint.
private final class Editor {
  let undoManager = UndoManager()
  private(set) var text = ""
  private var registered = ""

  func type(_ letters: String) { text += letters }

  /// Registers what has been typed since the last time.
  func flush() {
    if text == registered { return }
    let before = registered
    registered = text
    undoManager.registerUndo(withTarget: self) { $0.replace(before) }
  }

  private func replace(_ new: String) {
    let before = text
    (text, registered) = (new, new)
    undoManager.registerUndo(withTarget: self) { $0.replace(before) }
  }
}

@Suite("UndoManager: observers of the checkpoint")
struct UndoCheckpointTests {
  @Test("An observer of the checkpoint may ask whether there is something to redo")
  func asksForRedo() async {
    await #expect(processExitsWith: .success) {
      let (manager, target, history) = (UndoManager(), NSObject(), History())
      let token = NotificationCenter.default.addObserver(
        forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
      ) { notification in
        guard let manager = notification.object as? UndoManager else { return }
        history.add("\(manager.canUndo) \(manager.canRedo)")
      }
      manager.registerUndo(withTarget: target) { _ in }
      manager.undo()
      NotificationCenter.default.removeObserver(token)
      withExtendedLifetime(target) {}
      exit(history.take().isEmpty ? 1 : 0)
    }
  }

  @Test("A change that's registered at the checkpoint of undo() is undone")
  func pendingChange() async {
    await #expect(processExitsWith: .success) {
      let editor = Editor()
      nonisolated(unsafe) let shared = editor
      let token = NotificationCenter.default.addObserver(
        forName: .NSUndoManagerCheckpoint, object: editor.undoManager, queue: nil
      ) { _ in shared.flush() }
      editor.type("abc")
      editor.undoManager.undo()
      let isUndone = editor.text.isEmpty
      editor.undoManager.redo()
      NotificationCenter.default.removeObserver(token)
      exit(isUndone && editor.text == "abc" ? 0 : 1)
    }
  }
}
