import FoundationKVO
import Testing

/// A class that announces computed keys by hand, and announces a key of the same name for another object.
@KeyValueObservable
private final class Till: NSObject {
  dynamic var coins: [Int] = []
  dynamic var other: Till?
  var total: Int { coins.reduce(0, +) }
  var count: Int { coins.count }

  func add(_ coin: Int) {
    willChangeValue(forKey: "total")
    coins.append(coin)
    didChangeValue(forKey: "total")
    other?.willChangeValue(forKey: "count")
    other?.didChangeValue(forKey: "count")
  }
}

/// A class that announces no key by hand.
@KeyValueObservable
private final class Lamp: NSObject {
  dynamic var isLit = false
}

/// A class that lacks the key of its observers.
@KeyValueObservable
private final class Shelf: NSObject {
  dynamic var width = 1
}

@Suite("FoundationKVO: keys by name")
struct NamedKeyTests {
  private let witness = Witness()

  @Test("a computed key that the class announces by hand notifies once, and others as inferred")
  func announcedByHand() {
    let (till, other) = (Till(), Till())
    till.other = other
    till.watch(["total", "count"], witness)
    other.watch(["total", "count"], witness)
    till.add(5)
    till.coins = []
    #expect(
      witness.take() == [
        "count: setting, old 0, new 1", "total: setting, old 0, new 5",
        "count: setting, old 0, new 0", "count: setting, old 1, new 0",
      ])
    till.unwatch(["total", "count"], witness)
    other.unwatch(["total", "count"], witness)
  }

  @Test("a getter whose key is announced through a constant notifies once")
  func announcedThroughConstants() {
    let meter = Meter()
    meter.watch(["total", "mean", "count", "half"], witness)
    meter.add(4)
    #expect(
      witness.take() == [
        "half: setting, old 0, new 2", "count: setting, old 0, new 1",
        "mean: setting, old 0, new 4",
        "total: setting, old 0, new 4",
      ])
    meter.unwatch(["total", "mean", "count", "half"], witness)
    let gauge = Gauge()
    gauge.watch(["share", "half"], witness)
    gauge.add(4)
    gauge.unwatch(["share", "half"], witness)
    #expect(witness.take() == ["share: setting, old 0, new 4"])
  }

  @Test("keys without a property are observed, announced and depended on")
  func namedKeys() {
    let drawing = Drawing()
    let keys = ["contents", "any", "isShown", "selection", "undone"]
    drawing.watch(keys, witness)
    drawing.bounds = 2
    drawing.touch()
    drawing.select()
    #expect(
      witness.take() == [
        "contents: setting, old <null>, new <null>", "undone: setting, old <null>, new <null>",
        "any: setting, old <null>, new <null>", "isShown: setting, old 1, new 1",
        "selection: setting, old first, new first",
      ])
    drawing.unwatch(keys, witness)
    #expect(drawing.observationInfo == nil)
    let scene = Scene()
    scene.watch(["drawing.contents", "drawing.any"], witness)
    scene.drawing = drawing
    drawing.touch()
    drawing.bounds = 3
    scene.unwatch(["drawing.contents", "drawing.any"], witness)
    #expect(
      witness.take() == [
        "drawing.contents: setting, old <null>, new <null>",
        "drawing.any: setting, old <null>, new <null>",
        "drawing.any: setting, old <null>, new <null>",
        "drawing.contents: setting, old <null>, new <null>",
      ])
  }

  @Test(
    "a key that a constant outside of the class names is observed, and one that's announced elsewhere"
  )
  func unseenKeys() async {
    let task = Task()
    task.watch(["cancelledState", "paused"], witness)
    task.cancel()
    task.pause()
    task.unwatch(["cancelledState", "paused"], witness)
    #expect(task.observationInfo == nil)
    #expect(
      witness.take() == [
        "cancelledState: setting, old <null>, new <null>",
        "paused: setting, old <null>, new <null>",
      ])
    // Their classes don't show the key, which is one after it's announced. One shows other keys, one none.
    for object in [Drawing(), Lamp()] {
      object.willChangeValue(forKey: "zoom")
      object.didChangeValue(forKey: "zoom")
      object.watch(["zoom"], witness)
      object.willChangeValue(forKey: "zoom")
      object.didChangeValue(forKey: "zoom")
      object.unwatch(["zoom"], witness)
      #expect(witness.take() == ["zoom: setting, old <null>, new <null>"])
    }
    await #expect(processExitsWith: .success) {
      expectReason("Shelf has no key 'zoom'.") {
        let (shelf, witness) = (Shelf(), Witness())
        shelf.watch(["zoom"], witness)
      }
    }
  }

  @Test(
    "a name without a property that's close to a key is reported once, and is a key all the same")
  func misspeltNames() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      KeyValueViolation.handler = { violation in
        FileHandle.standardError.write(Data("\(violation.kind): \(violation)\n".utf8))
      }
      let (task, drawing, witness) = (Task(), Drawing(), Witness())
      task.watch(["cancelledState", "stat"], witness)
      task.announce("stat")
      task.unwatch(["cancelledState", "stat"], witness)
      for _ in 0..<2 {
        drawing.willChangeValue(forKey: "bound")
        drawing.didChangeValue(forKey: "bound")
      }
      exit(witness.take() == ["stat: setting, old <null>, new <null>"] ? 0 : 1)
    }
    let report = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(
      report == """
        tolerated: Task has no key 'stat'. Did you mean 'state'? It is a key without a property now, because \
        the class announces keys by names that its body doesn't show. If that's meant, name it in the class's \
        body by a literal or a constant.
        tolerated: Drawing has no key 'bound'. Did you mean 'bounds'? It is a key without a property now, because \
        it was announced as changing. If that's meant, name it in the class's body by a literal or a constant.

        """)
  }

  @Test("what can't be a key is not announced")
  func impossibleKeys() async {
    for name in ["a.b", "@count", "", "self"] {
      await #expect(processExitsWith: .success) { [name = name as String] in
        KeyValueViolation.handler = { exit($0.kind == .undefinedKey ? 0 : 1) }
        Drawing().willChangeValue(forKey: name)
        exit(2)
      }
    }
  }

  @Test("a key path of several keys is observed without its root, and with it ends the program")
  func severalKeys() async {
    let scene = Scene()
    scene.drawing = Drawing()
    var told: [Int?] = []
    let token = scene.observe(\.drawing?.bounds, options: [.new]) { _, change in
      told.append(change.newValue ?? nil)
    }
    scene.drawing?.bounds = 5
    scene.drawing = nil
    token.invalidate()
    #expect(told == [5, nil])
    // A function that's given such a path and hands it on.
    func watch<Value>(
      _ path: KeyPath<KeyValuePath<Scene, Scene>, KeyValuePath<Scene, Value>?>,
      _ handler: @escaping (Value?) -> Void
    ) -> NSKeyValueObservation {
      scene.observe(path, options: [.new]) { _, change in handler(change.newValue ?? nil) }
    }
    told = []
    let handed = watch(\.drawing?.bounds) { told.append($0) }
    scene.drawing = Drawing()
    handed.invalidate()
    #expect(told.count == 1)
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      KeyValueViolation.handler = { violation in
        FileHandle.standardError.write(Data("\(violation.kind): \(violation)".utf8))
        exit(0)
      }
      _ = Scene().observe(\Scene.drawing?.bounds) { _, _ in }
      exit(2)
    }
    let report = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(
      report
        == "unobservablePath: A plain key path of Scene names no key of it: \\Scene.drawing?.<Int>?. Only one "
        + "property can be named this way; for a longer path write \\.drawing.<Int>, without the root type, "
        + "where it is observed, or to a function that hands it on and has a parameter of type "
        + "KeyPath<KeyValuePath<Scene, Scene>, KeyValuePath<Scene, Int>?> (a "
        + "member whose name a key path does not know shows its type in angle brackets).")
  }

  @Test("reading a key without property and value raises, and so does observing a misspelt one")
  func unnamedKeys() async {
    await #expect(processExitsWith: .success) {
      expectReason(
        "valueForUndefinedKey:]: this class is not key value coding-compliant for the key any."
      ) { _ = Drawing().value(forKey: "any") }
    }
    await #expect(processExitsWith: .success) {
      expectReason("Drawing has no key 'content'.") {
        let (drawing, witness) = (Drawing(), Witness())
        drawing.watch(["content"], witness)
      }
    }
  }
}

