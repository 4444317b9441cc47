import Foundation
import KeyValueObserving
import KeyValueReplica
import Synchronization
import Testing

/// What replicas of older and newer programs do with one document.
@Suite("Schemas: newer programs", .timeLimit(.minutes(10)))
@MainActor
struct NewerSchemaTests {
  @Test("S3 a newer schema makes a replica read-only, and unknown keys stay in the document")
  func newerSchema() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.name = "Analytical"
    try await a.flush()
    let newer = try await openNewer(store)
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
    let again = try await openNewer(store)
    #expect(again.root.motto == "Upward")
    #expect(again.root.employees[0].badge == 7)
  }

  @Test("S3 what may have been committed before a newer program compacted isn't made again")
  func forgottenAnswerOfNewer() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    let (retry, retrying) = AsyncStream<Never>.makeStream()
    store.fail(.answerLost, .held(retry))
    a.root.rooms.append("attic")
    try await waitUntil(store.appends >= 2)
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

  @Test("S3 S5 a reader keeps no snapshot with a record that its class can't have")
  func snapshotOfReader() async throws {
    let store = MemoryLogStore()
    let a = try await KeyValueReplica.open(
      Badge.self, document: "badge", in: store,
      classes: [KeyValueLogClass(Badge.self, formerly: "KeyValueReplicaTests.NewBadge")])
    func openNewBadge() async throws -> KeyValueReplica<NewBadge> {
      try await KeyValueReplica.open(
        NewBadge.self, document: "badge", in: store,
        options: KeyValueReplicaOptions(schema: 2, author: "newer"),
        classes: [KeyValueLogClass(NewBadge.self, formerly: "KeyValueReplicaTests.Badge")])
    }
    let newer = try await openNewBadge()
    newer.root.marks.append("first")
    try await newer.flush()
    for await revision in a.kvo.revision.values() where revision == 1 { break }
    let (gate, opening) = AsyncStream<Never>.makeStream()
    store.holdReading(gate)
    newer.root.performChanges {
      $0.number = 2
      $0.marks.append("second")
    }
    try await newer.flush()
    // The older program's number is a constant, so its replica goes on from the snapshot.
    try await waitUntil(store.heldReadings > 0)
    try await a.saveSnapshot()
    #expect(store.snapshots("badge").map(\.position.revision) == [0, 1])
    opening.finish()
    let late = try await openNewBadge()
    #expect((late.root.number, late.root.marks) == (2, ["first", "second"]))
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

  @Test("S5 a replica that others keep from writing a backup's new keys says so, and tries again")
  func backupWithoutKeysBetweenOthers() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.employees = [Person("Ada")]
    try await a.close()
    let newer = try await openEquipped(store)
    var errors: [KeyValueReplicaError] = []
    let observation = newer.kvo.status.observe { replica, _ in
      if case .refused(let error) = replica.status { errors.append(error) }
    }
    let id = try #require(newer.id(of: newer.root))
    let edit = KeyValueEdit.set(id, key: "name", old: "Engines", new: "Engines")
    let payload = Data(try KeyValueTransactionRecord([edit]).json())
    for _ in 0..<10 {
      store.fail(
        .preceded { document in
          document.records.append(
            LogRecord(
              revision: document.head.revision + 1,
              transaction: LogTransaction(author: "stranger", payload: payload), date: Date()))
        })
    }
    store.change("acme") { document in
      document.epoch = UUID()
      document.records = []
      document.snapshots[0].position = document.head
    }
    for await employees in newer.root.kvo.employees.values() where employees.isEmpty { break }
    let message =
      "The document \"acme\" lacks values of new keys, and other programs write to it all the time. Try again."
    #expect(errors == [.refused(code: "keys", message: message)])
    #expect(errors.map { "\($0)" } == [message])
    newer.root.desk.label = "ash"
    try await newer.flush()
    #expect(try await openEquipped(store).snapshot() == newer.snapshot())
    withExtendedLifetime(observation) {}
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
}

@KeyValueObservable
private final class Badge {
  let number = 1
  var marks: [String] = []

  init() {}
}

/// The badge of the next version, whose number can change.
@KeyValueObservable
private final class NewBadge {
  var number = 1
  var marks: [String] = []

  init() {}
}
