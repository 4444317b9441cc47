import KeyValueObserving
import KeyValueTestSupport
import Testing

/// A class whose own property observer does what a test wants.
@KeyValueObservable
private final class Diary {
  var title = "Untitled"
  var page = 0 {
    didSet { onTurn?() }
  }
  @KeyValueIgnored var onTurn: (() -> Void)?
}

@Suite("Recording that ends inside a change")
struct RecorderEndTests {
  private let log = ChangeLog()
  private let person = Person()
  private let recorder = KeyValueChangeRecorder()

  /// What observers of the two keys are told meanwhile.
  private func history(_ body: () throws -> Void) throws -> [String] {
    let tokens = try ["age", "firstName"].map { keyPath in
      try person.observe(keyPath, options: [.old, .new]) { [log] _, change in
        log.note(keyPath, change)
      }
    }
    try body()
    for token in tokens { token.invalidate() }
    return log.take()
  }

  @Test("An earlier observer that stops it leaves nothing that keeps from undoing")
  func earlierObserver() throws {
    let stop = person.observe(\.age) { [recorder] person, _ in
      recorder.stopRecording(person, "age")
    }
    try recorder.record(person, "age", "firstName")
    person.firstName = "Grace"
    person.age = 1
    let told = try history {
      try recorder.undo()
      try recorder.redo()
      try recorder.undo()
      #expect(!recorder.canUndo)
    }
    #expect(
      told == [
        "firstName: setting, old: \"Grace\", new: \"Ada\"",
        "firstName: setting, old: \"Ada\", new: \"Grace\"",
        "firstName: setting, old: \"Grace\", new: \"Ada\"",
      ])
    #expect(person.age == 1)
    stop.invalidate()
  }

  @Test("So does a property's own didSet, for one key or for the whole object")
  func propertyObserver() throws {
    for stopsAll in [false, true] {
      let (diary, recorder) = (Diary(), KeyValueChangeRecorder())
      diary.onTurn = { [unowned diary] in
        if stopsAll { recorder.stopRecording(diary) } else { recorder.stopRecording(diary, "page") }
      }
      try recorder.record(diary, "page", "title")
      diary.title = "May"
      diary.page = 1
      #expect(try recorder.undo() && !recorder.canUndo)
      #expect(diary.title == "Untitled" && diary.page == 1)
      diary.onTurn = nil
    }
  }

  @Test("A path that is recorded again inside the change is recorded from the next one on")
  func recordedAgain() throws {
    var isFirst = true
    let early = person.observe(\.age) { [recorder] person, _ in
      guard isFirst else { return }
      isFirst = false
      recorder.stopRecording(person, "age")
      try? recorder.record(person, "age")
    }
    try recorder.record(person, "age", "firstName")
    person.firstName = "Grace"
    for age in 1...3 { person.age = age }
    let told = try history {
      while try recorder.undo() {}
      while try recorder.redo() {}
    }
    #expect(
      told == [
        "age: setting, old: 3, new: 2", "age: setting, old: 2, new: 1",
        "firstName: setting, old: \"Grace\", new: \"Ada\"",
        "firstName: setting, old: \"Ada\", new: \"Grace\"",
        "age: setting, old: 1, new: 2", "age: setting, old: 2, new: 3",
      ])
    early.invalidate()
  }

  @Test("A change that was announced and never made is in the way until recording stops")
  func neverMade() throws {
    try recorder.record(person, "age", "firstName")
    person.firstName = "Grace"
    person.willChangeValue(forKey: "age")
    #expect(try !recorder.undo() && recorder.canUndo)
    recorder.stopRecording(person, "age")
    #expect(try recorder.undo() && person.firstName == "Ada" && !recorder.canUndo)
    try recorder.record(person, "age")
    person.didChangeValue(forKey: "age")
    #expect(!recorder.canUndo)
    person.age = 1
    #expect(try recorder.undo() && person.age == 36 && !recorder.canUndo)
  }

  @Test("What was half recorded is no level of those that a limit keeps")
  func limit() throws {
    let recorder = KeyValueChangeRecorder(levelsOfUndo: 2)
    let stop = person.observe(\.age) { person, _ in recorder.stopRecording(person, "age") }
    try recorder.record(person, "age", "firstName")
    person.firstName = "Grace"
    person.age = 1
    person.firstName = "Joan"
    var names: [String] = []
    while try recorder.undo() { names.append(person.firstName) }
    #expect(names == ["Grace", "Ada"])
    stop.invalidate()
  }

  @Test("An undoing that is not recorded to its end can be redone all the same")
  func insideUndoing() throws {
    var stops = false
    let early = person.observe(\.age) { [recorder] person, _ in
      if stops { recorder.stopRecording(person, "age") }
    }
    try recorder.record(person, "age")
    person.age = 1
    stops = true
    #expect(try recorder.undo() && person.age == 36)
    #expect(try recorder.redo() && person.age == 1)
    #expect(try recorder.undo() && person.age == 36)
    early.invalidate()
  }

  // MARK: Deaths of what is forgotten

  /// Records a value that only the recorder still holds, and whose death changes a recorded key.
  private func recordMortal(by recorder: KeyValueChangeRecorder, in crate: Crate) throws {
    try recorder.record(crate, "content")
    try recorder.record(person, "age")
    recorder.group {
      crate.content = Undertaker { [person] in person.age += 1 }
      crate.content = nil
    }
  }

  @Test("What dies when all is forgotten may change a recorded key")
  func deathAtRemoveAll() throws {
    let crate = Crate()
    try recordMortal(by: recorder, in: crate)
    recorder.removeAll()
    #expect(person.age == 37)
    #expect(try recorder.undo() && person.age == 36 && !recorder.canUndo)
  }

  @Test("So may what dies when a limit is reached")
  func deathAtLimit() throws {
    let (recorder, crate) = (KeyValueChangeRecorder(levelsOfUndo: 1), Crate())
    try recordMortal(by: recorder, in: crate)
    person.age = 1
    #expect(person.age == 2)
    #expect(try recorder.undo() && person.age == 1 && !recorder.canUndo)
  }

  @Test("So may what could be redone")
  func deathAtNewChange() throws {
    let crate = Crate()
    try recordMortal(by: recorder, in: crate)
    try recorder.undo()
    person.age = 1
    #expect(person.age == 2)
    var ages: [Int] = []
    while try recorder.undo() { ages.append(person.age) }
    #expect(ages == [1, 36])
  }

  @Test("So may what a transaction that is rolled back leaves behind")
  func deathAtRollback() throws {
    let crate = Crate()
    try recorder.record(crate, "content")
    try recorder.record(person, "age")
    #expect(throws: CancellationError.self) {
      try crate.performChanges(rollingBack: true) {
        $0.content = Undertaker { [person] in person.age += 1 }
        $0.content = nil
        throw CancellationError()
      }
    }
    #expect(person.age == 37 && crate.content == nil)
    #expect(try recorder.undo() && person.age == 36 && !recorder.canUndo)
  }
}
