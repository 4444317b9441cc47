import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Observers that receive an earlier change after a later one, because a handler set the property again.
@Suite("N8. Values out of date")
struct OutdatedDeliveryTests {
  @Test("N8 A nested change is delivered in full, then the outer one with its own values")
  func order() {
    let log = ChangeLog()
    let dial = ClampedDial()
    let tokens = clampAndObserve(dial, log)
    dial.level = 200
    #expect(
      log.take() == ["level: setting, old: 200, new: 150", "level: setting, old: 0, new: 200"])
    for token in tokens { token.invalidate() }
  }

  #if DEBUG || KVO_AUDIT
    @Test("N8 L3 Debug builds report an observer that was given values out of date, once")
    func report() {
      ViolationLog.record { violations in
        let log = ChangeLog()
        let dial = ClampedDial()
        let tokens = clampAndObserve(dial, log)
        dial.level = 100
        #expect(violations.take() == [])
        dial.level = 200
        dial.level = 300
        #expect(
          violations.take() == [
            "tolerated: An observer of ClampedDial.level was given values out of date: an observer before it "
              + "changed them again, and that change was delivered first. Let it read the property instead "
              + "of the change's new value, or register it before the other one. It was registered at "
              + "Dial.swift:7."
          ])
        for token in tokens { token.invalidate() }
      }
    }

    @Test("N8 L3 An observer of a dependent key, and one in a transaction, are reported too")
    func others() {
      ViolationLog.record { violations in
        let dial = ClampedDial()
        let tokens = [
          dial.kvo.level.observe { dial, _ in if dial.level > 150 { dial.level = 150 } },
          dial.kvo.text.observe(options: .new, fileID: "App/Dial.swift", line: 8) { _, _ in },
        ]
        dial.level = 200
        #expect(
          violations.take().map { $0.prefix(53) } == [
            "tolerated: An observer of ClampedDial.text was given "
          ])
        let later = dial.kvo.level.observe(options: .new) { _, _ in }
        dial.performChanges { $0.level = 300 }
        #expect(
          violations.take().map { $0.prefix(54) } == [
            "tolerated: An observer of ClampedDial.level was given "
          ])
        later.invalidate()
        for token in tokens { token.invalidate() }
      }
    }

    @Test("N8 L3 Observers without values, or before the one that sets, are not reported")
    func unconcerned() {
      ViolationLog.record { violations in
        let log = ChangeLog()
        let dial = ClampedDial()
        let tokens = [
          dial.kvo.level.observe(options: .new, changeHandler: log.handler("first")),
          dial.kvo.level.observe { dial, _ in if dial.level > 150 { dial.level = 150 } },
          dial.kvo.level.observe { dial, _ in _ = dial.level },
        ]
        dial.level = 200
        #expect(log.take() == ["first: setting, new: 200", "first: setting, new: 150"])
        #expect(violations.take() == [])
        for token in tokens { token.invalidate() }
      }
    }
  #endif

  @Test("N8 A trace's findings name the deliveries of values out of date")
  func trace() {
    let log = ChangeLog()
    let dial = ClampedDial()
    let tokens = clampAndObserve(dial, log)
    let trace = KeyValueTrace.recording {
      dial.level = 100
      dial.level = 200
      dial.level = 300
    }
    #expect(trace.findings.outdated.map(\.count) == [2])
    #expect(
      trace.findings.outdated.map { "\($0.event.registration!)" }
        == ["closure registered at Dial.swift:7"])
    #expect(
      "\(trace.findings)".contains(
        "Values out of date, told 2 times: closure registered at Dial.swift:7 of ClampedDial.level"
      ))
    for token in tokens { token.invalidate() }
  }
}

/// Registers an observer that limits the level, and then one that is told its values.
private func clampAndObserve(_ dial: ClampedDial, _ log: ChangeLog) -> [KeyValueObservation] {
  [
    dial.kvo.level.observe(fileID: "App/Dial.swift", line: 6) { dial, _ in
      if dial.level > 150 { dial.level = 150 }
    },
    dial.kvo.level.observe(
      options: [.old, .new], fileID: "App/Dial.swift", line: 7,
      changeHandler: log.handler("level")),
  ]
}

@KeyValueObservable
private final class ClampedDial {
  var level = 0
  var text: String { "\(level)" }
}
