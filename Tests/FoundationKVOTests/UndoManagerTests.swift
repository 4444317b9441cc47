import FoundationKVO
import Testing

@KeyValueObservable
private class Note: NSObject {
  @KeyValueIgnored let undoManager: UndoManager
  @KeyValueIgnored var names: (Int) -> String = { "Set \($0)" }

  init(_ undoManager: UndoManager = UndoManager()) {
    self.undoManager = undoManager
    super.init()
  }

  dynamic var number = 0 {
    didSet {
      undoManager.registerUndo(withTarget: self) { $0.number = oldValue }
      if !undoManager.isUndoing, !undoManager.isRedoing { undoManager.setActionName(names(number)) }
    }
  }
}

/// Undo as in Cocoa's documents: an observer registers the old value.
@KeyValueObservable
private class ObservingUndo: NSObject {
  @KeyValueIgnored let undoManager = UndoManager()

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    guard let object = object as? NSObject, let keyPath, let old = change?[.oldKey] else { return }
    undoManager.registerUndo(withTarget: object) { $0.setValue(old, forKeyPath: keyPath) }
  }
}

@Suite("UndoManager")
struct UndoManagerTests {
  @Test("The first registration opens the event's group, and undo closes it")
  func event() {
    let note = Note()
    let manager = note.undoManager
    #expect(!manager.canUndo && !manager.canRedo && manager.groupingLevel == 0)
    #expect(manager.undoMenuItemTitle == "Undo" && manager.redoMenuItemTitle == "Redo")
    note.number = 1
    note.number = 2
    #expect(manager.groupingLevel == 1 && manager.canUndo)
    #expect(manager.undoMenuItemTitle == "Undo Set 2")
    manager.undo()
    #expect(note.number == 0 && manager.groupingLevel == 0)
    #expect(!manager.canUndo && manager.redoMenuItemTitle == "Redo Set 2")
    manager.redo()
    #expect(note.number == 2 && manager.canUndo && !manager.canRedo)
    #expect(manager.undoMenuItemTitle == "Undo Set 2")
    manager.undo()
    #expect(note.number == 0)
    note.number = 5
    #expect(!manager.canRedo)
  }

  @Test("A running run loop closes the event's group")
  func runLoop() {
    let note = Note()
    let manager = note.undoManager
    nonisolated(unsafe) let shared = note
    for number in 1...3 {
      RunLoop.current.perform {
        shared.number = number * 10
        shared.number = number
      }
      while note.number != number || manager.groupingLevel > 0 {
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
      }
    }
    #expect(manager.undoCount == 3)
    var numbers: [Int] = []
    while manager.canUndo {
      manager.undo()
      numbers.append(note.number)
    }
    #expect(numbers == [2, 1, 0])
  }

  @Test("A running run loop closes the event's group also if a nested group was undone")
  func runLoopAfterNestedUndo() {
    let note = Note()
    let history = History()
    nonisolated(unsafe) let shared = note
    RunLoop.current.perform {
      let manager = shared.undoManager
      shared.number = 1
      manager.beginUndoGrouping()
      shared.number = 2
      manager.endUndoGrouping()
      manager.undoNestedGroup()
      history.add("\(shared.number) \(manager.groupingLevel)")
      // The run loop performs this after what the first registration has it perform.
      RunLoop.current.perform {
        history.add("\(shared.number) \(shared.undoManager.groupingLevel)")
      }
    }
    var lines: [String] = []
    while lines.count < 2 {
      _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
      lines += history.take()
    }
    #expect(lines == ["1 1", "1 0"])
    note.undoManager.undo()
    #expect(note.number == 0)
  }

  @Test("Groups nest, keep their order, and pass their action name to the enclosing group")
  func groups() {
    let note = Note()
    let manager = note.undoManager
    let history = History()
    manager.groupsByEvent = false
    let token = note.observe(\.number, options: [.new]) { history.add("\($1.newValue!)") }
    manager.beginUndoGrouping()
    note.number = 1
    manager.beginUndoGrouping()
    note.number = 2
    note.number = 3
    manager.setActionName("Inner")
    #expect(manager.groupingLevel == 2)
    manager.endUndoGrouping()
    manager.endUndoGrouping()
    manager.beginUndoGrouping()
    note.number = 4
    manager.endUndoGrouping()
    manager.beginUndoGrouping()
    manager.endUndoGrouping()
    #expect(history.take() == ["1", "2", "3", "4"])
    #expect(manager.undoActionName == "Set 4" && manager.undoCount == 2)
    manager.undo()
    #expect(manager.undoActionName == "Inner" && manager.redoActionName == "Set 4")
    manager.undo()
    #expect(history.take() == ["3", "2", "1", "0"])
    manager.redo()
    manager.redo()
    #expect(history.take() == ["1", "2", "3", "4"])
    #expect(manager.undoCount == 2 && manager.redoCount == 0)
    token.invalidate()
  }

