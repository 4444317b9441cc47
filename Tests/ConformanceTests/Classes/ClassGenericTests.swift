import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("P D K. Generic classes")
struct ClassGenericTests {
  private let log = ChangeLog()

  @Test("P1 a generic class can be observed in every spelling")
  func everySpelling() throws {
    let box = Box("a")
    let tokens = [
      box.observe(\.value, options: [.old, .new], changeHandler: log.handler("typed")),
      box.observe(\Box<String>.value, options: [.old, .new], changeHandler: log.handler("plain")),
      box.observe(
        KeyValuePath<Box<String>, String>(\.value), options: [.old, .new],
        changeHandler: log.handler("path")),
      try box.observe("value", options: [.old, .new], changeHandler: log.handler("string")),
    ]
    box.value = "b"
    #expect(
      log.take()
        == ["typed", "plain", "path", "string"].map {
          "\($0): setting, old: \"a\", new: \"b\""
        })
    for token in tokens { token.invalidate() }
    #expect(isIdle(box))
  }

  @Test("P1 D2 paths and dependent keys of a generic class follow replaced objects")
  func pathsAndDependencies() throws {
    let box = Box(1)
    let tokens = [
      box.observe(\.next.value, options: [.old, .new], changeHandler: log.handler("plain")),
      box.observe(
        \.next?.next?.value, options: [.old, .new], changeHandler: log.handler("marked")),
      box.observe(\.nextLabel, options: [.old, .new], changeHandler: log.handler("label")),
      try box.observe("next.label", options: [.old, .new], changeHandler: log.handler("string")),
    ]
    let second = Box(2)
    box.next = second
    second.value = 3
    second.next = Box(4)
    box.next = nil
    #expect(
      log.take() == [
        "plain: setting, old: nil, new: 2", "marked: setting, old: nil, new: nil",
        "label: setting, old: \"end\", new: \"<2>\"", "string: setting, old: nil, new: \"<2>\"",
        "plain: setting, old: 2, new: 3", "label: setting, old: \"<2>\", new: \"<3>\"",
        "string: setting, old: \"<2>\", new: \"<3>\"",
        "marked: setting, old: nil, new: 4",
        "plain: setting, old: 3, new: nil", "marked: setting, old: 4, new: nil",
        "label: setting, old: \"<3>\", new: \"end\"", "string: setting, old: \"<3>\", new: nil",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(box, second))
  }

  @Test("P1 N7 a generic class over an optional distinguishes nil from a missing value")
  func optionalElement() throws {
    let box = Box<Int?>(nil)
    let typed = box.observe(\.value, options: .new) { [log] _, change in
      log.note("typed \(change.oldValue as Any) \(change.newValue as Any)")
    }
    let string = try box.observe(
      "value", options: [.old, .new], changeHandler: log.handler("string"))
    box.value = 1
    box.value = nil
    #expect(
      log.take() == [
        "typed nil Optional(Optional(1))", "string: setting, old: nil, new: 1",
        "typed nil Optional(nil)", "string: setting, old: 1, new: nil",
      ])
    try box.setValue(2.0, forKey: "value")
    #expect(box.value == 2)
    try box.setValue(nil, forKey: "value")
    #expect(box.value == nil)
    typed.invalidate()
    string.invalidate()
  }

  @Test("K1 K2 K4 key-value coding of a generic class uses its type arguments")
  func coding() throws {
    let box = Box(1)
    try box.setValue(2.0, forKey: "value")
    #expect(try box.value(forKey: "value") as? Int == 2)
    #expect(
      message { try box.setValue("a", forKey: "value") }
        == "Box<Int>.value was given a value of the wrong type: it holds Int, which cannot take "
        + "\"a\" of type String exactly.")
    let strings = Box("a")
    try strings.setValue("b", forKey: "value")
    #expect(
      message { try strings.setValue(2, forKey: "value") }
        == "Box<String>.value was given a value of the wrong type: it holds String, which cannot "
        + "take 2 of type Int exactly.")
    var value: Any? = "c"
    #expect(
      message { try strings.validateValue(&value, forKey: "value") }
        == "Box<String>.value can be read but not set.")
    #expect(Box<Int>.keyValueKeys == ["value", "next", "history", "label", "nextLabel"])
  }

  @Test("P1 D1 an un-annotated subclass that fixes the parameter is observed in every spelling")
  func fixedParameter() throws {
    let box = IntBox(1)
    let asBox: Box<Int> = box
    let tokens = [
      box.observe(\.label, options: [.old, .new], changeHandler: log.handler("typed")),
      asBox.observe(\.label, options: [.old, .new], changeHandler: log.handler("super")),
      box.observe(\IntBox.label, options: [.old, .new], changeHandler: log.handler("plain")),
      try box.observe("label", options: [.old, .new], changeHandler: log.handler("string")),
    ]
    box.value = 2
    #expect(
      log.take()
        == ["typed", "super", "plain", "string"].map {
          "\($0): setting, old: \"int 1\", new: \"int 2\""
        })
    for token in tokens { token.invalidate() }
  }

  @Test("P1 D1 an annotated subclass with a parameter of its own adds keys and sources")
  func furtherParameter() throws {
    #expect(
      PairBox<Int, String>.keyValueKeys
        == ["value", "next", "history", "label", "nextLabel", "second"])
    #expect(
      PairBox<Int, String>.keyPathsForValuesAffectingValue(forKey: "label") == ["value", "second"])
    #expect(Box<Int>.keyPathsForValuesAffectingValue(forKey: "label") == ["value"])
    let box = PairBox(1, "a")
    let tokens = [
      box.observe(\.label, options: .new, changeHandler: log.handler("typed")),
      (box as Box<Int>).observe(
        \Box<Int>.label, options: .new, changeHandler: log.handler("plain")),
      box.observe(\.second, options: .new, changeHandler: log.handler("second")),
    ]
    box.second = "b"
    box.value = 2
    #expect(
      log.take() == [
        "typed: setting, new: \"<1, b>\"", "plain: setting, new: \"<1, b>\"",
        "second: setting, new: \"b\"",
        "typed: setting, new: \"<2, b>\"", "plain: setting, new: \"<2, b>\"",
      ])
    try box.setValue("c", forKey: "second")
    #expect(log.take().count == 3)
    for token in tokens { token.invalidate() }
    #expect(isIdle(box))
  }
}
