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

private struct Mark {
  var text = ""
}

private final class Part {}

/// Its level's own observer adjusts what is stored, and keeps the depth up to date.
@KeyValueObservable
private class Tank {
  var level = 0 {
    didSet {
      stores += 1
      if level > limit { level = limit }
      depth = level * 10
    }
  }
  var mark = Mark() { didSet { stores += 1 } }
  var parts: [Part] = []
  @KeyValueIgnored var limit = 1_000
  @KeyValueIgnored var depth = 0
  /// How often something has been stored.
  @KeyValueIgnored var stores = 0
}

@KeyValueObservable
private final class DoubleTank: Tank {
  override var level: Int {
    get { super.level * 2 }
    set { super.level = newValue }
  }
}

private final class PlainDoubleTank: Tank {
  override var level: Int {
    get { super.level * 2 }
    set { super.level = newValue }
  }
}

/// It overrides nothing, which can't be known of a class without the macro.
private final class PlainTank: Tank {}

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

  @Test("X3 Undoing and redoing is one change, however often")
  func alternating() throws {
    let tanks: [(Tank, Int)] = [
      (Tank(), 1), (DoubleTank(), 2), (PlainDoubleTank(), 2), (PlainTank(), 1),
    ]
    for (tank, stores) in tanks {
      tank.level = 2
      let recorder = KeyValueChangeRecorder()
      try recorder.record(tank, "level")
      tank.level = 3
      var priors = 0
      let token = tank.observe(\.level, options: .prior) { _, change in
        if change.isPrior { priors += 1 }
      }
      tank.stores = 0
      for turn in 1...25 {
        let isDone = try turn.isMultiple(of: 2) ? recorder.redo() : recorder.undo()
        // Twice as many each time would soon be too many to wait for.
        try #require(isDone && tank.stores == turn * stores && priors == turn)
      }
      #expect(tank.depth == 20 && !recorder.canUndo)
      token.invalidate()
    }
  }

  @Test("X3 A value that can't be compared is set and stored once, however often")
  func incomparable() throws {
    let tank = PlainTank()
    let recorder = KeyValueChangeRecorder()
    try recorder.record(tank, "mark")
    tank.mark = Mark(text: "a")
    tank.stores = 0
    for turn in 1...25 {
      let isDone = try turn.isMultiple(of: 2) ? recorder.redo() : recorder.undo()
      try #require(isDone && tank.stores == turn * 2)
    }
    #expect(tank.mark.text == "" && !recorder.canUndo)
  }

  @Test("X3 What a property's own observer computes is of what is stored")
  func propertyObserver() throws {
    for tank in [Tank(), DoubleTank(), PlainDoubleTank(), PlainTank()] as [Tank] {
      tank.level = 2
      let recorder = KeyValueChangeRecorder()
      try recorder.record(tank, "level")
      tank.level = 3
      #expect(try recorder.undo() && tank.depth == 20)
      #expect(try recorder.redo() && tank.depth == 30)
    }
  }

  @Test("X3 What a property's own observer limits stays limited, in a subclass, too")
  func limited() throws {
    for tank in [Tank(), PlainTank()] as [Tank] {
      tank.level = 100
      let recorder = KeyValueChangeRecorder()
      try recorder.record(tank, "level")
      tank.level = 5
      tank.limit = 50
      #expect(try recorder.undo() && tank.level == 50 && tank.depth == 500)
      #expect(try recorder.redo() && tank.level == 5)
    }
  }

  @Test("X3 An edit through a proxy keeps the elements that it moved, not the collection")
  func proxyEdit() throws {
    let tank = PlainTank()
    weak var earlier: Part?
    do {
      let part = Part()
      earlier = part
      tank.parts = [part]
    }
    let recorder = KeyValueChangeRecorder()
    try recorder.record(tank, "parts")
    tank.mutableArrayValue(for: \.parts).append(Part())
    #expect(earlier != nil)
    recorder.stopRecording(tank, "parts")
    tank.parts = []
    #expect(earlier == nil && recorder.canUndo)
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