private enum TaskKeys { static let cancelled = "cancelledState" }
private let pausedKey = "paused"

/// Announces keys that constants outside of it name.
@KeyValueObservable
private final class Task: NSObject {
  dynamic var state = 0

  func cancel() {
    willChangeValue(forKey: TaskKeys.cancelled)
    didChangeValue(forKey: TaskKeys.cancelled)
  }

  func pause() {
    willChangeValue(forKey: pausedKey)
    didChangeValue(forKey: pausedKey)
  }

  func announce(_ key: String) {
    willChangeValue(forKey: key)
    didChangeValue(forKey: key)
  }
}

/// Announces its keys by names that constants have, and a function's parameter.
@KeyValueObservable
private final class Meter: NSObject {
  private enum Key {
    static let mean = "mean"
  }
  private static let totalKey = "total"
  dynamic var values: [Int] = []
  var total: Int { values.reduce(0, +) }
  var mean: Int { values.isEmpty ? 0 : values.reduce(0, +) / values.count }
  var count: Int { values.count }
  /// Announced nowhere, so it depends on what it reads.
  var half: Int { values.reduce(0, +) / 2 }

  func add(_ value: Int) {
    willChangeValue(forKey: Meter.totalKey)
    willChangeValue(forKey: Key.mean)
    changing("count") { values.append(value) }
    didChangeValue(forKey: Key.mean)
    didChangeValue(forKey: Meter.totalKey)
  }

  private func changing(_ key: String, _ change: () -> Void) {
    willChangeValue(forKey: key)
    change()
    didChangeValue(forKey: key)
  }
}

private let shareKey = "share"

/// Announces by a constant that the class's body doesn't declare, which may name any key.
@KeyValueObservable
private final class Gauge: NSObject {
  dynamic var values: [Int] = []
  var share: Int { values.first ?? 0 }
  var half: Int { values.reduce(0, +) / 2 }

  func add(_ value: Int) {
    willChangeValue(forKey: shareKey)
    values.append(value)
    didChangeValue(forKey: shareKey)
  }
}

/// Names keys that it has no property for.
@KeyValueObservable
private final class Drawing: NSObject {
  dynamic var bounds = 1
  var isShown: Bool { true }

  class func keyPathsForValuesAffectingContents() -> Set<String> { ["bounds"] }
  class func keyPathsForValuesAffectingIsShown() -> Set<String> { ["any"] }

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    let paths = super.keyPathsForValuesAffectingValue(forKey: key)
    return key == "undone" ? paths.union(["contents"]) : paths
  }

  func touch() {
    willChangeValue(forKey: "any")
    didChangeValue(forKey: "any")
  }

  func select() { announce("selection") }

  private func announce(_ key: String) {
    willChangeValue(forKey: key)
    didChangeValue(forKey: key)
  }

  override func value(forUndefinedKey key: String) -> Any? {
    key == "selection" ? "first" : super.value(forUndefinedKey: key)
  }
}

@KeyValueObservable
private final class Scene: NSObject {
  dynamic var drawing: Drawing?
}
