import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("Recording, undoing and redoing changes")
struct RecorderTests {
  private let log = ChangeLog()
  private let person = Person()
  private let recorder = KeyValueChangeRecorder()

  /// Observes the recorded key paths, so that tests see the changes that undo and redo make.
  private func watch(_ keyPaths: String...) throws -> [KeyValueObservation] {
    try keyPaths.map { keyPath in
      try person.observe(keyPath, options: [.old, .new]) { [log] _, change in
        log.note(keyPath, change)
      }
    }
  }

  @Test("Settings are undone in reverse and redone in order")
  func settings() throws {
    try recorder.record(person, "firstName", "age", "nickname")
    #expect(!recorder.canUndo && !recorder.canRedo)
    #expect(try !recorder.undo() && !recorder.redo())
    person.firstName = "Grace"
    person.age += 1
    person.nickname = "G"
    person.nickname = nil
    let tokens = try watch("firstName", "age", "nickname")
    while recorder.canUndo { try recorder.undo() }
    #expect(
      log.take() == [
        "nickname: setting, old: nil, new: \"G\"", "nickname: setting, old: \"G\", new: nil",
        "age: setting, old: 37, new: 36", "firstName: setting, old: \"Grace\", new: \"Ada\"",
      ])
    while recorder.canRedo { try recorder.redo() }
    #expect(
      log.take() == [
        "firstName: setting, old: \"Ada\", new: \"Grace\"", "age: setting, old: 36, new: 37",
        "nickname: setting, old: nil, new: \"G\"", "nickname: setting, old: \"G\", new: nil",
      ])
    try recorder.undo()
    try recorder.undo()
    person.age = 1
    #expect(!recorder.canRedo && recorder.canUndo)
    for token in tokens { token.invalidate() }
  }

  @Test("Insertions, removals and replacements are undone with their kinds and indexes")
  func ordered() throws {
    person.books = ["a", "b", "c", "d"]
    try recorder.record(person, "books")
    let books = person.mutableArrayValue(for: \.books)
    let indexes = RangeSet([0..<1, 2..<4])
    books.remove(at: indexes)
    books.insert(contentsOf: ["x", "y"], at: RangeSet([0..<1, 2..<3]))
    books[1] = "z"
    books.swapAt(0, 2)
    person.books.append("!")
    #expect(person.books == ["y", "z", "x", "!"])
    let tokens = try watch("books")
    while recorder.canUndo { try recorder.undo() }
    #expect(person.books == ["a", "b", "c", "d"])
    #expect(
      log.take() == [
        "books: setting, old: [\"y\", \"z\", \"x\", \"!\"], new: [\"y\", \"z\", \"x\"]",
        "books: replacement, indexes: 0, 2, old: [\"y\", \"x\"], new: [\"x\", \"y\"]",
        "books: replacement, indexes: 1, old: [\"z\"], new: [\"b\"]",
        "books: removal, indexes: 0, 2, old: [\"x\", \"y\"]",
        "books: insertion, indexes: 0, 2–3, new: [\"a\", \"c\", \"d\"]",
      ])
    while recorder.canRedo { try recorder.redo() }
    #expect(person.books == ["y", "z", "x", "!"])
    #expect(
      log.take() == [
        "books: removal, indexes: 0, 2–3, old: [\"a\", \"c\", \"d\"]",
        "books: insertion, indexes: 0, 2, new: [\"x\", \"y\"]",
        "books: replacement, indexes: 1, old: [\"b\"], new: [\"z\"]",
        "books: replacement, indexes: 0, 2, old: [\"x\", \"y\"], new: [\"y\", \"x\"]",
        "books: setting, old: [\"y\", \"z\", \"x\"], new: [\"y\", \"z\", \"x\", \"!\"]",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("Set changes are undone exactly, and an operation without effect adds no level")
  func unordered() throws {
    person.tags = ["a", "b"]
    try recorder.record(person, "tags")
    let tags = person.mutableSetValue(for: \.tags)
    tags.formUnion(["b", "c"])
    tags.insert("a")
    tags.formIntersection(["a", "c", "z"])
    tags.replaceAll(with: ["c", "d"])
    #expect(person.tags == ["c", "d"])
    let tokens = try watch("tags")
    var levels = 0
    while try recorder.undo() { levels += 1 }
    #expect(levels == 3 && person.tags == ["a", "b"])
    #expect(
      log.take() == [
        "tags: replacement, old: [\"d\"], new: [\"a\"]", "tags: insertion, new: [\"b\"]",
        "tags: removal, old: [\"c\"]",
      ])
    while try recorder.redo() { levels -= 1 }
    #expect(levels == 0 && person.tags == ["c", "d"])
    #expect(
      log.take() == [
        "tags: insertion, new: [\"c\"]", "tags: removal, old: [\"b\"]",
        "tags: replacement, old: [\"a\"], new: [\"d\"]",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("A group is one level, also if it's nested, left by an error or spans several objects")
  func groups() throws {
    struct Stop: Error {}
    let other = Person()
    try recorder.record(person, "age", "firstName")
    try recorder.record(other, "age")
    recorder.group {
      person.age = 1
      recorder.group { other.age = 2 }
      person.firstName = "G"
    }
    #expect(throws: Stop.self) {
      try recorder.group {
        person.age = 3
        throw Stop()
      }
    }
    recorder.group {}
    recorder.beginGrouping()
    person.age = 4
    other.age = 5
    recorder.endGrouping()
    try recorder.undo()
    #expect(person.age == 3 && other.age == 2)
    try recorder.undo()
    #expect(person.age == 1)
    try recorder.undo()
    #expect(person.age == 36 && other.age == 36 && person.firstName == "Ada" && !recorder.canUndo)
    for _ in 1...3 { try recorder.redo() }
    #expect(person.age == 4 && other.age == 5 && person.firstName == "G" && !recorder.canRedo)
  }

  @Test("A limit discards the oldest levels")
  func limit() throws {
    let recorder = KeyValueChangeRecorder(levelsOfUndo: 3)
    try recorder.record(person, "age")
    for age in 1...10 { person.age = age }
    while try recorder.undo() {}
    #expect(person.age == 7)
    while try recorder.redo() {}
    recorder.levelsOfUndo = 1
    while try recorder.undo() {}
    #expect(person.age == 9)
    recorder.removeAll()
    #expect(!recorder.canRedo && !recorder.canUndo)
  }

  @Test("Recorded objects aren't retained, and changes of dead objects are skipped")
  func deaths() throws {
    var mortal: Person? = Person()
    weak let weakMortal = mortal
    try recorder.record(mortal!, "age")
    try recorder.record(person, "age")
    person.age = 1
    recorder.group {
      person.age = 2
      mortal?.age = 3
    }
    mortal?.age = 4
    mortal = nil
    #expect(weakMortal == nil && recorder.canUndo)
    try recorder.undo()
    #expect(person.age == 1)
    try recorder.undo()
    #expect(person.age == 36 && !recorder.canUndo)
    try recorder.redo()
    try recorder.redo()
    #expect(person.age == 2)
  }

  @Test("An object that only a recorded removal retains returns with its own history")
  func returning() throws {
    let boss = Person()
    try recorder.record(boss, "account", "account.balance")
    boss.account = Account(balance: 1)
    boss.account?.balance = 2
    weak let account = boss.account
    boss.account = nil
    #expect(account != nil)
    try recorder.undo()
    #expect(boss.account === account && account?.balance == 2)
    try recorder.undo()
    #expect(account?.balance == 1)
    try recorder.redo()
    try recorder.redo()
    #expect(boss.account == nil && account?.balance == 2)
    recorder.removeAll()
    #expect(account == nil)
  }

  @Test("Recording a path of several keys records only its last key")
  func paths() throws {
    let (first, second) = (Account(balance: 1), Account(balance: 2))
    try recorder.record(person, "account.balance")
    person.account = first
    person.account = second
    #expect(!recorder.canUndo)
    second.balance = 3
    first.balance = 9
    person.account = first
    try recorder.undo()
    #expect(second.balance == 2 && first.balance == 9 && !recorder.canUndo)
  }

  @Test(
    "X3 Changes made in callbacks are in the level of the change, in the order in which they began")
  func nested() throws {
    let early = person.observe(\.age) { person, _ in if person.age == 2 { person.age = 3 } }
    try recorder.record(person, "age")
    let late = person.observe(\.age) { person, _ in if person.age == 3 { person.age = 4 } }
    person.age = 2
    #expect(person.age == 4)
    early.invalidate()
    late.invalidate()
    var ages: [Int] = []
    while try recorder.undo() { ages.append(person.age) }
    #expect(ages == [36])
    ages = []
    while try recorder.redo() { ages.append(person.age) }
    #expect(ages == [4])
  }

  @Test("Keys that are announced by hand can be undone and redone")
  func manual() throws {
    let ledger = Ledger()
    try recorder.record(ledger, "openingBalance", "entries", "labels")
    ledger.withChange(of: "openingBalance") { ledger.openingBalance = 5 }
    ledger.willChange(.insertion, valuesAt: RangeSet(0..<1), forKey: "entries")
    ledger.entries.append("a")
    ledger.didChange(.insertion, valuesAt: RangeSet(0..<1), forKey: "entries")
    try recorder.undo()
    #expect(ledger.entries == [])
    try recorder.undo()
    #expect(ledger.openingBalance == 0)
    try recorder.redo()
    #expect(ledger.openingBalance == 5)
    try recorder.redo()
    #expect(ledger.entries == ["a"])
    try recorder.undo()
    try recorder.undo()
    #expect(ledger.entries == [] && ledger.openingBalance == 0 && !recorder.canUndo)
  }

  @Test("If an unrecorded change interferes, undo throws, reverts its part and keeps the level")
  func conflicts() throws {
    let ledger = Ledger()
    try recorder.record(ledger, "entries")
    try recorder.record(person, "age")
    recorder.group {
      ledger.willChange(.insertion, valuesAt: RangeSet(0..<1), forKey: "entries")
      ledger.entries.append("a")
      ledger.didChange(.insertion, valuesAt: RangeSet(0..<1), forKey: "entries")
      person.age = 1
    }
    ledger.entries = []
    let error = #expect(throws: KeyValueCodingError.self) { try recorder.undo() }
    #expect(
      "\(error!)"
        == "Ledger.entries has no such index: the recorded change was at 0, and there are 0 elements "
        + "now; something changed them without being recorded. Set them back, or begin anew with the recorder's "
        + "removeAll(), and record what else changes them.")
    #expect(person.age == 1 && recorder.canUndo && !recorder.canRedo)
    ledger.entries = ["b"]
    #expect(throws: KeyValueLogError.self) { try recorder.undo() }
    #expect(person.age == 1 && ledger.entries == ["b"] && recorder.canUndo && !recorder.canRedo)
    ledger.entries = ["a"]
    try recorder.undo()
    #expect(person.age == 36 && ledger.entries == [] && recorder.canRedo)
  }

  @Test("A path that can't be recorded is refused, and then none of the paths is recorded")
  func refusals() throws {
    person.account = Account()
    let keyPaths = [
      "fullName", "agee", "account.balanse", "books.@count", "books.x", "account.",
    ]
    #expect(
      keyPaths.map { keyPath in message { try recorder.record(person, "age", keyPath) } } == [
        "Person.fullName can be read but not set: it is computed. Record what it depends on: "
          + "'firstName', 'lastName', or everything with record(graph:).",
        "Person has no key 'agee'. Did you mean 'age'?",
        "Account has no key 'balanse' (component 2 of 'account.balanse'). Did you mean 'balance'?",
        "Person.@count (component 2 of 'books.@count') can be read but not set: it is an operator.",
        "Person.books cannot be observed: it is a collection; record its elements, each as an object.",
        "'account.' is not a key path: component 2 is empty.",
      ])
    #expect(isIdle(person))
    let diary = Converter()
    try recorder.record(diary, "fahrenheit")
    diary.fahrenheit = 212
    try recorder.undo()
    #expect(diary.celsius == 0)
  }

  @Test("Recording can be stopped, and ends with the recorder")
  func stopping() throws {
    var recorder: KeyValueChangeRecorder? = KeyValueChangeRecorder()
    weak let weakRecorder = recorder
    try recorder?.record(person, "age", "firstName", "books")
    person.age = 1
    recorder?.stopRecording(person, "age")
    person.age = 2
    person.firstName = "G"
    recorder?.stopRecording(person)
    person.firstName = "H"
    #expect(isIdle(person))
    try recorder?.undo()
    #expect(person.firstName == "Ada")
    try recorder?.undo()
    #expect(person.age == 36)
    try recorder?.record(person, "age")
    recorder = nil
    #expect(weakRecorder == nil && isIdle(person))
  }

  @Test("Misuse is reported and changes nothing")
  func misuse() throws {
    try ViolationLog.record { violations in
      let (person, recorder) = (Person(), KeyValueChangeRecorder())
      try recorder.record(person, "age")
      recorder.endGrouping()
      person.age = 1
      let early = KeyValueLogError.incompleteChange(.init())
      #expect(throws: early) { try recorder.group { try recorder.undo() } }
      #expect(throws: early) { try recorder.group { try recorder.redo() } }
      let token = person.observe(\.age, options: .prior) { _, change in
        if change.isPrior { #expect(throws: early) { try recorder.undo() } }
      }
      person.age = 2
      token.invalidate()
      #expect(
        violations.take() == [
          "tolerated: endGrouping() was called without beginGrouping(). Call both, or use group(_:)."
        ])
      #expect(person.age == 2)
      try recorder.record(person, "age")
      #expect(
        violations.take() == [
          "tolerated: 'age' of Person is recorded by this recorder already, and the second call was "
            + "ignored. Record it once."
        ])
      try recorder.undo()
      try recorder.undo()
      #expect(person.age == 36 && violations.take() == [])
    }
  }
}
