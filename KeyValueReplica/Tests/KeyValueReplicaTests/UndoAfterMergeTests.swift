import KeyValueObserving
import KeyValueReplica
import Testing

/// What `undo()` takes back of transactions that another writer's came before, also where the merge leaves this
/// replica's graph as it was; `a` is the faster one.
@Suite("Undo after a merge", .timeLimit(.minutes(10)))
@MainActor
struct UndoAfterMergeTests {
  private func pair(
    _ rule: KeyValueConflictRule = .reject
  ) async throws -> (KeyValueReplica<Company>, KeyValueReplica<Company>, MemoryLogStore) {
    let store = MemoryLogStore()
    let a = try await open(store, "a")
    a.root.employees = [Person("Ada"), Person("Grace")]
    try await a.flush()
    return (a, try await open(store, "b") { $0.conflictRule = rule }, store)
  }

  @Test("S4 a removal that had no effect, because both have removed the object, isn't taken back")
  func removedByBoth() async throws {
    let (a, b, store) = try await pair()
    a.root.employees.remove(at: 0)
    b.root.employees.remove(at: 0)
    try await store.bringTogether(a, b)
    // Only `a`'s removal is in the document.
    #expect(store.records("acme").map(\.transaction.author) == ["a", "a"])
    #expect(!b.canUndo)
    #expect(try b.undo() == [])
    #expect(b.root.names == ["Grace"])
  }

  @Test("S4 what both have set to the same value is the other's")
  func sameValue() async throws {
    let (a, b, store) = try await pair()
    a.root.name = "Analytical"
    b.root.name = "Analytical"
    try await store.bringTogether(a, b)
    #expect(store.records("acme").map(\.transaction.author) == ["a", "a"])
    #expect(try b.undo() == [])
    #expect(b.root.name == "Analytical")
  }

  @Test("S4 undoing what has won a conflict leaves what the other has written")
  func winner() async throws {
    let (a, b, store) = try await pair(.lastWriterWins)
    a.root.name = "Analytical"
    b.root.name = "D"
    b.root.name = "Difference"
    try await store.bringTogether(a, b)
    #expect(a.root.name == "Difference")
    #expect(try b.undo() == [])
    #expect(b.root.name == "D")
    // In the document, the first one is from "Analytical" to "D".
    #expect(try b.undo() == [])
    #expect(b.root.name == "Analytical")
    #expect(!b.canUndo)
    try b.redo()
    #expect(b.root.name == "D")
    try b.undo()
    try await store.bringTogether(a, b)
    #expect(a.root.name == "Analytical")
  }

  @Test("S4 undoing a removal that has won a conflict returns the object as the other has left it")
  func winningRemoval() async throws {
    let (a, b, store) = try await pair(.lastWriterWins)
    a.root.employees[0].salary = 10
    b.root.employees.remove(at: 0)
    try await store.bringTogether(a, b)
    #expect(a.root.names == ["Grace"])
    #expect(try b.undo() == [])
    try await store.bringTogether(a, b)
    #expect(a.root.names == ["Ada", "Grace"])
    #expect(a.root.employees[0].salary == 10)
  }

  @Test("S4 undoing what a rule has merged leaves what the other has written")
  func merged() async throws {
    let (a, b, store) = try await pair(.custom { _ in .value("Both") })
    a.root.name = "Analytical"
    b.root.name = "Difference"
    try await store.bringTogether(a, b)
    #expect(a.root.name == "Both")
    // Nothing stays of what the transaction has done.
    #expect(try b.undo() == [])
    #expect(b.root.name == "Analytical")
  }

  @Test("S4 what the rule has left to the other stays, and the rest is taken back")
  func leftInPart() async throws {
    let (a, b, store) = try await pair(.custom { _ in .theirs })
    a.root.name = "Analytical"
    b.root.performChanges {
      $0.name = "Difference"
      $0.rooms.append("roof")
    }
    try await store.bringTogether(a, b)
    #expect((a.root.name, a.root.rooms) == ("Analytical", ["roof"]))
    let left = try b.undo()
    #expect(left.map(\.key) == ["name"])
    #expect(left.map(\.theirs) == ["Analytical"])
    #expect((b.root.name, b.root.rooms) == ("Analytical", []))
  }

  @Test("S4 what was acknowledged before is taken back after what was merged")
  func acknowledgedBefore() async throws {
    let (a, b, store) = try await pair(.lastWriterWins)
    b.root.rooms = ["attic"]
    b.root.name = "One"
    b.root.employees[1].salary = 5
    try await b.flush()
    try await a.reaches(b.revision)
    a.root.name = "Analytical"
    a.root.rooms.append("cellar")
    b.root.name = "Difference"
    b.root.rooms.append("loft")
    try await store.bringTogether(a, b)
    #expect(a.root.rooms == ["attic", "loft", "cellar"])
    #expect(try b.undo() == [])
    #expect(try b.undo() == [])
    #expect((b.root.name, b.root.rooms) == ("Analytical", ["attic", "cellar"]))
    #expect(try b.undo() == [])
    #expect(b.root.employees[1].salary == 0)
    // It's `a`'s now.
    #expect(try b.undo().map(\.key) == ["name"])
    #expect(b.root.name == "Analytical")
    #expect(try b.undo() == [])
    #expect(b.root.rooms == ["cellar"])
    #expect(!b.canUndo)
    try await store.bringTogether(a, b)
    #expect((a.root.name, a.root.rooms) == ("Analytical", ["cellar"]))
  }

  @Test("S4 what was rejected isn't taken back")
  func rejected() async throws {
    let (a, b, store) = try await pair()
    a.root.name = "Analytical"
    b.root.rooms = ["attic"]
    b.root.performChanges {
      $0.name = "Difference"
      $0.rooms.append("roof")
    }
    try await store.bringTogether(a, b)
    #expect(b.root.rooms == ["attic"])
    #expect(try b.undo().map(\.key) == ["name"])
    #expect((b.root.name, b.root.rooms) == ("Analytical", ["attic"]))
    #expect(try b.undo() == [])
    #expect((b.root.name, b.root.rooms, b.canUndo) == ("Analytical", [], false))
  }
}