  @Test("undoNestedGroup undoes a closed group inside an open one")
  func nested() {
    let note = Note()
    let manager = note.undoManager
    manager.beginUndoGrouping()
    note.number = 1
    manager.beginUndoGrouping()
    note.number = 2
    manager.endUndoGrouping()
    manager.undoNestedGroup()
    #expect(note.number == 1 && manager.groupingLevel == 1 && manager.redoCount == 1)
    manager.endUndoGrouping()
    manager.undo()
    #expect(note.number == 0)
    manager.redo()
    manager.redo()
    #expect(note.number == 2)
  }

  @Test("The oldest groups beyond levelsOfUndo are discarded")
  func levels() {
    let note = Note()
    let manager = note.undoManager
    func set(_ number: Int) {
      manager.beginUndoGrouping()
      note.number = number
      manager.endUndoGrouping()
    }
    for number in 1...5 { set(number) }
    #expect(manager.undoCount == 5)
    manager.levelsOfUndo = 3
    #expect(manager.undoCount == 3)
    set(6)
    #expect(manager.undoCount == 3)
    while manager.canUndo { manager.undo() }
    #expect(note.number == 3 && manager.redoCount == 3)
  }

  @Test("A group whose targets have died takes no place within levelsOfUndo")
  func deadLevels() {
    let manager = UndoManager()
    let note = Note(manager)
    manager.levelsOfUndo = 2
    func set(_ note: Note, _ number: Int) {
      manager.beginUndoGrouping()
      note.number = number
      manager.endUndoGrouping()
    }
    set(note, 1)
    set(Note(manager), 1)
    set(note, 2)
    #expect(manager.undoCount == 2)
    while manager.canUndo { manager.undo() }
    #expect(note.number == 0)
  }

  @Test("No action is recorded while registration is disabled")
  func disabled() {
    let note = Note()
    let manager = note.undoManager
    manager.disableUndoRegistration()
    manager.disableUndoRegistration()
    note.number = 1
    manager.enableUndoRegistration()
    #expect(!manager.isUndoRegistrationEnabled)
    manager.enableUndoRegistration()
    #expect(manager.isUndoRegistrationEnabled && !manager.canUndo && manager.groupingLevel == 0)
    manager.disableUndoRegistration()
    manager.removeAllActions()
    #expect(manager.isUndoRegistrationEnabled)
  }

  @Test("A name before the event's first registration is the event's, not the last group's")
  func namesFirst() {
    let (manager, target) = (UndoManager(), NSObject())
    let key = UndoManager.UserInfoKey(rawValue: "where")
    func attach(_ name: String, isDiscardable: Bool) {
      manager.setActionName(name)
      manager.setActionIsDiscardable(isDiscardable)
      manager.setActionUserInfoValue(name, forKey: key)
    }
    attach("First", isDiscardable: false)
    #expect(manager.groupingLevel == 1 && !manager.canUndo)
    manager.registerUndo(withTarget: target) { _ in }
    manager.endUndoGrouping()
    attach("Second", isDiscardable: true)
    #expect(manager.undoActionName == "First" && !manager.undoActionIsDiscardable)
    #expect(manager.undoActionUserInfoValue(forKey: key) as? String == "First")
    manager.registerUndo(withTarget: target) { _ in }
    manager.disableUndoRegistration()
    attach("Third", isDiscardable: false)
    manager.enableUndoRegistration()
    manager.endUndoGrouping()
    #expect(manager.undoActionName == "Second" && manager.undoActionIsDiscardable)
    #expect(manager.undoActionUserInfoValue(forKey: key) as? String == "Second")
    manager.groupsByEvent = false
    attach("Fourth", isDiscardable: false)
    #expect(manager.undoActionName == "Second" && manager.groupingLevel == 0)
    withExtendedLifetime(target) {}
  }

