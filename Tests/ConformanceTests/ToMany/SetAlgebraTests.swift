import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("C. To-many: unordered")
struct SetAlgebraTests {
  private let log = ChangeLog()
  private let person = Person()

  private func observe(
    options: KeyValueObservingOptions = [.old, .new]
  ) -> KeyValueObservation {
    person.observe(\.tags, options: options, changeHandler: log.handler("tags"))
  }

  @Test("C3 Each operation reports only the elements that enter and leave the set")
  func operations() {
    person.tags = ["a", "b"]
    let token = observe()
    let tags = person.mutableSetValue(for: \.tags)
    tags.insert("c")
    tags.formUnion(["c", "d", "e"])
    tags.remove("e")
    tags.subtract(["d", "x"])
    tags.formIntersection(["a", "b", "y"])
    tags.replaceAll(with: ["b", "z"])
    tags.removeAll()
    #expect(
      log.take() == [
        "tags: insertion, new: [\"c\"]", "tags: insertion, new: [\"d\", \"e\"]",
        "tags: removal, old: [\"e\"]", "tags: removal, old: [\"d\"]",
        "tags: removal, old: [\"c\"]",
        "tags: replacement, old: [\"a\"], new: [\"z\"]",
        "tags: removal, old: [\"b\", \"z\"]",
      ])
    #expect(person.tags == [])
    token.invalidate()
  }

  @Test("C3 Symmetric difference is one replacement with what leaves and what enters")
  func symmetricDifference() throws {
    person.tags = ["a", "b"]
    let token = observe()
    person.mutableSetValue(for: \.tags).formSymmetricDifference(["a", "x", "x"])
    try person.mutableSetValue(forKey: "tags").formSymmetricDifference(["x"])
    #expect(
      log.take() == [
        "tags: replacement, old: [\"a\"], new: [\"x\"]", "tags: replacement, old: [\"x\"], new: []",
      ])
    #expect(person.tags == ["b"])
    token.invalidate()
  }

  @Test("C3 Inserting and removing an element return what a set's methods return")
  func results() {
    person.tags = ["a"]
    let token = observe()
    let tags = person.mutableSetValue(for: \.tags)
    #expect(tags.insert("b") == (true, "b"))
    #expect(tags.insert("a") == (false, "a"))
    #expect(tags.remove("a") == "a")
    #expect(tags.remove("x") == nil)
    #expect(
      log.take() == [
        "tags: insertion, new: [\"b\"]", "tags: insertion, new: []", "tags: removal, old: [\"a\"]",
        "tags: removal, old: []",
      ])
    token.invalidate()
  }

  @Test("C3 The members of the set are returned and delivered, not the elements that equal them")
  func members() {
    let drawer = CutleryDrawer()
    let (fork, spoon) = (Label("fork", 1), Label("spoon", 1))
    drawer.labels = [fork, spoon]
    var old: [Int] = []
    let token = drawer.observe(\.labels, options: .old) { _, change in
      old = (change.oldValue ?? []).map(\.copy).sorted()
    }
    let labels = drawer.mutableSetValue(for: \.labels)
    let (inserted, member) = labels.insert(Label("fork", 2))
    #expect(!inserted && member === fork && drawer.labels.first { $0 == fork } === fork)
    #expect(labels.remove(Label("fork", 3)) === fork && old == [1])
    labels.subtract([Label("spoon", 4), Label("knife", 4)])
    #expect(old == [1] && drawer.labels.isEmpty)
    token.invalidate()
  }

  @Test("C3 An operation without effect notifies with its kind and empty values")
  func nothingToDo() {
    person.tags = ["a"]
    let token = observe()
    let tags = person.mutableSetValue(for: \.tags)
    tags.insert("a")
    tags.formUnion([])
    tags.remove("x")
    tags.subtract(["x"])
    tags.formIntersection(["a", "b"])
    tags.replaceAll(with: ["a"])
    #expect(
      log.take() == [
        "tags: insertion, new: []", "tags: insertion, new: []", "tags: removal, old: []",
        "tags: removal, old: []", "tags: removal, old: []",
        "tags: replacement, old: [], new: []",
      ])
    token.invalidate()
  }

  @Test("C3 A prior carries the kind and the elements that will leave")
  func priors() {
    person.tags = ["a"]
    let token = observe(options: [.old, .new, .prior])
    let tags = person.mutableSetValue(for: \.tags)
    tags.insert("b")
    tags.remove("a")
    tags.replaceAll(with: ["c"])
    person.tags = []
    #expect(
      log.take() == [
        "tags: insertion, prior", "tags: insertion, new: [\"b\"]",
        "tags: removal, old: [\"a\"], prior", "tags: removal, old: [\"a\"]",
        "tags: replacement, old: [\"b\"], prior",
        "tags: replacement, old: [\"b\"], new: [\"c\"]",
        "tags: setting, old: [\"c\"], prior", "tags: setting, old: [\"c\"], new: []",
      ])
    token.invalidate()
  }

  @Test("C3 N8 What a prior's handler has put in or taken out doesn't enter or leave again")
  func changedInPrior() {
    let tags = person.mutableSetValue(for: \.tags)
    func told(
      inPrior: @escaping (KeyValueMutableSet<String>) -> Void,
      _ change: (KeyValueMutableSet<String>) -> Void
    ) -> [String] {
      person.tags = ["a", "b"]
      var isNested = false
      let token = person.observe(\.tags, options: [.old, .new, .prior]) { [log] _, change in
        if !change.isPrior { log.note("tags", change) }
        guard change.isPrior, !isNested else { return }
        isNested = true
        inPrior(tags)
      }
      change(tags)
      token.invalidate()
      return log.take()
    }
    #expect(
      told(inPrior: { $0.insert("c") }) { $0.formUnion(["c", "d"]) } == [
        #"tags: insertion, new: ["c"]"#, #"tags: insertion, new: ["d"]"#,
      ])
    #expect(
      told(inPrior: { $0.remove("a") }) { $0.subtract(["a", "b"]) } == [
        #"tags: removal, old: ["a"]"#, #"tags: removal, old: ["b"]"#,
      ])
    #expect(
      told(inPrior: { $0.formUnion(["c", "d"]) }) { $0.replaceAll(with: ["c", "e"]) } == [
        #"tags: insertion, new: ["c", "d"]"#,
        #"tags: replacement, old: ["a", "b", "d"], new: ["e"]"#,
      ])
  }

  @Test("C3 A set of objects is changed and observed by string")
  func objects() throws {
    let (ada, ben) = (Employee("Ada"), Employee("Ben"))
    let division = Division()
    let token = try division.observe(
      "interns", options: [.old, .new], changeHandler: log.handler("interns"))
    let interns = try division.mutableSetValue(forKey: "interns")
    interns.insert(ada)
    interns.formUnion([ada, ben])
    interns.formIntersection([ben])
    #expect(interns.contains(ben))
    #expect(!interns.contains(ada))
    #expect(division.interns == [ben])
    #expect(
      log.take() == [
        "interns: insertion, new: [Ada]", "interns: insertion, new: [Ben]",
        "interns: removal, old: [Ada]",
      ])
    token.invalidate()
  }

  @Test("C3 A set proxy reads like a set")
  func reading() throws {
    person.tags = ["a", "b"]
    let tags = person.mutableSetValue(for: \.tags)
    #expect(tags.count == 2)
    #expect(!tags.isEmpty)
    #expect(tags.contains("a"))
    #expect(!tags.contains("c"))
    #expect(tags.sorted() == ["a", "b"])
    var seen: [String] = []
    for tag in tags { seen.append(tag) }
    #expect(Set(seen) == ["a", "b"])
    tags.remove("b")
    #expect("\(tags)" == "[\"a\"]")
    #expect(tags.map { $0 } == ["a"])
    let untyped = try person.mutableSetValue(forKey: "tags")
    #expect(untyped.contains("a"))
    #expect(untyped.count == 1)
    #expect(Set(untyped) == [AnyHashable("a")])
  }

  @Test("C3 X1 A nil member stays where it is when a transaction changes others")
  func nilInTransaction() {
    let tray = Tray()
    let token = tray.observe(\.marks, options: [.old, .new], changeHandler: log.handler("marks"))
    tray.performChanges { $0.mutableSetValue(for: \.marks).insert(2) }
    tray.performChanges { $0.mutableSetValue(for: \.marks).remove(nil) }
    #expect(log.take() == ["marks: insertion, new: [2]", "marks: removal, old: [nil]"])
    token.invalidate()
  }

  @Test("X3 What happens to a nil member is undone and redone")
  func nilUndone() throws {
    let tray = Tray()
    let recorder = KeyValueChangeRecorder()
    try recorder.record(tray, "marks")
    let marks = tray.mutableSetValue(for: \.marks)
    marks.replaceAll(with: [nil, 2])
    marks.remove(nil)
    marks.insert(nil)
    var states = [tray.marks]
    while try recorder.undo() { states.append(tray.marks) }
    #expect(states == [[nil, 2], [2], [nil, 2], [nil, 1]])
    while try recorder.redo() { states.append(tray.marks) }
    #expect(states.suffix(3) == [[nil, 2], [2], [nil, 2]])
  }

  @Test("X3 A nil member comes back through the methods of a key that can't be set")
  func nilUndoneByMethods() throws {
    let tray = Tray()
    let recorder = KeyValueChangeRecorder()
    try recorder.record(tray, "codes")
    tray.reset()
    #expect(tray.codes == [2])
    #expect(try recorder.undo() && tray.codes == [nil, 1])
  }

  @Test("G3 Records apply what happens to a nil member to another graph")
  func nilRecorded() throws {
    let tray = Tray()
    let changes = try KeyValueChangeLog(of: tray)
    let copy = try KeyValueChangeLog(restoring: changes.snapshot(), as: Tray.self)
    let token = changes.observe { record in try! copy.apply(record) }
    let marks = tray.mutableSetValue(for: \.marks)
    var states: [Set<Int?>] = []
    marks.replaceAll(with: [nil, 2])
    states.append(copy.root.marks)
    marks.remove(nil)
    states.append(copy.root.marks)
    marks.insert(nil)
    states.append(copy.root.marks)
    #expect(states == [[nil, 2], [2], [nil, 2]])
    token.invalidate()
  }

  @Test("C3 X3 A set of any members finds optional ones, and their coming and going is undone")
  func optionalAmongAny() throws {
    let drawer = MixedDrawer()
    let recorder = KeyValueChangeRecorder()
    try recorder.record(drawer, "things")
    let things = drawer.mutableSetValue(for: \.things)
    let (one, none) = (AnyHashable(Int?.some(1)), AnyHashable(String?.none))
    #expect(things.insert(one) == (false, AnyHashable(1)) && things.contains(one))
    things.insert(none)
    #expect(things.contains(none) && things.count == 2)
    things.remove(none)
    #expect(drawer.things == [AnyHashable(1)])
    #expect(try recorder.undo() && things.contains(none))
    #expect(try recorder.undo() && drawer.things == [AnyHashable(1)] && !recorder.canUndo)
    #expect(try recorder.redo() && things.contains(none))
    #expect(try recorder.redo() && drawer.things == [AnyHashable(1)] && !recorder.canRedo)
  }

  @Test("C3 C4 A nil member is there for a proxy by key, and for accessor methods")
  func nilInProxies() throws {
    let tray = Tray()
    let marks = try tray.mutableSetValue(forKey: "marks")
    #expect(marks.contains(AnyHashable(String?.none)) && Array(marks).count == marks.count)
    marks.formSymmetricDifference([3])
    #expect(tray.marks == [nil, 1, 3])
    tray.mutableSetValue(for: \.labels).formIntersection(["a"])
    #expect(tray.labels == ["a"] && tray.removed == [nil])
    tray.mutableSetValue(for: \.labels).replaceAll(with: [nil, "a"])
    #expect(tray.labels == [nil, "a"] && tray.removed == [nil])
  }
}

@KeyValueObservable
private final class Tray {
  var marks: Set<Int?> = [nil, 1]
  var labels: Set<String?> = [nil, "a"]
  private(set) var codes: Set<Int?> = [nil, 1]
  @KeyValueIgnored private(set) var removed: [String?] = []

  required init() {}

  func addLabelsObject(_ label: String?) { labels.insert(label) }

  func removeLabelsObject(_ label: String?) {
    removed.append(label)
    labels.remove(label)
  }

  func addCodesObject(_ code: Int?) { codes.insert(code) }
  func removeCodesObject(_ code: Int?) { codes.remove(code) }
  func reset() { codes = [2] }
}

@KeyValueObservable
private final class MixedDrawer {
  var things: Set<AnyHashable> = [1]
}

@KeyValueObservable
private final class CutleryDrawer {
  var labels: Set<Label> = []
}

/// Copies with the same text are equal.
private final class Label: Hashable {
  private let text: String
  let copy: Int

  init(_ text: String, _ copy: Int) {
    self.text = text
    self.copy = copy
  }

  static func == (left: Label, right: Label) -> Bool { left.text == right.text }

  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
