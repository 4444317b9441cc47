import KeyValueObserving
import KeyValueTestSupport
import Testing

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

  @Test("All its changes are undone and redone together")
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

  @Test("Undoing inside a transaction is told as one change")
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

  @Test("One that is rolled back is no level, and forgets nothing that could be redone")
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

  @Test("It belongs to a group that is open, and a group may be inside")
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
}
