import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("B. Bindings into dictionaries")
struct DictionaryTargetTests {
  @Test("B1 K4 With validates, the validator of an object in a dictionary is asked")
  func validator() throws {
    let (dial, rack) = (Dial(), Rack())
    let box = LimitedBox()
    rack.byName["a"] = box
    let binding = dial.kvo.level.bind(
      to: try rack.kvo("byName.a.weight", as: Int?.self), validates: true)
    #expect(box.weight == 1)
    dial.level = 200
    #expect(box.weight == 150)
    var value: Any? = 200
    try rack.validateValue(&value, forKeyPath: "byName.a.weight")
    #expect(value as? Int == 150)
    binding.invalidate()
  }

  @Test("B1 A validator's error behind a dictionary goes to onError, and nothing is set")
  func refusal() throws {
    let (dial, rack) = (Dial(), Rack())
    let box = LimitedBox()
    rack.byName["a"] = box
    var errors: [String] = []
    let binding = dial.kvo.level.bind(
      to: try rack.kvo("byName.a.weight", as: Int?.self), validates: true,
      onError: { errors.append("\($0)") })
    dial.level = -1
    #expect(errors == ["TooLight()"])
    #expect(box.weight == 1)
    binding.invalidate()
  }
}

@Suite("B. Bindings of a dictionary's entries")
struct DictionaryEntryTests {
  private let log = ChangeLog()
  private let dial = Dial()
  private let sheet = Sheet()

  @Test("B3 Each side of a two-way binding sets the other, and another entry sets neither")
  func twoWay() throws {
    let binding = try dial.kvo("level").bindTwoWay(to: try sheet.kvo("fields.level"))
    let token = dial.observe(\.level, options: .new, changeHandler: log.handler("level"))
    #expect(sheet.fields["level"] as? Int == 1)
    sheet.fields["level"] = 5
    #expect(dial.level == 5 && sheet.fields["level"] as? Int == 5)
    sheet.fields["other"] = 6
    dial.level = 7
    #expect(sheet.fields["level"] as? Int == 7 && sheet.fields["other"] as? Int == 6)
    #expect(log.take() == ["level: setting, new: 5", "level: setting, new: 7"])
    token.invalidate()
    binding.invalidate()
    #expect(isIdle(dial, sheet))
  }

  @Test("B1 Another entry of the dictionary doesn't set the target again")
  func otherEntry() throws {
    let binding = dial.kvo.level.bind(to: try sheet.kvo("counts.level", as: Int?.self))
    sheet.counts["level"] = 5
    sheet.counts["other"] = 6
    #expect(sheet.counts == ["level": 5, "other": 6])
    dial.level = 2
    #expect(sheet.counts == ["level": 2, "other": 6])
    binding.invalidate()
  }

  @Test("B1 Another entry doesn't set an object in the dictionary again; another object is set")
  func objectInDictionary() throws {
    let rack = Rack()
    let (box, other) = (LimitedBox(), LimitedBox())
    rack.byName["a"] = box
    let binding = dial.kvo.level.bind(to: try rack.kvo("byName.a.weight", as: Int?.self))
    box.weight = 7
    rack.byName["b"] = LimitedBox()
    #expect(box.weight == 7 && rack.byName["b"]?.weight == 0)
    rack.byName["a"] = other
    #expect(box.weight == 7 && other.weight == 1)
    binding.invalidate()
  }

  @Test("B3 A dictionary's object is the owner of an entry; a new one gets the value")
  func newOwner() throws {
    let cover = Cover()
    let binding = try dial.kvo("level").bindTwoWay(to: try cover.kvo("sheet.fields.level"))
    cover.sheet = sheet
    #expect(sheet.fields["level"] as? Int == 1)
    sheet.fields["level"] = 5
    #expect(dial.level == 5)
    let second = Sheet()
    second.fields["level"] = 9
    cover.sheet = second
    #expect(dial.level == 5 && second.fields["level"] as? Int == 5)
    cover.sheet = nil
    #expect(dial.level == 5)
    binding.invalidate()
  }
}

private struct TooLight: Error {}

@KeyValueObservable
private final class Sheet {
  var fields: [String: Any] = [:]
  var counts: [String: Int] = [:]
}

@KeyValueObservable
private final class Cover {
  var sheet: Sheet?
}

@KeyValueObservable
private final class Dial {
  var level = 1
}

@KeyValueObservable
private final class LimitedBox {
  var weight = 0

  func validateWeight(_ value: inout Int) throws {
    if value < 0 { throw TooLight() }
    value = min(value, 150)
  }
}

@KeyValueObservable
private final class Rack {
  var byName: [String: LimitedBox] = [:]
}
