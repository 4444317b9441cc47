import KeyValueObserving
import KeyValueReplica
import Testing

/// What closing, flushing and releasing a replica do while something is under way.
@Suite("Obstacles: closing", .timeLimit(.minutes(10)))
@MainActor
struct ClosingObstacleTests {
  /// Where `close()` is called.
  enum Caller: CaseIterable {
    case observer, observerOfStatus, transaction
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

  @Test("S3 what is changed while close() waits is taken back, and flush() says so")
  func changedWhileClosing() async throws {
    @MainActor final class Flag { var isSet = false }
    let store = MemoryLogStore()
    let a = try await open(store)
    let (gate, opening) = AsyncStream<Never>.makeStream()
    store.fail(.held(gate))
    a.root.rooms.append("attic")
    while store.appends == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    let begun = Flag()
    let closing = Task {
      begun.isSet = true
      try await a.close()
    }
    while !begun.isSet {
      try Task.checkCancellation()
      await Task.yield()
    }
    a.root.rooms.append("cellar")
    #expect(a.root.rooms == ["attic"])
    opening.finish()
    try await closing.value
    #expect(store.records("acme").count == 1)
    await #expect(throws: KeyValueReplicaError.closed) { try await a.flush() }
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
    await a.waits(until: \.isOffline)
    a.root.name = "Analytical"
    await #expect(throws: KeyValueReplicaError.queueFull(limit: 0)) { try await a.flush() }
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
    await b.waits { $0 == .current }
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

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test("S1 flush() that an observer calls at once waits for the change that it's told of")
  func flushedByObserver() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    var flushing: Task<Int, any Error>?
    let observation = a.root.kvo.rooms.observe { _, _ in
      flushing = Task.immediate {
        try await a.flush()
        return store.records("acme").count
      }
    }
    a.root.rooms.append("attic")
    let task = try #require(flushing)
    #expect(try await task.value == 1)
    withExtendedLifetime(observation) {}
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test(
    "S1 close() that is called at once inside a change sends the change",
    arguments: Caller.allCases)
  func closedInsideChange(caller: Caller) async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    var closing: Task<Void, any Error>?
    var observation: KeyValueObservation?
    switch caller {
    case .observer:
      observation = a.root.kvo.rooms.observe { _, _ in
        if closing == nil { closing = Task.immediate { try await a.close() } }
      }
      a.root.rooms.append("attic")
    case .observerOfStatus:
      observation = a.kvo.status.observe { replica, _ in
        guard closing == nil else { return }
        replica.root.name = "Analytical"
        closing = Task.immediate { try await a.close() }
      }
      a.root.rooms.append("attic")
    case .transaction:
      a.root.performChanges {
        $0.rooms.append("attic")
        closing = Task.immediate { try await a.close() }
      }
    }
    let task = try #require(closing)
    try await task.value
    let isAnswered = caller == .observerOfStatus
    #expect((a.root.rooms, a.root.name) == (["attic"], isAnswered ? "Analytical" : "Engines"))
    #expect(store.records("acme").count == (isAnswered ? 2 : 1))
    #expect(a.status == .ended(.closed))
    withExtendedLifetime(observation) {}
  }

  @Test("S1 flush() that has nothing to wait for isn't ended by a later close()")
  func flushedBeforeClosing() async throws {
    let a = try await open(MemoryLogStore())
    let flushing = Task { try await a.flush() }
    let closing = Task { try await a.close() }
    try await flushing.value
    try await closing.value
    #expect(a.status == .ended(.closed))
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
    try await death(of: { root })
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
