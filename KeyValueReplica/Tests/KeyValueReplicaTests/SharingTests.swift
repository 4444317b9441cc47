import KeyValueObserving
import KeyValueReplica
import Testing

@Suite("Sharing a document", .timeLimit(.minutes(10)))
@MainActor
struct SharingTests {
  @Test("S2 a change in one replica is told in another, with kinds, indexes and values")
  func arrives() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    var told: [String] = []
    let observation = b.root.kvo.employees.observe(options: [.old, .new]) { _, change in
      let indexes = change.indexes.map { "\(Array($0.ranges))" } ?? ""
      told.append("\(change.kind) \(indexes) \(change.newValue?.map(\.name) ?? [])")
    }
    let total = b.root.kvo.total.observe(options: [.old, .new]) { _, change in
      told.append("total \(change.oldValue ?? -1) \(change.newValue ?? -1)")
    }
    a.root.kvo.employees.mutableArray().append(Person("Ada", salary: 10))
    a.root.employees[0].salary = 12
    try await a.flush()
    try await b.reaches(2)
    #expect(b.root.names == ["Ada"])
    #expect(
      told == [
        "insertion [Range(0..<1)] [\"Ada\"]", "total 0 10", "total 10 12",
      ])
    #expect(try a.snapshot() == b.snapshot())
    withExtendedLifetime((observation, total)) {}
  }

  @Test("S2 didSet runs for others' changes in classes that ask, or in all if the options do")
  func propertyObservers() async throws {
    for (asks, all) in [(false, false), (true, false), (false, true)] {
      let store = MemoryLogStore()
      var options = KeyValueReplicaOptions()
      options.runsPropertyObservers = all
      let classes = [KeyValueLogClass(Panel.self, runsPropertyObservers: asks)]
      let a = try await KeyValueReplica.open(Panel.self, document: "p", in: store)
      let b = try await KeyValueReplica.open(
        Panel.self, document: "p", in: store, options: options, classes: classes)
      a.root.width = 7
      a.root.lines.append("one")
      try await a.flush()
      for await revision in b.kvo.revision.values() where revision == 2 { break }
      #expect((b.root.width, b.root.lines) == (7, ["one"]))
      #expect(a.root.drawn == ["7", "one"])
      #expect(b.root.drawn == (asks || all ? ["7", "one"] : []))
      // Not where a document is opened, as in an initialiser.
      let c = try await KeyValueReplica.open(
        Panel.self, document: "p", in: store, options: options, classes: classes)
      #expect((c.root.width, c.root.drawn) == (7, []))
    }
  }

  @Test("S2 a transaction is told once")
  func transaction() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    var told: [Int] = []
    let observation = b.root.kvo.total.observe(options: .new) { _, change in
      told.append(change.newValue ?? -1)
    }
    a.root.performChanges {
      $0.employees.append(Person("Ada", salary: 10))
      $0.employees.append(Person("Grace", salary: 20))
    }
    try await a.flush()
    try await b.reaches(1)
    #expect(told == [30])
    withExtendedLifetime(observation) {}
  }

  @Test("S1 the status follows what is sent")
  func status() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    var statuses: [String] = []
    let observation = a.kvo.status.observe(options: [.initial, .new]) { _, change in
      statuses.append("\(change.newValue!)")
    }
    a.root.name = "Analytical"
    a.root.name = "Difference"
    try await a.flush()
    #expect(statuses == ["current", "sending 1", "sending 2", "current"])
    #expect(a.revision == 2)
    withExtendedLifetime(observation) {}
  }

  @Test("S1 two that open at once have the same document")
  func creators() async throws {
    let store = MemoryLogStore()
    let first = Task { try await open(store, "a").identity }
    let second = Task { try await open(store, "b").identity }
    let (a, b) = (try await first.value, try await second.value)
    #expect(a == b)
  }

  @Test("S2 edits of both at once come to the same everywhere")
  func crossing() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    a.root.employees = [Person("Ada"), Person("Grace"), Person("Joan")]
    try await a.flush()
    try await b.reaches(1)
    // Both without a suspension in between.
    a.root.kvo.employees.mutableArray().insert(Person("Barbara"), at: 0)
    a.root.tags.insert("old")
    a.root.budget["travel"] = 10
    b.root.kvo.employees.mutableArray().remove(at: 1)
    b.root.kvo.employees.mutableArray().append(Person("Hedy"))
    b.root.tags.insert("new")
    b.root.budget["paper"] = 5
    try await a.flush()
    try await b.flush()
    try await a.reaches(8)
    try await b.reaches(8)
    #expect(a.root.names == ["Barbara", "Ada", "Joan", "Hedy"])
    #expect(a.root.tags == ["old", "new"])
    #expect(a.root.budget == ["travel": 10, "paper": 5])
    #expect(try a.snapshot() == b.snapshot())
  }

  @Test(
    "S3 the same key written by both: the later one is taken back, and both values are reported")
  func conflict() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    var statuses: [String] = []
    let observation = b.kvo.status.observe(options: .new) { _, change in
      statuses.append("\(change.newValue!)")
    }
    var names: [String] = []
    let name = b.root.kvo.name.observe(options: .new) { _, change in
      names.append(change.newValue!)
    }
    a.root.name = "Analytical"
    // Made before b can read a's, and sent after it.
    b.root.performChanges {
      $0.name = "Difference"
      $0.rooms.append("attic")
    }
    try await store.holding("b") { try await a.flush() }
    await #expect(throws: KeyValueReplicaError.self) { try await b.flush() }
    #expect(b.root.name == "Analytical")
    #expect(b.root.rooms == [])
    #expect(names == ["Difference", "Analytical"])
    let short = "\(b.id(of: b.root)!)".prefix(8)
    let line =
      "conflict: KeyValueReplicaTests.Company.name of \(short): \"Difference\" here, \"Analytical\" from \"a\""
    #expect(statuses.contains(line))
    #expect(b.status == .current)
    #expect(try a.snapshot() == b.snapshot())
    withExtendedLifetime((observation, name)) {}
  }

  @Test("S4 undo takes back own edits only")
  func undo() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    a.root.employees = [Person("Ada")]
    try await a.flush()
    try await b.reaches(1)
    a.root.performChanges {
      $0.name = "Analytical"
      $0.rooms = ["attic"]
    }
    try await a.flush()
    try await b.reaches(2)
    b.root.name = "Difference"
    b.root.kvo.employees.mutableArray().insert(Person("Grace"), at: 0)
    try await b.flush()
    try await a.reaches(4)
    let left = try a.undo()
    #expect(left.map(\.key) == ["name"])
    #expect(a.root.name == "Difference")
    #expect(a.root.rooms == [])
    #expect(a.root.names == ["Grace", "Ada"])
    try a.undo()
    #expect(a.root.names == ["Grace"])
    try a.redo()
    #expect(a.root.names == ["Grace", "Ada"])
    try await a.flush()
    try await b.reaches(7)
    #expect(try a.snapshot() == b.snapshot())
  }

  @Test("S5 behind a compaction, a replica is restored by difference and tokens stay valid")
  func restored() async throws {
    let store = MemoryLogStore()
    let a = try await open(store, "a")
    a.root.employees = [Person("Ada"), Person("Grace")]
    try await a.flush()
    let b = try await open(store, "b")
    var told: [String] = []
    let observation = b.root.employees[0].kvo.salary.observe(options: [.old, .new]) { _, change in
      told.append("\(change.oldValue!) \(change.newValue!)")
    }
    let ada = b.root.employees[0]
    store.setDown(true)
    for await status in b.kvo.status.values() { if case .offline = status { break } }
    b.root.rooms.append("attic")
    store.setDown(false)
    a.root.employees[0].salary = 1
    a.root.employees[0].salary = 2
    a.root.kvo.employees.mutableArray().remove(at: 1)
    try await a.flush()
    try await a.saveSnapshot()
    _ = try await store.compact("acme", keepingSnapshots: 1, olderThan: .zero)
    try await b.flush()
    #expect(b.root.names == ["Ada"])
    #expect(b.root.employees[0] === ada)
    #expect(told == ["0 2"] || told == ["0 1", "1 2"])
    try await a.reaches(b.revision)
    #expect(a.root.rooms == ["attic"])
    #expect(try a.snapshot() == b.snapshot())
    withExtendedLifetime(observation) {}
  }

  @Test("S1 a lost answer doesn't send a transaction twice")
  func lostAnswer() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    store.fail(.answerLost, .unreachable, .answerLost)
    a.root.rooms.append("attic")
    try await a.flush()
    #expect(store.records("acme").count == 1)
    #expect(a.root.rooms == ["attic"])
    #expect(a.revision == 1)
  }

  @Test("S2 a private class is a root as any other")
  func privateRoot() async throws {
    let store = MemoryLogStore()
    let a = try await KeyValueReplica.open(Hidden.self, document: "hidden", in: store)
    a.root.count = 1
    try await a.close()
    let b = try await KeyValueReplica.open(Hidden.self, document: "hidden", in: store)
    #expect(b.root.count == 1)
  }

  @Test("S1 S2 a value that its type writes in another order each time is changed by all")
  func writtenInAnyOrder() async throws {
    let store = MemoryLogStore()
    func openBoard() async throws -> KeyValueReplica<LooseBoard> {
      try await KeyValueReplica.open(LooseBoard.self, document: "board", in: store)
    }
    let (a, b) = (try await openBoard(), try await openBoard())
    a.root.labels.names.append("c")
    try await a.flush()
    try await b.reaches(1)
    b.root.labels.names.append("d")
    try await b.flush()
    try await a.reaches(2)
    a.root.labels.names.append("e")
    try await a.flush()
    try await b.reaches(3)
    let late = try await openBoard()
    for replica in [a, b, late] {
      #expect(replica.root.labels.names.sorted() == ["a", "b", "c", "d", "e"])
    }
  }

  @Test("S4 a record that fits where values are written otherwise leaves what can be undone")
  func undoneAfterWrittenInAnyOrder() async throws {
    let store = MemoryLogStore()
    func openBoard(_ author: String) async throws -> KeyValueReplica<LooseBoard> {
      try await KeyValueReplica.open(
        LooseBoard.self, document: "board", in: store,
        options: KeyValueReplicaOptions(author: author))
    }
    let (a, b) = (try await openBoard("a"), try await openBoard("b"))
    // Counts readings of snapshots: nothing is restored.
    let (gate, opening) = AsyncStream<Never>.makeStream()
    opening.finish()
    store.holdReading(gate)
    a.root.labels.names.append("c")
    a.root.title = "One"
    try await a.flush()
    try await b.reaches(2)
    b.root.labels.names.append("d")
    try await b.flush()
    try await a.reaches(3)
    #expect(a.canUndo)
    try a.undo()
    #expect(a.root.title == "")
    #expect(a.root.labels.names.sorted() == ["a", "b", "c", "d"])
    try await a.flush()
    try await b.reaches(4)
    // Both at once: the later one is taken back.
    a.root.labels.names.append("f")
    a.root.title = "Two"
    b.root.labels.names.append("e")
    try await store.holding("a") { try await b.flush() }
    await #expect(throws: KeyValueReplicaError.self) { try await a.flush() }
    #expect(a.conflicts.map(\.key) == ["labels"])
    #expect(a.root.labels.names.sorted() == ["a", "b", "c", "d", "e"])
    #expect(a.canUndo)
    try a.undo()
    #expect(a.root.title == "")
    #expect(store.heldReadings == 0)
  }
}

@MainActor @KeyValueObservable
private final class LooseBoard {
  var labels = LooseLabels()
  var title = ""

  init() {}
}

/// Writes its elements in another order than it has them, as a set may.
private struct LooseLabels: Codable, Equatable {
  var names = ["a", "b"]

  init() {}

  init(from decoder: any Decoder) throws { names = try [String](from: decoder) }

  func encode(to encoder: any Encoder) throws { try Array(names.reversed()).encode(to: encoder) }

  static func == (left: LooseLabels, right: LooseLabels) -> Bool {
    Set(left.names) == Set(right.names)
  }
}

@MainActor @KeyValueObservable
private final class Hidden {
  var count = 0

  init() {}
}

/// Draws what has changed, which isn't shared.
@MainActor @KeyValueObservable
private final class Panel {
  var width = 0 { didSet { drawn.append("\(width)") } }
  var lines: [String] = [] { didSet { drawn.append(lines.last ?? "") } }
  @KeyValueIgnored var drawn: [String] = []

  init() {}
}
