import KeyValueObserving
import KeyValueTestSupport
import Testing

/// An action that a comparison runs once.
private final class Hook {
  var action: (() -> Void)?

  func run() {
    let last = action
    action = nil
    last?()
  }
}

private struct Mark: Equatable {
  let number: Int
  let hook: Hook

  static func == (left: Mark, right: Mark) -> Bool {
    left.hook.run()
    return left.number == right.number
  }
}

@KeyValueObservable
private final class Draft {
  var mark: Mark
  var title = ""

  init(_ hook: Hook) { mark = Mark(number: 0, hook: hook) }

  func setMark(_ number: Int) { mark = Mark(number: number, hook: mark.hook) }
}

@Suite("X3. Comparisons that change what is recorded")
struct RecorderCheckTests {
  private let recorder = KeyValueChangeRecorder()
  private let hook = Hook()
  private let draft: Draft

  init() throws {
    draft = Draft(hook)
    try recorder.record(draft, "mark", "title")
  }

  /// Has the next comparison change the title.
  private func changeTitleInNextComparison() {
    hook.action = { [draft] in draft.title = "compared" }
  }

  private func levels(_ undo: Int, redo: Int) -> Bool {
    recorder.description.hasSuffix(
      " \(undo) level\(undo == 1 ? "" : "s") to undo, \(redo) to redo)")
  }

  @Test("X3 undo() does nothing if checking the level makes another one")
  func undone() throws {
    draft.setMark(1)
    changeTitleInNextComparison()
    let text = message { try recorder.undo() }
    #expect(text.contains("a comparison of a recorded value, which changed a recorded key"))
    #expect(draft.mark.number == 1 && draft.title == "compared" && levels(2, redo: 0))
    #expect(try recorder.undo() && draft.title == "" && draft.mark.number == 1)
    #expect(try recorder.undo() && draft.mark.number == 0 && !recorder.canUndo)
    try recorder.redo()
    try recorder.redo()
    #expect(draft.mark.number == 1 && draft.title == "compared")
  }

  @Test("X3 redo() does nothing then, and what could be redone is discarded, as by any change")
  func redone() throws {
    draft.setMark(1)
    try recorder.undo()
    changeTitleInNextComparison()
    #expect(throws: KeyValueLogError.self) { try recorder.redo() }
    #expect(draft.mark.number == 0 && draft.title == "compared" && levels(1, redo: 0))
    #expect(try recorder.undo() && draft.title == "" && !recorder.canUndo)
  }

  @Test("X3 what a comparison changes as a group ends is the level behind the group's")
  func closed() throws {
    recorder.group {
      draft.setMark(1)
      draft.setMark(2)
      changeTitleInNextComparison()
    }
    #expect(draft.title == "compared" && levels(2, redo: 0))
    #expect(try recorder.undo() && draft.title == "" && draft.mark.number == 2)
    #expect(try recorder.undo() && draft.mark.number == 0 && !recorder.canUndo)
  }

  @Test("X3 it discards what could be redone, also if the group changes nothing")
  func closedWithoutEffect() throws {
    draft.title = "first"
    try recorder.undo()
    recorder.group {
      draft.setMark(1)
      draft.setMark(0)
    }
    #expect(levels(0, redo: 1))
    recorder.group {
      draft.setMark(1)
      draft.setMark(0)
      changeTitleInNextComparison()
    }
    #expect(draft.title == "compared" && levels(1, redo: 0))
    #expect(try recorder.undo() && draft.title == "" && !recorder.canUndo)
  }
}
