import Foundation
import KeyValueObserving
import KeyValueReplica
import Synchronization
import Testing

/// What a replica does with documents of newer programs.
@Suite("Obstacles: newer programs", .timeLimit(.minutes(1)))
@MainActor
struct SchemaObstacleTests {
  @Test("S3 a newer schema makes a replica read-only, and unknown keys stay in the document")
  func newerSchema() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.name = "Analytical"
    try await a.flush()
    let newer = try await KeyValueReplica.open(
      NewCompany.self, document: "acme", in: store,
      options: {
        var options = KeyValueReplicaOptions()
        options.author = "newer"
        options.schema = 2
        return options
      }(), classes: newClasses)
    #expect(newer.root.name == "Analytical")
    newer.root.performChanges {
      $0.motto = "Onward"
      $0.name = "Difference"
      $0.employees.append(NewPerson("Ada"))
    }
    try await newer.flush()
    await a.waits { $0 == .readOnly(schema: 2) }
    for await name in a.root.kvo.name.values() where name == "Difference" { break }
    #expect(a.root.names == ["Ada"])
    a.root.name = "Mine"
    #expect(a.root.name == "Difference")
    await #expect(throws: KeyValueReplicaError.readOnly(expected: 1, found: 2)) {
      try await a.flush()
    }
    newer.root.motto = "Upward"
    newer.root.employees[0].badge = 7
    newer.root.name = "Last"
    try await newer.flush()
    for await name in a.root.kvo.name.values() where name == "Last" { break }
    // An older program that opens it now reads it, too.
    let late = try await open(store, "late")
    #expect(late.status == .readOnly(schema: 2))
    #expect(late.root.name == "Last")
    #expect(late.root.names == ["Ada"])
    let again = try await KeyValueReplica.open(
      NewCompany.self, document: "acme", in: store,
      options: {
        var options = KeyValueReplicaOptions()
        options.schema = 2
        return options
      }(), classes: newClasses)
    #expect(again.root.motto == "Upward")
    #expect(again.root.employees[0].badge == 7)
  }

  @Test("S3 a newer program that can't open a document leaves it to older ones")
  func unfitNewer() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.employees = [Person("Ada")]
    try await a.flush()
    // It doesn't name the classes' former names.
    await #expect(throws: KeyValueLogError.self) {
      _ = try await KeyValueReplica.open(
        NewCompany.self, document: "acme", in: store,
        options: KeyValueReplicaOptions(schema: 2, author: "newer"))
    }
    #expect(try await store.document("acme")?.schema == 1)
    a.root.name = "Analytical"
    try await a.flush()
    #expect(a.status == .current)
  }

  @Test("S3 a newer program that a damaged queue's file keeps out raises no schema")
  func damagedQueueOfNewer() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    let a = try await open(store)
    let found = try await store.document("acme")
    let position = try #require(found).position
    let path = "\(folder)/acme-0.queue"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try (JSONEncoder().encode(["base": position]) + Data("\n{}\n".utf8))
      .write(to: URL(filePath: path))
    let refused = KeyValueReplicaError.refused(
      code: "queue",
      message: "line 2 of the queue's file \(path) is damaged. The file can have changes that "
        + "weren't sent: move it to another folder to open the document without them.")
    await #expect(throws: refused) { _ = try await openNewer(store, folder: folder) }
    #expect(try await store.document("acme")?.schema == 1)
    a.root.name = "Analytical"
    try await a.flush()
    #expect(a.status == .current)
  }

  @Test("S3 what waits when a newer schema appears stays, and a newer program sends it")
  func newerSchemaWhileWaiting() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    weak var root: Company?
    let newer: KeyValueReplica<NewCompany>
    do {
      let a = try await open(store, "a") { $0.queueFolder = folder }
      root = a.root
      a.root.employees = [Person("Grace"), Person("Joan")]
      try await a.flush()
      let (gate, opening) = AsyncStream<Never>.makeStream()
      store.fail(.held(gate))
      a.root.name = "Analytical"
      a.root.rooms.append("attic")
      a.root.employees.append(Person("Ada", salary: 7))
      a.root.employees[0].salary = 5
      a.root.employees.remove(at: 1)
      while store.appends < 2 {
        try Task.checkCancellation()
        await Task.yield()
      }
      newer = try await openNewer(store)
      newer.root.name = "Difference"
      newer.root.motto = "Onward"
      try await newer.flush()
      opening.finish()
      // Its name is a conflict; the others wait.
      while a.conflicts.isEmpty {
        try Task.checkCancellation()
        await Task.yield()
      }
      await a.waits { $0 == .readOnly(schema: 2) }
      #expect("\(a.status)" == "read-only: the document's schema is 2")
      #expect(a.root.name == "Difference")
      #expect((a.root.rooms, a.root.names) == (["attic"], ["Grace", "Ada"]))
      #expect(a.conflicts.map(\.key) == ["name"])
      let error = KeyValueReplicaError.readOnly(expected: 1, found: 2, waiting: 4)
      await #expect(throws: error) { try await a.flush() }
      let text = [
        "The document's schema is 2 and this program's 1, so it only reads the document.",
        "Use the newer program to change it. 4 transactions weren't sent before.",
        "They are in the queue's file, if `options.queueFolder` names a folder,",
        "and the newer program sends them from there.",
      ]
      #expect("\(error)" == text.joined(separator: " "))
      store.setDown(true)
      await a.waits(until: \.isOffline)
      await #expect(throws: error) { try await a.flush() }
      store.setDown(false)
      await a.waits { $0 == .readOnly(schema: 2) }
      await #expect(throws: error) { try await a.close() }
    }
    try await death(of: { root })
    newer.root.rooms.append("cellar")
    newer.root.employees.remove(at: 0)
    try await newer.flush()
    let again = try await openNewer(store, folder: folder)
    await #expect {
      try await again.flush()
    } throws: { error in
      guard case .conflict(let conflicts)? = error as? KeyValueReplicaError else { return false }
      return conflicts.map(\.key) == ["salary"]
    }
    #expect(again.conflicts.map(\.key) == ["salary"])
    #expect(again.root.rooms == ["attic", "cellar"] || again.root.rooms == ["cellar", "attic"])
    #expect(again.root.employees.map(\.name) == ["Ada"])
    #expect(again.root.employees.map(\.salary) == [7])
    #expect((again.root.name, again.root.motto) == ("Difference", "Onward"))
    for await revision in newer.kvo.revision.values() where revision == again.revision { break }
    #expect(try newer.snapshot() == again.snapshot())
    let late = try await openNewer(store)
    #expect(try late.snapshot() == again.snapshot())
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/acme-0.queue"))
  }

  @Test("S3 what may have been committed before a newer program compacted isn't made again")
  func forgottenAnswerOfNewer() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    let (retry, retrying) = AsyncStream<Never>.makeStream()
    store.fail(.answerLost, .held(retry))
    a.root.rooms.append("attic")
    while store.appends < 2 {
      try Task.checkCancellation()
      await Task.yield()
    }
    let newer = try await openNewer(store)
    try await newer.saveSnapshot()
    _ = try await store.compact("acme", keepingSnapshots: 1, olderThan: .zero)
    #expect(store.records("acme").isEmpty)
    retrying.finish()
    for await revision in a.kvo.revision.values() where revision == newer.revision { break }
    #expect(a.status == .readOnly(schema: 2))
    #expect(a.root.rooms == ["attic"])
    await #expect(throws: outcomeForgotten) { try await a.flush() }
    #expect(newer.root.rooms == ["attic"])
  }

  @Test("S3 what a newer schema has kept out is sent by a newer program, also after a lost call")
  func refusedAfterLostCall() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    weak var root: Company?
    let newer: KeyValueReplica<NewCompany>
    do {
      let a = try await open(store) { $0.queueFolder = folder }
      root = a.root
      let (retry, retrying) = AsyncStream<Never>.makeStream()
      store.fail(.callLost, .held(retry))
      a.root.rooms.append("attic")
      while store.appends < 2 {
        try Task.checkCancellation()
        await Task.yield()
      }
      newer = try await openNewer(store)
      retrying.finish()
      await a.waits { $0 == .readOnly(schema: 2) }
      let error = KeyValueReplicaError.readOnly(expected: 1, found: 2, waiting: 1)
      await #expect(throws: error) { try await a.close() }
    }
    try await death(of: { root })
    // What the queue's file was made on is compacted.
    try await newer.saveSnapshot()
    _ = try await store.compact("acme", keepingSnapshots: 1, olderThan: .zero)
    #expect(store.records("acme").isEmpty)
    let again = try await openNewer(store, folder: folder)
    try await again.flush()
    #expect(again.root.rooms == ["attic"])
  }

  @Test("S2 elements that new keys begin with are in the document before they're changed")
  func newKeysWithElements() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.employees = [Person("Ada")]
    try await a.flush()
    func openFurnished() async throws -> KeyValueReplica<FurnishedCompany> {
      try await KeyValueReplica.open(
        FurnishedCompany.self, document: "acme", in: store,
        options: KeyValueReplicaOptions(schema: 2, author: "newer"),
        classes: [
          KeyValueLogClass(FurnishedCompany.self, formerly: "KeyValueReplicaTests.Company"),
          classes[1],
        ])
    }
    let newer = try await openFurnished()
    newer.root.kvo.offices.mutableArray().append("lab")
    newer.root.limits["desks"] = 2
    newer.root.kvo.colors.mutableSet().insert("blue")
    try await newer.flush()
    let second = try await openFurnished()
    #expect(second.root.offices == ["hq", "lab"])
    #expect(second.root.limits == ["seats": 4, "desks": 2])
    #expect(second.root.colors == ["red", "blue"])
    // The older program keeps what it doesn't know.
    for await status in a.kvo.status.values() where status == .readOnly(schema: 2) { break }
    for await revision in a.kvo.revision.values() where revision == newer.revision { break }
    try await a.saveSnapshot()
    _ = try await store.compact("acme", keepingSnapshots: 1, olderThan: .zero)
    #expect(store.records("acme").isEmpty)
    let third = try await openFurnished()
    #expect(try third.snapshot() == newer.snapshot())
    #expect(third.root.offices == ["hq", "lab"])
    #expect(third.status == .current)
  }

  private func openEquipped(
    _ store: MemoryLogStore
  ) async throws -> KeyValueReplica<EquippedCompany> {
    try await KeyValueReplica.open(
      EquippedCompany.self, document: "acme", in: store,
      options: KeyValueReplicaOptions(schema: 2, author: "newer"),
      classes: [
        KeyValueLogClass(EquippedCompany.self, formerly: "KeyValueReplicaTests.Company"),
        classes[1],
      ])
  }

  @Test("S1 objects and values that new keys begin with are in the document before they're changed")
  func newKeysWithObjects() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.employees = [Person("Ada")]
    try await a.flush()
    let newer = try await openEquipped(store)
    let root = newer.root
    (root.desk.label, root.fixed.label, root.desks[0].label) = ("oak", "elm", "pine")
    root.desks[0].drawer.label = "top"
    root.kvo.desks.mutableArray().append(Desk())
    try await newer.flush()
    let second = try await openEquipped(store)
    #expect(try second.snapshot() == newer.snapshot())
    #expect(second.root.token == root.token)
    #expect((second.root.desk.label, second.root.fixed.label) == ("oak", "elm"))
    #expect(second.root.desks.map(\.label) == ["pine", ""])
    #expect(second.root.desks[0].drawer.label == "top")
    // The older program keeps what it doesn't know.
    for await revision in a.kvo.revision.values() where revision == newer.revision { break }
    try await a.saveSnapshot()
    _ = try await store.compact("acme", keepingSnapshots: 1, olderThan: .zero)
    #expect(try await openEquipped(store).snapshot() == newer.snapshot())
  }

  @Test("S5 a replica goes on from a backup that lacks its keys with what it has there")
  func backupWithoutKeys() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.employees = [Person("Ada")]
    try await a.close()
    let newer = try await openEquipped(store)
    let desk = newer.root.desk
    // Older programs don't write to it any more when it gets the keys.
    let schema = Mutex(0)
    store.fail(.preceded { document in schema.withLock { $0 = document.schema } })
    store.change("acme") { document in
      document.epoch = UUID()
      document.schema = 1
      document.records = []
      document.snapshots[0].position = document.head
    }
    for await employees in newer.root.kvo.employees.values() where employees.isEmpty { break }
    #expect(newer.root.desk === desk)
    desk.label = "ash"
    try await newer.flush()
    #expect(newer.status == .current)
    #expect(schema.withLock { $0 } == 2)
    let late = try await openEquipped(store)
    #expect(late.root.desk.label == "ash")
    #expect(try late.snapshot() == newer.snapshot())
  }

  @Test("S5 a replica raises the schema of a backup that has its keys")
  func backupOfOlderSchema() async throws {
    let store = MemoryLogStore()
    let newer = try await openEquipped(store)
    newer.root.name = "Analytical"
    try await newer.flush()
    store.change("acme") { document in
      document.epoch = UUID()
      document.schema = 1
      document.records = []
      document.snapshots[0].position = document.head
    }
    for await name in newer.root.kvo.name.values() where name == "Engines" { break }
    newer.root.name = "Difference"
    try await newer.flush()
    #expect(try await store.document("acme")?.schema == 2)
    #expect(try await openEquipped(store).snapshot() == newer.snapshot())
  }

  /// Opens a company, changes it offline, and leaves the changes in the queue's file.
  private func leave(
    in folder: String, _ store: MemoryLogStore, _ changes: @MainActor (Company) -> Void
  ) async throws {
    weak var root: Company?
    do {
      let a = try await open(store) { $0.queueFolder = folder }
      root = a.root
      a.root.employees = [Person("Ada"), Person("Grace")]
      try await a.flush()
      store.setDown(true)
      await a.waits(until: \.isOffline)
      changes(a.root)
      await #expect(throws: KeyValueReplicaError.self) { try await a.close() }
    }
    try await death(of: { root })
    store.setDown(false)
  }

  private func openSeated(
    _ store: MemoryLogStore, folder: String? = nil
  ) async throws -> KeyValueReplica<SeatedCompany> {
    try await KeyValueReplica.open(
      SeatedCompany.self, document: "acme", in: store,
      options: KeyValueReplicaOptions(schema: 2, author: "newer", queueFolder: folder),
      classes: [
        KeyValueLogClass(SeatedCompany.self, formerly: "KeyValueReplicaTests.Company"),
        KeyValueLogClass(SeatedPerson.self, formerly: "KeyValueReplicaTests.Person") { values in
          let name: String = try values.value("name")
          return MainActor.assumeIsolated { SeatedPerson(name) }
        },
      ])
  }

  @Test("S3 a deletion that an older program has left doesn't contradict what new keys begin with")
  func deletionBeforeNewKeys() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    try await leave(in: folder, store) { $0.employees.remove(at: 0) }
    let newer = try await openSeated(store, folder: folder)
    try await newer.flush()
    #expect(newer.conflicts == [])
    #expect(newer.root.employees.map(\.name) == ["Grace"])
    // The company, Grace, her desk and its drawer.
    #expect(try newer.snapshot().objects.count == 4)
    #expect(try await openSeated(store).snapshot() == newer.snapshot())
  }

  @Test("S3 a deletion that an older program has left contradicts what others give a new key later")
  func deletionAfterNewKeys() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    try await leave(in: folder, store) { $0.employees.remove(at: 0) }
    let other = try await openSeated(store)
    other.root.employees[0].desk = Desk()
    try await other.flush()
    let newer = try await openSeated(store, folder: folder)
    await #expect(throws: KeyValueReplicaError.conflict(newer.conflicts)) {
      try await newer.flush()
    }
    #expect(newer.conflicts.map(\.key) == ["desk"])
    #expect(newer.root.employees.map(\.name) == ["Ada", "Grace"])
    #expect(try newer.snapshot() == other.snapshot())
  }

  @Test("S3 what an older program has left comes and goes with the objects of new keys")
  func leftObjectsWithNewKeys() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    try await leave(in: folder, store) { company in
      company.employees.append(Person("Hedy"))
      company.employees.remove(at: 2)
    }
    let newer = try await openSeated(store, folder: folder)
    try await newer.flush()
    let records = try store.records("acme").suffix(2).map {
      try KeyValueTransactionRecord(json: $0.transaction.payload)
    }
    // A person, a desk and its drawer.
    func lives(_ record: KeyValueTransactionRecord) -> [String] {
      record.edits.compactMap { edit in
        switch edit {
        case .create(_, let name, _): "+\(name.split(separator: ".")[1])"
        case .delete(_, let name, _): "-\(name.split(separator: ".")[1])"
        default: nil
        }
      }.sorted()
    }
    #expect(
      records.map(lives) == [
        ["+Desk", "+Drawer", "+SeatedPerson"], ["-Desk", "-Drawer", "-SeatedPerson"],
      ])
    #expect(records.map(\.origin) == [.local, .local])
    #expect(try await openSeated(store).snapshot() == newer.snapshot())
  }

  @Test("S3 an object that an older program can't have leaves the key that needs one as it was")
  func unknownSubclass() async throws {
    let store = MemoryLogStore()
    func openOlder() async throws -> KeyValueReplica<Keeper> {
      try await KeyValueReplica.open(
        Keeper.self, document: "zoo", in: store,
        classes: [
          KeyValueLogClass(Keeper.self, formerly: "KeyValueReplicaTests.NewKeeper"),
          KeyValueLogClass(Pet.self, formerly: "KeyValueReplicaTests.NewPet"),
        ])
    }
    let a = try await openOlder()
    a.root.pet.name = "Rex"
    try await a.flush()
    let pet = a.root.pet
    let newer = try await KeyValueReplica.open(
      NewKeeper.self, document: "zoo", in: store, options: KeyValueReplicaOptions(schema: 2),
      classes: [
        KeyValueLogClass(NewKeeper.self, formerly: "KeyValueReplicaTests.Keeper"),
        KeyValueLogClass(NewPet.self, formerly: "KeyValueReplicaTests.Pet"),
      ])
    for name in ["Ada", "Grace"] {
      newer.root.performChanges {
        $0.name = name
        $0.pet = NewCat()
      }
      try await newer.flush()
      for await told in a.root.kvo.name.values() where told == name { break }
      #expect(a.root.pet === pet && pet.name == "Rex")
      #expect(try await openOlder().root.name == name)
    }
    #expect(a.status == .readOnly(schema: 2))
  }

  @Test("S1 what a newer program has left in its queue's file stays there for one")
  func queueFileOfNewer() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    weak var root: NewCompany?
    do {
      let newer = try await openNewer(store, folder: folder)
      root = newer.root
      store.setDown(true)
      await newer.waits(until: \.isOffline)
      newer.root.motto = "Onward"
      await #expect(throws: KeyValueReplicaError.self) { try await newer.close() }
    }
    try await death(of: { root })
    store.setDown(false)
    let file = "\(folder)/acme-0.queue"
    let left = try Data(contentsOf: URL(filePath: file))
    let a = try await open(store) { $0.queueFolder = folder }
    #expect(a.status == .readOnly(schema: 2))
    try await a.close()
    #expect(try Data(contentsOf: URL(filePath: file)) == left)
    let again = try await openNewer(store, folder: folder)
    try await again.flush()
    #expect(again.root.motto == "Onward")
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test("S1 a document whose old objects a newer program deletes can be opened")
  func deletedByNewer() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.employees = [Person("Ada"), Person("Grace")]
    try await a.flush()
    var options = KeyValueReplicaOptions()
    options.schema = 2
    let newer = try await KeyValueReplica.open(
      NewCompany.self, document: "acme", in: store, options: options, classes: newClasses)
    newer.root.employees.remove(at: 0)
    try await newer.flush()
    for await employees in a.root.kvo.employees.values() where employees.count == 1 { break }
    #expect(a.root.names == ["Grace"])
    let late = try await open(store, "late")
    #expect(late.root.names == ["Grace"])
  }

  @Test("S1 a document whose old objects a newer program changes and deletes at once can be opened")
  func changedAndDeletedByNewer() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.employees = [Person("Ada"), Person("Grace")]
    try await a.flush()
    let newer = try await openNewer(store)
    newer.root.performChanges {
      $0.employees[0].salary = 7
      $0.employees.remove(at: 0)
    }
    try await newer.flush()
    for await employees in a.root.kvo.employees.values() where employees.count == 1 { break }
    #expect(a.root.names == ["Grace"])
    #expect(try await open(store, "late").root.names == ["Grace"])
    let again = try await openNewer(store)
    #expect(again.root.employees.map(\.name) == ["Grace"])
    #expect(try again.snapshot() == newer.snapshot())
  }

  private func openLetter(
    _ store: MemoryLogStore, folder: String? = nil
  ) async throws -> KeyValueReplica<Letter> {
    try await KeyValueReplica.open(
      Letter.self, document: "letter", in: store,
      options: KeyValueReplicaOptions(author: "older", queueFolder: folder),
      classes: [KeyValueLogClass(Letter.self, formerly: "KeyValueReplicaTests.NewLetter")])
  }

  private func openNewLetter(
    _ store: MemoryLogStore, schema: Int = 2, folder: String? = nil
  ) async throws -> KeyValueReplica<NewLetter> {
    try await KeyValueReplica.open(
      NewLetter.self, document: "letter", in: store,
      options: KeyValueReplicaOptions(schema: schema, author: "newer", queueFolder: folder),
      classes: [KeyValueLogClass(NewLetter.self, formerly: "KeyValueReplicaTests.Letter")])
  }

  @Test(
    "S1 S2 what a newer program changes of structures with a further field stays",
    arguments: [1, 2])
  func furtherField(schema: Int) async throws {
    let store = MemoryLogStore()
    let older = try await openLetter(store)
    let newer = try await openNewLetter(store, schema: schema)
    newer.root.to.street = "c"
    newer.root.via[0].street = "c"
    newer.root.kvo.past.mutableSet().remove(NewAddress("a"))
    newer.root.marked["first"]?.street = "c"
    try await newer.flush()
    let again = try await openNewLetter(store, schema: schema)
    #expect(again.root.to == NewAddress("c"))
    #expect(again.root.via == [NewAddress("c"), NewAddress("b")])
    #expect(again.root.past == [NewAddress("b")])
    #expect(again.root.marked == ["first": NewAddress("c")])
    #expect(try again.snapshot() == newer.snapshot())
    // Older programs read it.
    for await revision in older.kvo.revision.values() where revision == newer.revision { break }
    let late = try await openLetter(store)
    for root in [older.root, late.root] {
      #expect(root.to == OldAddress(street: "c"))
      #expect(root.via == [OldAddress(street: "c"), OldAddress(street: "b")])
      #expect(root.past == [OldAddress(street: "b")])
      #expect(root.marked == ["first": OldAddress(street: "c")])
    }
  }

  @Test(
    "S3 what an older program has left of structures with fewer fields is sent by a newer one",
    arguments: [false, true])
  func fewerFieldsLeft(isCompacted: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    weak var root: Letter?
    do {
      let older = try await openLetter(store, folder: folder)
      root = older.root
      store.setDown(true)
      await older.waits(until: \.isOffline)
      older.root.to.street = "c"
      older.root.via[0].street = "c"
      older.root.kvo.past.mutableSet().remove(OldAddress(street: "a"))
      older.root.marked["first"]?.street = "c"
      await #expect(throws: KeyValueReplicaError.self) { try await older.close() }
    }
    try await death(of: { root })
    store.setDown(false)
    if isCompacted {
      let other = try await openNewLetter(store)
      other.root.to.street = "b"
      try await other.flush()
      other.root.to.street = "a"
      try await other.flush()
      try await other.saveSnapshot()
      _ = try await store.compact("letter", keepingSnapshots: 1, olderThan: .zero)
      #expect(store.records("letter").isEmpty)
    }
    let newer = try await openNewLetter(store, folder: folder)
    try await newer.flush()
    #expect(newer.conflicts == [])
    let late = try await openNewLetter(store)
    for root in [newer.root, late.root] {
      #expect(root.to == NewAddress("c"))
      #expect(root.via == [NewAddress("c"), NewAddress("b")])
      #expect(root.past == [NewAddress("b")])
      #expect(root.marked == ["first": NewAddress("c")])
    }
  }

  @Test("S3 a field that another program has filled in is a conflict, also behind a compaction")
  func filledField() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    func openMemo(_ folder: String? = nil) async throws -> KeyValueReplica<Memo> {
      try await KeyValueReplica.open(
        Memo.self, document: "memo", in: store,
        options: KeyValueReplicaOptions(author: "memo", queueFolder: folder))
    }
    weak var root: Memo?
    do {
      let left = try await openMemo(folder)
      root = left.root
      store.setDown(true)
      await left.waits(until: \.isOffline)
      left.root.note.text = "b"
      await #expect(throws: KeyValueReplicaError.self) { try await left.close() }
    }
    try await death(of: { root })
    store.setDown(false)
    let other = try await openMemo()
    other.root.note.tag = "x"
    try await other.flush()
    try await other.saveSnapshot()
    _ = try await store.compact("memo", keepingSnapshots: 1, olderThan: .zero)
    let next = try await openMemo(folder)
    await #expect(throws: KeyValueReplicaError.self) { try await next.flush() }
    #expect(next.root.note == MemoNote(text: "a", tag: "x"))
    #expect(next.conflicts.count == 1)
  }

  @Test("S3 what an older program has left follows what another one with fewer fields has sent")
  func fewerFieldsBetween() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    weak var root: Letter?
    do {
      let older = try await openLetter(store, folder: folder)
      root = older.root
      store.setDown(true)
      await older.waits(until: \.isOffline)
      older.root.via.append(OldAddress(street: "c"))
      await #expect(throws: KeyValueReplicaError.self) { try await older.close() }
    }
    try await death(of: { root })
    store.setDown(false)
    let other = try await openLetter(store)
    other.root.to.street = "x"
    other.root.via.insert(OldAddress(street: "z"), at: 0)
    try await other.flush()
    let newer = try await openNewLetter(store, folder: folder)
    try await newer.flush()
    #expect(newer.conflicts == [])
    let late = try await openNewLetter(store)
    for root in [newer.root, late.root] {
      #expect(root.to == NewAddress("x"))
      #expect(root.via.map(\.street) == ["z", "a", "b", "c"])
    }
  }

  @Test("S3 S5 a change of a structure with a further field stays where a snapshot is without it")
  func restoredWithFewerFields() async throws {
    let store = MemoryLogStore()
    let older = try await openLetter(store)
    try await older.close()
    let newer = try await openNewLetter(store)
    let (gate, opening) = AsyncStream<Never>.makeStream()
    store.fail(.held(gate))
    newer.root.to.street = "c"
    while store.appends == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    store.change("letter") { document in
      document.epoch = UUID()
      document.records = []
      document.snapshots[0].position = document.head
    }
    opening.finish()
    try await newer.flush()
    #expect(newer.conflicts == [])
    #expect(newer.root.to == NewAddress("c"))
    #expect(try await openNewLetter(store).root.to == NewAddress("c"))
  }
}

