import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("Two-way bindings: errors of the backward function")
struct BindingBackwardErrorTests {
  @Test("L3 Without onError, a backward error is reported, and each side keeps its value")
  func unhandled() {
    ViolationLog.record { violations in
      let (dial, entry) = (Dial(), Entry())
      let binding = dial.kvo.degrees.bindTwoWay(
        to: entry.kvo.text,
        transformer: KeyValueTransformer(forward: { "\($0)" }, backward: { try number($0) }))
      entry.text = "warm"
      #expect(dial.degrees == 20 && entry.text == "warm")
      #expect(
        violations.take() == [
          "tolerated: Entry.text was changed to a value that its binding could not pass back to "
            + "Dial.degrees: 'warm' is no number. Each keeps its own value until one of them changes. "
            + "Give the binding onError: to handle that."
        ])
      entry.text = "30"
      #expect(dial.degrees == 30)
      binding.invalidate()
    }
  }

  @Test("A handler receives errors in both directions")
  func handled() {
    let log = ChangeLog()
    let (dial, entry) = (Dial(), Entry())
    let binding = dial.kvo.degrees.bindTwoWay(
      to: entry.kvo.text,
      transformer: KeyValueTransformer(
        forward: { $0 < 100 ? "\($0)" : try boiling($0) }, backward: { try number($0) }),
      onError: { log.note("\($0)") })
    entry.text = "warm"
    dial.degrees = 100
    #expect(log.take() == ["'warm' is no number.", "100 is too hot."])
    #expect(dial.degrees == 100 && entry.text == "warm")
    binding.invalidate()
  }
}

@KeyValueObservable
private final class Dial {
  var degrees = 20
}

@KeyValueObservable
private final class Entry {
  var text = ""
}

private struct Refusal: Error, CustomStringConvertible {
  let description: String
}

private func number(_ text: String) throws -> Int {
  guard let number = Int(text) else { throw Refusal(description: "'\(text)' is no number.") }
  return number
}

private func boiling(_ degrees: Int) throws -> String {
  throw Refusal(description: "\(degrees) is too hot.")
}
