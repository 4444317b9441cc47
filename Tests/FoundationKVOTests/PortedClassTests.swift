import FoundationKVO
import Testing

/// A class of which only some members are `dynamic`.
@KeyValueObservable
private class Shelf: NSObject {
  var books: [String] = []
  dynamic func insertObject(_ book: String, inBooksAtIndex index: Int) {
    books.insert(book, at: index)
  }
  dynamic func removeObjectFromBooksAtIndex(_ index: Int) { books.remove(at: index) }

  var width = 1
  dynamic var doubleWidth: Int {
    get { width * 2 }
    set { width = newValue / 2 }
  }
  var plainWidth: Int {
    get { width }
    set { width = newValue }
  }
}

/// A subclass with an override that doesn't call `super`.
@KeyValueObservable
private final class WideShelf: Shelf {
  private var own = 0
  override dynamic var doubleWidth: Int {
    get { own }
    set { own = newValue }
  }
}

/// A graphic, whose subclasses override what it declares `dynamic`.
@KeyValueObservable
private class Graphic: NSObject {
  dynamic var isFilled = false
  dynamic var title: String {
    get { "graphic" }
    set {}
  }
  dynamic var parts: [String] = []
  dynamic func insertObject(_ part: String, inPartsAtIndex index: Int) {
    parts.insert(part, at: index)
  }
  dynamic func removeObjectFromPartsAtIndex(_ index: Int) { parts.remove(at: index) }
}

/// Keeps the values itself.
@KeyValueObservable
private class Line: Graphic {
  private var (own, ownParts) = (false, ["a"])
  fileprivate var ownTitle = "line"
  override dynamic var isFilled: Bool {
    get { own }
    set { own = newValue }
  }
  override dynamic var title: String {
    get { ownTitle }
    set { ownTitle = newValue }
  }
  override dynamic var parts: [String] {
    get { ownParts }
    set { ownParts = newValue }
  }
  override dynamic func insertObject(_ part: String, inPartsAtIndex index: Int) {
    ownParts.insert(part, at: index)
  }
}

/// Leaves the values to the superclass.
@KeyValueObservable
private final class Arrow: Line {
  override dynamic var isFilled: Bool {
    get { super.isFilled }
    set { super.isFilled = newValue }
  }
  override dynamic var title: String {
    get { super.title + "!" }
    set { super.title = newValue }
  }
  override dynamic func insertObject(_ part: String, inPartsAtIndex index: Int) {
    super.insertObject(part, inPartsAtIndex: index)
  }
}

/// A subclass that lacks the attribute.
private final class ForgottenShelf: Shelf {
  dynamic var depth = 1
  dynamic func insertObject(_ box: String, inBoxesAtIndex index: Int) {}
  func validateWidth(_ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}
}

extension Shelf {
  fileprivate var material: String { "oak" }
  fileprivate class var keyPathsForValuesAffectingWidth: Set<String> { ["books"] }
}

@KeyValueObservable
private final class Box: NSObject {
  dynamic var shelf = Shelf()
  var label: String { "\(shelf.doubleWidth)" }
  var weight: Int { Weight.current }
}

@KeyValueObservable
private final class Lamp: NSObject {
  dynamic var isLit = false
}

/// A class with a key that reads elements, which it doesn't state.
@KeyValueObservable
private final class LampRow: NSObject {
  dynamic var lamps = [Lamp()]
  dynamic var lit: Int { countOfLit(lamps) }
  class var keyPathsForValuesAffectingLit: Set<String> { ["lamps"] }
}

private func countOfLit(_ lamps: [Lamp]) -> Int { lamps.count { $0.isLit } }

private enum Weight { nonisolated(unsafe) static var current = 1 }

@Suite("FoundationKVO: ported classes")
struct PortedClassTests {
  private let witness = Witness()

