import KeyValueObserving
import KeyValueReplica
import Synchronization
import Testing

/// What two replicas come to that change the same document at once; `a` is the faster one.
@Suite("Conflicts", .timeLimit(.minutes(10)))
@MainActor
struct ConflictTests {
  /// Two replicas of a company with two employees.
  private func pair(
    _ rule: KeyValueConflictRule = .reject
  ) async throws -> (KeyValueReplica<Company>, KeyValueReplica<Company>, MemoryLogStore) {
    let store = MemoryLogStore()
    let a = try await open(store, "a")
    a.root.performChanges {
      $0.employees = [Person("Ada"), Person("Grace")]
      $0.rooms = ["attic", "cellar"]
      $0.budget = ["travel": 1]
      $0.tags = ["old"]
    }
    try await a.flush()
    return (a, try await open(store, "b") { $0.conflictRule = rule }, store)
  }

  /// Sends what `a` has, then what `b` has, which hasn't read it.
  private func meet(
    _ a: KeyValueReplica<Company>, _ b: KeyValueReplica<Company>, _ store: MemoryLogStore
  ) async throws -> [String] {
    try await store.holding("b") { try await a.flush() }
    var failure: [String] = []
    do {
      try await b.flush()
    } catch KeyValueReplicaError.conflict(let conflicts) {
      failure = conflicts.map {
        "\($0.key ?? "-"): \($0.base.map { "\($0)" } ?? "none"), \($0.mine.map { "\($0)" } ?? "deleted"), "
          + "\($0.theirs.map { "\($0)" } ?? "deleted") from \($0.author ?? "nobody")"
      }
    }
    let head = max(a.revision, b.revision)
    try await a.reaches(head)
    try await b.reaches(head)
    #expect(try a.snapshot() == b.snapshot())
    return failure
  }

  @Test("S3 the transaction that comes later is taken back whole, with what was built on it")
  func rejected() async throws {
    let (a, b, store) = try await pair()
    a.root.name = "Analytical"
    b.root.performChanges {
      $0.name = "Difference"
      $0.employees.append(Person("Hedy"))
    }
    b.root.employees[2].salary = 10
    b.root.rooms.append("roof")
    let failure = try await meet(a, b, store)
    #expect(failure == ["name: \"Engines\", \"Difference\", \"Analytical\" from a"])
    #expect(b.root.name == "Analytical")
    #expect(b.root.names == ["Ada", "Grace"])
    #expect(b.root.rooms == ["attic", "cellar", "roof"])
  }

  @Test("S3 the last writer wins where the document was opened so")
  func lastWriter() async throws {
    let (a, b, store) = try await pair(.lastWriterWins)
    var met: [String] = []
    let observation = b.onConflict { met += $0.map { "\($0.key!)" } }
    a.root.name = "Analytical"
    a.root.budget["travel"] = 2
    b.root.name = "Difference"
    b.root.budget["travel"] = 3
    #expect(try await meet(a, b, store) == [])
    #expect(a.root.name == "Difference")
    #expect(a.root.budget == ["travel": 3])
    #expect(met == ["name", "budget"])
    withExtendedLifetime(observation) {}
  }

  @Test("S3 conflicts stay for those that look later, and each handler has a token")
  func late() async throws {
    let (a, b, store) = try await pair()
    var met: [String] = []
    func text(_ conflicts: [KeyValueReplicaConflict]) -> String {
      let conflict = conflicts[0]
      return "\(conflict.key!): \(conflict.mine!), \(conflict.theirs!) of \(conflicts.count)"
    }
    let first = b.onConflict { met.append("first \(text($0))") }
    let second = b.onConflict { met.append("second \(text($0))") }
    a.root.name = "Analytical"
    b.root.name = "Difference"
    _ = try await meet(a, b, store)
    let name = #"name: "Difference", "Analytical" of 1"#
    #expect(met == ["first \(name)", "second \(name)"])
    first.invalidate()
    a.root.budget["travel"] = 2
    b.root.budget["travel"] = 3
    _ = try await meet(a, b, store)
    #expect(met == ["first \(name)", "second \(name)", "second budget: 3, 2 of 1"])
    #expect(b.status == .current)
    #expect(b.conflicts.map(\.key) == ["name", "budget"])
    #expect(b.conflicts.map(\.builtOn) == [nil, nil])
    second.invalidate()
  }

