import KeyValueObserving
import Testing

@KeyValueObservable
private final class PrivateAtFileScope {
  var value = 1
  private(set) var readable: [Int] = []
  var double: Int { value * 2 }
}

@Suite("Class shapes at run time")
struct ClassShapesTests {
  @Test("A deprecated property is a key; its class and subclasses compile without a warning")
  func deprecated() throws {
    let drawer = LockedDrawer()
    var log: [String] = []
    let token = try drawer.observe("handle", options: [.old, .new]) { _, change in
      log.append("\(change)")
    }
    try drawer.setValue("round", forKey: "handle")
    #expect(log == ["setting, old: \"square\", new: \"round\""])
    #expect(try drawer.value(forKey: "look") as? String == "round handle")
    token.invalidate()
  }

  @Test("Values set in init are stored, and defaults are kept")
  func initialisation() throws {
    let object = Shapes.SetInInit(name: "Ada", id: 7)
    #expect(object.name == "Ada")
    #expect(object.id == 7)
    #expect(object.optional == nil)
    #expect(object.defaulted == 7)
    #expect(Shapes.SetInInit(name: "Ada").name == "Ada!")
    #expect(Shapes.FailableInit(0) == nil)
    #expect(try Shapes.FailableInit(throwing: 3).value == 3)
    #expect(Shapes.Plain().initialisedByClosure == ["a", "b"])
    #expect(Shapes.Plain().multiLine == "one\ntwo")
    #expect(Shapes.Box("x").value == "x")
    #expect(Shapes.IntBox(4).sum == 5)
  }