  @Test("Actions are removed, all of them or those of one target")
  func removal() {
    let manager = UndoManager()
    let (first, second) = (Note(manager), Note(manager))
    first.number = 1
    second.number = 2
    manager.removeAllActions(withTarget: first)
    manager.undo()
    #expect(first.number == 1 && second.number == 0)
    manager.redo()
    manager.removeAllActions(withTarget: second)
    #expect(!manager.canUndo && !manager.canRedo)
    first.number = 3
    manager.removeAllActions()
    #expect(!manager.canUndo && manager.groupingLevel == 0)
    manager.undo()
    #expect(first.number == 3)
  }

  @Test("removeAllActions in a handler leaves nothing to redo")
  func removalInHandler() {
    let note = Note()
    note.undoManager.registerUndo(withTarget: note) { note in
      note.number = 1
      note.undoManager.removeAllActions()
    }
    note.undoManager.undo()
    #expect(!note.undoManager.canUndo && !note.undoManager.canRedo)
    #expect(!note.undoManager.isUndoing && note.undoManager.groupingLevel == 0)
  }

  @Test(
    "A handler that undoNestedGroup calls removes the open groups' actions, too", arguments: 0...1)
  func removalInNestedHandler(way: Int) {
    let (manager, target, history) = (UndoManager(), NSObject(), History())
    manager.beginUndoGrouping()
    manager.registerUndo(withTarget: target) { _ in history.add("outer") }
    manager.beginUndoGrouping()
    manager.registerUndo(withTarget: target) { [unowned manager] target in
      history.add("nested")
      if way == 0 {
        manager.removeAllActions()
      } else {
        manager.removeAllActions(withTarget: target)
      }
    }
    manager.endUndoGrouping()
    manager.undoNestedGroup()
    #expect(!manager.canUndo && !manager.canRedo && manager.groupingLevel == 1)
    manager.endUndoGrouping()
    manager.undo()
    #expect(history.take() == ["nested"])
    withExtendedLifetime(target) {}
  }

  @Test("A target isn't retained, and the actions of a deallocated target are skipped")
  func deadTargets() {
    let manager = UndoManager()
    let living = Note(manager)
    weak var dead: Note?
    do {
      let note = Note(manager)
      dead = note
      manager.beginUndoGrouping()
      living.number = 1
      note.number = 1
      manager.endUndoGrouping()
      manager.beginUndoGrouping()
      note.number = 2
      manager.endUndoGrouping()
    }
    #expect(dead == nil)
    #expect(manager.undoCount == 1 && manager.undoActionName == "Set 1")
    manager.undo()
    #expect(living.number == 0 && !manager.canUndo)
    manager.redo()
    #expect(living.number == 1)
  }

