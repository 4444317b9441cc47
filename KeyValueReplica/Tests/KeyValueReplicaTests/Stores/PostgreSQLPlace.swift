import Foundation
import KeyValueReplicaTestSupport

@testable import KeyValueReplica

extension PostgreSQLServer {
  /// A session that does what a test wants it to.
  func session(database: String = "postgres", user: String = "kvo") throws -> PostgreSQLSession {
    PostgreSQLSession(
      try LibPQ.shared.get(), options: options(database: database, user: user),
      timeout: .seconds(60)
    ) { _, _ in }
  }
}

extension PostgreSQLSession {
  /// Runs a statement.
  @discardableResult
  func run(_ sql: String, _ values: PostgreSQLValue...) async throws -> PostgreSQLRows {
    try await query(PostgreSQLStatement(sql: sql, values: values, isPrepared: false))
  }
}

/// A database of its own for one test.
final class PostgreSQLPlace: StorePlace {
  let server: PostgreSQLServer
  let database: String
  var options: String { server.options(database: database) }

  init(on server: PostgreSQLServer? = nil) async throws {
    self.server = try server ?? PostgreSQLServer.shared.get()
    database = try self.server.makeDatabase()
  }

  var name: String { "postgresql:" + options }

  func store() -> any LogStore { PostgreSQLLogStore(options) }

  func check() async throws {}

  func session() throws -> PostgreSQLSession { try server.session(database: database) }

  @discardableResult
  private func with<R>(_ body: (PostgreSQLSession) async throws -> R) async throws -> R {
    let session = try session()
    defer { session.close() }
    return try await body(session)
  }

  func rewind(_ document: String, to revision: Int64) async throws {
    try await with { session in
      try await session.run("BEGIN")
      for table in ["record", "snapshot"] {
        try await session.run(
          """
          DELETE FROM kvo.\(table) WHERE revision > $2
            AND document = (SELECT id FROM kvo.document WHERE name = $1)
          """, .text(document), .int(revision))
      }
      try await session.run(
        """
        UPDATE kvo.document d SET revision = $2,
          head = (SELECT id FROM kvo.record r WHERE r.document = d.id AND r.revision = $2)
        WHERE name = $1
        """, .text(document), .int(revision))
      try await session.run("COMMIT")
    }
  }

  func age(_ document: String, _ revisions: ClosedRange<Int64>, by age: Duration) async throws {
    try await with { session in
      try await session.run(
        """
        UPDATE kvo.record SET at = at - $2 * interval '1 second'
        WHERE document = (SELECT id FROM kvo.document WHERE name = $1)
          AND revision BETWEEN $3 AND $4
        """, .text(document), .int(age.components.seconds), .int(revisions.lowerBound),
        .int(revisions.upperBound))
    }
  }

  func damage(_ document: String, _ revision: Int64) async throws {
    try await with { session in
      try await session.run(
        """
        DELETE FROM kvo.record WHERE revision = $2
          AND document = (SELECT id FROM kvo.document WHERE name = $1)
        """, .text(document), .int(revision))
    }
  }

  func kept(of document: String) async throws -> Kept {
    try await with { session in
      func revisions(_ table: String) async throws -> [Int64] {
        let rows = try await session.run(
          """
          SELECT revision FROM kvo.\(table) WHERE document = (
            SELECT id FROM kvo.document WHERE name = $1) ORDER BY revision
          """, .text(document))
        return (0..<rows.count).map { rows.int($0, 0) }
      }
      return Kept(
        records: try await revisions("record"), snapshots: try await revisions("snapshot"))
    }
  }
}
