import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("K5. Key paths: self is the identity")
struct IdentityPathTests {
  private let log = ChangeLog()
  private let pantry = Pantry()

  @Test(
    "K5 In the middle, at the start and at the end of an observed path, self is the object itself",
    arguments: [
      "jar.self.label", "self.jar.label", "jar.label.self", "self.jar.self.self.label.self",
    ])
  func anywhere(path: String) throws {
    let first = try #require(pantry.jar)
    let token = try pantry.observe(path, options: [.old, .new], changeHandler: log.handler("jar"))
    first.label = "plums"
    let second = Jar("figs")
    pantry.jar = second
    first.label = "let go"
    second.label = "dates"
    pantry.jar = nil
    #expect(
      log.take() == [
        "jar: setting, old: \"jam\", new: \"plums\"", "jar: setting, old: \"plums\", new: \"figs\"",
        "jar: setting, old: \"figs\", new: \"dates\"", "jar: setting, old: \"dates\", new: nil",
      ])
    #expect(token.keyPath == path)
    token.invalidate()
    #expect(isIdle(pantry, first, second))
  }

  @Test("K5 After a collection and after an operator, self is each element")
  func behindCollections() throws {
    let (first, second) = (Jar("a", count: 1), Jar("b", count: 2))
    pantry.shelf = [first]
    let tokens = [
      try pantry.observe("shelf.self.label", options: .new, changeHandler: log.handler("each")),
      try pantry.observe("shelf.@sum.self.count", options: .new, changeHandler: log.handler("sum")),
      try pantry.observe(
        "shelf.@unionOfObjects.self", options: .new, changeHandler: log.handler("union")),
    ]
    first.count = 5
    pantry.shelf.append(second)
    second.label = "c"
    second.count = 3
    #expect(
      log.take() == [
        "sum: setting, new: 5", "each: setting, new: [\"a\", \"b\"]", "sum: setting, new: 7",
        "union: setting, new: [jar a, jar b]", "each: setting, new: [\"a\", \"c\"]",
        "sum: setting, new: 8",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(pantry, first, second))
  }

  @Test("K5 A path of only self is the observed object: it has an initial value and never changes")
  func alone() throws {
    let token = try pantry.observe(
      "self", options: [.initial, .new], changeHandler: log.handler("pantry"))
    pantry.jar = nil
    #expect(log.take() == ["pantry: setting, new: pantry"])
    #expect(pantry.observationInfo.map(\.keyPath) == ["self"])
    #expect(token.isValid)
    token.invalidate()
    #expect(isIdle(pantry))
    var short: Pantry? = Pantry()
    let survivor = try short?.observe("self") { _, _ in }
    short = nil
    #expect(survivor?.isValid == false)
  }

  @Test("K5 R6 An unknown key after self is refused, with its position in the path as written")
  func unknownKey() throws {
    pantry.shelf = [Jar("a")]
    let messages = [
      "jar.self.lable": "Jar has no key 'lable' (component 3 of 'jar.self.lable'). "
        + "Did you mean 'label'?",
      "self.jra.label": "Pantry has no key 'jra' (component 2 of 'self.jra.label'). "
        + "Did you mean 'jar'?",
      "shelf.@sum.self.cuont": "Jar has no key 'cuont' (component 4 of 'shelf.@sum.self.cuont'). "
        + "Did you mean 'count'?",
    ]
    for (path, expected) in messages {
      #expect(message { _ = try pantry.observe(path) { _, _ in } } == expected)
      #expect(message { _ = try pantry.value(forKeyPath: path) } == expected)
    }
    #expect(isIdle(pantry))
  }

  @Test("K5 Paths through self can be read and set; self as a single key can't be set")
  func coding() throws {
    #expect(try pantry.value(forKey: "self") as? Pantry === pantry)
    #expect(try pantry.value(forKeyPath: "self.self") as? Pantry === pantry)
    #expect(try pantry.value(forKeyPath: "self.jar.self.label") as? String == "jam")
    let token = try pantry.observe("jar.label", options: .new, changeHandler: log.handler("label"))
    try pantry.setValue("honey", forKeyPath: "self.jar.self.label")
    try pantry.setValue(Jar("salt"), forKeyPath: "jar.self")
    #expect(log.take() == ["label: setting, new: \"honey\"", "label: setting, new: \"salt\""])
    #expect(
      message { try pantry.setValue(Jar("x"), forKey: "self") }
        == "Pantry.self can be read but not set: it is the object itself; set the property that "
        + "refers to it.")
    token.invalidate()
  }

  @Test("K5 D1 A dependency's path may lead through self")
  func dependency() {
    let token = pantry.observe(\.title, options: .new, changeHandler: log.handler("title"))
    pantry.jar?.label = "plums"
    pantry.jar = Jar("figs")
    #expect(log.take() == ["title: setting, new: \"plums!\"", "title: setting, new: \"figs!\""])
    token.invalidate()
    #expect(isIdle(pantry))
  }

  @Test("K5 The recorder follows a path through self and refuses self as a key")
  func recorder() throws {
    let recorder = KeyValueChangeRecorder()
    try recorder.record(pantry, "jar.self.label")
    pantry.jar?.label = "plums"
    #expect(try recorder.undo())
    #expect(pantry.jar?.label == "jam")
    #expect(
      message { try recorder.record(pantry, "self") }
        == "Pantry.self can be read but not set: it is the object itself.")
  }
}

/// The description of the error that a closure throws.
private func message(_ body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch {
    return "\(error)"
  }
}

@KeyValueObservable
private final class Jar: CustomStringConvertible {
  var label: String
  var count: Int

  init(_ label: String, count: Int = 1) {
    self.label = label
    self.count = count
  }

  var description: String { "jar \(label)" }
}

@KeyValueObservable
private final class Pantry: CustomStringConvertible {
  var jar: Jar? = Jar("jam")
  var shelf: [Jar] = []

  @DependsOn("self.jar.self.label")
  var title: String { "\(jar?.label ?? "")!" }

  var description: String { "pantry" }
}
