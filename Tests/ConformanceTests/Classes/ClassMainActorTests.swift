import KeyValueObserving
import KeyValueTestSupport
import Testing

@MainActor
@Suite("P D K. Main-actor classes")
struct ClassMainActorTests {
  private let log = ChangeLog()
  private let model = ViewModel()

  @Test("P1 a main-actor class can be observed in every spelling")
  func everySpelling() throws {
    let tokens = [
      model.observe(\.title, options: [.old, .new], changeHandler: log.handler("typed")),
      model.observe(\ViewModel.title, options: [.old, .new], changeHandler: log.handler("plain")),
      model.observe(
        KeyValuePath<ViewModel, String>(\.title), options: [.old, .new],
        changeHandler: log.handler("path")),
      try model.observe("title", options: [.old, .new], changeHandler: log.handler("string")),
    ]
    model.title = "b"
    model.title += "c"
    let labels = ["typed", "plain", "path", "string"]
    #expect(
      log.take() == labels.map { "\($0): setting, old: \"a\", new: \"b\"" }
        + labels.map { "\($0): setting, old: \"b\", new: \"bc\"" })
    for token in tokens { token.invalidate() }
    #expect(isIdle(model))
  }

  @Test("P1 P2 P3 paths through main-actor objects follow replacements, nil and value members")
  func paths() throws {
    let tokens = [
      model.observe(\.child.title, options: [.old, .new], changeHandler: log.handler("plain")),
      model.observe(\.child?.title, options: [.old, .new], changeHandler: log.handler("marked")),
      try model.observe(
        "child.title", options: [.old, .new], changeHandler: log.handler("string")),
    ]
    let frame = model.observe(
      \.child.frame.origin.x, options: .new, changeHandler: log.handler("x"))
    let child = ViewModel()
    model.child = child
    child.title = "b"
    child.frame.origin.x = 1
    model.child = nil
    child.title = "silent"
    let labels = ["plain", "marked", "string"]
    #expect(
      log.take() == labels.map { "\($0): setting, old: nil, new: \"a\"" }
        + ["x: setting, new: 0.0"]
        + labels.map { "\($0): setting, old: \"a\", new: \"b\"" } + ["x: setting, new: 1.0"]
        + labels.map { "\($0): setting, old: \"b\", new: nil" } + ["x: setting, new: nil"])
    for token in tokens { token.invalidate() }
    frame.invalidate()
    #expect(isIdle(model, child))
  }

  @Test("P5 deallocating a weakly held main-actor object is a change to nil")
  func weakParent() {
    var parent: ViewModel? = ViewModel()
    model.parent = parent
    let token = model.observe(
      \.parent.title, options: .new, changeHandler: log.handler("parent"))
    parent?.title = "b"
    parent = nil
    #expect(log.take() == ["parent: setting, new: \"b\"", "parent: setting, new: nil"])
    token.invalidate()
  }

  @Test("D1 D2 dependent keys of a main-actor class and its un-annotated subclass notify")
  func dependentKeys() throws {
    #expect(ViewModel.keyPathsForValuesAffectingValue(forKey: "summary") == ["title", "count"])
    #expect(
      DetailViewModel.keyPathsForValuesAffectingValue(forKey: "childTitle") == ["child.title"])
    let detail = DetailViewModel()
    let tokens = [
      model.observe(\.summary, options: .new, changeHandler: log.handler("summary")),
      detail.observe(\.summary, options: .new, changeHandler: log.handler("detail")),
      try detail.observe("childTitle", options: .new, changeHandler: log.handler("child")),
    ]
    model.count = 2
    detail.title = "b"
    detail.child = model
    model.title = "c"
    #expect(
      log.take() == [
        "summary: setting, new: \"a 2\"", "detail: setting, new: \"detail b\"",
        "child: setting, new: \"a\"",
        "summary: setting, new: \"c 2\"", "child: setting, new: \"c\"",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("K a main-actor class is read, set and validated by key and key path")
  func coding() throws {
    let token = model.observe(\.count, options: .new, changeHandler: log.handler("count"))
    try model.setValue(5.0, forKey: "count")
    try model.setValue(nil, forKey: "count")
    #expect(log.take() == ["count: setting, new: 5", "count: setting, new: 0"])
    model.child = DetailViewModel()
    try model.setValue("t", forKeyPath: "child.title")
    #expect(try model.value(forKeyPath: "child.summary") as? String == "detail t")
    #expect(
      message { try model.setValue(nil, forKey: "title") }
        == "ViewModel.title cannot be nil: it holds String.")
    #expect(
      message { _ = try model.value(forKeyPath: "child.titel") }
        == "DetailViewModel has no key 'titel' (component 2 of 'child.titel'). "
        + "Did you mean 'title'?")
    var value: Any? = -5
    try model.validateValue(&value, forKey: "count")
    #expect(value as? Int == 0)
    #expect(
      ViewModel.keyValueKeys == [
        "title", "count", "child", "parent", "frame", "secret", "summary", "childTitle",
      ])
    token.invalidate()
  }

  @Test("M1 M3 a manual key of a main-actor class notifies only in withChange(of:)")
  func manual() {
    let token = model.observe(
      \.secret, options: [.old, .new], changeHandler: log.handler("secret"))
    model.secret = 2
    model.withChange(of: \.secret) { model.secret = 3 }
    #expect(log.take() == ["secret: setting, old: 2, new: 3"])
    token.invalidate()
  }

  @Test("R4 a main-actor observer receives changes with its context until it is removed")
  func observerObject() throws {
    let listener = Listener()
    try model.addObserver(listener, forKeyPath: "child.title", options: .new, context: context(1))
    model.child = ViewModel()
    model.child?.title = "b"
    try model.removeObserver(listener, forKeyPath: "child.title", context: context(1))
    model.child = nil
    #expect(listener.titles == ["child.title a 1", "child.title b 1"])
  }

  #if !canImport(Darwin)
    @Test("T2 a global actor of any name isolates a class through an alias that ends in Actor")
    @PressActor
    func alias() {
      let log = ChangeLog()
      let press = Press()
      let token = press.observe(
        \.sheets, options: [.old, .new], changeHandler: log.handler("sheets"))
      press.sheets = 2
      #expect(log.take() == ["sheets: setting, old: 1, new: 2"])
      token.invalidate()
      #expect(isIdle(press))
    }
  #endif
}

@globalActor
private actor PressRoom {
  static let shared = PressRoom()
}

private typealias PressActor = PressRoom

// Apple's systems have isolated deinitialisers since macOS 15.4 only.
#if !canImport(Darwin)
  @PressActor
  @KeyValueObservable
  private final class Press {
    var sheets = 1 {
      didSet { pages = sheets * 2 }
    }
    var pages = 2

    isolated deinit { sheets = 0 }
  }
#endif

@MainActor
private final class Listener: @MainActor KeyValueObserver {
  var titles: [String] = []

  func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {
    let value = (change.newValue ?? nil).map { "\($0)" } ?? "nil"
    titles.append("\(keyPath) \(value) \(UInt(bitPattern: context))")
  }
}