  @Test("changes of a non-dynamic property by key, proxy or dynamic accessor notify observers")
  func silentProperties() {
    let shelf = Shelf()
    shelf.watch(["books", "width"], witness)
    shelf.books = ["a"]
    shelf.width = 2
    shelf.setValue(["b"], forKey: "books")
    shelf.setValue(3, forKey: "width")
    shelf.insertObject("c", inBooksAtIndex: 1)
    shelf.mutableArrayValue(forKey: "books").removeObject(at: 0)
    shelf.willChangeValue(forKey: "width")
    shelf.width = 4
    shelf.didChangeValue(forKey: "width")
    #expect(
      witness.take() == [
        "books: setting, old (a), new (b)", "width: setting, old 2, new 3",
        "books: insertion, at 1, new (c)", "books: removal, at 0, old (b)",
        "width: setting, old 3, new 4",
      ])
    shelf.unwatch(["books", "width"], witness)
  }

  @Test("setting a computed property by key notifies once, dynamic or not, and for an override")
  func computedByKey() {
    let shelf = Shelf()
    shelf.watch(["doubleWidth"], witness)
    shelf.setValue(8, forKey: "doubleWidth")
    shelf.watch(["plainWidth"], witness)
    shelf.plainWidth = 5
    shelf.setValue(6, forKey: "plainWidth")
    let wide = WideShelf()
    wide.watch(["doubleWidth"], witness)
    wide.setValue(6, forKey: "doubleWidth")
    #expect(
      witness.take() == [
        "doubleWidth: setting, old 2, new 8", "plainWidth: setting, old 5, new 6",
        "doubleWidth: setting, old 0, new 6",
      ])
    shelf.unwatch(["doubleWidth", "plainWidth"], witness)
    wide.unwatch(["doubleWidth"], witness)
  }

  @Test("an override announces a direct set once, whether or not it leaves the value to super")
  func directOverrides() {
    for graphic in [Line(), Arrow()] {
      graphic.watch(["isFilled", "title", "parts"], witness)
      graphic.isFilled = true
      graphic.setValue(false, forKey: "isFilled")
      graphic.title = "x"
      graphic.insertObject("b", inPartsAtIndex: 0)
      graphic.unwatch(["isFilled", "title", "parts"], witness)
    }
    #expect(
      witness.take() == [
        "isFilled: setting, old 0, new 1", "isFilled: setting, old 1, new 0",
        "title: setting, old line, new x", "parts: insertion, at 0, new (b)",
        "isFilled: setting, old 0, new 1", "isFilled: setting, old 1, new 0",
        "title: setting, old line!, new x!", "parts: insertion, at 0, new (b)",
      ])
  }

  @Test("whole numbers print and cast as in Cocoa")
  func numbers() {
    let dictionary = NSMutableDictionary()
    let item = Measure()
    dictionary.setValue(item.value(forKey: "length"), forKey: "length")
    #expect("\(item.value(forKey: "length")!)" == "5")
    #expect("\(item.value(forKey: "width")!)" == "2.5")
    #expect("\(item.value(forKey: "height")!)" == "7")
    #expect(dictionary.description.contains("length = 5;"))
    #expect(item.value(forKey: "length") as? Double == 5)
    #expect(item.value(forKey: "length") as? Float == 5)
    #expect(item.value(forKey: "length") as? Int == 5)
    #expect((item.value(forKey: "parts") as? NSArray)?.description.contains("2.0") == false)
    #expect(item.value(forKey: "parts") as? [Double] == [1, 2])
    #expect(item.value(forKeyPath: "parts.@sum.self") as? Double == 3)
    item.setValue(item.value(forKey: "length"), forKey: "width")
    #expect(item.width == 5)
    item.setValue(NSNumber(value: 2), forKey: "total")
    #expect(item.total == 2)
    item.setValue(NSDecimalNumber(string: "2.5"), forKey: "total")
    #expect(item.total == 2.5)
  }

  @Test("keys that only value(forUndefinedKey:) answers are observed, annotated or not")
  func undefinedKeys() async {
    let (settings, witness) = (Settings(), Witness())
    settings.store["theme"] = "dark"
    settings.watch(["theme", "size"], witness)
    settings.setValue("light", forKey: "theme")
    settings.willChangeValue(forKey: "size")
    settings.store["size"] = 12
    settings.didChangeValue(forKey: "size")
    #expect(
      witness.take() == [
        "theme: setting, old dark, new light", "size: setting, old <null>, new 12",
      ])
    settings.unwatch(["theme", "size"], witness)
    #expect(settings.observationInfo == nil)
    await #expect(processExitsWith: .failure) {
      let (settings, witness) = (Settings(), Witness())
      settings.watch(["color"], witness)
    }
  }

  @Test("an override's didSet runs after the observers, which the superclass's accessor calls")
  func overriddenObservers() {
    let sub = Loud()
    sub.witness.lines = []
    let token = sub.observe(\.level, options: [.new]) { sub, change in
      sub.witness.lines.append("observed \(change.newValue!)")
    }
    sub.level = 3
    #expect(sub.witness.lines == ["observed 3", "didSet 3"])
    token.invalidate()
  }

  #if os(Linux) && DEBUG
    @Test("a subclass without the attribute is reported once, with its dynamic members")
    func forgottenAttribute() async {
      await #expect(processExitsWith: .success) {
        let history = History()
        KeyValueViolation.handler = { history.add("\($0.description)") }
        let (shelf, witness) = (ForgottenShelf(), Witness())
        shelf.watch(["books"], witness)
        shelf.watch(["doubleWidth"], witness)
        var value: AnyObject?
        try shelf.validateValue(&value, forKey: "width")
        expectEqual(
          history.take(),
          [
            "ForgottenShelf is not @KeyValueObservable, so its dynamic members announce nothing: depth, "
              + "insertObject. Annotate it.",
            "ForgottenShelf.validateWidth(_:) is not called, because ForgottenShelf is not "
              + "@KeyValueObservable. Annotate it.",
          ])
      }
    }

    @Test("the reason for an unknown key names the class that declares it")
    func whereabouts() async {
      await #expect(processExitsWith: .success) {
        expectReason("compliant for the key nowhere.") { _ = Shelf().value(forKey: "nowhere") }
      }
      await #expect(processExitsWith: .success) {
        expectReason(
          "this class is not key value coding-compliant for the key material. Shelf declares it in an "
            + "extension, or as one to be ignored; move it into the class."
        ) { _ = Shelf().value(forKey: "material") }
      }
      await #expect(processExitsWith: .success) {
        expectReason(
          "this class is not key value coding-compliant for the key depth. ForgottenShelf declares it, "
            + "and is not @KeyValueObservable; annotate it."
        ) { ForgottenShelf().setValue(1, forKey: "depth") }
      }
      await #expect(processExitsWith: .success) {
        expectReason(
          "ForgottenShelf has no key 'depth': ForgottenShelf, which declares it, lacks "
            + "@KeyValueObservable."
        ) {
          let (shelf, witness) = (ForgottenShelf(), Witness())
          shelf.watch(["depth"], witness)
        }
      }
    }

    @Test("customisation points in an extension and unfollowed reads are reported by Cocoa's names")
    func advice() async {
      await #expect(processExitsWith: .success) {
        let history = History()
        KeyValueViolation.handler = { history.add("\($0.description)") }
        let (box, witness) = (Box(), Witness())
        box.shelf.watch(["width"], witness)
        box.watch(["weight"], witness)
        expectEqual(
          history.take(),
          [
            "Shelf.keyPathsForValuesAffectingWidth is declared in an extension, where @KeyValueObservable does "
              + "not see it, so it is not called. Move it into the class.",
            "Box.weight is computed and is not known to depend on any key, so its observers are never "
              + "notified. Write keyPathsForValuesAffectingWeight with what it depends on, "
              + "automaticallyNotifiesObserversOfWeight if the class announces its changes, or @DependsOn() "
              + "if it does not change.",
          ])
        let row = LampRow()
        row.watch(["lit"], witness)
        expectEqual(
          history.take(),
          [
            "LampRow.lit read Lamp.isLit, which it is not known to depend on, so it is not notified when that "
              + "changes. Cocoa does not notify it either, and raises for a path through a collection. Here "
              + "\"lamps.isLit\" leads to all elements: return it from keyPathsForValuesAffectingLit if observers "
              + "are to follow them."
          ])
      }
    }
  #endif
}

/// Ends the process if two histories differ, since a failed expectation doesn't.
private func expectEqual(
  _ lines: [String], _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(lines == expected, sourceLocation: sourceLocation)
  if lines != expected { exit(1) }
}

@KeyValueObservable
private final class Measure: NSObject {
  dynamic var length = 5.0
  dynamic var width: Float = 2.5
  dynamic var height: CGFloat = 7
  dynamic var total = Decimal(0)
  dynamic var parts = [1.0, 2.0]
}

private final class Lines {
  var lines: [String] = []
}

@KeyValueObservable
private class Quiet: NSObject {
  dynamic var level = 1
}

@KeyValueObservable
private final class Loud: Quiet {
  let witness = Lines()
  override var level: Int {
    didSet { witness.lines.append("didSet \(level)") }
  }
}

/// Not annotated: it keeps its values in a dictionary, as settings do.
private class Settings: NSObject {
  var store: [String: Any] = [:]

  override func value(forUndefinedKey key: String) -> Any? {
    ["theme", "size"].contains(key) ? store[key] : super.value(forUndefinedKey: key)
  }

  override func setValue(_ value: Any?, forUndefinedKey key: String) { store[key] = value }
}