@KeyValueObservable
private final class Memo {
  var note = MemoNote(text: "a")

  init() {}
}

/// Its coding leaves the tag out while it's nil.
private struct MemoNote: Codable, Equatable {
  var text: String
  var tag: String?
}

@KeyValueObservable
private final class Letter {
  var to = OldAddress(street: "a")
  var via: [OldAddress] = [OldAddress(street: "a"), OldAddress(street: "b")]
  var past: Set<OldAddress> = [OldAddress(street: "a"), OldAddress(street: "b")]
  var marked: [String: OldAddress] = ["first": OldAddress(street: "a")]

  init() {}
}

private struct OldAddress: Codable, Hashable {
  var street: String
}

/// The letter of the next version, whose addresses have a country.
@KeyValueObservable
private final class NewLetter {
  var to = NewAddress("a")
  var via: [NewAddress] = []
  var past: Set<NewAddress> = []
  var marked: [String: NewAddress] = [:]

  init() {}
}

private struct NewAddress: Codable, Hashable {
  var street: String
  var country = "DE"

  init(_ street: String) { self.street = street }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    street = try values.decode(String.self, forKey: .street)
    country = try values.decodeIfPresent(String.self, forKey: .country) ?? "DE"
  }
}

@KeyValueObservable
private final class Keeper {
  var name = ""
  var pet = Pet()

  init() {}
}

@KeyValueObservable
private final class Pet {
  var name = ""

  init() {}
}

/// The keeper of the next version, which has pets that the one before doesn't know.
@KeyValueObservable
private final class NewKeeper {
  var name = ""
  var pet = NewPet()

  init() {}
}

@KeyValueObservable
private class NewPet {
  var name = ""

  required init() {}
}

@KeyValueObservable
private final class NewCat: NewPet {
  var lives = 9
}
