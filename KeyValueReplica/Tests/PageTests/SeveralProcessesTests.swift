import Foundation
import KeyValueObserving
import KeyValueReplica
import Testing

@MainActor @KeyValueObservable
final class Company {
  var name = "Engines"
  var employees: [Employee] = []
}

@MainActor @KeyValueObservable
final class Employee {
  var name = ""
  var salary = 0
}

@Suite("SeveralProcesses.md", .timeLimit(.minutes(10)))
struct SeveralProcessesTests {
  private let folder = TemporaryFolder()

  @Test("The page's program prints in one process what another one changes")
  func program() throws {
    let blocks = try Page("SeveralProcesses").blocks("").filter { $0[0].hasPrefix("$ ") }
    let expected = blocks[0].dropFirst().map(String.init)
    let watching = try Program("acme", [], in: folder.path)
    var printed = watching.lines(2)
    let session = blocks[1].split { $0.hasPrefix("$ swift run ") }.map { $0.map(String.init) }
    for (arguments, lines) in zip([["Ada", "10"], ["Grace", "12"]], session) {
      let changing = try Program("acme", arguments, in: folder.path)
      #expect(changing.lines(lines.count) == lines)
      printed += watching.lines(2)
    }
    #expect(printed == expected)
  }

  @Test("The other blocks")
  @MainActor
  func others() async throws {
    let printed = Printed()
    try await Printed.$current.withValue(printed) {
      try await run(printed)
    }
  }

  @MainActor
  private func run(_ printed: Printed) async throws {
    let page = try Page("SeveralProcesses")
    let store = SQLiteLogStore(path: folder.path + "/acme.kvo")
    let replica = try await KeyValueReplica.open(Company.self, document: "acme", in: store)
    let company = replica.root
    company.employees.append(Employee())

    // snippet SeveralProcesses 3
    company.name = "Analytical Engines"
    try await replica.flush()
    // end

    // snippet SeveralProcesses 4
    let statuses = replica.kvo.status.observe(options: .new) { _, change in
      print("status:", change.newValue!)
    }
    company.name = "Engines & Co."
    company.employees[0].salary = 20
    try await replica.flush()
    // status: sending 1
    // status: sending 2
    // status: current
    // end
    #expect(printed.take() == page.claims(4))
    statuses.invalidate()

    // snippet SeveralProcesses 5
    let conflicts = replica.onConflict { conflicts in
      for conflict in conflicts { print("conflict:", conflict) }
    }
    // end
    defer { conflicts.invalidate() }

    // snippet SeveralProcesses 6
    let rule = KeyValueConflictRule.custom { conflict in
      guard conflict.key == "salary", let mine = conflict.mine, let theirs = conflict.theirs,
        case (.integer(let mine), .integer(let theirs)) = (mine, theirs)
      else { return .reject }
      return .value(.integer(max(mine, theirs)))
    }
    let options = KeyValueReplicaOptions(author: "studio", conflictRule: rule)
    // end
    let studio = try await KeyValueReplica.open(
      Company.self, document: "acme", in: SQLiteLogStore(path: folder.path + "/acme.kvo"),
      options: options)
    studio.root.employees[0].salary = 30
    try await studio.flush()
    for await revision in replica.kvo.revision.values() where revision == studio.revision { break }
    // Neither gives the other's loop a chance to read before both have made their changes.
    studio.root.name = "Studio"
    studio.root.employees[0].salary = 31
    company.name = "Engines, Inc."
    company.employees[0].salary = 40
    try? await replica.flush()
    try? await studio.flush()
    for await revision in studio.kvo.revision.values() where revision >= replica.revision { break }
    for await revision in replica.kvo.revision.values() where revision >= studio.revision { break }
    #expect(try replica.snapshot() == studio.snapshot())
    let lines = printed.take()
    #expect(lines.allSatisfy { $0.hasPrefix("conflict: PageTests.") })

    // snippet SeveralProcesses 7
    company.performChanges {
      $0.name = "Engines"
      $0.employees[0].name = "Ada"
    }
    try await replica.flush()
    // end
    for await revision in studio.kvo.revision.values() where revision >= replica.revision { break }
    studio.root.name = "Studio of Engines"
    try await studio.flush()
    for await revision in replica.kvo.revision.values() where revision >= studio.revision { break }
    // snippet SeveralProcesses 7
    let stayed = try replica.undo()
    for conflict in stayed { print("\(conflict.key!) stays \(conflict.theirs!)") }
    // end
    #expect(printed.take() == ["name stays \"Studio of Engines\""])
    #expect(company.employees[0].name == "")
    try await replica.flush()

    // snippet SeveralProcesses 8
    let answering = company.kvo.employees.observe { company, change in
      guard change.origin == .local else { return }
      company.name = "Engines of \(company.employees.count)"
    }
    // end
    for await revision in studio.kvo.revision.values() where revision >= replica.revision { break }
    studio.root.employees.append(Employee())
    try await studio.flush()
    for await revision in replica.kvo.revision.values() where revision >= studio.revision { break }
    #expect(company.name == "Studio of Engines")
    company.employees.append(Employee())
    #expect(company.name == "Engines of 3")
    try await replica.flush()
    answering.invalidate()
  }

  @Test("RunningOnPostgreSQL.md's blocks compile")
  func postgreSQL() {
    // They name servers that aren't there; PostgreSQLTests and the examples' run the same calls.
    let blocks: [@MainActor () async throws -> Void] = [Self.opening, Self.queue, Self.migrating]
    #expect(blocks.count == 3)
  }

  @MainActor
  private static func opening() async throws {
    // snippet RunningOnPostgreSQL 1
    let replica = try await KeyValueReplica.open(
      Company.self, document: "acme", in: .postgreSQL("postgresql://kvo@localhost:5433/postgres"))
    // end
    try await replica.close()
  }

  @MainActor
  private static func queue() async throws {
    let folder = "/tmp"
    // snippet RunningOnPostgreSQL 2
    let options = KeyValueReplicaOptions(queueFolder: "\(folder)/acme-queue")
    // end
    _ = options
  }

  @MainActor
  private static func migrating() async throws {
    // snippet RunningOnPostgreSQL 3
    let store = PostgreSQLLogStore("postgresql://owner@db.example.com/acme")
    try await store.migrate()
    store.close()
    // end
  }
}
