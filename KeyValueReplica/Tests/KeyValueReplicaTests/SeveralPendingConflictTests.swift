import KeyValueObserving
import KeyValueReplica
import Testing

/// What becomes of several own transactions that change one key while another writer's change of it comes first; `a`
/// is the faster one.
@Suite("Conflicts of several transactions", .timeLimit(.minutes(10)))
@MainActor
struct SeveralPendingConflictTests {
  private func pair(
    _ rule: KeyValueConflictRule
  ) async throws -> (KeyValueReplica<Company>, KeyValueReplica<Company>, MemoryLogStore) {
    let store = MemoryLogStore()
    let a = try await open(store, "a")
    a.root.employees = [Person("Ada")]
    try await a.flush()
    return (a, try await open(store, "b") { $0.conflictRule = rule }, store)
  }

  @Test("S3 the other's value is the other's in each conflict, whatever this side has written")
  func theirs() async throws {
    let (a, b, store) = try await pair(.lastWriterWins)
    a.root.name = "Analytical"
    b.root.name = "D"
    b.root.name = "Di"
    b.root.name = "Dif"
    try await store.bringTogether(a, b)
    #expect(a.root.name == "Dif")
    #expect(b.conflicts.map(\.mine) == ["D", "Di", "Dif"])
    #expect(b.conflicts.map(\.theirs) == ["Analytical", "Analytical", "Analytical"])
  }

  @Test("S3 so is an entry's")
  func theirEntry() async throws {
    let (a, b, store) = try await pair(.lastWriterWins)
    a.root.budget["travel"] = 1
    b.root.budget["travel"] = 2
    b.root.budget["travel"] = 3
    b.root.budget = ["travel": 4, "paper": 5]
    try await store.bringTogether(a, b)
    #expect(a.root.budget == ["travel": 4, "paper": 5])
    #expect(b.conflicts.map(\.theirs) == [1, 1, 1])
  }

  @Test("S3 so is that of an object that this side has changed, and deletes")
  func deleted() async throws {
    let (a, b, store) = try await pair(.lastWriterWins)
    a.root.employees[0].salary = 10
    b.root.employees[0].salary = 20
    b.root.employees.removeFirst()
    try await store.bringTogether(a, b)
    #expect(a.root.names == [])
    #expect(b.conflicts.map(\.theirs) == [10, 10])
  }

  @Test("S3 so is a list's that both have edited")
  func editedList() async throws {
    let (a, b, store) = try await pair(.lastWriterWins)
    a.root.rooms = ["attic", "cellar"]
    try await a.flush()
    try await b.reaches(2)
    a.root.kvo.rooms.mutableArray()[0] = "one"
    b.root.rooms.append("roof")
    b.root.kvo.rooms.mutableArray()[0] = "two"
    try await store.bringTogether(a, b)
    #expect(a.root.rooms == ["two", "cellar", "roof"])
    #expect(b.conflicts.map(\.mine) == [["two", "cellar", "roof"]])
    #expect(b.conflicts.map(\.theirs) == [["one", "cellar"]])
  }

  @Test("S3 setting what the other has set is no conflict, also after another value has won")
  func sameInTheEnd() async throws {
    let (a, b, store) = try await pair(.lastWriterWins)
    a.root.performChanges {
      $0.name = "Analytical"
      $0.budget["travel"] = 1
    }
    b.root.name = "Difference"
    b.root.budget["travel"] = 2
    b.root.name = "Analytical"
    b.root.budget["travel"] = 1
    try await store.bringTogether(a, b)
    #expect((a.root.name, a.root.budget) == ("Analytical", ["travel": 1]))
    #expect(b.conflicts.map(\.mine) == ["Difference", 2])
  }