  @Test("S3 a reference to an object that the other has deleted is a conflict about its holder")
  func dangling() async throws {
    let (a, b, store) = try await pair()
    let (root, ada) = (b.id(of: b.root)!, b.id(of: b.root.employees[0])!)
    a.root.employees.remove(at: 0)
    b.root.past.append(b.root.employees[0])
    let reference = KeyValueLogValue.reference(ada)
    #expect(try await meet(a, b, store) == ["past: [], \(reference), deleted from a"])
    let conflict = try #require(b.conflicts.first)
    #expect((conflict.object, conflict.className) == (root, "KeyValueReplicaTests.Company"))
    let place = "KeyValueReplicaTests.Company.past of \("\(root)".prefix(8))"
    #expect("\(conflict)" == "\(place): \(reference) here, deleted from \"a\"")
    #expect(b.root.past.isEmpty)
  }

  @Test("S3 what was built on a transaction that was taken back says so")
  func builtOn() async throws {
    let (a, b, store) = try await pair()
    a.root.name = "Analytical"
    b.root.performChanges {
      $0.name = "Difference"
      $0.employees.append(Person("Hedy"))
    }
    let hedy = b.root.employees[2]
    let id = b.id(of: hedy)!
    hedy.salary = 10
    b.root.past.append(hedy)
    _ = try await meet(a, b, store)
    #expect(b.conflicts.map(\.key) == ["name", "salary", "past"])
    let first = b.conflicts[0].transaction
    #expect(b.conflicts.map(\.builtOn) == [nil, first, first])
    #expect(b.conflicts.map(\.author) == ["a", nil, nil])
    // Its class isn't known any more.
    let reason = "built on a transaction that was taken back"
    let line = ".salary of \("\(id)".prefix(8)): 10 here, \(reason)"
    #expect("\(b.conflicts[1])" == line)
    let error = KeyValueReplicaError.conflict([b.conflicts[1]])
    let introduction = "What the transaction was built on was taken back: "
    #expect("\(error)" == introduction + line + ". The transaction was taken back.")
  }

