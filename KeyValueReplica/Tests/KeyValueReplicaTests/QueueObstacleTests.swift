import Foundation
import KeyValueObserving
import KeyValueReplica
import Testing

/// What becomes of transactions that wait, in memory and in the queue's file.
@Suite("Obstacles: what waits", .timeLimit(.minutes(10)))
@MainActor
struct QueueObstacleTests {
  @Test("S1 more waiting transactions than the limit are taken back")
  func queueFull() async throws {
    let store = MemoryLogStore()
    let a = try await open(store) { $0.maximumPending = 3 }
    store.setDown(true)
    await a.waits(until: \.isOffline)
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
    await a.waits(until: \.isOffline)
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
    weak var root: Company?
    do {
      let a = try await open(store, "a") { $0.queueFolder = folder }
      root = a.root
      store.fail(.answerLost, .unreachable, .unreachable)
      a.root.rooms.append("committed")
      // The queue's file has the first one when its answer is lost.
      await a.waits(until: \.isOffline)
      #expect(store.records("acme").count == 1)
    }
    try await death(of: { root })
    do {
      // Another one changes the same, then the answer is lost before the transaction has arrived.
      let b = try await open(store, "b")
      b.root.employees = [Person("Ada")]
      try await b.flush()
      let a = try await open(store, "a") { $0.queueFolder = folder }
      root = a.root
      #expect(a.root.rooms == ["committed"])
      store.fail(.unreachable, .unreachable, .unreachable, .unreachable)
      a.root.kvo.employees.mutableArray().append(Person("Grace"))
      await a.waits(until: \.isOffline)
    }
    try await death(of: { root })
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
      await a.waits { if case .refused = $0 { true } else { false } }
    }
    try await death(of: { root })
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
    weak var root: Company?
    do {
      let (a, b) = (
        try await open(store, "a") { $0.queueFolder = folder }, try await open(store, "b")
      )
      root = a.root
      store.setDown(true)
      await a.waits(until: \.isOffline)
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
      await a.waits(until: \.isOffline)
      a.root.rooms.append("cellar")
      while !FileManager.default.fileExists(atPath: file) {
        try Task.checkCancellation()
        await Task.yield()
      }
      await #expect(throws: KeyValueReplicaError.self) { try await a.close() }
    }
    try await death(of: { root })
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
    weak var first: Company?
    weak var second: Company?
    do {
      let (a, b) = (
        try await open(store, "a") { $0.queueFolder = folder },
        try await open(store, "b") { $0.queueFolder = folder }
      )
      (first, second) = (a.root, b.root)
      store.setDown(true)
      for replica in [a, b] {
        await replica.waits(until: \.isOffline)
        replica.root.rooms.append("attic")
        await #expect(throws: KeyValueReplicaError.self) { try await replica.close() }
      }
    }
    try await death(of: { first })
    try await death(of: { second })
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
    await a.waits(until: \.isOffline)
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

