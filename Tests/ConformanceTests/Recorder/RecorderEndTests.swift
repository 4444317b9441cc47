import KeyValueObserving
import KeyValueTestSupport
import Testing

/// A class with a property observer that runs a closure.
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

  /// The changes that observers of the two keys receive while the body runs.
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

  @Test("An earlier observer that stops recording inside a change doesn't prevent undoing")
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

  @Test("X3 A level keeps nothing alive if its object has died in its transaction")
  func diesInTransaction() {
    weak var weakWorker: Worker?
    var firm: Firm? = Firm()
    #expect(throws: Never.self) { try recorder.record(firm!, "workers") }
    KeyValueTransaction.perform {
      let worker = Worker("Ada")
      weakWorker = worker
      firm?.workers = [worker]
      firm = nil
    }
    #expect(weakWorker == nil && !recorder.canUndo)
  }

  @Test("A property's own didSet may stop recording, for one key or for the whole object")
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

  @Test("A path recorded again inside a change is recorded from the next change on")
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

  @Test("X3 A key that's no longer recorded isn't compared: undoing overwrites what came later")
  func notCompared() throws {
    try recorder.record(person, "age", "firstName")
    person.age = 1
    person.firstName = "Grace"
    recorder.stopRecording(person, "age")
    person.age = 5
    let told = try history {
      try recorder.undo()
      try recorder.undo()
    }
    #expect(
      told == ["firstName: setting, old: \"Grace\", new: \"Ada\"", "age: setting, old: 5, new: 36"])
  }

  @Test("A will without its did prevents undoing until recording stops")
  func neverMade() throws {
    try recorder.record(person, "age", "firstName")
    person.firstName = "Grace"
    person.willChangeValue(forKey: "age")
    #expect(
      message { try recorder.undo() }
        == "undo() or redo() was called before didChangeValue(forKey: \"age\") completed the change of "
        + "Person.age that willChangeValue announced, and did nothing. Call it when the change is "
        + "complete.")
    #expect(recorder.canUndo && person.firstName == "Grace")
    recorder.stopRecording(person, "age")
    #expect(try recorder.undo() && person.firstName == "Ada" && !recorder.canUndo)
    try recorder.record(person, "age")
    person.didChangeValue(forKey: "age")
    #expect(!recorder.canUndo)
    person.age = 1
    #expect(try recorder.undo() && person.age == 36 && !recorder.canUndo)
  }

  @Test("Undoing inside a transaction says so", arguments: [false, true])
  func inTransaction(isGraph: Bool) throws {
    let diary = Diary()
    if isGraph { try recorder.record(graph: diary) } else { try recorder.record(diary, "title") }
    diary.performChanges {
      $0.title = "a"
      #expect(
        message { try recorder.undo() }
          == "undo() or redo() was called inside a transaction, and did nothing. Call it when the "
          + "change is complete.")
    }
    #expect(diary.title == "a")
    #expect(try recorder.undo() && diary.title == "Untitled")
  }

  @Test("A partly recorded change doesn't count towards the limit of levels")
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

  @Test("An undo during which recording stops can still be redone")
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

  @Test("X3 Levels between others are skipped if their objects have died")
  func diesBetween() throws {
    var mortal: Person? = Person()
    try recorder.record(#require(mortal), "age")
    try recorder.record(person, "age", "firstName")
    person.age = 1
    mortal?.age = 2
    mortal?.age = 3
    person.firstName = "Grace"
    mortal = nil
    for _ in 1...2 {
      #expect(try recorder.undo() && person.firstName == "Ada" && person.age == 1)
      #expect(try recorder.undo() && person.age == 36 && !recorder.canUndo)
      #expect(try !recorder.undo())
      #expect(try recorder.redo() && person.age == 1 && person.firstName == "Ada")
      #expect(try recorder.redo() && person.firstName == "Grace" && !recorder.canRedo)
    }
  }

  // MARK: Deaths of discarded values

  /// Records a value that only the recorder retains, and whose death changes a recorded key.
  private func recordMortal(by recorder: KeyValueChangeRecorder, in crate: Crate) throws {
    try recorder.record(crate, "content")
    try recorder.record(person, "age", "nickname")
    recorder.group {
      person.nickname = "N"
      crate.content = Undertaker { [person] in person.age += 1 }
      crate.content = nil
    }
  }

  @Test("A value that dies in removeAll() may change a recorded key")
  func deathAtRemoveAll() throws {
    let crate = Crate()
    try recordMortal(by: recorder, in: crate)
    recorder.removeAll()
    #expect(person.age == 37)
    #expect(try recorder.undo() && person.age == 36 && !recorder.canUndo)
  }

  @Test("A value that dies when the limit is reached may change a recorded key")
  func deathAtLimit() throws {
    let (recorder, crate) = (KeyValueChangeRecorder(levelsOfUndo: 1), Crate())
    try recordMortal(by: recorder, in: crate)
    person.age = 1
    #expect(person.age == 2)
    #expect(try recorder.undo() && person.age == 1 && !recorder.canUndo)
  }

  @Test("A value that dies when a new change discards redo levels may change a recorded key")
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

  @Test("A value that dies when a transaction is rolled back may change a recorded key")
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

  @Test("X3 A value that was seen of a key is released with the key's last level")
  func seenValue() throws {
    let worker = Worker("w")
    let recorder = KeyValueChangeRecorder()
    var earlier: Worker? = Worker("earlier")
    weak let witness = earlier
    worker.mentor = earlier
    try recorder.record(worker, "mentor", "salary")
    worker.mentor = nil
    try recorder.undo()
    #expect(worker.mentor === earlier)
    earlier = nil
    #expect(witness != nil)
    worker.salary = 1
    #expect(witness == nil && worker.mentor == nil)
    #expect(try recorder.undo() && !recorder.canUndo)
  }
}