  @Test("S3 a rule that writes the greater value never writes one that its own writer has replaced")
  func greaterValue() async throws {
    let (a, b, store) = try await pair(
      .custom { conflict in
        guard case .integer(let mine)? = conflict.mine, case .integer(let theirs)? = conflict.theirs
        else { return .reject }
        return .value(.integer(max(mine, theirs)))
      })
    a.root.employees[0].salary = 30
    a.root.budget["travel"] = 30
    // A mistake, and its correction.
    b.root.employees[0].salary = 100
    b.root.employees[0].salary = 20
    b.root.budget["travel"] = 100
    b.root.budget["travel"] = 20
    try await store.bringTogether(a, b)
    #expect(a.root.employees[0].salary == 30)
    #expect(a.root.budget == ["travel": 30])
  }

  @Test("S3 the other's value returns where the rule takes it after this side's")
  func theirsAfterMine() async throws {
    let (a, b, store) = try await pair(
      .custom { conflict in
        switch (conflict.mine, conflict.theirs) {
        case (.string(let mine)?, .string(let theirs)?):
          mine.count > theirs.count ? .mine : .theirs
        case (.integer(let mine)?, .integer(let theirs)?): mine > theirs ? .mine : .theirs
        default: .reject
        }
      })
    a.root.name = "Analytical"
    a.root.budget["travel"] = 30
    b.root.name = "Analytical Engine"
    b.root.name = "An"
    b.root.budget["travel"] = 100
    b.root.budget["travel"] = 20
    try await store.bringTogether(a, b)
    #expect(a.root.name == "Analytical")
    #expect(a.root.budget == ["travel": 30])
  }

  // MARK: Lists that are set

  private func openAlbum(
    _ store: MemoryLogStore, _ author: String, _ rule: KeyValueConflictRule = .reject
  ) async throws -> KeyValueReplica<Album> {
    try await KeyValueReplica.open(
      Album.self, document: "album", in: store,
      options: KeyValueReplicaOptions(author: author, conflictRule: rule))
  }

  @Test("S3 what the last writer adds to a list that it has set is in it")
  func addedToOwnList() async throws {
    let store = MemoryLogStore()
    let a = try await openAlbum(store, "a")
    let b = try await openAlbum(store, "b", .lastWriterWins)
    a.root.photos = ["a"]
    b.root.photos = ["b"]
    b.root.photos!.append("c")
    try await store.bringTogether(a, b)
    #expect(a.root.photos == ["b", "c"])
    #expect(b.conflicts.count == 1)
  }

  @Test("S3 what this side adds to a list that the rule has merged is in it")
  func addedToMergedList() async throws {
    let store = MemoryLogStore()
    let a = try await openAlbum(store, "a")
    let b = try await openAlbum(
      store, "b",
      .custom { conflict in
        guard case .array(let mine)? = conflict.mine, case .array(let theirs)? = conflict.theirs
        else { return .reject }
        return .value(.array(theirs + mine))
      })
    a.root.photos = ["a"]
    b.root.photos = ["b"]
    b.root.photos!.append("c")
    try await store.bringTogether(a, b)
    #expect(a.root.photos == ["a", "b", "c"])
    #expect(b.conflicts.count == 1)
  }

  @Test("S3 what both add to a list that both have made alike is in it")
  func addedToSameList() async throws {
    let store = MemoryLogStore()
    let (a, b) = (try await openAlbum(store, "a"), try await openAlbum(store, "b"))
    for (album, photo) in [(a.root, "a"), (b.root, "b")] {
      album.photos = album.photos ?? []
      album.photos!.append(photo)
    }
    try await store.bringTogether(a, b)
    #expect(b.conflicts.isEmpty)
    #expect(a.root.photos?.sorted() == ["a", "b"])
  }

  @Test("S3 the other's list returns where the rule takes it after this side's")
  func theirListAfterMine() async throws {
    let store = MemoryLogStore()
    let a = try await openAlbum(store, "a")
    let b = try await openAlbum(
      store, "b",
      .custom { conflict in if case .array? = conflict.mine { .mine } else { .theirs } })
    a.root.photos = ["a"]
    b.root.photos = ["b"]
    b.root.photos = nil
    try await store.bringTogether(a, b)
    #expect(a.root.photos == ["a"])
    #expect(b.conflicts.map(\.theirs) == [["a"], ["a"]])
  }
}

@KeyValueObservable
private final class Album {
  var photos: [String]?

  init() {}
}