  @Test("S3 what was built on a transaction that is too large isn't another writer's conflict")
  func builtOnTooLarge() async throws {
    let store = MemoryLogStore()
    let a = try await open(store) { $0.maximumTransactionSize = 400 }
    a.root.name = String(repeating: "x", count: 500)
    a.root.name = "Analytical"
    a.root.rooms.append("attic")
    await #expect {
      try await a.flush()
    } throws: { error in
      if case .tooLarge(_, limit: 400)? = error as? KeyValueReplicaError { true } else { false }
    }
    #expect((a.root.name, a.root.rooms) == ("Engines", ["attic"]))
    let conflict = try #require(a.conflicts.first)
    #expect((conflict.key, conflict.author) == ("name", nil))
    let place = "KeyValueReplicaTests.Company.name of \("\(conflict.object)".prefix(8))"
    let text = "\"Analytical\" here, built on a transaction that was taken back"
    #expect("\(conflict)" == "\(place): \(text)")
    #expect(conflict.builtOn != nil)
  }

  @Test("S3 a function decides")
  func custom() async throws {
    let (a, b, store) = try await pair(
      .custom { conflict in
        conflict.key == "name" ? .value("Both") : .theirs
      })
    a.root.name = "Analytical"
    a.root.budget["travel"] = 2
    b.root.performChanges {
      $0.name = "Difference"
      $0.budget["travel"] = 3
    }
    #expect(try await meet(a, b, store) == [])
    #expect(a.root.name == "Both")
    #expect(a.root.budget == ["travel": 2])
  }

  @Test("S3 a function's value that the class can't hold takes the transaction back")
  func unfitValue() async throws {
    let (a, b, store) = try await pair(
      .custom { conflict in conflict.key == "salary" ? .value(.number(2.5)) : .mine })
    a.root.employees[0].salary = 1
    b.root.rooms.append("roof")
    b.root.employees[0].salary = 2
    b.root.name = "Difference"
    #expect(try await meet(a, b, store) == ["salary: 0, 2, 1 from a"])
    #expect(b.root.employees[0].salary == 1)
    #expect(b.root.rooms == ["attic", "cellar", "roof"])
    #expect(a.root.name == "Difference")
    #expect(b.status == .current)
  }

  private func openGuest(
    _ store: MemoryLogStore, _ author: String, _ rule: KeyValueConflictRule = .reject
  ) async throws -> KeyValueReplica<Guest> {
    try await KeyValueReplica.open(
      Guest.self, document: "guest", in: store,
      options: KeyValueReplicaOptions(author: author, conflictRule: rule))
  }

  @Test("S3 a function's nil is written where the key can be nil, and takes entries out")
  func nilValue() async throws {
    let store = MemoryLogStore()
    let a = try await openGuest(store, "a")
    let b = try await openGuest(store, "b", .custom { _ in .value(.null) })
    func change(_ guest: Guest, _ text: String) {
      guest.nickname = text
      if let rooms = guest.kvo.rooms.mutableArray() { rooms[0] = text }
      guest.scores?["x"] = text == "one" ? 2 : 3
      guest.limits = text == "one" ? ["x": 2, "y": 2] : ["x": 3, "y": 3]
      guest.notes["x"] = text == "one" ? .some(nil) : "two"
      guest.name = text
    }
    try await store.holding("b") {
      change(a.root, "one")
      change(b.root, "two")
      try await a.flush()
    }
    await #expect {
      try await b.flush()
    } throws: { error in
      guard case .conflict(let conflicts)? = error as? KeyValueReplicaError else { return false }
      return conflicts.map(\.key) == ["name"]
    }
    #expect(
      b.conflicts.map(\.key)
        == ["nickname", "rooms", "scores", "limits", "limits", "notes", "name"])
    try await a.reaches(b.revision)
    for guest in [a.root, b.root] {
      #expect((guest.nickname, guest.rooms, guest.name) == (nil, nil, "one"))
      #expect(guest.scores == [:])
      #expect(guest.limits == [:])
      // One of both has nil as the entry's value.
      #expect(guest.notes == ["x": nil])
    }
  }

  @Test("S3 an entry of a dictionary that the other has set to nil is reported")
  func entryOfNil() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await openGuest(store, "a"), try await openGuest(store, "b"))
    try await store.holding("b") {
      a.root.scores = nil
      b.root.scores?["y"] = 5
      try await a.flush()
    }
    await #expect(throws: KeyValueReplicaError.self) { try await b.flush() }
    let conflict = try #require(b.conflicts.first)
    let values: [KeyValueLogValue?] = [["x": 1], ["y": 5], KeyValueLogValue.null]
    #expect([conflict.base, conflict.mine, conflict.theirs] == values)
    #expect(b.root.scores == nil)
  }

  @Test("S3 a function's value for a list that isn't one takes the transaction back")
  func unfitList() async throws {
    let (a, b, store) = try await pair(.custom { _ in .value("loft") })
    a.root.kvo.rooms.mutableArray()[0] = "one"
    b.root.kvo.rooms.mutableArray()[0] = "two"
    #expect(
      try await meet(a, b, store) == [
        "rooms: [\"attic\", \"cellar\"], [\"two\", \"cellar\"], [\"one\", \"cellar\"] from a"
      ])
    #expect(b.root.rooms == ["one", "cellar"])
    #expect(b.status == .current)
  }

  @Test("S3 and no other transaction that met the same record")
  func unfitValueBesides() async throws {
    let (a, b, store) = try await pair(
      .custom { conflict in .value(conflict.key == "salary" ? .number(2.5) : "A/B") })
    a.root.performChanges {
      $0.employees[0].salary = 1
      $0.name = "A"
    }
    b.root.employees[0].salary = 2
    b.root.name = "B"
    #expect(try await meet(a, b, store) == ["salary: 0, 2, 1 from a"])
    #expect(b.root.employees[0].salary == 1 && b.root.name == "A/B")
    #expect(a.root.employees[0].salary == 1 && a.root.name == "A/B")
    #expect(b.status == .current)
  }

  @Test("S3 the same value written by both is no conflict, and isn't sent again")
  func same() async throws {
    let (a, b, store) = try await pair()
    a.root.name = "Analytical"
    b.root.name = "Analytical"
    #expect(try await meet(a, b, store) == [])
    #expect(store.records("acme").count == 2)
  }

  /// "é" as one Unicode scalar and as two.
  private let composed = "\u{E9}"
  private let decomposed = "e\u{301}"

  @Test(
    "S2 a text that only gets other Unicode scalars is a change, of each side",
    arguments: [false, true])
  func otherScalars(isMine: Bool) async throws {
    let (a, b, store) = try await pair()
    a.root.performChanges {
      $0.name = composed
      $0.employees[0].name = composed
      $0.rooms = [composed, "cellar"]
      $0.tags = [composed]
      $0.budget = [composed: 1]
    }
    try await a.flush()
    try await b.reaches(2)
    let (writer, other) = isMine ? (b, a) : (a, b)
    other.root.rooms.append("loft")
    writer.root.performChanges {
      $0.name = decomposed
      $0.employees[0].name = decomposed
      $0.rooms = [decomposed, "cellar"]
      $0.tags = [decomposed]
      $0.budget = [decomposed: 1]
    }
    #expect(try await meet(a, b, store) == [])
    let late = try await open(store, "late")
    for root in [a.root, b.root, late.root] {
      var texts = [root.name, root.employees[0].name] + root.rooms
      texts += root.tags
      texts += root.budget.keys
      let expected = [
        decomposed, decomposed, decomposed, "cellar", "loft", decomposed, decomposed,
      ]
      #expect(texts.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
    }
  }

  @Test("S3 both write equal texts of other Unicode scalars: no conflict, and the first one's stay")
  func sameText() async throws {
    let (a, b, store) = try await pair()
    a.root.performChanges {
      $0.name = composed
      $0.budget["travel"] = nil
      $0.tags = [composed]
    }
    b.root.performChanges {
      $0.name = decomposed
      $0.budget["travel"] = nil
      $0.tags = [decomposed]
    }
    #expect(try await meet(a, b, store) == [])
    #expect(store.records("acme").count == 2)
    for root in [a.root, b.root] {
      let texts = [root.name] + root.tags
      #expect(texts.map { Array($0.utf8) } == [composed, composed].map { Array($0.utf8) })
    }
  }

  @Test("S3 an object that one deletes and the other changes is a conflict")
  func deletedAndChanged() async throws {
    let (a, b, store) = try await pair()
    a.root.employees.remove(at: 0)
    b.root.employees[0].salary = 10
    let failure = try await meet(a, b, store)
    #expect(failure == ["salary: 0, 10, deleted from a"])
    #expect(b.root.names == ["Grace"])
  }

  @Test("S3 the rule is asked about a deletion once, in the whole graph")
  func deletionAskedOnce() async throws {
    let asked = Mutex<[String]>([])
    let (a, b, store) = try await pair(
      .custom { conflict in
        asked.withLock { $0.append("\(conflict.key!)") }
        return .mine
      })
    a.root.employees[0].salary = 10
    b.root.employees.remove(at: 0)
    #expect(try await meet(a, b, store) == [])
    #expect(asked.withLock { $0 } == ["salary"])
    #expect(a.root.names == ["Grace"])
  }

  @Test("S3 an object that one changes and the other deletes is a conflict")
  func changedAndDeleted() async throws {
    let (a, b, store) = try await pair()
    let ada = b.root.employees[0]
    a.root.employees[0].salary = 10
    b.root.employees.remove(at: 0)
    let failure = try await meet(a, b, store)
    #expect(failure == ["salary: 0, deleted, 10 from a"])
    #expect(b.root.names == ["Ada", "Grace"])
    #expect(b.root.employees[0] === ada)
    #expect(ada.salary == 10)
  }

  @Test("S2 what both remove is removed once")
  func removedByBoth() async throws {
    let (a, b, store) = try await pair()
    a.root.employees.remove(at: 0)
    b.root.employees.remove(at: 0)
    b.root.rooms.append("roof")
    #expect(try await meet(a, b, store) == [])
    #expect(a.root.names == ["Grace"])
    #expect(a.root.rooms == ["attic", "cellar", "roof"])
  }

  @Test("S2 an object that one removes and the other puts elsewhere stays where it was put")
  func removedAndMoved() async throws {
    let (a, b, store) = try await pair()
    let ada = b.root.employees[0]
    a.root.past.append(a.root.employees[0])
    b.root.employees.remove(at: 0)
    #expect(try await meet(a, b, store) == [])
    #expect(b.root.names == ["Grace"])
    #expect(b.root.past.map(\.name) == ["Ada"])
    #expect(b.root.past[0] === ada)
  }

  @Test("S2 both take one of two places away: the object leaves once both have")
  func bothPlaces() async throws {
    let (a, b, store) = try await pair()
    a.root.past.append(a.root.employees[0])
    try await a.flush()
    try await b.reaches(2)
    a.root.employees.remove(at: 0)
    b.root.past.remove(at: 0)
    #expect(try await meet(a, b, store) == [])
    #expect(try a.snapshot().objects.count == 2)
    let c = try await open(store, "c")
    #expect(try c.snapshot() == a.snapshot())
  }

  @Test("S2 elements are found by identity after moves")
  func moved() async throws {
    let (a, b, store) = try await pair()
    a.root.employees.reverse()
    b.root.kvo.employees.mutableArray().insert(Person("Hedy"), at: 1)
    b.root.kvo.employees.mutableArray().remove(at: 0)
    #expect(try await meet(a, b, store) == [])
    #expect(Set(b.root.names) == ["Grace", "Hedy"])
  }

  @Test("S2 an element that both replace is a conflict; different ones aren't")
  func replaced() async throws {
    let (a, b, store) = try await pair()
    a.root.kvo.rooms.mutableArray()[0] = "loft"
    b.root.kvo.rooms.mutableArray()[1] = "vault"
    #expect(try await meet(a, b, store) == [])
    #expect(a.root.rooms == ["loft", "vault"])
    a.root.kvo.rooms.mutableArray()[0] = "one"
    b.root.kvo.rooms.mutableArray()[0] = "two"
    let failure = try await meet(a, b, store)
    #expect(
      failure == ["rooms: [\"loft\", \"vault\"], [\"two\", \"vault\"], [\"one\", \"vault\"] from a"]
    )
  }

  private func openFaculty(
    _ store: MemoryLogStore, _ author: String
  ) async throws -> KeyValueReplica<Faculty> {
    try await KeyValueReplica.open(
      Faculty.self, document: "faculty", in: store,
      options: KeyValueReplicaOptions(author: author),
      classes: [KeyValueLogClass(Lecturer.self) { Lecturer(in: try $0.value("institute")) }])
  }

  @Test("S3 an object isn't added without the one to which a reference that can't be nil leads")
  func unownedOutside() async throws {
    let store = MemoryLogStore()
    let a = try await openFaculty(store, "a")
    let institute = Institute()
    a.root.lecturers.append(Lecturer(in: institute))
    #expect(a.root.lecturers.isEmpty)
    await #expect {
      try await a.flush()
    } throws: { error in
      guard case .unfit(let reason)? = error as? KeyValueReplicaError else { return false }
      let text =
        "can't be nil and refers to an object that isn't in the document, and no program could read "
        + "the value. The change was taken back: put that object into the document first, or in the "
        + "same transaction."
      let name = "KeyValueReplicaTests.Lecturer.institute of "
      return reason.hasPrefix(name) && reason.hasSuffix(text)
    }
    a.root.performChanges {
      $0.lecturers.append(Lecturer(in: institute))
      $0.institutes.append(institute)
    }
    a.root.lecturers.append(Lecturer(in: institute))
    try await a.flush()
    #expect(store.records("faculty").count == 2)
    #expect(try await openFaculty(store, "b").snapshot() == a.snapshot())
  }

  @Test("S3 an object to which a reference that can't be nil leads doesn't leave")
  func unowned() async throws {
    let store = MemoryLogStore()
    let a = try await openFaculty(store, "a")
    a.root.institutes = [Institute(), Institute()]
    a.root.lecturers = [Lecturer(in: a.root.institutes[0])]
    try await a.flush()
    let b = try await openFaculty(store, "b")
    try await store.holding("b") {
      // The lecturer would be in none.
      b.root.institutes.removeLast()
      a.root.lecturers[0].institute = a.root.institutes[1]
      try await a.flush()
    }
    await #expect {
      try await b.flush()
    } throws: { error in
      if case .conflict? = error as? KeyValueReplicaError { true } else { false }
    }
    #expect(b.status == .current)
    #expect(b.root.institutes.count == 2)
    #expect(b.root.lecturers[0].institute === b.root.institutes[1])
    #expect(try b.snapshot() == a.snapshot())
    b.root.institutes.removeFirst()
    try await b.flush()
    try await a.reaches(b.revision)
    #expect(try a.snapshot() == b.snapshot())
    b.root.institutes.removeAll()
    await #expect {
      try await b.flush()
    } throws: { error in
      if case .unfit(let reason)? = error as? KeyValueReplicaError {
        reason.contains("Lecturer.institute of ") && reason.contains("can't be nil and refers to")
      } else {
        false
      }
    }
    #expect(b.root.institutes.map { $0 === b.root.lecturers[0].institute } == [true])
    #expect(try a.snapshot() == b.snapshot())
  }

  @Test("S2 observers are told what differs, once")
  func net() async throws {
    let (a, b, store) = try await pair()
    var told: [String] = []
    let observation = b.root.kvo.employees.observe(options: [.old, .new]) { _, change in
      let ranges = change.indexes.map { $0.ranges.map { "\($0)" }.joined() } ?? ""
      told.append(
        "\(change.kind) \(ranges) \(change.oldValue?.map(\.name) ?? []) \(change.newValue?.map(\.name) ?? [])"
      )
    }
    let total = b.root.kvo.total.observe(options: [.old, .new]) { _, change in
      told.append("total \(change.oldValue!) \(change.newValue!)")
    }
    a.root.kvo.employees.mutableArray().insert(Person("Joan", salary: 5), at: 0)
    b.root.kvo.employees.mutableArray().append(Person("Hedy", salary: 7))
    told = []
    #expect(try await meet(a, b, store) == [])
    #expect(told == ["insertion 0..<1 [] [\"Joan\"]", "total 7 12"])
    withExtendedLifetime((observation, total)) {}
  }
}

@KeyValueObservable
private final class Guest {
  var name = "Ada"
  var nickname: String? = "Addie"
  var rooms: [String]? = ["attic", "cellar"]
  var scores: [String: Int]? = ["x": 1]
  var limits = ["x": 1, "y": 1]
  var notes: [String: String?] = ["x": "none"]

  init() {}
}

@KeyValueObservable
private final class Faculty {
  var institutes: [Institute] = []
  var lecturers: [Lecturer] = []

  init() {}
}

@KeyValueObservable
private final class Institute {
  var name = ""

  init() {}
}

@KeyValueObservable
private final class Lecturer {
  unowned var institute: Institute

  init(in institute: Institute) { self.institute = institute }
}
