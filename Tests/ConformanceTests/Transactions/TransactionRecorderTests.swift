import KeyValueObserving
import KeyValueTestSupport
import Testing

private final class Mortal {
  private let onDeath: () -> Void

  init(_ onDeath: @escaping () -> Void) { self.onDeath = onDeath }

  deinit { onDeath() }
}

@KeyValueObservable
private final class Shelf {
  var items: [Mortal] = []
}

@Suite("A transaction is one level of a recorder")
struct TransactionRecorderTests {
  private let person = Person()
  private let recorder = KeyValueChangeRecorder()

  init() throws {
    person.account = Account(balance: 1)
    try recorder.record(person, "firstName", "age", "books", "account", "account.balance")
  }

  private var state: String {
    "\(person.firstName) \(person.age) \(person.books) \(person.account?.balance ?? -1)"
  }

  @Test("All changes of a transaction are undone and redone together")
  func oneLevel() throws {
    let (before, account) = (state, person.account)
    person.performChanges {
      $0.age = 1
      $0.mutableArrayValue(for: \.books).append("A")
      $0.account?.balance = 2
      $0.account = Account(balance: 3)
      $0.age = 2
      $0.mutableArrayValue(for: \.books).insert("B", at: 0)
      $0.performChanges { $0.books.append("C") }
      $0.account?.balance = 4
    }
    let after = state
    #expect(after == "Ada 2 [\"B\", \"A\", \"C\"] 4.0")
    person.firstName = "Grace"
    #expect(try recorder.undo())
    #expect(state == after)
    #expect(try recorder.undo())
    #expect(state == before && person.account === account)
    #expect(!recorder.canUndo)
    #expect(try recorder.redo())
    #expect(state == after)
    #expect(try recorder.undo() && state == before)
  }

  @Test("Undoing inside a transaction is delivered as one change")
  func undoInside() throws {
    let log = ChangeLog()
    let token = person.observe(\.age, options: [.old, .new], changeHandler: log.handler("age"))
    person.performChanges {
      $0.age = 1; $0.age = 2
    }
    #expect(log.take() == ["age: setting, old: 36, new: 2"])
    try person.performChanges { _ in try recorder.undo() }
    #expect(log.take() == ["age: setting, old: 2, new: 36"])
    #expect(try recorder.redo() && person.age == 2)
    withExtendedLifetime(token) {}
  }

  @Test("A rolled-back transaction is no level and keeps the levels to redo")
  func rolledBack() throws {
    person.age = 1
    try recorder.undo()
    let before = state
    try? person.performChanges(rollingBack: true) {
      $0.age = 2
      $0.books.append("A")
      throw CancellationError()
    }
    #expect(state == before)
    #expect(!recorder.canUndo && recorder.canRedo)
    #expect(try recorder.redo() && person.age == 1)
  }

  @Test("A transaction belongs to an open group, and may contain a group")
  func groups() throws {
    recorder.group {
      person.age = 1
      person.performChanges { $0.firstName = "G" }
      try? person.performChanges(rollingBack: true) {
        $0.firstName = "X"
        throw CancellationError()
      }
    }
    person.performChanges { person in
      person.age = 2
      recorder.group { person.age = 3 }
      person.age = 4
    }
    #expect(try recorder.undo() && state.hasPrefix("G 1"))
    #expect(try recorder.undo() && state.hasPrefix("Ada 36"))
    #expect(!recorder.canUndo)
  }

  @Test("X3 What a part of a transaction took back is in no level, and discards nothing to redo")
  func rolledBackInside() throws {
    let log = ChangeLog()
    let token = person.observe(\.age, options: [.old, .new], changeHandler: log.handler("age"))
    person.age = 1
    try recorder.undo()
    try person.performChanges { _ in
      try rollBack {
        $0.age = 2
        $0.mutableArrayValue(for: \.books).append("A")
      }
    }
    #expect(!recorder.canUndo && recorder.canRedo)
    #expect(try recorder.redo() && person.age == 1)
    try person.performChanges {
      $0.firstName = "G"
      try rollBack {
        $0.age = 3
        $0.books = ["B"]
      }
      $0.firstName = "H"
    }
    #expect(state == "H 1 [] 1.0")
    _ = log.take()
    #expect(try recorder.undo() && state == "Ada 1 [] 1.0")
    #expect(try recorder.redo() && state == "H 1 [] 1.0")
    #expect(log.take() == [])
    #expect(try recorder.undo() && recorder.undo() && state == "Ada 36 [] 1.0")
    #expect(log.take() == ["age: setting, old: 1, new: 36"])
    token.invalidate()
  }

