import FoundationKVO
import Testing

/// A class whose setters change what their keys depend on, or announce their keys themselves.
@KeyValueObservable
private class Span: NSObject {
  dynamic var length = 1
  dynamic var name = "span"
  dynamic var end: Int {
    get { length + 1 }
    set { length = newValue - 1 }
  }
  dynamic var label: String {
    get { "to \(end)" }
    set { end = newValue.count }
  }
  private var stored = 0
  dynamic var marked: Int {
    get { stored }
    set {
      willChangeValue(forKey: "marked")
      stored = newValue
      didChangeValue(forKey: "marked")
    }
  }
  /// What isn't `dynamic`.
  var plainEnd: Int {
    get { length + 1 }
    set { length = newValue - 1 }
  }
  var inferredEnd: Int {
    get { length + 1 }
    set { length = newValue - 1 }
  }

  class var keyPathsForValuesAffectingEnd: Set<String> { ["length"] }
  class var keyPathsForValuesAffectingLabel: Set<String> { ["end"] }
  class var keyPathsForValuesAffectingPlainEnd: Set<String> { ["length"] }
}

/// Leaves the values to the superclass.
@KeyValueObservable
private final class ClosedSpan: Span {
  override dynamic var end: Int {
    get { super.end - 1 }
    set { super.end = newValue + 1 }
  }
  override dynamic var name: String {
    get { super.name }
    set { if newValue != super.name { super.name = newValue } }
  }
  override dynamic var marked: Int {
    get { super.marked }
    set {
      willChangeValue(forKey: "marked")
      super.marked = newValue
      didChangeValue(forKey: "marked")
    }
  }
}

@KeyValueObservable
private final class Branch: NSObject {
  dynamic var length = 1
}

@KeyValueObservable
private final class Leaf: NSObject {
  dynamic weak var branch: Branch?
  var isLoose: Bool { branch == nil }
}

@Suite("FoundationKVO: what setters by name and deaths announce")
struct SetterAnnouncementTests {
  private let witness = Witness()

  @Test("setting a dynamic computed property by key announces what its setter announces")
  func likeTheSetter() {
    let keys = ["length", "end", "label", "marked"]
    for make in [Span.init, ClosedSpan.init] as [() -> Span] {
      let (direct, coded) = (make(), make())
      for options: NSKeyValueObservingOptions in [[.old, .new], [.old, .new, .prior], []] {
        direct.watch(keys, witness, options: options)
        direct.end += 4
        direct.label = "three"
        direct.marked += 2
        direct.unwatch(keys, witness)
        let expected = witness.take()
        coded.watch(keys, witness, options: options)
        coded.setValue(coded.end + 4, forKey: "end")
        coded.setValue("three", forKey: "label")
        coded.setValue(coded.marked + 2, forKeyPath: "marked")
        coded.unwatch(keys, witness)
        #expect(witness.take() == expected)
      }
    }
  }

  @Test("a setter's own change of its key's dependencies is a change of the key, by key, too")
  func settersOfDependencies() {
    let span = Span()
    span.watch(["end", "marked"], witness)
    span.setValue(5, forKey: "end")
    span.setValue(2, forKey: "marked")
    #expect(
      witness.take() == [
        "end: setting, old 2, new 5", "end: setting, old 2, new 5",
        "marked: setting, old 0, new 2", "marked: setting, old 0, new 2",
      ])
    span.unwatch(["end", "marked"], witness)
    // What isn't dynamic is announced by key, and by what it states. What's only inferred isn't told twice.
    span.watch(["plainEnd", "inferredEnd"], witness)
    span.setValue(6, forKey: "plainEnd")
    #expect(
      witness.take().sorted() == [
        "inferredEnd: setting, old 5, new 6", "plainEnd: setting, old 5, new 6",
        "plainEnd: setting, old 5, new 6",
      ])
    span.setValue(7, forKey: "inferredEnd")
    #expect(
      witness.take() == [
        "plainEnd: setting, old 6, new 7", "inferredEnd: setting, old 6, new 7",
      ])
    span.unwatch(["plainEnd", "inferredEnd"], witness)
    // An override that sets its superclass's stored property only if it differs.
    let closed = ClosedSpan()
    closed.watch(["name"], witness)
    closed.setValue("span", forKey: "name")
    closed.setValue("open", forKey: "name")
    closed.unwatch(["name"], witness)
    #expect(
      witness.take() == ["name: setting, old span, new span", "name: setting, old span, new open"])
  }

  @Test("a weak key that becomes nil with its object's death isn't announced")
  func deaths() {
    let leaf = Leaf()
    leaf.watch(["branch", "isLoose", "branch.length"], witness, options: [.old, .new, .prior])
    var branch: Branch? = Branch()
    leaf.branch = branch
    _ = witness.take()
    withExtendedLifetime(branch) {}
    branch = nil
    #expect(leaf.branch == nil)
    // What leads through the object has no value any more.
    #expect(witness.take() == ["branch.length: setting, new <null>"])
    branch = Branch()
    leaf.branch = branch
    #expect(
      witness.take().filter { !$0.contains("prior") && !$0.contains("length") } == [
        "branch: setting, old <null>, new Branch", "isLoose: setting, old 1, new 0",
      ])
    leaf.unwatch(["branch", "isLoose", "branch.length"], witness)
  }
}
