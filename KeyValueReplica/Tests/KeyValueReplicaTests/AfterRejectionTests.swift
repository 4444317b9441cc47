import KeyValueObserving
import KeyValueReplica
import Testing

/// What becomes of transactions that follow a rejected one that has changed the same list; `a` is the faster one.
@Suite("Lists after a rejected transaction", .timeLimit(.minutes(10)))
@MainActor
struct AfterRejectionTests {
  private func pair(
    _ rule: KeyValueConflictRule = .reject
  ) async throws -> (KeyValueReplica<Company>, KeyValueReplica<Company>, MemoryLogStore) {
    let store = MemoryLogStore()
    let a = try await open(store, "a")
    a.root.rooms = ["attic", "cellar"]
    try await a.flush()
    return (a, try await open(store, "b") { $0.conflictRule = rule }, store)
  }

  @Test("S3 replacing an element that a rejected transaction has put in is built on it")
  func replaced() async throws {
    let (a, b, store) = try await pair()
    a.root.name = "Analytical"
    b.root.performChanges {
      $0.name = "Difference"
      $0.rooms.append("roof")
    }
    b.root.kvo.rooms.mutableArray()[2] = "loft"
    try await store.bringTogether(a, b)
    #expect(b.conflicts.map(\.key) == ["name", "rooms"])
    // `a` hasn't changed the rooms.
    #expect(b.conflicts.map(\.author) == ["a", nil])
    let first = b.conflicts.first?.transaction
    #expect(b.conflicts.map(\.builtOn) == [nil, first])
    #expect(a.root.rooms == ["attic", "cellar"])
  }

  @Test("S3 an element that the other has replaced, too, is the other's conflict")
  func replacedByBoth() async throws {
    let (a, b, store) = try await pair()
    a.root.kvo.rooms.mutableArray()[0] = "one"
    b.root.kvo.rooms.mutableArray()[0] = "two"
    b.root.kvo.rooms.mutableArray()[1] = "three"
    try await store.bringTogether(a, b)
    #expect(b.conflicts.map(\.author) == ["a"])
    #expect(a.root.rooms == ["one", "three"])
  }

  @Test("S3 an edit of a list fits after a transaction that had won the list, and was rejected")
  func edited() async throws {
    let (a, b, store) = try await pair(.custom { $0.key == "rooms" ? .mine : .reject })
    a.root.performChanges {
      let rooms = $0.kvo.rooms.mutableArray()
      rooms[0] = "one"
      rooms.insert("zero", at: 0)
      $0.name = "Analytical"
    }
    b.root.performChanges {
      $0.kvo.rooms.mutableArray()[0] = "two"
      $0.name = "Difference"
    }
    // Has to do with nothing that `a` has changed.
    b.root.kvo.rooms.mutableArray().remove(at: 1)
    try await store.bringTogether(a, b)
    #expect(a.root.rooms == ["zero", "one"])
    #expect(Set(b.conflicts.map(\.transaction)).count == 1)
  }

  @Test("S3 a list that is set after a rejected transaction has set it is known again")
  func setAgain() async throws {
    let store = MemoryLogStore()
    func openShelf(_ author: String) async throws -> KeyValueReplica<Shelf> {
      try await KeyValueReplica.open(
        Shelf.self, document: "shelf", in: store, options: KeyValueReplicaOptions(author: author))
    }
    let (a, b) = (try await openShelf("a"), try await openShelf("b"))
    a.root.name = "Fiction"
    b.root.performChanges {
      $0.name = "Poetry"
      $0.titles = ["one"]
    }
    // In two steps: a list that becomes another one is edited.
    b.root.titles = nil
    b.root.titles = ["two"]
    b.root.titles!.append("three")
    try await store.bringTogether(a, b)
    #expect(b.conflicts.map(\.key) == ["name"])
    #expect(a.root.titles == ["two", "three"])
  }
}

@KeyValueObservable
private final class Shelf {
  var name = ""
  var titles: [String]?

  init() {}
}
