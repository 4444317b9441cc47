import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class ToolPalette {
  var name = ""
}

@KeyValueObservable
private final class WindowToolbar {
  let palette = ToolPalette()
  var title = ""
}

@KeyValueObservable
private final class DeskWindow {
  let toolbar = WindowToolbar()
  var title = ""
}

@KeyValueObservable
private final class DeskTop {
  weak var active: WindowToolbar?
  var windows: [DeskWindow] = []
}

/// Made of a toolbar, by a closure.
@KeyValueObservable
private final class ToolbarButton {
  unowned let toolbar: WindowToolbar

  init(in toolbar: WindowToolbar) { self.toolbar = toolbar }
}

@KeyValueObservable
private final class ButtonDesk {
  var buttons: [ToolbarButton] = []
  var windows: [DeskWindow] = []
}

/// `init(from:)` makes its parent first, if it isn't there.
@KeyValueObservable
private final class DraftRevision: Codable {
  let parent: DraftRevision?
  var number = 0

  required init() { parent = nil }
  init(after parent: DraftRevision?) { self.parent = parent }
}

@KeyValueObservable
private final class RevisedDraft {
  var revisions: [DraftRevision] = []
}

/// A closure makes it, and it makes its toolbar.
@KeyValueObservable
private final class MadeWindow {
  let toolbar = WindowToolbar()
  var title: String

  init(title: String) { self.title = title }
}

@KeyValueObservable
private final class MadeDesk {
  var windows: [MadeWindow] = []
}

@Suite("G. Objects that a constant makes, and that other keys refer to")
struct ConstantOrderTests {
  @Test("G3 an owner that a closure makes is made before the constant objects that it makes itself")
  func closuresOwner() throws {
    let desk = MadeDesk()
    desk.windows = [MadeWindow(title: "a")]
    desk.windows[0].toolbar.palette.name = "p"
    let classes = [KeyValueLogClass(MadeWindow.self) { MadeWindow(title: try $0.value("title")) }]
    let snapshot = try KeyValueChangeLog(of: desk, classes: classes).snapshot()
    let restored = try KeyValueChangeLog(
      restoring: snapshot, as: MadeDesk.self, classes: classes)
    #expect(restored.root.windows.map(\.title) == ["a"])
    #expect(restored.root.windows[0].toolbar.palette.name == "p")
    #expect(try restored.snapshot() == snapshot)
  }

  @Test("G3 an object is made by its owner, also if another key leads to it first")
  func owners() throws {
    let (desk, window) = (DeskTop(), DeskWindow())
    window.toolbar.title = "Tools"
    window.toolbar.palette.name = "Ink"
    desk.windows = [window]
    desk.active = window.toolbar
    let log = try KeyValueChangeLog(of: desk)
    let snapshot = try log.snapshot()
    let copy = try KeyValueChangeLog(restoring: snapshot, as: DeskTop.self)
    #expect(copy.root.active === copy.root.windows[0].toolbar)
    #expect(copy.root.active?.palette.name == "Ink")
    #expect(try copy.snapshot() == snapshot)
    let link = log.observe { record in #expect(throws: Never.self) { try copy.apply(record) } }
    desk.performChanges { desk in
      let window = DeskWindow()
      desk.active = window.toolbar
      desk.windows.append(window)
    }
    #expect(copy.root.active === copy.root.windows[1].toolbar)
    #expect(try copy.snapshot() == log.snapshot())
    withExtendedLifetime(link) {}
  }

  @Test("G3 so it is if a closure takes it from the values") func closures() throws {
    let (desk, window) = (ButtonDesk(), DeskWindow())
    desk.windows = [window]
    desk.buttons = [ToolbarButton(in: window.toolbar)]
    let classes = [
      KeyValueLogClass(ToolbarButton.self) { ToolbarButton(in: try $0.value("toolbar")) }
    ]
    let snapshot = try KeyValueChangeLog(of: desk, classes: classes).snapshot()
    let copy = try KeyValueChangeLog(restoring: snapshot, as: ButtonDesk.self, classes: classes)
    #expect(copy.root.buttons[0].toolbar === copy.root.windows[0].toolbar)
    #expect(try copy.snapshot() == snapshot)
  }

  @Test("G3 a chain that init(from:) makes may be long, if each object is listed behind its own")
  func chain() throws {
    let draft = RevisedDraft()
    for number in 1...600 {
      let revision = DraftRevision(after: draft.revisions.last)
      revision.number = number
      draft.revisions.append(revision)
    }
    let snapshot = try KeyValueChangeLog(of: draft).snapshot()
    let copy = try KeyValueChangeLog(restoring: snapshot, as: RevisedDraft.self)
    #expect(copy.root.revisions.map(\.number) == Array(1...600))
    #expect(copy.root.revisions[599].parent === copy.root.revisions[598])
    #expect(try copy.snapshot() == snapshot)
  }
}
