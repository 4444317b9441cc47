import FoundationKVO
import Testing

/// The blocks that import FoundationKVO.
@Suite("FromCocoa.md, ported", .printing)
struct FromCocoaPortSnippets {
  @KeyValueObservable
  class Letter: NSObject {
    dynamic var text = "a"
  }

  // snippet FromCocoa 9
  class LetterObserver: NSObject {
    override func observeValue(
      forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?
    ) {
      guard keyPath == "text" else {
        return super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
      }
      print("text:", change?[.newKey] ?? "")
    }
  }
  // end

  @Test("An operation's states are told")
  func operation() throws {
    // snippet FromCocoa 2
    let operation = BlockOperation { print("at work") }
    let finished = operation.observe(\.isFinished, options: .new) { _, change in
      print("finished:", change.newValue ?? false)
    }
    operation.start()  // at work, then finished: true
    // end
    try expectPrinted("FromCocoa", 2)
    withExtendedLifetime(finished) {}
  }

  @Test("A progress tells what differs")
  func progress() throws {
    // snippet FromCocoa 3
    let progress = Progress(totalUnitCount: 4)
    let fraction = progress.observe(\.fractionCompleted, options: .new) { _, change in
      print("fraction:", change.newValue ?? 0)
    }
    progress.completedUnitCount = 1  // fraction: 0.25
    progress.completedUnitCount = 1  // (nothing)
    // end
    try expectPrinted("FromCocoa", 3)
    withExtendedLifetime(fraction) {}
  }

  @Test("Defaults are observed by key")
  func defaults() throws {
    // snippet FromCocoa 4
    let defaults = UserDefaults(suiteName: "org.swift-kvo.example")!
    // end
    defaults.removePersistentDomain(forName: "org.swift-kvo.example")
    // snippet FromCocoa 4
    let theme = defaults.observe("theme") { defaults, _ in
      print("theme:", defaults.string(forKey: "theme") ?? "none")
    }
    defaults.set("dark", forKey: "theme")  // theme: dark
    defaults.set("dark", forKey: "theme")  // (nothing)
    defaults.removeObject(forKey: "theme")  // theme: none
    // end
    try expectPrinted("FromCocoa", 4)
    withExtendedLifetime(theme) {}
  }

  @Test("An undo manager, and an observer that passes on what it doesn't know")
  func undoAndSuper() throws {
    // snippet FromCocoa 5
    let manager = UndoManager()
    let letter = Letter()  // with a dynamic var text, "a"
    letter.text = "b"
    manager.registerUndo(withTarget: letter) { $0.text = "a" }
    manager.setActionName("Typing")
    print(manager.undoMenuItemTitle)  // Undo Typing
    manager.undo()
    print(letter.text)  // a
    // end
    try expectPrinted("FromCocoa", 5, remarks: ["with a dynamic var text, \"a\""])

    // snippet FromCocoa 9
    let observer = LetterObserver()
    letter.addObserver(observer, forKeyPath: "text", options: .new, context: nil)
    letter.text = "c"  // text: c
    // end
    try expectPrinted("FromCocoa", 9)
  }
}
