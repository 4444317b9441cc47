import Foundation
import KeyValueObserving
import KeyValueReplica
import KeyValueReplicaTestSupport
import Testing

/// Objects that lead to each other leave when two writers take away one of two ways to them each.
///
/// Neither record alone deletes them, and the two don't mention the same object.
@Suite("Cycles of references", .timeLimit(.minutes(10)))
@MainActor
struct ReferenceCycleTests {
  private let store = MemoryLogStore()

  /// Two teams that are each other's partners, as parts of the firm and of another team; a worker in each.
  private func openTeams(
    _ rule: KeyValueConflictRule = .reject
  ) async throws -> (a: KeyValueReplica<Firm>, b: KeyValueReplica<Firm>) {
    let a = try await openFirm("a", rule)
    let teams = ["outer", "one", "other"].map { name in
      let team = Team()
      team.name = name
      return team
    }
    (teams[1].partner, teams[2].partner) = (teams[2], teams[1])
    teams[1].members = [worker("Ada")]
    teams[2].members = [worker("Grace")]
    teams[0].teams = [teams[2]]
    a.root.teams = [teams[0], teams[1]]
    try await a.flush()
    let b = try await openFirm("b", rule)
    return (a, b)
  }

  private func worker(_ name: String) -> Worker {
    let worker = Worker()
    worker.name = name
    return worker
  }

  private func openFirm(
    _ author: String, _ rule: KeyValueConflictRule
  ) async throws -> KeyValueReplica<Firm> {
    var options = KeyValueReplicaOptions()
    (options.author, options.conflictRule) = (author, rule)
    return try await KeyValueReplica.open(
      Firm.self, document: "firm", in: store, options: options)
  }

  private func meet(
    _ a: KeyValueReplica<Firm>, _ b: KeyValueReplica<Firm>, pending: () throws -> Void,
    others: () -> Void
  ) async throws {
    try await store.holding("a") {
      try pending()
      others()
      try await b.flush()
    }
  }

  /// That both have the firm and so many other objects, and that another process reads the same.
  private func expectEqual(
    _ a: KeyValueReplica<Firm>, _ b: KeyValueReplica<Firm>, others count: Int
  ) async throws {
    for await value in b.kvo.revision.values() where value >= a.revision { break }
    #expect(a.status == .current)
    let (snapshot, others) = (try a.snapshot(), try b.snapshot())
    #expect(snapshot == others)
    #expect(snapshot.objects.count == 1 + count)
    let c = try await openFirm("c", .reject)
    #expect(try c.snapshot() == snapshot)
  }

  /// The names of the objects that the last record deletes.
  private func deleted() -> [String] {
    guard let payload = store.records("firm").last?.transaction.payload,
      let record = try? JSONDecoder().decode(KeyValueTransactionRecord.self, from: payload)
    else { return [] }
    return record.edits.compactMap { edit in
      guard case .delete(_, _, let values) = edit, case .string(let name)? = values["name"]
      else { return nil }
      return name
    }.sorted()
  }

  @Test("S2 S4 what two writers cut off together is deleted by the second")
  func cutOff() async throws {
    let (a, b) = try await openTeams()
    try await meet(a, b) {
      a.root.teams.removeLast()
    } others: {
      b.root.teams[0].teams = []
    }
    try await a.flush()
    #expect(deleted() == ["Ada", "Grace", "one", "other"])
    try await expectEqual(a, b, others: 1)
    // It returns as if only the other had taken its way to it away.
    #expect(try a.undo() == [])
    #expect(a.root.teams.map(\.name) == ["outer", "one"])
    #expect(a.root.teams[1].partner?.partner === a.root.teams[1])
    try await a.flush()
    try await expectEqual(a, b, others: 5)
  }

  @Test("S3 an object that one changes and both cut off together is a conflict")
  func changed() async throws {
    let (a, b) = try await openTeams()
    try await meet(a, b) {
      a.root.teams.removeLast()
    } others: {
      KeyValueTransaction.perform {
        b.root.teams[1].members[0].salary = 7
        b.root.teams[0].teams = []
      }
    }
    await #expect(throws: KeyValueReplicaError.self) { try await a.flush() }
    #expect(a.conflicts.map(\.className) == ["KeyValueReplicaTestSupport.Worker"])
    #expect(a.root.teams.map(\.name) == ["outer", "one"])
    #expect(a.root.teams[1].members.map(\.salary) == [7])
    try await a.flush()
    try await expectEqual(a, b, others: 5)
  }

  @Test("S3 a change of what both cut off together, in the record behind, is a conflict")
  func changedLater() async throws {
    let (a, b) = try await openTeams()
    let worker = b.root.teams[1].members[0]
    try await meet(a, b) {
      a.root.teams.removeLast()
    } others: {
      b.root.teams[0].teams = []
      worker.salary = 8
    }
    await #expect(throws: KeyValueReplicaError.self) { try await a.flush() }
    #expect(a.conflicts.map(\.className) == ["KeyValueReplicaTestSupport.Worker"])
    #expect(a.root.teams.map(\.name) == ["outer", "one"])
    #expect(a.root.teams[1].members.map(\.salary) == [8])
    try await a.flush()
    try await expectEqual(a, b, others: 5)
  }

  @Test("S4 what an undo and another's record cut off together is deleted")
  func undone() async throws {
    let (a, b) = try await openTeams()
    a.root.teams.removeLast()
    a.root.teams[0].teams.append(Team())
    let other = a.root.teams[0].teams[0]
    a.root.teams.append(other)
    try await a.flush()
    for await value in b.kvo.revision.values() where value >= a.revision { break }
    b.root.teams[0].teams.removeFirst()
    try await b.flush()
    for await value in a.kvo.revision.values() where value >= b.revision { break }
    try a.undo()
    try await a.flush()
    #expect(deleted() == ["Ada", "Grace", "one", "other"])
    try await expectEqual(a, b, others: 2)
  }
}
