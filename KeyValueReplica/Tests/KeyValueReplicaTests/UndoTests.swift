import Foundation
import KeyValueObserving
import KeyValueReplica
import Testing

/// What `undo()` and `redo()` make of answers, and when they refuse.
@Suite("Undo in a shared document", .timeLimit(.minutes(10)))
@MainActor
struct UndoTests {
  @Test("S4 what observers change in answer to undo() belongs to its level, and redo stays")
  func answered() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    let observation = a.root.kvo.name.observe { root, _ in
      root.rooms.append("\(root.name) \(root.rooms.count)")
    }
    a.root.budget["travel"] = 1
    a.root.name = "Analytical"
    observation.invalidate()
    #expect(a.root.rooms == ["Analytical 0"])
    let again = a.root.kvo.name.observe { root, _ in
      root.rooms.append("\(root.name) \(root.rooms.count)")
    }
    try a.undo()
    #expect(a.root.name == "Engines")
    #expect(a.root.rooms == ["Engines 0"])
    #expect(a.canRedo)
    try a.undo()
    #expect(a.root.budget == [:])
    #expect(a.root.rooms == ["Engines 0"])
    #expect(!a.canUndo)
    again.invalidate()
    try a.redo()
    #expect(a.root.budget == ["travel": 1])
    try a.redo()
    #expect(a.root.name == "Analytical")
    #expect(a.root.rooms == ["Analytical 0"])
    #expect(!a.canRedo)
    for _ in 0..<2 { try a.undo() }
    #expect(try a.undo() == [])
    #expect(a.root.name == "Engines")
    try await a.flush()
    try await b.reaches(a.revision)
    #expect(try a.snapshot() == b.snapshot())
  }

  @Test("S4 answers to redo() belong to its level, and levels that both changed follow")
  func answeredRedo() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.name = "One"
    a.root.budget["changes"] = 5
    a.root.name = "Two"
    for _ in 0..<3 { try a.undo() }
    #expect(a.root.budget == [:])
    let observation = a.root.kvo.name.observe { root, _ in
      root.budget["changes", default: 0] += 1
    }
    try a.redo()
    #expect(a.root.name == "One")
    #expect(a.root.budget == ["changes": 1])
    #expect(a.canRedo)
    try a.redo()
    #expect(a.root.budget == ["changes": 5])
    try a.redo()
    #expect(a.root.name == "Two")
    #expect(a.root.budget == ["changes": 6])
    observation.invalidate()
    try a.undo()
    #expect((a.root.name, a.root.budget) == ("One", ["changes": 5]))
    try a.undo()
    #expect(a.root.budget == ["changes": 1])
    try a.undo()
    #expect((a.root.name, a.root.budget) == ("Engines", [:]))
    #expect(!a.canUndo)
  }

  @Test("S4 a transaction is one level with what the properties' didSet changes")
  func propertyObservers() async throws {
    let shelf = try await KeyValueReplica.open(
      Shelf.self, document: "shelf", in: MemoryLogStore())
    let root = shelf.root
    let book = Book()
    root.books = [book, Book()]
    try await shelf.flush()
    root.performChanges { $0.books.removeFirst() }
    #expect((root.books.count, book.shelf == nil) == (1, true))
    try shelf.undo()
    #expect((root.books.count, root.books.first?.shelf === root) == (2, true))
    try shelf.redo()
    #expect(root.books.count == 1)
    root.performChanges { $0.mutableArrayValue(for: \.books).append(Book()) }
    #expect(root.books[1].shelf === root)
    try shelf.undo()
    #expect(root.books.count == 1)
    root.performChanges { $0.books = [] }
    try shelf.undo()
    #expect((root.books.count, root.books.first?.shelf === root) == (1, true))
  }

  @Test("S4 a transaction is one level with what observers change in answer")
  func answeredTransaction() async throws {
    let a = try await open(MemoryLogStore(), "a")
    let observation = a.root.kvo.name.observe { root, _ in root.rooms.append(root.name) }
    a.root.performChanges {
      $0.name = "Analytical"
      $0.budget["travel"] = 1
    }
    observation.invalidate()
    #expect((a.root.name, a.root.rooms) == ("Analytical", ["Analytical"]))
    #expect(a.root.budget == ["travel": 1])
    try a.undo()
    #expect((a.root.name, a.root.rooms, a.root.budget) == ("Engines", [], [:]))
    #expect(!a.canUndo)
    try a.redo()
    #expect((a.root.name, a.root.rooms) == ("Analytical", ["Analytical"]))
    #expect(a.root.budget == ["travel": 1])
  }

  @Test("S4 an assignment is one level with what its didSet and its observers change")
  func bareAssignment() async throws {
    let shelf = try await KeyValueReplica.open(
      Shelf.self, document: "shelf", in: MemoryLogStore())
    let root = shelf.root
    let (first, second) = (Book(), Book())
    root.books = [first, second]
    root.books.removeFirst()
    #expect((root.books.count, first.shelf == nil) == (1, true))
    try shelf.undo()
    #expect(root.books.map { $0.shelf === root } == [true, true])
    try shelf.redo()
    #expect(root.books.map { $0.shelf === root } == [true])
    root.mutableArrayValue(for: \.books).append(Book())
    #expect(root.books.map { $0.shelf === root } == [true, true])
    root.width = 300
    #expect((root.width, root.height) == (100, 50))
    let observation = root.kvo.width.observe(options: []) { root, _ in root.title += "!" }
    root.width = 40
    #expect((root.width, root.height, root.title) == (40, 20, "!"))
    try shelf.undo()
    #expect((root.width, root.height, root.title) == (100, 50, "!"))
    observation.invalidate()
    try shelf.undo()
    #expect((root.width, root.height, root.books.count) == (0, 0, 2))
    try shelf.undo()
    #expect(root.books.map { $0.shelf === root } == [true])
    for _ in 0..<2 { try shelf.undo() }
    #expect((root.books.count, shelf.canUndo) == (0, false))
    for _ in 0..<5 { try shelf.redo() }
    #expect((root.width, root.height, root.title, root.books.count) == (40, 20, "!", 2))
    #expect((shelf.canUndo, shelf.canRedo) == (true, false))
  }

  @Test(
    "S4 undo() takes back an answer that took an object out and put it back",
    arguments: [false, true])
  func answeredByReturn(changesBefore: Bool) async throws {
    let store = MemoryLogStore()
    func openTeam() async throws -> KeyValueReplica<Team> {
      try await KeyValueReplica.open(Team.self, document: "team", in: store)
    }
    let (a, b) = (try await openTeam(), try await openTeam())
    a.root.members = [Member(), Member()]
    try await a.flush()
    try await b.reaches(a.revision)
    let before = try a.snapshot()
    let observation = a.root.kvo.name.observe { root, _ in
      let member = root.members[1]
      if changesBefore { (member.salary, member.tags) = (5, ["early"]) }
      root.members.remove(at: 1)
      root.members.insert(member, at: 0)
      if !changesBefore { member.tags.append("moved") }
    }
    a.root.name = "Analytical"
    observation.invalidate()
    let after = try a.snapshot()
    try a.undo()
    #expect(try a.snapshot() == before)
    #expect(a.root.members.map(\.tags) == [[], []])
    try a.redo()
    #expect(try a.snapshot() == after)
    try a.undo()
    try await a.flush()
    try await b.reaches(a.revision)
    #expect(try b.snapshot() == before)
  }

  @Test("S4 a deletion of a program that calls the classes otherwise leaves undo() what it has")
  func otherNames() async throws {
    let store = MemoryLogStore()
    let a = try await KeyValueReplica.open(
      Team.self, document: "team", in: store,
      classes: [
        KeyValueLogClass(Team.self, formerly: "KeyValueReplicaTests.OtherTeam"),
        KeyValueLogClass(Member.self, formerly: "KeyValueReplicaTests.OtherMember"),
      ])
    let b = try await KeyValueReplica.open(
      OtherTeam.self, document: "team", in: store,
      classes: [
        KeyValueLogClass(OtherTeam.self, formerly: "KeyValueReplicaTests.Team"),
        KeyValueLogClass(OtherMember.self, formerly: "KeyValueReplicaTests.Member"),
      ])
    a.root.members = [Member(), Member()]
    a.root.members[0].salary = 5
    try await a.flush()
    try await b.reaches(a.revision)
    b.root.members.remove(at: 1)
    try await b.flush()
    try await a.reaches(b.revision)
    #expect((a.root.members.count, a.canUndo) == (1, true))
    #expect(try a.undo() == [])
    #expect(a.root.members.map(\.salary) == [0])
    try await a.flush()
    try await b.reaches(a.revision)
    #expect(b.root.members.map(\.salary) == [0])
  }

  @Test("S4 an observer of `status` finds that the change can be undone")
  func canUndoInside() async throws {
    let a = try await open(MemoryLogStore())
    a.root.name = "Analytical"
    try await a.flush()
    try a.undo()
    try await a.flush()
    var told: [String] = []
    let observation = a.kvo.status.observe(options: []) { a, _ in
      told.append("\(a.canUndo) \(a.canRedo)")
    }
    a.root.name = "Difference"
    #expect(told == ["true false"])
    withExtendedLifetime(observation) {}
  }

  @Test("S4 a change that leaves everything as it was isn't a step of undo(), and redo() stays")
  func withoutEffect() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.name = "A"
    a.root.name = "B"
    a.root.rooms = ["attic", "cellar", "roof"]
    a.root.tags = ["old"]
    a.root.budget = ["travel": 1]
    a.root.name = "C"
    try a.undo()
    let nothings: [(Company) -> Void] = [
      { $0.name = "B" },
      { $0.rooms = ["attic", "cellar", "roof"] },
      { company in
        company.performChanges {
          $0.name = "X"
          $0.name = "B"
        }
      },
      { company in
        company.performChanges { company in
          let rooms = company.kvo.rooms.mutableArray()
          rooms.insert(rooms.remove(at: 0), at: 2)
          rooms.insert(rooms.remove(at: 2), at: 0)
        }
      },
      { company in
        company.performChanges {
          $0.kvo.tags.mutableSet().insert("new")
          $0.kvo.tags.mutableSet().remove("new")
          $0.budget["travel"] = 2
          $0.budget["travel"] = 1
        }
      },
      { company in
        company.performChanges {
          $0.employees.append(Person("Ada"))
          $0.employees.removeLast()
        }
      },
    ]
    for change in nothings { change(a.root) }
    #expect(a.canRedo)
    try a.undo()
    #expect(a.root.budget == [:])
    for _ in 0..<3 { try a.undo() }
    #expect(a.root.name == "A")
    try a.undo()
    #expect((a.root.name, a.canUndo) == ("Engines", false))
    for _ in 0..<6 { try a.redo() }
    #expect((a.root.name, a.root.rooms) == ("C", ["attic", "cellar", "roof"]))
    // A move is a step.
    let rooms = a.root.kvo.rooms.mutableArray()
    a.root.performChanges { _ in rooms.insert(rooms.remove(at: 0), at: 2) }
    a.root.performChanges { _ in rooms.insert(rooms.remove(at: 0), at: 1) }
    try a.undo()
    #expect(a.root.rooms == ["cellar", "roof", "attic"])
    try a.undo()
    #expect(a.root.rooms == ["attic", "cellar", "roof"])
    try await a.flush()
    let b = try await open(store, "b")
    #expect(try a.snapshot() == b.snapshot())
  }

  @Test("S4 others' changes are followed by what was noted before and since, whatever was undone")
  func followedAfterUndo() async throws {
    let store = MemoryLogStore()
    let a = try await open(store, "a") { $0.levelsOfUndo = 3 }
    let b = try await open(store, "b")
    func answer(_ change: (Company) -> Void) async throws {
      try await a.flush()
      try await b.reaches(a.revision)
      change(b.root)
      try await b.flush()
      try await a.reaches(b.revision)
    }
    a.root.tags = ["new"]
    a.root.budget["travel"] = 1
    // Has to do with neither.
    try await answer { $0.rooms.append("Attic") }
    try a.undo()
    a.root.name = "One"
    // Only the last change has to do with it.
    try await answer { $0.name = "Two" }
    try await answer { $0.rooms.append("Loft") }
    a.root.budget["travel"] = 1
    a.root.tags.insert("newer")
    // The first level is forgotten; the others count from the first one again.
    try await answer { $0.budget["travel"] = 9 }
    #expect(try a.undo() == [])
    #expect(a.root.tags == ["new"])
    #expect(try a.undo().map(\.key) == ["budget"])
    #expect(a.root.budget == ["travel": 9])
    #expect(try a.undo().map(\.key) == ["name"])
    #expect((a.root.name, a.root.tags, a.root.rooms) == ("Two", ["new"], ["Attic", "Loft"]))
    #expect(a.root.budget == ["travel": 9])
    #expect(!a.canUndo)
    try await a.flush()
    try await b.reaches(a.revision)
    #expect(try a.snapshot() == b.snapshot())
  }

  @Test("S4 a recorder of the graph undoes own changes, which are sent")
  func recorder() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: a.root)
    a.root.name = "Analytical"
    try await a.flush()
    try await b.reaches(1)
    b.root.rooms.append("attic")
    b.root.budget["travel"] = 1
    try await b.flush()
    try await a.reaches(3)
    // What another program has changed isn't a level, and stays.
    #expect(try recorder.undo())
    #expect((a.root.name, a.root.rooms, a.root.budget) == ("Engines", ["attic"], ["travel": 1]))
    #expect(!recorder.canUndo)
    #expect(try recorder.redo())
    try await a.flush()
    try await b.reaches(5)
    #expect(b.root.name == "Analytical")
    #expect(try a.snapshot() == b.snapshot())
  }

  @Test("S4 a recorder's level that others contradict throws; a replica's undo() does the rest")
  func contradictedRecorder() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: a.root)
    a.root.performChanges {
      $0.name = "Analytical"
      $0.budget["travel"] = 1
    }
    try await a.flush()
    try await b.reaches(1)
    b.root.name = "Difference"
    try await b.flush()
    try await a.reaches(2)
    let error = #expect(throws: KeyValueLogError.self) { try recorder.undo() }
    let id = a.id(of: a.root)!
    // The recorder has ids of its own.
    let reason = try #require(error?.details.reason)
    #expect(
      reason.hasSuffix(
        "; another program has changed the graph since. A recorder undoes a level whole or not at all; a "
          + "replica's undo() leaves what others have changed, and undoes the rest. To forget all levels, begin anew with "
          + "the recorder's removeAll()"))
    #expect(error?.details.key == "name")
    #expect((a.root.name, a.root.budget) == ("Difference", ["travel": 1]))
    #expect(recorder.canUndo)
    let left = try a.undo()
    #expect(left.map(\.key) == ["name"] && left.map(\.object) == [id])
    #expect(left.map(\.theirs) == ["Difference"] && left.map(\.author) == ["b"])
    #expect((a.root.name, a.root.budget) == ("Difference", [:]))
    try await a.flush()
    try await b.reaches(3)
    #expect(try a.snapshot() == b.snapshot())
  }

  @Test("S4 undo() and redo() throw before anything changes while the document is only read")
  func readOnly() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.name = "Analytical"
    a.root.name = "Difference"
    try a.undo()
    try await a.flush()
    try await store.upgrade("acme", to: 2)
    for await status in a.kvo.status.values() where status == .readOnly(schema: 2) { break }
    var told = 0
    let observation = a.root.kvo.name.observe { _, _ in told += 1 }
    for _ in 0..<2 {
      #expect(throws: KeyValueReplicaError.readOnly(expected: 1, found: 2)) { try a.undo() }
      #expect(throws: KeyValueReplicaError.readOnly(expected: 1, found: 2)) { try a.redo() }
    }
    #expect((a.canUndo, a.canRedo) == (true, true))
    #expect(a.root.name == "Analytical")
    #expect(told == 0)
    // Nothing was changed, so nothing was taken back.
    try await a.flush()
    observation.invalidate()
  }

  @Test("S4 undo() and redo() throw inside a transaction, and each level stays")
  func inTransaction() async throws {
    let a = try await open(MemoryLogStore())
    a.root.name = "Analytical"
    a.root.name = "Difference"
    try a.undo()
    let error = KeyValueLogError.incompleteChange(
      .init(reason: "undo() or redo() of a replica was called inside a transaction"))
    #expect(
      "\(error)"
        == "undo() or redo() of a replica was called inside a transaction, and did nothing. "
        + "Call it when the change is complete.")
    for rollingBack in [false, true] {
      #expect(throws: error) {
        try a.root.performChanges(rollingBack: rollingBack) { _ in try a.undo() }
      }
      #expect(throws: error) {
        try KeyValueTransaction.perform(rollingBack: rollingBack) { try a.redo() }
      }
      #expect((a.root.name, a.canUndo, a.canRedo) == ("Analytical", true, true))
    }
    try a.redo()
    for _ in 0..<2 { try a.undo() }
    #expect((a.root.name, a.canUndo) == ("Engines", false))
  }

  @Test("S4 a record that doesn't fit and is left out takes nothing from undo()")
  func unfitRecord() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.employees = [Person("Ada"), Person("Grace")]
    a.root.name = "Analytical"
    a.root.name = "Difference"
    try a.undo()
    try await a.flush()
    let id = try #require(a.identity)
    let unknown = KeyValueLogValue.reference(KeyValueObjectID())
    try leave(
      [
        .insert(id, key: "employees", indexes: RangeSet(0..<1), elements: [unknown]),
        .insert(id, key: "name", indexes: RangeSet(0..<1), elements: ["x"]),
      ], in: store)
    try await a.reaches(6)
    #expect((a.canUndo, a.canRedo) == (true, true))
    try a.redo()
    #expect(a.root.name == "Difference")
    for _ in 0..<2 { #expect(try a.undo() == []) }
    #expect((a.root.name, a.root.names) == ("Engines", ["Ada", "Grace"]))
    #expect(try a.undo() == [])
    #expect((a.root.names, a.canUndo) == ([], false))
  }

  @Test(
    "S4 a value that the program's classes can't have takes nothing from undo()",
    arguments: [false, true])
  func unfitValue(whileWaiting: Bool) async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.employees = [Person("Ada")]
    a.root.employees[0].salary = 5
    try await a.flush()
    let ada = try #require(a.id(of: a.root.employees[0]))
    if whileWaiting { a.root.employees[0].salary = 6 }
    try leave([.set(ada, key: "salary", old: 5, new: "much")], in: store)
    for await status in a.kvo.status.values() { if case .refused = status { break } }
    if whileWaiting {
      #expect(a.root.employees[0].salary == 6)
      #expect(try a.undo() == [])
    }
    #expect(a.root.employees[0].salary == 5)
    #expect(try a.undo() == [])
    #expect(a.root.employees[0].salary == 0)
    #expect(try a.undo() == [])
    #expect((a.root.names, a.canUndo) == ([], false))
  }

  @Test("S4 nothing can be taken back where there are no levels", arguments: [0, -1])
  func noLevels(limit: Int) async throws {
    let store = MemoryLogStore()
    let a = try await open(store) { $0.levelsOfUndo = limit }
    a.root.name = "Analytical"
    #expect((a.canUndo, a.canRedo) == (false, false))
    #expect(try a.undo() == [])
    #expect(a.root.name == "Analytical")
  }

  /// Leaves records of another program in a document, each with one edit.
  private func leave(_ edits: [KeyValueEdit], in store: MemoryLogStore) throws {
    let payloads = try edits.map { Data(try KeyValueTransactionRecord([$0]).json()) }
    store.change("acme") { document in
      for payload in payloads {
        document.records.append(
          LogRecord(
            revision: document.head.revision + 1,
            transaction: LogTransaction(author: "stranger", payload: payload), date: Date()))
      }
    }
  }

  @Test("S4 undo() and redo() throw before anything changes while the queue is full")
  func queueFull() async throws {
    let store = MemoryLogStore()
    let a = try await open(store) { $0.maximumPending = 2 }
    a.root.rooms = ["attic"]
    a.root.rooms.append("cellar")
    try await a.flush()
    try a.undo()
    try await a.flush()
    store.setDown(true)
    for await status in a.kvo.status.values() { if case .offline = status { break } }
    a.root.name = "Analytical"
    a.root.name = "Difference"
    for _ in 0..<2 {
      #expect(throws: KeyValueReplicaError.queueFull(limit: 2)) { try a.undo() }
    }
    #expect(a.root.name == "Difference")
    store.setDown(false)
    try await a.flush()
    try a.undo()
    #expect(a.root.name == "Analytical")
    try a.redo()
    #expect(a.root.name == "Difference")
    #expect(
      "\(KeyValueReplicaError.queueFull(limit: 2))"
        == "2 transactions wait to be acknowledged, and no more are taken. The change isn't kept; wait until "
        + "`status` is `current`.")
  }
}

/// Its books know it.
@MainActor @KeyValueObservable
private final class Shelf {
  var books: [Book] = [] {
    didSet {
      for book in oldValue where !books.contains(where: { $0 === book }) { book.shelf = nil }
      for book in books { book.shelf = self }
    }
  }
  var width = 0 {
    didSet {
      if width > 100 { width = 100 }
      height = width / 2
    }
  }
  var height = 0
  var title = ""

  init() {}
}

@MainActor @KeyValueObservable
private final class Team {
  var name = ""
  var members: [Member] = []

  init() {}
}

@MainActor @KeyValueObservable
private final class Member {
  var salary = 0
  var tags: [String] = []

  init() {}
}

@MainActor @KeyValueObservable
private final class Book {
  weak var shelf: Shelf?

  init() {}
}

@MainActor @KeyValueObservable
private final class OtherTeam {
  var name = ""
  var members: [OtherMember] = []

  init() {}
}

@MainActor @KeyValueObservable
private final class OtherMember {
  var salary = 0
  var tags: [String] = []

  init() {}
}