  @Test(
    "S5 what a process left is merged with others' records, also if one of these can't be read",
    arguments: [[], [Data(laterRecord.utf8)]])
  func queueFileOverUnreadable(unreadable: [Data]) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    weak var root: Company?
    let id: KeyValueObjectID
    do {
      let a = try await open(store, "a") { $0.queueFolder = folder }
      root = a.root
      id = try #require(a.identity)
      store.setDown(true)
      await a.waits(until: \.isOffline)
      a.root.name = "Mine"
      await #expect(throws: KeyValueReplicaError.self) { try await a.close() }
    }
    try await death(of: { root })
    store.setDown(false)
    let edit = KeyValueEdit.set(id, key: "name", old: .string("Engines"), new: .string("Theirs"))
    let theirs = Data(try KeyValueTransactionRecord([edit]).json())
    store.commit([theirs] + unreadable, to: "acme")
    let again = try await open(store, "again") {
      $0.queueFolder = folder
      $0.conflictRule = .lastWriterWins
    }
    let place = "KeyValueReplicaTests.Company.name of \("\(id)".prefix(8))"
    #expect(
      again.conflicts.map { "\($0)" } == ["\(place): \"Mine\" here, \"Theirs\" from \"stranger\""])
    try await again.flush()
    #expect(again.root.name == "Mine")
    #expect(store.records("acme").count == 2 + unreadable.count)
  }

  @Test(
    "S3 what a process left meets the rule also where the records since then were compacted",
    arguments: [false, true])
  func queueFileAfterCompaction(wins: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    weak var root: Company?
    do {
      let a = try await open(store, "a") { $0.queueFolder = folder }
      root = a.root
      store.setDown(true)
      await a.waits(until: \.isOffline)
      a.root.name = "Mine"
      a.root.budget["travel"] = 1
      a.root.rooms.append("attic")
      await #expect(throws: KeyValueReplicaError.self) { try await a.close() }
    }
    try await death(of: { root })
    store.setDown(false)
    let b = try await open(store, "b")
    b.root.name = "Theirs"
    b.root.budget["travel"] = 2
    try await b.flush()
    try await b.saveSnapshot()
    _ = try await store.compact("acme", keepingSnapshots: 1, olderThan: .zero)
    let again = try await open(store, "again") {
      $0.queueFolder = folder
      if wins { $0.conflictRule = .lastWriterWins }
    }
    #expect(again.conflicts.map(\.key) == ["name", "budget"])
    let conflict = try #require(again.conflicts.first)
    #expect([conflict.base, conflict.mine, conflict.theirs] == ["Engines", "Mine", "Theirs"])
    if wins {
      try await again.flush()
    } else {
      await #expect(throws: KeyValueReplicaError.conflict([conflict])) { try await again.flush() }
    }
    #expect(again.root.name == (wins ? "Mine" : "Theirs"))
    #expect(again.root.budget == ["travel": wins ? 1 : 2])
    #expect(again.root.rooms == ["attic"])
    try await b.reaches(again.revision)
    #expect(try b.snapshot() == again.snapshot())
  }

  @Test("S1 a torn line of the queue's file loses only itself")
  func tornLine() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    for room in ["attic", "cellar"] {
      try await leave(store) {
        try await open(store, "a") { $0.queueFolder = folder }
      } changing: { (company: Company) in
        company.rooms.append(room)
      }
      let file = try FileHandle(forUpdating: URL(filePath: "\(folder)/acme-0.queue"))
      try file.seekToEnd()
      try file.write(contentsOf: Data("{\"transaction\":{\"id".utf8))
    }
    let again = try await open(store, "again") { $0.queueFolder = folder }
    try await again.flush()
    #expect(again.root.rooms == ["attic", "cellar"])
  }

  @Test("S1 a queue's file is found behind numbers that have none")
  func queueFileBehindGap() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = MemoryLogStore()
    weak var root: Company?
    do {
      var replicas: [KeyValueReplica<Company>] = []
      for author in ["a", "b", "c"] {
        replicas.append(try await open(store, author) { $0.queueFolder = folder })
      }
      store.setDown(true)
      await replicas[2].waits(until: \.isOffline)
      replicas[2].root.rooms.append("attic")
      root = replicas[2].root
      for replica in replicas { try? await replica.close() }
    }
    try await death(of: { root })
    store.setDown(false)
    let again = try await open(store, "again") { $0.queueFolder = folder }
    try await again.flush()
    #expect(again.root.rooms == ["attic"])
    #expect(store.records("acme").count == 1)
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
    await #expect(throws: outcomeForgotten) { try await a.flush() }
    #expect(a.root.rooms == ["attic"])
    b.root.name = "Analytical"
    try await b.flush()
    try await a.reaches(b.revision)
    #expect(try a.snapshot() == b.snapshot())
    #expect(b.root.rooms == ["attic"])
  }

  @Test("S1 no snapshot is kept until it's known what became of what isn't sent again")
  func snapshotAfterForgottenAnswer() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await open(store, "a"), try await open(store, "b"))
    let (retry, retrying) = AsyncStream<Never>.makeStream()
    store.fail(.answerLost, .held(retry))
    a.root.rooms.append("attic")
    while store.appends < 2 {
      try Task.checkCancellation()
      await Task.yield()
    }
    try await b.reaches(1)
    b.root.rooms.append("cellar")
    try await b.flush()
    try await b.saveSnapshot()
    _ = try await store.compact("acme", keepingSnapshots: 1, olderThan: .zero)
    let (gate, opening) = AsyncStream<Never>.makeStream()
    store.holdReading(gate)
    retrying.finish()
    while store.heldReadings == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    // The graph has the change, and its revision is still 0.
    await #expect(throws: KeyValueReplicaError.self) { try await a.saveSnapshot() }
    opening.finish()
    await #expect(throws: outcomeForgotten) { try await a.flush() }
    try await a.reaches(2)
    #expect(a.root.rooms == ["attic", "cellar"])
    try await a.saveSnapshot()
    #expect(store.snapshots("acme").map(\.position.revision) == [2])
  }
}