  @Test("willSet and didSet run once for an assignment and once for a mutation in place")
  func observers() {
    let object = Shapes.Observers()
    object.log = []
    object.plain = 1
    object.plain += 2
    object.named = 5
    #expect(
      object.log == [
        "will 0 -> 1", "did 0 -> 1", "will 1 -> 3", "did 1 -> 3", "next 5", "previous 0",
      ])
  }

  @Test("Property observers also run once while the property is observed")
  func observedObservers() {
    let object = Shapes.Observers()
    var values: [Int?] = []
    let observation = object.observe(\.plain, options: [.new]) { _, change in
      values.append(change.newValue)
    }
    object.log = []
    object.plain = 1
    object.plain += 2
    #expect(object.log == ["will 0 -> 1", "did 0 -> 1", "will 1 -> 3", "did 1 -> 3"])
    #expect(values == [1, 3])
    observation.invalidate()
  }

  @Test("A didSet that clamps its own property doesn't recurse, and the clamped value is observed")
  func clamping() {
    let object = Shapes.Observers()
    var values: [Int?] = []
    let observation = object.observe(\.clamped, options: [.new]) { _, change in
      values.append(change.newValue)
    }
    object.log = []
    object.clamped = 50
    object.clamped -= 60
    #expect(object.log == ["clamped 10", "clamped 0"])
    #expect(values == [10, 0])
    observation.invalidate()
  }

  @Test(
    "Property observers may call methods that read or set the property, as in plain Swift",
    arguments: [false, true])
  func readingObservers(observed: Bool) {
    let object = Shapes.ObserversThatReadBelow()
    var values: [Int?] = []
    let observations =
      observed
      ? [
        object.observe(\.number, options: [.new]) { _, change in values.append(change.newValue) },
        object.observe(\.after, options: [.new]) { _, change in values.append(change.newValue) },
        object.observe(\.clamped, options: [.old, .new]) { _, change in
          values += [change.oldValue, change.newValue]
        },
        object.observe(\.own) { object, _ in values.append(object.own) },
        object.observe(\.before) { _, _ in }, object.observe(\.list) { _, _ in },
      ] : []
    object.number = 1
    object.number += 1
    object.before += 1
    object.after = 1
    object.after += 1
    object.own += 1
    object.list.append(1)
    object.list[0] += 1
    #expect(
      object.log == [
        "will 0", "did 1", "will 1", "did 2", "will 0", "did 1", "below 1", "did 2", "below 2",
        "own 1", "will []", "did [1]", "will [1]", "did [2]",
      ])
    object.clamped += 100
    #expect(object.clamped == 10)
    object.clamped = 5
    #expect(object.clamped == 5)
    #expect(values == (observed ? [1, 2, 1, 2, 1, 100, 10, 0, 10, 10, 5] : []))
    observations.forEach { $0.invalidate() }
  }

  @Test("A proxy changes a collection in its storage, and property observers run once")
  func toMany() throws {
    let object = Shapes.ObserversThatRead()
    var kinds: [String] = []
    let observation = object.observe(\.list, options: [.new]) { object, change in
      kinds.append("\(change.kind) \(object.list)")
    }
    object.mutableArrayValue(for: \.list).append(7)
    #expect(object.list == [7])
    #expect(object.log == ["will []", "did [7]"])
    #expect(kinds == ["insertion [7]"])
    observation.invalidate()
    object.mutableArrayValue(for: \.list).append(8)
    #expect(object.log == ["will []", "did [7]", "will [7]", "did [7, 8]"])
    let plain = Shapes.Plain()
    plain.mutableArrayValue(for: \.array).append(1)
    try plain.mutableSetValue(forKey: "set").insert("a")
    #expect(plain.array == [1] && plain.set == ["a"])
  }

  @Test("A local variable with the property's name keeps its meaning in a property observer")
  func shadowing() {
    let object = Shapes.Observers()
    object.log = []
    object.shadowing = 4
    #expect(object.log == ["4", "6"])
  }

  @Test("Weak storage stays weak, and unowned storage doesn't retain")
  func ownership() {
    let owner = Shapes.Animal()
    let object = Shapes.Owners(owner: owner)
    #expect(object.owner === owner && object.root === owner && object.raw === owner)
    weak var seen: Shapes.Animal?
    do {
      let delegate = Shapes.Animal()
      seen = delegate
      object.delegate = delegate
      #expect(object.delegate === delegate)
    }
    #expect(seen == nil)
    #expect(object.delegate == nil)
    object.observedWeak = object
    #expect(object.changes == 1)
  }

  @Test("A property whose setter is less visible than its getter is a readable key")
  func access() throws {
    let object = Shapes.Access()
    object.bump()
    #expect(try object.value(forKey: "readable") as? Int == 5)
    let error = #expect(throws: KeyValueCodingError.self) {
      try object.setValue(9, forKey: "readable")
    }
    #expect(error?.description == "Access.readable can be read but not set: its setter is private.")
    #expect(try object.value(forKey: "fileSettable") as? Int == 5)
    for key in ["hidden", "file", "secret", "secretSum"] {
      let error = #expect(throws: KeyValueCodingError.self) { try object.value(forKey: key) }
      let level = key == "file" ? "fileprivate" : "private"
      #expect(error?.description == "Access has no key '\(key)': the property is \(level).")
    }
  }

  @Test("A private class at file scope notifies")
  func privateAtFileScope() {
    let object = PrivateAtFileScope()
    var log: [String] = []
    let observations = [
      object.observe(\.value, options: [.old, .new]) { _, change in
        log.append("\(change.oldValue!) -> \(change.newValue!)")
      },
      object.observe(\.double, options: [.new]) { _, change in log.append("\(change.newValue!)") },
    ]
    object.value = 2
    object.value += 1
    #expect(log == ["1 -> 2", "4", "2 -> 3", "6"])
    observations.forEach { $0.invalidate() }
  }

  @Test("Keys are plain names in declaration order, the superclass's first")
  func keys() {
    #expect(
      Shapes.Names.keyValueKeys == [
        "default", "class", "self", "rawValue", "hashValue", "description", "key", "value",
        "schema", "newValue", "initialValue", "modification", "äöü", "Capital", "in",
      ])
    #expect(Shapes.IntBox.keyValueKeys == ["value", "values", "isEmpty", "first", "extra", "sum"])
    #expect(Shapes.Empty.keyValueKeys == [])
    #expect(
      Shapes.NotTracked.keyValueKeys == [
        "x", "y", "a", "b", "lazyNumber", "manual", "manualObserved", "manualWeak", "wrapped",
      ])
    #expect(Shapes.Outer.Inner.Innermost.keyValueKeys == ["value", "deep"])
  }

  @Test("Own, inherited and overridden keys of subclasses are observed, even without the attribute")
  func inheritance() throws {
    let bird = Shapes.Owl()
    var log: [String] = []
    let observations = [
      bird.observe(\.wings) { _, _ in log.append("wings") },
      bird.observe(\.legs) { _, _ in log.append("legs") },
      bird.observe(\.name) { _, _ in log.append("name") },
      bird.observe(\.sound) { _, _ in log.append("sound") },
      bird.observe(\.mood) { _, _ in log.append("mood") },
    ]
    bird.wings = 4
    #expect(log == ["wings", "legs", "sound"])
    log = []
    bird.name = "owl"
    #expect(log == ["name", "sound"])
    log = []
    bird.mood = "wild"
    #expect(log == ["mood"])
    #expect(bird.moods == 1)
    #expect(bird.name == "owl!")
    observations.forEach { $0.invalidate() }

    let unannotated = Shapes.Unannotated()
    #expect(
      Shapes.Unannotated.keyPathsForValuesAffectingValue(forKey: "title") == ["rank"])
    #expect(!Shapes.Unannotated.automaticallyNotifiesObservers(forKey: "rank"))
    #expect(try unannotated.value(forKey: "ghost") as? Int == 1)
  }

  @Test("Observers receive the value that an override returns")
  func overridden() {
    let bird = Shapes.Bird()
    var log: [String] = []
    let observation = bird.observe(\.name, options: [.old, .new]) { _, change in
      log.append("\(change.oldValue!) \(change.newValue!)")
    }
    bird.name = "b"
    bird.name += "c"
    #expect(log == ["animal! b!", "b! b!c!"])
    observation.invalidate()
  }

  @Test("Customisation points return the effective dependencies and automatic notification")
  func hooks() {
    typealias Hooked = Shapes.Hooked
    typealias Below = Shapes.HookedBelow
    #expect(
      Hooked.keyPathsForValuesAffectingValue(forKey: "both") == ["name", "age", "other"])
    #expect(Hooked.keyPathsForValuesAffectingValue(forKey: "name") == [])
    #expect(!Hooked.automaticallyNotifiesObservers(forKey: "age"))
    #expect(Hooked.automaticallyNotifiesObservers(forKey: "name"))
    #expect(
      Below.keyPathsForValuesAffectingValue(forKey: "both") == ["name", "age", "other", "more"])
    #expect(!Below.automaticallyNotifiesObservers(forKey: "more"))
    #expect(!Below.automaticallyNotifiesObservers(forKey: "age"))
  }

  @Test("Declared and inferred dependencies are in the class's effective set")
  func dependencies() {
    typealias Computed = Shapes.Computed
    func dependencies(_ key: String) -> Set<String> {
      Computed.keyPathsForValuesAffectingValue(forKey: key)
    }
    #expect(dependencies("name") == ["first", "last"])
    #expect(dependencies("total") == ["accounts.@sum.balance", "first"])
    #expect(dependencies("balance") == ["stored.balance"])
    #expect(dependencies("both") == ["first", "last", "name"])
    #expect(dependencies("quiet") == [])
    #expect(dependencies("coroutine") == ["last"])
  }

  @Test("A main-actor class is observed on its actor")
  @MainActor
  func mainActor() {
    let model = Shapes.DetailViewModel()
    var log: [String?] = []
    let observations = [
      model.observe(\.text, options: [.new]) { _, change in log.append(change.newValue) },
      model.observe(\.detail, options: [.new]) { _, change in log.append(change.newValue) },
    ]
    model.observed = 3
    model.detail = "d"
    #expect(log == ["3", "d"])
    observations.forEach { $0.invalidate() }
  }

  @Test("Generic classes are observed by typed paths")
  func generic() {
    let box = Shapes.SubBox<Int>([])
    var log: [String] = []
    let observations = [
      box.observe(\.value, options: [.new]) { _, change in log.append("\(change.newValue!)") },
      box.observe(\.isEmpty, options: [.new]) { _, change in log.append("\(change.newValue!)") },
    ]
    box.value.append(1)
    box.set.insert(2)
    #expect(log == ["[1]", "false"])
    observations.forEach { $0.invalidate() }
  }

  @Test("Members under #if are keys if they're compiled")
  func conditional() {
    #if os(Linux)
      #expect(Shapes.Conditional.keyValueKeys == ["always", "linux", "double"])
    #endif
  }

  @Test("Accessors found by name are called")
  func accessors() throws {
    let object = Shapes.Accessors()
    object.items = ["a", "b"]
    #expect(try object.value(forKey: "wealth") as? Double == 1)
    #expect(try object.value(forKey: "rich") as? Bool == true)
    #expect(try object.value(forKey: "code") as? Int == 3)
    #expect(try object.value(forKey: "items") as? [String] == ["a", "b"])
  }
}

@KeyValueObservable
private class Drawer {
  @available(*, deprecated, message: "Drawers have no handle any more.") var handle = "square"
  @available(*, deprecated) var look: String { "\(handle) handle" }
}

@KeyValueObservable
private final class LockedDrawer: Drawer {
  var isLocked = true
}
