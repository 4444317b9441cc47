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

  private static let digits = KeyValueTransformer<Int, String>(
    forward: { "\($0)" }, backward: { try number($0) })

  @Test("B3 Setting the other side in onError, even to an equal value, puts a refused text back")
  func reverted() {
    let log = ChangeLog()
    let (dial, entry) = (Dial(), Entry())
    let binding = dial.kvo.degrees.bindTwoWay(
      to: entry.kvo.text, transformer: Self.digits,
      onError: { error in
        log.note("\(error)")
        let value = dial.degrees
        dial.degrees = value
      })
    let tokens = [
      dial.observe(\.degrees, options: .new, changeHandler: log.handler("degrees")),
      entry.observe(\.text, options: .new, changeHandler: log.handler("text")),
    ]
    entry.text = "warm"
    #expect(dial.degrees == 20 && entry.text == "20")
    // The binding was registered first, so its own change of the text is told inside of its call.
    #expect(
      log.take() == [
        "'warm' is no number.", "degrees: setting, new: 20", "text: setting, new: \"20\"",
        "text: setting, new: \"warm\"",
      ])
    for token in tokens { token.invalidate() }
    binding.invalidate()
  }

  @Test("B3 Setting the other side in onError to another value reaches the refused side")
  func replaced() {
    let (dial, entry) = (Dial(), Entry())
    let binding = dial.kvo.degrees.bindTwoWay(
      to: entry.kvo.text, transformer: Self.digits, onError: { _ in dial.degrees = 0 })
    entry.text = "warm"
    #expect(dial.degrees == 0 && entry.text == "0")
    entry.performChanges { $0.text = "cold" }
    #expect(dial.degrees == 0 && entry.text == "0")
    binding.invalidate()
  }

  @Test("B3 What onError sets after a forward error goes back")
  func forward() {
    let (dial, entry) = (Dial(), Entry())
    let binding = dial.kvo.degrees.bindTwoWay(
      to: entry.kvo.text,
      transformer: KeyValueTransformer(
        forward: { $0 < 100 ? "\($0)" : try boiling($0) }, backward: { try number($0) }),
      onError: { _ in entry.text = "99" })
    dial.degrees = 100
    #expect(dial.degrees == 99 && entry.text == "99")
    binding.invalidate()
  }

  @Test("B3 A binding whose error handler sets both sides, which neither takes, comes to rest")
  func alternating() {
    let log = ChangeLog()
    let (dial, entry) = (Dial(), Entry())
    let binding = dial.kvo.degrees.bindTwoWay(
      to: entry.kvo.text,
      transformer: KeyValueTransformer(
        forward: { try boiling($0) }, backward: { try number($0) }),
      onError: { error in
        log.note("\(error)")
        dial.degrees += 1
        entry.text += "?"
      })
    #expect(
      log.take() == [
        "20 is too hot.", "21 is too hot.", "'??' is no number.", "'???' is no number.",
      ])
    #expect(dial.degrees == 24 && entry.text == "????")
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
