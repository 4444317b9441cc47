import Foundation
import KeyValueObserving
import KeyValueReplica
import Testing

/// What a replica does when the store doesn't do what it's asked for.
@Suite("Obstacles", .timeLimit(.minutes(10)))
@MainActor
struct ObstacleTests {
  @Test("S1 what the store refuses stays in the queue, and is sent once it doesn't")
  func refused() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    store.fail(.refused, .refused)
    a.root.rooms.append("attic")
    await #expect(throws: KeyValueReplicaError.refused(code: "full", message: "no room")) {
      try await a.flush()
    }
    #expect(a.root.rooms == ["attic"])
    await a.waits { $0 == .current }
    #expect(store.records("acme").count == 1)
  }

  @Test("S1 a snapshot that can't be kept refuses no change")
  func refusedSnapshot() async throws {
    let store = MemoryLogStore()
    let a = try await open(store) { $0.snapshotInterval = 1 }
    store.refuseSnapshots()
    for number in 1...5 {
      a.root.rooms.append("\(number)")
      try await a.flush()
    }
    #expect(store.records("acme").count == 5)
    await a.waits { $0 == .current }
    await #expect(throws: KeyValueReplicaError.refused(code: "full", message: "no room")) {
      try await a.saveSnapshot()
    }
  }

  @Test("S1 changes made offline are sent when the store is back")
  func offline() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    store.setDown(true)
    await a.waits(until: \.isOffline)
    for index in 0..<10 { a.root.rooms.append("\(index)") }
    store.setDown(false)
    try await a.flush()
    try await b.reaches(10)
    #expect(b.root.rooms.count == 10)
    // One append for all.
    #expect(store.appends == 1)
  }

  @Test("S1 a deleted document ends its replicas, and later changes are taken back")
  func deleted() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    try await store.delete("acme")
    await a.waits { $0 == .ended(.noDocument("acme")) }
    a.root.name = "Analytical"
    #expect(a.root.name == "Engines")
    await #expect(throws: KeyValueReplicaError.noDocument("acme")) { try await a.flush() }
    #expect(
      "\(KeyValueReplicaError.noDocument("acme"))" == "There is no document \"acme\".")
  }

  @Test("S5 another history of the same document is taken over by difference")
  func anotherEpoch() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.name = "Analytical"
    a.root.rooms = ["attic"]
    try await a.flush()
    let root = a.root
    var told: [String] = []
    let observation = root.kvo.rooms.observe(options: [.old, .new]) { _, change in
      told.append("\(change.oldValue ?? []) -> \(change.newValue ?? [])")
    }
    // As if a backup from before had been restored.
    store.change("acme") { document in
      document.epoch = UUID()
      document.records = []
      document.snapshots[0].position = document.head
    }
    try await a.reaches(0)
    for await name in root.kvo.name.values() where name == "Engines" { break }
    #expect(a.root === root)
    #expect(a.root.rooms == [])
    #expect(told == [#"["attic"] -> []"#])
    observation.invalidate()
    a.root.rooms = ["cellar"]
    try await a.flush()
    #expect(store.records("acme").count == 1)
  }

  @Test(
    "S5 a record that can't be read is left out, and those before it arrive one by one",
    arguments: [
      "{",
      laterRecord,
    ])
  func unreadableRecord(payload: String) async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    let id = try #require(a.identity)
    var told: [String] = []
    let observation = a.root.kvo.rooms.observe(options: .new) { _, change in
      told.append("\(change.kind) \(change.newValue ?? [])")
    }
    let insertions = try ["attic", "roof"].map { room in
      let edit = KeyValueEdit.insert(
        id, key: "rooms", indexes: RangeSet(0..<1), elements: [.string(room)])
      return Data(try KeyValueTransactionRecord([edit]).json())
    }
    store.commit(insertions + [Data(payload.utf8)], to: "acme")
    let b = try await open(store, "b")
    #expect(b.root.rooms == ["roof", "attic"])
    try await a.reaches(3)
    #expect(told == [#"insertion ["attic"]"#, #"insertion ["roof"]"#])
    b.root.rooms.append("cellar")
    try await b.flush()
    try await a.reaches(4)
    #expect(try a.snapshot() == b.snapshot())
    withExtendedLifetime(observation) {}
  }

  @Test("S5 a program that can't read a record keeps no snapshot without it")
  func snapshotWithoutRecord() async throws {
    let store = MemoryLogStore()
    let a = try await open(store, "a") { $0.snapshotInterval = 1 }
    let id = try #require(a.identity)
    let later = Data(laterRecord.utf8)
    store.commit([later], to: "acme")
    try await a.reaches(1)
    // A flush ends after the snapshot that the one before could have kept.
    for room in ["attic", "cellar"] {
      a.root.rooms.append(room)
      try await a.flush()
    }
    let b = try await open(store, "b")
    let refused = KeyValueReplicaError.refused(
      code: "payload",
      message: "Record 1 of document \"acme\" can't be read by this program, and a snapshot would "
        + "lose its changes for all programs. Keep the snapshot with the newer program that has "
        + "written the record.")
    await #expect(throws: refused) { try await a.saveSnapshot() }
    await #expect(throws: refused) { try await b.saveSnapshot() }
    #expect(store.snapshots("acme").map(\.position.revision) == [0])
    // A newer program reads it.
    let edit = KeyValueEdit.set(
      id, key: "name", old: .string("Engines"), new: .string("Analytical"))
    let readable = Data(try KeyValueTransactionRecord([edit]).json())
    store.change("acme") { $0.records[0].transaction.payload = readable }
    let newer = try await open(store, "newer")
    #expect((newer.root.name, newer.root.rooms) == ("Analytical", ["attic", "cellar"]))
    try await newer.saveSnapshot()
    // Its snapshot has the record for all.
    store.change("acme") { $0.records[0].transaction.payload = later }
    let late = try await open(store, "late")
    #expect(try late.snapshot() == newer.snapshot())
    try await late.saveSnapshot()
    #expect(store.snapshots("acme").map(\.position.revision) == [0, 3])
  }

  @Test("S5 a snapshot that can't be read is an error that names it", arguments: ["", "{"])
  func unreadableSnapshot(payload: String) async throws {
    let store = MemoryLogStore()
    try await open(store).close()
    store.change("acme") { $0.snapshots[0].payload = Data(payload.utf8) }
    let reason = try #require(throws: KeyValueJSONError.self) {
      _ = try KeyValueSnapshot(json: payload.utf8)
    }
    let refused = KeyValueReplicaError.refused(
      code: "payload",
      message: "The snapshot of document \"acme\" at revision 0 can't be read: \(reason) Restore "
        + "the document from a backup, or use the newer program that has made the snapshot.")
    await #expect(throws: refused) { _ = try await open(store) }
  }

  @Test("S5 a document whose records don't follow its snapshot is an error that says so")
  func missingRecords() async throws {
    let store = MemoryLogStore()
    try await open(store).close()
    // What was before the oldest record is gone.
    store.change("acme") { $0.oldest = 1 }
    let message =
      "The snapshot and the records of document \"acme\" don't fit together: one is missing. "
      + "Restore the document from a backup."
    let refused = KeyValueReplicaError.refused(code: "payload", message: message)
    await #expect(throws: refused) { _ = try await open(store) }
    #expect("\(refused)" == message)
    #expect(
      "\(KeyValueReplicaError.refused(code: "full", message: "no room"))"
        == "The store refuses (full): no room")
  }

  @Test("S5 a document that the program's classes can't have isn't said to be refused by the store")
  func unfitDocument() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    let id = try #require(a.identity)
    let edit = KeyValueEdit.set(id, key: "budget", old: [:], new: "much")
    store.commit([Data(try KeyValueTransactionRecord([edit]).json())], to: "acme")
    var error: KeyValueReplicaError?
    for await status in a.kvo.status.values() {
      guard case .refused(let refusal) = status else { continue }
      error = refusal
      break
    }
    guard case .unfit(let reason)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("Company.budget was given a value of the wrong type"))
  }

  @Test("S1 a change that observers answer is taken back whole", arguments: [false, true])
  func answeredAndTakenBack(closed: Bool) async throws {
    let store = MemoryLogStore()
    let (a, b) = (
      try await open(store, "a") { $0.maximumPending = 1 }, try await open(store, "b")
    )
    let observation = a.root.kvo.name.observe { root, _ in
      let trimmed = root.name.trimmingCharacters(in: .whitespaces)
      if trimmed != root.name { root.name = trimmed }
    }
    if closed {
      try await a.close()
      a.root.name = " y "
      #expect(a.root.name == "Engines")
    } else {
      store.setDown(true)
      await a.waits(until: \.isOffline)
      a.root.name = "Analytical"
      a.root.name = " y "
      #expect(a.root.name == "Analytical")
      store.setDown(false)
      await #expect(throws: KeyValueReplicaError.queueFull(limit: 1)) { try await a.flush() }
      try await b.reaches(a.revision)
      #expect(try a.snapshot() == b.snapshot())
    }
    withExtendedLifetime(observation) {}
  }

  @Test(
    "S1 what can't be taken back at once is when the store is reached, and the queue is sent",
    arguments: ["rooms", "name"])
  func restoredAfterAnswers(queued: String) async throws {
    let store = MemoryLogStore()
    let (a, b) = (
      try await open(store, "a") { $0.maximumPending = 1 }, try await open(store, "b")
    )
    store.setDown(true)
    await a.waits(until: \.isOffline)
    if queued == "name" { a.root.name = "Analytical" } else { a.root.rooms.append("attic") }
    let sent = try a.snapshot()
    let observation = a.root.kvo.name.observe { root, _ in
      if root.name != "stubborn" { root.name = "stubborn" }
    }
    a.root.name = "x"
    #expect(a.root.name == "stubborn")
    observation.invalidate()
    await #expect(throws: KeyValueReplicaError.self) { try await a.saveSnapshot() }
    store.setDown(false)
    await #expect(throws: KeyValueReplicaError.queueFull(limit: 1)) { try await a.flush() }
    try await b.reaches(a.revision)
    #expect(try a.snapshot() == sent)
    #expect(try b.snapshot() == sent)
  }

  @Test("S1 no snapshot is kept while changes are being taken back")
  func snapshotWhileRestoring() async throws {
    let store = MemoryLogStore()
    let a = try await open(store) { $0.maximumPending = 0 }
    let observation = a.root.kvo.name.observe { root, _ in
      if root.name != "stubborn" { root.name = "stubborn" }
    }
    let (gate, opening) = AsyncStream<Never>.makeStream()
    store.holdReading(gate)
    a.root.name = "x"
    #expect(a.root.name == "stubborn")
    observation.invalidate()
    while store.heldReadings == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    await #expect(throws: KeyValueReplicaError.self) { try await a.saveSnapshot() }
    opening.finish()
    for await name in a.root.kvo.name.values() where name == "Engines" { break }
    await a.waits { $0 == .current }
    try await a.saveSnapshot()
    await #expect(throws: KeyValueReplicaError.queueFull(limit: 0)) { try await a.flush() }
  }

  @Test("S5 a snapshot that arrives after a compaction that has passed it isn't kept")
  func lateSnapshot() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    a.root.rooms.append("attic")
    try await a.flush()
    try await b.reaches(1)
    let (gate, opening) = AsyncStream<Never>.makeStream()
    store.holdSaving(gate)
    let saving = Task { try await a.saveSnapshot() }
    while store.heldSavings == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    b.root.rooms.append("cellar")
    try await b.flush()
    try await b.saveSnapshot()
    _ = try await store.compact("acme", keepingSnapshots: 1, olderThan: .zero)
    opening.finish()
    try await saving.value
    #expect(store.snapshots("acme").map(\.position.revision) == [2])
    #expect(try await open(store, "late").root.rooms == ["attic", "cellar"])
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test(
    "S5 a snapshot that an observer asks for at once is taken when the change is over",
    arguments: [false, true])
  func snapshotByObserver(isOwn: Bool) async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    a.root.name = "Analytical"
    try await a.flush()
    try await b.reaches(1)
    var saving: Task<Void, any Error>?
    let observation = a.root.kvo.rooms.observe { _, _ in
      saving = Task.immediate { try await a.saveSnapshot() }
    }
    let (gate, opening) = AsyncStream<Never>.makeStream()
    if isOwn {
      // It isn't acknowledged before the snapshot is kept.
      store.fail(.held(gate))
      a.root.rooms.append("attic")
    } else {
      b.root.rooms.append("attic")
      try await b.flush()
      try await a.reaches(2)
    }
    let task = try #require(saving)
    try await task.value
    opening.finish()
    try await a.flush()
    #expect(store.snapshots("acme").map(\.position.revision) == [0, isOwn ? 1 : 2])
    #expect(try await open(store, "late").root.rooms == ["attic"])
    withExtendedLifetime(observation) {}
  }

  @Test("S3 after a refused change, others' changes still arrive")
  func refusedThenReads() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    store.fail(.refused, .refused, .refused)
    a.root.rooms.append("attic")
    await #expect(throws: KeyValueReplicaError.self) { try await a.flush() }
    b.root.name = "Difference"
    // It can be refused once, too.
    try? await b.flush()
    for await name in a.root.kvo.name.values() where name == "Difference" { break }
    await a.waits { $0 == .current }
    #expect(Set(store.records("acme").map(\.transaction.author)) == ["a", "b"])
  }

  @Test("S4 undo leaves an object that another writer has changed, and says so")
  func undoOfCreation() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    a.root.employees.append(Person("Ada"))
    try await a.flush()
    try await b.reaches(1)
    b.root.employees[0].salary = 10
    try await b.flush()
    try await a.reaches(2)
    let left = try a.undo()
    #expect(left.map(\.key) == ["salary"])
    #expect(a.root.names == ["Ada"])
  }

  @Test("S4 after a restore, undo takes back what is still there")
  func undoAfterRestore() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    a.root.employees = [Person("Ada"), Person("Grace")]
    a.root.rooms.append("attic")
    try await a.flush()
    try await b.reaches(2)
    store.setDown(true)
    await a.waits(until: \.isOffline)
    store.setDown(false)
    b.root.employees.removeAll { $0.name == "Ada" }
    b.root.rooms.insert("roof", at: 0)
    try await b.flush()
    try await b.saveSnapshot()
    _ = try await store.compact("acme", keepingSnapshots: 1, olderThan: .zero)
    try await a.reaches(4)
    try a.undo()
    #expect(a.root.rooms == ["roof"])
    try a.undo()
    #expect(a.root.names == [])
    try await a.flush()
    try await b.reaches(a.revision)
    #expect(try a.snapshot() == b.snapshot())
  }
}
