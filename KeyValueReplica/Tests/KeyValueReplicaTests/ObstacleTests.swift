import Foundation
import KeyValueObserving
import KeyValueReplica
import Testing

/// What a replica does when the store doesn't do what it's asked for.
@Suite("Obstacles", .timeLimit(.minutes(1)))
@MainActor
struct ObstacleTests {
  private func waits<Root>(
    _ replica: KeyValueReplica<Root>, until isReached: (KeyValueReplicaStatus) -> Bool
  ) async {
    for await status in replica.kvo.status.values() where isReached(status) { break }
  }

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
    await waits(a) { $0 == .current }
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
    await waits(a) { $0 == .current }
    await #expect(throws: KeyValueReplicaError.refused(code: "full", message: "no room")) {
      try await a.saveSnapshot()
    }
  }

  @Test("S1 changes made offline are sent when the store is back")
  func offline() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    store.setDown(true)
    await waits(a) { if case .offline = $0 { true } else { false } }
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
    await waits(a) { $0 == .ended(.noDocument("acme")) }
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
    a.root.rooms = ["cellar"]
    try await a.flush()
    #expect(store.records("acme").count == 1)
  }

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
    await waits(a) { $0 == .readOnly(schema: 2) }
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

  private func openNewer(
    _ store: some LogStore, folder: String? = nil
  ) async throws -> KeyValueReplica<NewCompany> {
    try await KeyValueReplica.open(
      NewCompany.self, document: "acme", in: store,
      options: KeyValueReplicaOptions(schema: 2, author: "newer", queueFolder: folder),
      classes: newClasses)
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
      await waits(a) { $0 == .readOnly(schema: 2) }
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
      await waits(a) { if case .offline = $0 { true } else { false } }
      await #expect(throws: error) { try await a.flush() }
      store.setDown(false)
      await waits(a) { $0 == .readOnly(schema: 2) }
      await #expect(throws: error) { try await a.close() }
    }
    while root != nil {
      try Task.checkCancellation()
      await Task.yield()
    }
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

  @Test("S1 close() doesn't wait for a store that goes away while it sends")
  func closedWhileSending() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    let (gate, opening) = AsyncStream<Never>.makeStream()
    store.fail(.held(gate))
    a.root.rooms.append("attic")
    while store.appends == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    let closing = Task { try await a.close() }
    await Task.yield()
    store.setDown(true)
    opening.finish()
    await #expect(throws: KeyValueReplicaError.unreachable("a transaction isn't acknowledged")) {
      try await closing.value
    }
    #expect(a.status == .ended(.closed))
  }

  @Test("S1 close() doesn't wait for a store that can be read only")
  func closedWhileOnlyRead() async throws {
    @MainActor final class Flag { var isSet = false }
    let store = MemoryLogStore()
    let a = try await open(store)
    store.fail(.unreachable, .unreachable, .unreachable, .unreachable, .unreachable)
    let begun = Flag()
    var closing: Task<Void, any Error>?
    try await store.holding("a") {
      a.root.rooms.append("attic")
      closing = Task {
        begun.isSet = true
        try await a.close()
      }
      while !begun.isSet {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
    await #expect(throws: KeyValueReplicaError.unreachable("a transaction isn't acknowledged")) {
      try await closing?.value
    }
    #expect(store.records("acme").isEmpty)
  }

  @Test("S1 close() waits for an answer that was lost")
  func closedAfterLostAnswer() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    store.fail(.answerLost)
    a.root.rooms.append("attic")
    try await a.close()
    #expect(store.records("acme").count == 1)
  }

  @Test("S1 flush() says what was taken back while the store is away")
  func takenBackOffline() async throws {
    let store = MemoryLogStore()
    let a = try await open(store) { $0.maximumPending = 0 }
    store.setDown(true)
    await waits(a) { if case .offline = $0 { true } else { false } }
    a.root.name = "Analytical"
    await #expect(throws: KeyValueReplicaError.queueFull(limit: 0)) { try await a.flush() }
  }

  @Test("S1 more waiting transactions than the limit are taken back")
  func queueFull() async throws {
    let store = MemoryLogStore()
    let a = try await open(store) { $0.maximumPending = 3 }
    store.setDown(true)
    await waits(a) { if case .offline = $0 { true } else { false } }
    for index in 0..<5 { a.root.rooms.append("\(index)") }
    #expect(a.root.rooms == ["0", "1", "2"])
    store.setDown(false)
    await #expect(throws: KeyValueReplicaError.queueFull(limit: 3)) { try await a.flush() }
    #expect(store.records("acme").count == 3)
    try await a.flush()
  }

  @Test("S1 ten thousand transactions wait while the store is away")
  func tenThousand() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    store.setDown(true)
    await waits(a) { if case .offline = $0 { true } else { false } }
    for index in 0..<10_000 { a.root.name = "\(index)" }
    store.setDown(false)
    try await a.flush()
    try await b.reaches(10_000)
    #expect(b.root.name == "9999")
  }

  @Test("S1 a transaction of 20 MB arrives; one above the limit is taken back")
  func large() async throws {
    let store = MemoryLogStore()
    let (a, b) = (
      try await open(store, "a") { $0.maximumTransactionSize = 32 << 20 },
      try await open(store, "b")
    )
    a.root.name = String(repeating: "x", count: 20 << 20)
    try await a.flush()
    try await b.reaches(1)
    #expect(b.root.name.utf8.count == 20 << 20)
    a.root.name = String(repeating: "y", count: 33 << 20)
    a.root.rooms.append("attic")
    await #expect(throws: KeyValueReplicaError.self) { try await a.flush() }
    #expect(a.root.name.utf8.count == 20 << 20)
    try await a.flush()
    #expect(a.root.rooms == ["attic"])
    try await b.reaches(2)
    #expect(try a.snapshot() == b.snapshot())
  }

  @Test("S1 a transaction that a process left in its queue is sent by the next")
  func queueFile() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    do {
      let a = try await open(store, "a") { $0.queueFolder = folder }
      store.fail(.answerLost, .unreachable, .unreachable)
      a.root.rooms.append("committed")
      // The queue's file has the first one when its answer is lost.
      await waits(a) { if case .offline = $0 { true } else { false } }
      #expect(store.records("acme").count == 1)
    }
    do {
      // Another one changes the same, then the answer is lost before the transaction has arrived.
      let b = try await open(store, "b")
      b.root.employees = [Person("Ada")]
      try await b.flush()
      let a = try await open(store, "a") { $0.queueFolder = folder }
      #expect(a.root.rooms == ["committed"])
      store.fail(.unreachable, .unreachable, .unreachable, .unreachable)
      a.root.kvo.employees.mutableArray().append(Person("Grace"))
      await waits(a) { if case .offline = $0 { true } else { false } }
    }
    let b = try await open(store, "b")
    b.root.kvo.employees.mutableArray().insert(Person("Hedy"), at: 0)
    store.change("acme") { _ in }
    try? await b.flush()
    let a = try await open(store, "a") { $0.queueFolder = folder }
    try await a.flush()
    #expect(a.root.names == ["Hedy", "Ada", "Grace"])
    try await b.reaches(a.revision)
    #expect(try a.snapshot() == b.snapshot())
    #expect(Set(store.records("acme").map(\.transaction.id)).count == store.records("acme").count)
  }

  @Test("S1 what the store has refused is sent by the next process, also after a compaction")
  func queueFileRefused() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    weak var root: Company?
    do {
      let a = try await open(store, "a") { $0.queueFolder = folder }
      root = a.root
      store.fail(.refused, .refused, .refused, .refused, .refused, .refused)
      a.root.rooms.append("attic")
      await waits(a) { if case .refused = $0 { true } else { false } }
    }
    // The loop has the file until its end.
    while root != nil {
      try Task.checkCancellation()
      await Task.yield()
    }
    store.failNoMore()
    let b = try await open(store, "b")
    b.root.name = "Analytical"
    try await b.flush()
    try await b.saveSnapshot()
    _ = try await store.compact("acme", keepingSnapshots: 1, olderThan: .zero)
    let again = try await open(store, "again") { $0.queueFolder = folder }
    try await again.flush()
    #expect((again.root.rooms, again.root.name) == (["attic"], "Analytical"))
  }

  @Test("S1 what is changed offline is in the queue's file, and what was taken back isn't")
  func queueFileOffline() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    let file = "\(folder)/acme-0.queue"
    do {
      let (a, b) = (
        try await open(store, "a") { $0.queueFolder = folder }, try await open(store, "b")
      )
      store.setDown(true)
      await waits(a) { if case .offline = $0 { true } else { false } }
      a.root.name = "Analytical"
      a.root.rooms.append("attic")
      while !FileManager.default.fileExists(atPath: file) {
        try Task.checkCancellation()
        await Task.yield()
      }
      store.setDown(false)
      store.change("acme") { _ in }
      b.root.name = "Difference"
      try? await b.flush()
      try? await a.flush()
      store.setDown(true)
      await waits(a) { if case .offline = $0 { true } else { false } }
      a.root.rooms.append("cellar")
      while !FileManager.default.fileExists(atPath: file) {
        try Task.checkCancellation()
        await Task.yield()
      }
      await #expect(throws: KeyValueReplicaError.self) { try await a.close() }
    }
    store.setDown(false)
    let count = store.records("acme").count
    let again = try await open(store, "again") { $0.queueFolder = folder }
    try await again.flush()
    #expect(again.root.rooms == ["attic", "cellar"])
    #expect(store.records("acme").count == count + 1)
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test("S1 what is changed while the store is called is in the queue's file before the call ends")
  func queueFileWhileSending() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    let crashed = folder + "-crashed"
    defer {
      for folder in [folder, crashed] { try? FileManager.default.removeItem(atPath: folder) }
    }
    let store = MemoryLogStore()
    let a = try await open(store, "a") { $0.queueFolder = folder }
    let (gate, opening) = AsyncStream<Never>.makeStream()
    store.fail(.held(gate))
    a.root.rooms.append("attic")
    while store.appends == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    a.root.rooms.append("cellar")
    a.root.name = "Analytical"
    func kept() throws -> Int {
      try String(contentsOfFile: "\(folder)/acme-0.queue", encoding: .utf8)
        .components(separatedBy: "\"transaction\":{").count - 1
    }
    while try kept() < 3 {
      try Task.checkCancellation()
      await Task.yield()
    }
    // What the process would leave, if it ended now.
    try FileManager.default.createDirectory(atPath: crashed, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: "\(folder)/acme-0.queue", toPath: "\(crashed)/acme-0.queue")
    #expect(store.records("acme").isEmpty)
    let again = try await open(store, "again") { $0.queueFolder = crashed }
    try await again.flush()
    #expect((again.root.rooms, again.root.name) == (["attic", "cellar"], "Analytical"))
    opening.finish()
    try await a.flush()
    #expect(store.records("acme").count == 3)
    #expect(try a.snapshot() == again.snapshot())
  }

  @Test("S1 queues of two documents of one name don't meet, and all that were left are taken over")
  func queueFilesApart() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (store, other) = (MemoryLogStore(), MemoryLogStore())
    do {
      let (a, b) = (
        try await open(store, "a") { $0.queueFolder = folder },
        try await open(store, "b") { $0.queueFolder = folder }
      )
      store.setDown(true)
      for replica in [a, b] {
        await waits(replica) { if case .offline = $0 { true } else { false } }
        replica.root.rooms.append("attic")
        await #expect(throws: KeyValueReplicaError.self) { try await replica.close() }
      }
    }
    let stranger = try await open(other, "c") { $0.queueFolder = folder }
    #expect(stranger.root.rooms == [])
    store.setDown(false)
    let again = try await open(store, "again") { $0.queueFolder = folder }
    try await again.flush()
    #expect(again.root.rooms == ["attic", "attic"])
    #expect(store.records("acme").count == 2)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy {
        $0.hasSuffix(".lock")
      })
  }

  @Test("S1 the queue's file of a closed replica that is still held is taken over")
  func queueFileOfClosed() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    let a = try await open(store, "a") { $0.queueFolder = folder }
    store.setDown(true)
    await waits(a) { if case .offline = $0 { true } else { false } }
    a.root.rooms.append("attic")
    await #expect(throws: KeyValueReplicaError.self) { try await a.close() }
    store.setDown(false)
    var again = try await open(store, "again") { $0.queueFolder = folder }
    // The loop has the file until its end.
    while again.root.rooms.isEmpty {
      try Task.checkCancellation()
      try await again.close()
      again = try await open(store, "again") { $0.queueFolder = folder }
    }
    try await again.flush()
    #expect(again.root.rooms == ["attic"])
    #expect(store.records("acme").count == 1)
    #expect(a.status == .ended(.closed))
  }

  @Test("S1 a torn line of the queue's file loses only itself")
  func tornLine() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    for room in ["attic", "cellar"] {
      store.setDown(false)
      let a = try await open(store, "a") { $0.queueFolder = folder }
      store.setDown(true)
      await waits(a) { if case .offline = $0 { true } else { false } }
      a.root.rooms.append(room)
      await #expect(throws: KeyValueReplicaError.self) { try await a.close() }
      let file = try FileHandle(forUpdating: URL(filePath: "\(folder)/acme-0.queue"))
      try file.seekToEnd()
      try file.write(contentsOf: Data("{\"transaction\":{\"id".utf8))
    }
    store.setDown(false)
    let again = try await open(store, "again") { $0.queueFolder = folder }
    try await again.flush()
    #expect(again.root.rooms == ["attic", "cellar"])
  }

  @Test("S1 a queue's file is found behind numbers that have none")
  func queueFileBehindGap() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    do {
      var replicas: [KeyValueReplica<Company>] = []
      for author in ["a", "b", "c"] {
        replicas.append(try await open(store, author) { $0.queueFolder = folder })
      }
      store.setDown(true)
      await waits(replicas[2]) { if case .offline = $0 { true } else { false } }
      replicas[2].root.rooms.append("attic")
      for replica in replicas { try? await replica.close() }
    }
    store.setDown(false)
    let again = try await open(store, "again") { $0.queueFolder = folder }
    try await again.flush()
    #expect(again.root.rooms == ["attic"])
    #expect(store.records("acme").count == 1)
  }

  @Test("S1 close() says what was taken back since the last flush()")
  func closedAfterConflict() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    try await store.holding("b") {
      b.root.name = "Difference"
      a.root.name = "Analytical"
      try await a.flush()
    }
    for await name in b.root.kvo.name.values() where name == "Analytical" { break }
    await waits(b) { $0 == .current }
    await #expect(throws: KeyValueReplicaError.self) { try await b.close() }
    #expect(b.status == .ended(.closed))
  }

  @Test("S1 each flush() says what was taken back, however many wait")
  func manyFlushes() async throws {
    @MainActor final class Counter { var count = 0 }
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    a.root.employees = [Person("Ada")]
    try await a.flush()
    try await b.reaches(1)
    let begun = Counter()
    var flushes: [Task<Bool, Never>] = []
    try await store.holding("b") {
      for index in 1...150 {
        b.root.employees[0].salary = index
        flushes.append(
          Task {
            begun.count += 1
            do {
              try await b.flush()
              return false
            } catch { return error is KeyValueReplicaError }
          })
        while begun.count < index {
          try Task.checkCancellation()
          await Task.yield()
        }
      }
      a.root.employees.remove(at: 0)
      try await a.flush()
    }
    var told: [Bool] = []
    for flush in flushes { told.append(await flush.value) }
    #expect(told == Array(repeating: true, count: 150))
    #expect(b.root.names == [])
    try await b.flush()
  }

  @Test("S1 what may have been committed isn't sent again, and flush() says so")
  func forgottenAnswer() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    store.fail(
      .answerLost, .unreachable, .unreachable, .unreachable, .unreachable, .unreachable,
      .unreachable)
    a.root.rooms.append("attic")
    try await b.reaches(1)
    try await b.saveSnapshot()
    _ = try await store.compact("acme", keepingSnapshots: 1, olderThan: .zero)
    await #expect(
      throws: KeyValueReplicaError.unreachable(
        "a transaction was sent, its answer was lost, and the store has forgotten since whether it was committed; "
          + "it isn't sent again, so see whether the document has its change")
    ) { try await a.flush() }
    #expect(a.root.rooms == ["attic"])
    b.root.name = "Analytical"
    try await b.flush()
    try await a.reaches(b.revision)
    #expect(try a.snapshot() == b.snapshot())
    #expect(b.root.rooms == ["attic"])
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
      await waits(a) { if case .offline = $0 { true } else { false } }
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
    await waits(a) { if case .offline = $0 { true } else { false } }
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
    await waits(a) { $0 == .current }
    try await a.saveSnapshot()
    await #expect(throws: KeyValueReplicaError.queueFull(limit: 0)) { try await a.flush() }
  }

  @Test("S1 a replica that is closed survives an observer that answers each change")
  func answered() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    let observation = a.root.kvo.name.observe { root, _ in
      let trimmed = root.name.trimmingCharacters(in: .whitespaces)
      if trimmed != root.name { root.name = trimmed }
    }
    try await a.close()
    a.root.name = " y "
    #expect(a.status == .ended(.closed))
    withExtendedLifetime(observation) {}
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
    await waits(a) { $0 == .current }
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
    await waits(a) { if case .offline = $0 { true } else { false } }
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

  @Test("S1 a closed replica sends what it has, and takes later changes back")
  func closed() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.rooms.append("attic")
    try await a.close()
    #expect(store.records("acme").count == 1)
    #expect(a.status == .ended(.closed))
    a.root.rooms.append("cellar")
    #expect(a.root.rooms == ["attic"])
    await #expect(throws: KeyValueReplicaError.closed) { try await a.flush() }
  }

  @Test("S1 a replica that is released while it sends leaves nothing behind")
  func released() async throws {
    let store = MemoryLogStore()
    weak var root: Company?
    do {
      let a = try await open(store)
      root = a.root
      a.root.rooms.append("attic")
    }
    // The loop ends at its next step.
    while root != nil {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(root == nil)
  }

  @Test("S1 a replica that is released while it sends keeps no snapshot of later changes")
  func releasedBeforeSnapshot() async throws {
    final class Token: Sendable {}
    let store = MemoryLogStore()
    let root: Company
    weak var kept: Token?
    let (gate, opening) = AsyncStream<Never>.makeStream()
    do {
      let token = Token()
      kept = token
      let a = try await open(store) {
        $0.snapshotInterval = 1
        // Held as long as the loop runs.
        $0.conflictRule = .custom { _ in
          withExtendedLifetime(token) { KeyValueConflictRule.Resolution.reject }
        }
      }
      root = a.root
      store.fail(.held(gate))
      a.root.rooms.append("attic")
      while store.appends == 0 {
        try Task.checkCancellation()
        await Task.yield()
      }
      withExtendedLifetime(a) {}
    }
    root.rooms.append("cellar")
    opening.finish()
    while kept != nil {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(store.records("acme").count == 1)
    var revisions: [Int64] = []
    store.change("acme") { document in revisions = document.snapshots.map(\.position.revision) }
    #expect(revisions == [0])
    #expect(try await open(store, "late").root.rooms == ["attic"])
  }

  @Test("S1 objects of a released replica are ordinary ones at once", arguments: [false, true])
  func releasedObjects(closed: Bool) async throws {
    let store = MemoryLogStore()
    let root: Company
    do {
      let a = try await open(store)
      root = a.root
      root.rooms.append("attic")
      if closed { try await a.close() } else { try await a.flush() }
    }
    // The loop's last step isn't over yet: nothing was awaited since.
    root.rooms.append("cellar")
    #expect(root.rooms == ["attic", "cellar"])
    #expect(root.observationInfo.isEmpty)
    for _ in 0..<1_000 {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(root.rooms == ["attic", "cellar"])
    #expect(store.records("acme").count == 1)
  }
}

/// The company of the next version, which is the same in records.
@MainActor @KeyValueObservable
final class NewCompany {
  var name = "Engines"
  var motto = ""
  var employees: [NewPerson] = []
  var past: [NewPerson] = []
  var rooms: [String] = []
  var tags: Set<String> = []
  var budget: [String: Int] = [:]
  weak var chief: NewPerson?

  init() {}
}

/// The company of a version whose new keys begin with elements.
@MainActor @KeyValueObservable
final class FurnishedCompany {
  var name = "Engines"
  var employees: [Person] = []
  var past: [Person] = []
  var rooms: [String] = []
  var tags: Set<String> = []
  var budget: [String: Int] = [:]
  weak var chief: Person?
  var offices = ["hq"]
  var limits = ["seats": 4]
  var colors: Set = ["red"]

  init() {}
}

@MainActor @KeyValueObservable
final class NewPerson {
  var name: String
  var salary: Int
  var badge = 0

  init(_ name: String, salary: Int = 0) {
    self.name = name
    self.salary = salary
  }
}
