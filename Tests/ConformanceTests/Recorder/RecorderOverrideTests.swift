import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private class Gauge {
  var level = 0
  var marks: [String] = []
}

/// The setter of its level isn't the getter's inverse.
@KeyValueObservable
private final class DoubleGauge: Gauge {
  override var level: Int {
    get { super.level * 2 }
    set { super.level = newValue }
  }
  override var marks: [String] {
    get { super.marks }
    set { super.marks = newValue }
  }
}

/// The same without the macro.
private final class PlainDoubleGauge: Gauge {
  override var level: Int {
    get { super.level * 2 }
    set { super.level = newValue }
  }
}

/// Its setter refuses what it has held since it was made.
@KeyValueObservable
private final class PositiveGauge: Gauge {
  override var level: Int {
    get { super.level }
    set { if newValue > 0 { super.level = newValue } }
  }
}

@Suite("X. Undoing changes of overridden properties")
struct RecorderOverrideTests {
  private let log = ChangeLog()

  @Test("X3 What was stored comes back, although the setter isn't the getter's inverse")
  func inverse() throws {
    for gauge in [DoubleGauge(), PlainDoubleGauge()] as [Gauge] {
      gauge.level = 2
      let recorder = KeyValueChangeRecorder()
      try recorder.record(gauge, "level")
      let token = try gauge.observe(
        "level", options: [.old, .new], changeHandler: log.handler("level"))
      gauge.level = 3
      recorder.group {
        gauge.level = 4
        gauge.level = 5
      }
      for _ in 1...2 {
        #expect(try recorder.undo() && gauge.level == 6)
        #expect(try recorder.undo() && gauge.level == 4 && !recorder.canUndo)
        #expect(try recorder.redo() && gauge.level == 6)
        #expect(try recorder.redo() && gauge.level == 10 && !recorder.canRedo)
      }
      let taken = [
        "level: setting, old: 10, new: 6", "level: setting, old: 6, new: 4",
        "level: setting, old: 4, new: 6", "level: setting, old: 6, new: 10",
      ]
      #expect(
        log.take() == [
          "level: setting, old: 4, new: 6", "level: setting, old: 6, new: 8",
          "level: setting, old: 8, new: 10",
        ] + taken + taken)
      token.invalidate()
    }
  }

  @Test("X3 What the observer of a prior stores comes back, before it's undone")
  func prior() throws {
    let gauge = DoubleGauge()
    gauge.marks = ["a", "b"]
    let recorder = KeyValueChangeRecorder()
    try recorder.record(gauge, "marks")
    var isNested = false
    let observer = gauge.observe(\.marks, options: .prior) { gauge, change in
      guard change.isPrior, !isNested else { return }
      isNested = true
      gauge.mutableArrayValue(for: \.marks).insert("x", at: 0)
    }
    gauge.marks = ["z"]
    observer.invalidate()
    for _ in 1...2 {
      #expect(try recorder.undo() && gauge.marks == ["a", "b"] && !recorder.canUndo)
      #expect(try recorder.redo() && gauge.marks == ["z"] && !recorder.canRedo)
    }
  }

  @Test("X3 What a setter refuses comes back, too")
  func refused() throws {
    let gauge = PositiveGauge()
    let recorder = KeyValueChangeRecorder()
    try recorder.record(gauge, "level")
    gauge.level = 3
    #expect(try recorder.undo() && gauge.level == 0 && !recorder.canUndo)
    #expect(try recorder.redo() && gauge.level == 3 && !recorder.canRedo)
  }
}