  @Test("X3 What a part took back is released in the order of its changes, as they were recorded")
  func releasedInOrder() throws {
    let (left, right) = (Shelf(), Shelf())
    try recorder.record(left, "items")
    try recorder.record(right, "items")
    let log = ChangeLog()
    #expect(throws: CancellationError.self) {
      try KeyValueTransaction.perform(rollingBack: true) {
        KeyValueTransaction.perform { right.items.append(Mortal { log.note("first died") }) }
        left.mutableArrayValue(for: \.items).append(Mortal { log.note("second died") })
        throw CancellationError()
      }
    }
    #expect(log.take() == ["first died", "second died"])
    #expect(!recorder.canUndo)
  }

  @Test("X3 A level with a key that was changed unrecorded is refused before any prior")
  func refusedAtOnce() throws {
    let firm = Firm()
    try recorder.record(firm, "manual", "name")
    firm.performChanges {
      $0.withChange(of: "manual") { firm.manual = 1 }
      $0.name = "A"
    }
    firm.manual = 2
    let log = ChangeLog()
    let token = firm.observe(
      \.name, options: [.old, .new, .prior], changeHandler: log.handler("name"))
    #expect {
      try recorder.undo()
    } throws: {
      "\($0)"
        == "Firm.manual can't be edited so: the last recorded change left 1, and it's 2 now; something "
        + "changed it without being recorded. Set it back, or begin anew with the recorder's removeAll(), and "
        + "record what else changes it."
    }
    #expect(firm.name == "A" && firm.manual == 2 && recorder.canUndo)
    #expect(log.take() == [])
    firm.manual = 1
    #expect(try recorder.undo() && firm.name == "Engines" && firm.manual == 0)
    token.invalidate()
  }

  @Test("X3 An unrecorded change is refused also if recorded changes have followed it")
  func refusedLater() throws {
    let firm = Firm()
    try recorder.record(firm, "manual")
    func announce(_ value: Int) { firm.withChange(of: "manual") { firm.manual = value } }
    announce(9)
    firm.manual = 5
    announce(5)
    #expect(throws: KeyValueLogError.self) { try recorder.undo() }
    #expect(firm.manual == 5)
    announce(7)
    #expect(try recorder.undo() && firm.manual == 5)
    #expect(throws: KeyValueLogError.self) { try recorder.undo() }
    #expect(firm.manual == 5)
  }

  // MARK: Undo that is rolled back

  /// Runs the body in a transaction that fails.
  private func rollBack(_ body: (Person) throws -> Void) throws {
    #expect(throws: CancellationError.self) {
      try person.performChanges(rollingBack: true) {
        try body($0)
        throw CancellationError()
      }
    }
  }

  private func undo() throws {
    #expect(try recorder.undo())
  }

  private func redo() throws {
    #expect(try recorder.redo())
  }

  /// The ages and books after each undo, then after each redo.
  private func levels() throws -> [String] {
    var lines: [String] = []
    while try recorder.undo() { lines.append("\(person.age) \(person.books)") }
    while try recorder.redo() { lines.append("\(person.age) \(person.books)") }
    return lines
  }

  @Test("A rolled-back undo leaves the level to be undone")
  func undoRolledBack() throws {
    person.age = 1
    person.mutableArrayValue(for: \.books).append("A")
    let log = ChangeLog()
    let token = person.observe(\.books, options: [.old, .new], changeHandler: log.handler("books"))
    try rollBack { _ in try undo() }
    #expect(person.books == ["A"] && recorder.canUndo && !recorder.canRedo)
    #expect(log.take() == [])
    try rollBack { _ in
      try undo()
      try undo()
      let hasMore = try recorder.undo()
      #expect(!hasMore)
    }
    #expect(try levels() == ["1 []", "36 []", "1 []", "1 [\"A\"]"])
    #expect(
      log.take() == [
        "books: removal, indexes: 0, old: [\"A\"]", "books: insertion, indexes: 0, new: [\"A\"]",
      ])
    token.invalidate()
  }

  @Test("A rolled-back redo leaves the level to be redone")
  func redoRolledBack() throws {
    person.mutableArrayValue(for: \.books).append("A")
    try recorder.undo()
    try rollBack { _ in try redo() }
    #expect(person.books == [] && !recorder.canUndo && recorder.canRedo)
    try rollBack { _ in
      try redo()
      try undo()
      try redo()
    }
    #expect(try recorder.redo() && person.books == ["A"] && !recorder.canRedo)
  }

  @Test("A rolled-back undo with later changes leaves the level to be undone")
  func undoAndChangesRolledBack() throws {
    person.age = 1
    person.mutableArrayValue(for: \.books).append("A")
    try rollBack {
      try undo()
      $0.age = 5
      $0.books = ["B"]
    }
    #expect(try levels() == ["1 []", "36 []", "1 []", "1 [\"A\"]"])
    try rollBack { person in
      try undo()
      recorder.group { person.age = 6 }
    }
    #expect(try levels() == ["1 []", "36 []", "1 []", "1 [\"A\"]"])
  }

  @Test("An undo in a rolled-back inner transaction leaves the level to be undone")
  func undoRolledBackInside() throws {
    person.age = 1
    person.mutableArrayValue(for: \.books).append("A")
    try person.performChanges { _ in
      try rollBack { _ in try undo() }
    }
    #expect(person.books == ["A"])
    #expect(try levels() == ["1 []", "36 []", "1 []", "1 [\"A\"]"])
    try rollBack { _ in
      try rollBack { _ in try undo() }
    }
    #expect(try levels() == ["1 []", "36 []", "1 []", "1 [\"A\"]"])
  }

  @Test("A rollback in a callback at the end of another transaction affects only its own changes")
  func undoRolledBackAtEnd() throws {
    person.age = 1
    person.mutableArrayValue(for: \.books).append("A")
    var failures = 0
    let token = person.observe(\.books) { [recorder] person, _ in
      guard failures == 0 else { return }
      failures += 1
      try? person.performChanges(rollingBack: true) { _ in
        try recorder.undo()
        throw CancellationError()
      }
    }
    try person.performChanges { _ in try undo() }
    #expect(failures == 1)
    #expect(person.age == 1 && person.books == [])
    #expect(try levels() == ["36 []", "1 []", "1 [\"A\"]"])
    token.invalidate()
  }

  @Test("Levels discarded in a rolled-back transaction stay discarded")
  func forgottenInside() throws {
    person.age = 1
    person.age = 2
    try recorder.undo()
    try rollBack { _ in
      try undo()
      recorder.removeAll()
    }
    #expect(person.age == 1 && !recorder.canUndo && !recorder.canRedo)
  }
}