  @Test(
    "Later registrations drop the actions of deallocated targets, in closed groups and in open ones",
    arguments: 0...2)
  func droppedActions(way: Int) {
    let (manager, living, history) = (UndoManager(), NSObject(), History())
    manager.beginUndoGrouping()
    manager.registerUndo(withTarget: living) { _ in history.add("undone") }
    if way == 0 { manager.endUndoGrouping() }
    for _ in 0..<100 {
      let (mortal, capture) = (NSObject(), Capture { _ in history.add("dropped") })
      if way < 2 { manager.beginUndoGrouping() }
      manager.registerUndo(withTarget: mortal) { _ in withExtendedLifetime(capture) {} }
      if way < 2 { manager.endUndoGrouping() }
    }
    if way > 0 { manager.endUndoGrouping() }
    let dropped = history.take()
    #expect(dropped.count > 50)
    manager.undo()
    #expect(
      (dropped + history.take()).sorted()
        == Array(repeating: "dropped", count: 100) + ["undone"])
    withExtendedLifetime(living) {}
  }

  @Test("A registration stays if the end of an action that it drops closes the group")
  func groupClosedMeanwhile() {
    let (manager, living, history) = (UndoManager(), NSObject(), History())
    manager.beginUndoGrouping()
    for number in 0..<16 {
      let mortal = NSObject()
      let capture = Capture { [unowned manager] _ in
        if number == 0 { manager.endUndoGrouping() }
      }
      manager.registerUndo(withTarget: mortal) { _ in withExtendedLifetime(capture) {} }
    }
    #expect(manager.groupingLevel == 1)
    manager.registerUndo(withTarget: living) { _ in history.add("undone") }
    #expect(manager.groupingLevel == 0 && manager.undoCount == 1)
    manager.undo()
    #expect(history.take() == ["undone"])
    withExtendedLifetime(living) {}
  }

  @Test("What a handler captured may call the manager at its end, whatever removes the handler")
  func capturesEnd() {
    let (manager, target, history) = (UndoManager(), NSObject(), History())
    func makeCapture(_ name: String) -> Capture {
      Capture { [weak manager] capture in
        guard let manager else { return }
        manager.removeAllActions(withTarget: capture)
        history.add("\(name) \(manager.undoCount) \(manager.redoCount)")
      }
    }
    /// Registers an action in a group; undoing it registers the same capture for the redo.
    func register(_ name: String, _ target: NSObject) {
      let capture = makeCapture(name)
      manager.beginUndoGrouping()
      manager.registerUndo(withTarget: target) { [unowned manager] target in
        manager.registerUndo(withTarget: target) { _ in withExtendedLifetime(capture) {} }
      }
      manager.endUndoGrouping()
    }
    register("all", target)
    manager.removeAllActions()
    register("target", target)
    manager.removeAllActions(withTarget: target)
    #expect(history.take() == ["all 0 0", "target 0 0"])

    // In groups that are open.
    manager.beginUndoGrouping()
    register("nested", target)
    manager.removeAllActions()
    register("nested target", target)
    manager.removeAllActions(withTarget: target)
    manager.endUndoGrouping()
    #expect(history.take() == ["nested 0 0", "nested target 0 0"])
    do {
      let capture = makeCapture("event")
      manager.registerUndo(withTarget: target) { _ in withExtendedLifetime(capture) {} }
    }
    manager.removeAllActions()
    #expect(history.take() == ["event 0 0"] && manager.groupingLevel == 0)

    // On the redo stack.
    register("redo", target)
    manager.undo()
    manager.removeAllActions(withTarget: target)
    register("redo all", target)
    manager.undo()
    manager.removeAllActions()
    #expect(history.take() == ["redo 0 0", "redo all 0 0"])
    register("cleared", target)
    manager.undo()
    #expect(manager.redoCount == 1)
    register("first", target)
    #expect(history.take() == ["cleared 1 0"])

    // Beyond the limit.
    register("second", target)
    manager.levelsOfUndo = 1
    #expect(history.take() == ["first 1 0"])
    register("third", target)
    #expect(history.take() == ["second 1 0"])
    manager.levelsOfUndo = 0
    register("fourth", target)
    manager.undo()
    manager.undo()
    #expect(history.take() == [] && manager.redoCount == 2)
    manager.levelsOfUndo = 1
    #expect(history.take() == ["fourth 0 1"])
    manager.redo()
    #expect(history.take() == ["third 0 0"] && !manager.canUndo && !manager.canRedo)

    // Without a target.
    do {
      let mortal = NSObject()
      register("dead", mortal)
    }
    manager.undo()
    #expect(history.take() == ["dead 0 0"])
    do {
      let mortal = NSObject()
      register("dead redo", mortal)
      manager.undo()
      #expect(manager.redoCount == 1)
      withExtendedLifetime(mortal) {}
    }
    manager.redo()
    #expect(history.take() == ["dead redo 0 0"])
    withExtendedLifetime(target) {}
  }

  @Test("A value attached to a group may call the manager at its end")
  func userInfoEnds() {
    let (manager, target, history) = (UndoManager(), NSObject(), History())
    let key = UndoManager.UserInfoKey(rawValue: "key")
    func attach(_ name: String) {
      let value = Capture { [weak manager] _ in
        let info = manager?.undoActionUserInfoValue(forKey: key) as? String
        history.add("\(name) \(info ?? "nil")")
      }
      manager.setActionUserInfoValue(value, forKey: key)
    }
    manager.beginUndoGrouping()
    manager.registerUndo(withTarget: target) { _ in }
    attach("replaced")
    manager.setActionUserInfoValue("outer", forKey: key)
    #expect(history.take() == ["replaced outer"])
    attach("taken over")
    manager.beginUndoGrouping()
    manager.registerUndo(withTarget: target) { _ in }
    manager.setActionUserInfoValue("inner", forKey: key)
    manager.endUndoGrouping()
    #expect(history.take() == ["taken over inner"])
    manager.beginUndoGrouping()
    attach("empty")
    manager.endUndoGrouping()
    #expect(history.take() == ["empty inner"])
    manager.endUndoGrouping()
    manager.removeAllActions()
    manager.registerUndo(withTarget: target) { _ in }
    attach("event")
    manager.removeAllActions()
    #expect(history.take() == ["event nil"])
    withExtendedLifetime(target) {}
  }

  @Test("Notifications are posted in Cocoa's order")
  func notifications() {
    let manager = UndoManager()
    let note = Note(manager)
    let history = History()
    let names: [NSNotification.Name] = [
      .NSUndoManagerCheckpoint, .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup,
      .NSUndoManagerDidCloseUndoGroup, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange,
      .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange,
    ]
    let tokens = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) {
        let suffix = $0.name.rawValue.dropFirst("NSUndoManager".count).dropLast(
          "Notification".count)
        let discardable = $0.userInfo?[NSUndoManagerGroupIsDiscardableKey] as? Bool
        history.add(suffix + (discardable == true ? " discardable" : ""))
      }
    }
    manager.beginUndoGrouping()
    note.number = 1
    manager.setActionIsDiscardable(true)
    manager.endUndoGrouping()
    #expect(
      history.take() == [
        "Checkpoint", "DidOpenUndoGroup", "Checkpoint", "WillCloseUndoGroup discardable",
        "DidCloseUndoGroup discardable",
      ])
    #expect(manager.undoActionIsDiscardable)
    manager.undo()
    #expect(
      history.take() == [
        "Checkpoint", "WillUndoChange", "Checkpoint", "DidUndoChange",
      ])
    #expect(manager.redoActionIsDiscardable && !manager.undoActionIsDiscardable)
    manager.redo()
    #expect(
      history.take() == [
        "Checkpoint", "WillRedoChange", "Checkpoint", "Checkpoint", "DidRedoChange",
      ])
    for token in tokens { NotificationCenter.default.removeObserver(token) }
  }

  @Test("A group carries user info values")
  func userInfo() {
    let note = Note()
    let key = UndoManager.UserInfoKey(rawValue: "where")
    note.number = 1
    note.undoManager.setActionUserInfoValue("here", forKey: key)
    #expect(note.undoManager.undoActionUserInfoValue(forKey: key) as? String == "here")
    note.undoManager.undo()
    #expect(note.undoManager.redoActionUserInfoValue(forKey: key) as? String == "here")
    #expect(note.undoManager.undoActionUserInfoValue(forKey: key) == nil)
  }

  @Test("An observer of a model makes its changes undoable")
  func observing() {
    let (note, undo) = (Note(), ObservingUndo())
    note.undoManager.disableUndoRegistration()
    note.addObserver(undo, forKeyPath: "number", options: .old, context: nil)
    note.number = 1
    undo.undoManager.endUndoGrouping()
    note.setValue(2, forKey: "number")
    undo.undoManager.undo()
    #expect(note.number == 1)
    undo.undoManager.undo()
    #expect(note.number == 0)
    undo.undoManager.redo()
    undo.undoManager.redo()
    #expect(note.number == 2)
    note.removeObserver(undo, forKeyPath: "number")
  }

  @Test("Misuse that raises in Cocoa ends the program")
  func raises() async {
    await #expect(processExitsWith: .failure) { UndoManager().endUndoGrouping() }
    await #expect(processExitsWith: .failure) { UndoManager().enableUndoRegistration() }
    await #expect(processExitsWith: .failure) {
      let manager = UndoManager()
      manager.groupsByEvent = false
      manager.registerUndo(withTarget: manager) { _ in }
    }
    await #expect(processExitsWith: .failure) {
      let manager = UndoManager()
      manager.beginUndoGrouping()
      manager.beginUndoGrouping()
      manager.undo()
    }
    await #expect(processExitsWith: .failure) {
      let manager = UndoManager()
      manager.registerUndo(withTarget: manager) { $0.redo() }
      manager.undo()
    }
    await #expect(processExitsWith: .failure) {
      let manager = UndoManager()
      manager.registerUndo(withTarget: manager) { _ in }
      manager.undoNestedGroup()
    }
  }
}
