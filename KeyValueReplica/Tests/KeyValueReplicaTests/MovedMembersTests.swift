import KeyValueObserving
import KeyValueReplica
import Testing

/// What becomes of an object that two replicas take to different sets or entries; `a` is the faster one.
@Suite("Objects that two replicas move between sets and entries", .timeLimit(.minutes(10)))
@MainActor
struct MovedMembersTests {
  private typealias Replica = KeyValueReplica<Hall>

  private func open(
    _ store: MemoryLogStore, _ author: String, _ rule: KeyValueConflictRule
  ) async throws -> Replica {
    var options = KeyValueReplicaOptions()
    options.author = author
    options.conflictRule = rule
    return try await .open(Hall.self, document: "hall", in: store, options: options)
  }

  /// Two replicas of a hall with one chair, in the set on the left and at one seat.
  private func pair(_ rule: KeyValueConflictRule) async throws -> (Replica, Replica, MemoryLogStore)
  {
    let store = MemoryLogStore()
    let a = try await open(store, "a", rule)
    a.root.performChanges {
      let chair = Chair()
      $0.left = [chair]
      $0.bySeat = ["x": chair]
    }
    try await a.flush()
    return (a, try await open(store, "b", rule), store)
  }

  /// Sends what `a` has, then what `b` has, which hasn't read it.
  ///
  /// - Returns: The keys of the conflicts that `b` meets.
  private func meet(_ a: Replica, _ b: Replica, _ store: MemoryLogStore) async throws -> [String] {
    try await store.bringTogether(a, b)
    return b.conflicts.map { $0.key ?? "-" }
  }

  private func move(_ replica: Replica, to key: ReferenceWritableKeyPath<Hall, Set<Chair>>) {
    replica.root.performChanges { $0[keyPath: key].insert($0.left.removeFirst()) }
  }

  @Test("S3 two moves of an object to different sets are a conflict", arguments: [false, true])
  func sets(lastWriterWins: Bool) async throws {
    let (a, b, store) = try await pair(lastWriterWins ? .lastWriterWins : .reject)
    move(a, to: \.middle)
    move(b, to: \.right)
    #expect(try await meet(a, b, store) == ["right"])
    let counts = [a.root.left.count, a.root.middle.count, a.root.right.count]
    #expect(counts == (lastWriterWins ? [0, 0, 1] : [0, 1, 0]))
  }

  @Test("S3 two moves of an object to the same set aren't a conflict")
  func sameSet() async throws {
    let (a, b, store) = try await pair(.reject)
    move(a, to: \.middle)
    move(b, to: \.middle)
    #expect(try await meet(a, b, store) == [])
    #expect([a.root.left.count, a.root.middle.count, a.root.right.count] == [0, 1, 0])
  }

  @Test("S3 an object may be at two entries, to which two replicas have moved it")
  func entries() async throws {
    let (a, b, store) = try await pair(.reject)
    for (replica, seat) in [(a, "y"), (b, "z")] {
      replica.root.performChanges { $0.bySeat[seat] = $0.bySeat.removeValue(forKey: "x") }
    }
    #expect(try await meet(a, b, store) == [])
    #expect(a.root.bySeat.keys.sorted() == ["y", "z"])
    #expect(a.root.bySeat["y"] === a.root.left.first && a.root.bySeat["z"] === a.root.left.first)
  }
}

@MainActor @KeyValueObservable
final class Hall {
  var left: Set<Chair> = []
  var middle: Set<Chair> = []
  var right: Set<Chair> = []
  var bySeat: [String: Chair] = [:]

  init() {}
}

@MainActor @KeyValueObservable
final class Chair: Hashable {
  var name = ""

  init() {}

  nonisolated static func == (one: Chair, other: Chair) -> Bool { one === other }

  nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
