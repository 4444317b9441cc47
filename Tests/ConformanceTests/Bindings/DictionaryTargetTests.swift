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

private struct TooLight: Error {}

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
