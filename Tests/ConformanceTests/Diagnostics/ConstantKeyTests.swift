import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("L3. Keys that are declared with let")
struct ConstantKeyTests {
  #if DEBUG || KVO_AUDIT
    @Test("L3 An observer of a constant is reported once per class and key path")
    func observing() throws {
      try ViolationLog.record { violations in
        let badge = Badge()
        let tokens = [
          badge.kvo.number.observe(fileID: "App/Badge.swift", line: 7) { _, _ in },
          badge.kvo.number.observe(fileID: "App/Badge.swift", line: 8) { _, _ in },
          try badge.observe("holder.number", fileID: "App/Badge.swift", line: 9) { _, _ in },
        ]
        #expect(
          violations.take() == [
            "tolerated: Badge.number is declared with let, so it never changes and its observer is never "
              + "notified. Declare it with var, or observe a key that changes. It was registered at "
              + "Badge.swift:7.",
            "tolerated: Every key of 'holder.number' of Badge is declared with let, so it never changes and "
              + "its observer is never notified. Declare it with var, or observe a key that changes. It was "
              + "registered at Badge.swift:9.",
          ])
        for token in tokens { token.invalidate() }
      }
    }

    @Test("L3 What may change behind a constant, or is wanted once, is not reported")
    func others() throws {
      try ViolationLog.record { violations in
        let badge = Badge()
        let label = Label()
        let tokens = [
          badge.kvo.number.observe(options: [.initial, .new]) { _, _ in },
          badge.kvo.holder.name.observe { _, _ in },
          badge.kvo.parts.observe { _, _ in },
          try badge.observe("all.name") { _, _ in },
          try badge.observe("number") { _, _ in },
        ]
        let binding = badge.kvo.number.bind(to: label.kvo.text)
        badge.willChangeValue(forKey: "parts")
        badge.didChangeValue(forKey: "parts")
        #expect(violations.take() == [])
        #expect(label.text == 7)
        binding.invalidate()
        for token in tokens { token.invalidate() }
      }
    }
  #endif

  @Test("L3 A binding to a constant is answered and not valid, and the program goes on")
  func binding() {
    ViolationLog.record { violations in
      let (badge, label) = (Badge(), Label())
      let binding = label.kvo.text.bind(to: badge.kvo.number)
      #expect(!binding.isValid)
      #expect(
        violations.take() == [
          "tolerated: Badge.number can be read but not set: it is declared with let."
        ])
      var errors: [String] = []
      let answered = label.kvo.text.bindTwoWay(to: badge.kvo.number) { errors.append("\($0)") }
      #expect(!answered.isValid)
      #expect(errors == ["Badge.number can be read but not set: it is declared with let."])
      #expect(violations.take() == [])
      label.text = 3
      #expect(badge.number == 7)
    }
  }
}

@KeyValueObservable
private final class Label {
  var text = 0
}

@KeyValueObservable
private final class Owner {
  let number = 1
  var name = "Ada"
}

@KeyValueObservable
private final class Badge {
  let number = 7
  let holder = Owner()
  let all = [Owner()]
  let parts = Parts()

  func change() {
    willChangeValue(forKey: "parts")
    parts.count += 1
    didChangeValue(forKey: "parts")
  }
}

private final class Parts {
  var count = 0
}
