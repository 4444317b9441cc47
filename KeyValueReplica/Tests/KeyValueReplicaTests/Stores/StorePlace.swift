import Foundation
import KeyValueReplicaTestSupport
import Testing

@testable import KeyValueReplica

/// The stores that the same tests run over.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case sqlite = "SQLite"
  case postgreSQL = "PostgreSQL"

  /// Those that this machine has.
  static let available: [StoreKind] = PostgreSQLServer.isInstalled ? allCases : [.sqlite]

  var testDescription: String { rawValue }

  /// A place of its own for one test.
  func place() async throws -> any StorePlace {
    switch self {
    case .sqlite: try SQLitePlace()
    case .postgreSQL: try await PostgreSQLPlace()
    }
  }
}

/// Where the documents of one test are kept.
protocol StorePlace: Sendable {
  /// A further store of the place, as another process would have one.
  func store() -> any LogStore

  /// Loses the newest transactions of a document, as a restored backup does.
  func rewind(_ document: String, to revision: Int64) async throws

  /// Makes records older.
  func age(_ document: String, _ revisions: ClosedRange<Int64>, by age: Duration) async throws

  /// Loses a record, as no program does.
  func damage(_ document: String, _ revision: Int64) async throws

  /// The revisions of the records and those of the snapshots that are kept.
  func kept(of document: String) async throws -> Kept

  /// What `replica-writer` calls the place.
  var name: String { get }

  /// Has the engine check itself.
  func check() async throws
}

struct Kept: Equatable {
  var records: [Int64]
  var snapshots: [Int64]
}

/// A file in a folder of its own, which is deleted in the end.
final class SQLitePlace: StorePlace {
  let folder: String
  var path: String { folder + "/log.kvo" }

  init() throws {
    folder = NSTemporaryDirectory() + "/kvo-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  func store() -> any LogStore {
    // Without waiting for the disk: what a power cut loses isn't tested here.
    SQLiteLogStore(path: path, durability: .process)
  }

  var name: String { path }

  func check() async throws {
    var lines: [String] = []
    try file().execute("PRAGMA integrity_check") { row throws(LogError) in
      lines.append(row.text(0))
    }
    #expect(lines == ["ok"])
  }

  /// A connection beside the stores.
  func file() throws -> SQLiteFile {
    try SQLiteFile(path: path, durability: .process, patience: SQLitePatience(limit: .seconds(10)))
  }

  func rewind(_ document: String, to revision: Int64) async throws {
    try file().transaction("BEGIN IMMEDIATE") { file throws(LogError) in
      let key = SQLiteValue.int(try file.entry(document)!.key)
      try file.execute(
        "DELETE FROM record WHERE document = ? AND revision > ?", [key, .int(revision)])
      try file.execute(
        "DELETE FROM snapshot WHERE document = ? AND revision > ?", [key, .int(revision)])
      try file.execute(
        """
        UPDATE document SET revision = ?2,
          head = (SELECT id FROM record WHERE document = ?1 AND revision = ?2) WHERE id = ?1
        """, [key, .int(revision)])
    }
  }

  func age(_ document: String, _ revisions: ClosedRange<Int64>, by age: Duration) async throws {
    try file().transaction("BEGIN IMMEDIATE") { file throws(LogError) in
      try file.execute(
        "UPDATE record SET at = at - ? WHERE document = ? AND revision BETWEEN ? AND ?",
        [
          .real(age / .seconds(1)), .int(try file.entry(document)!.key),
          .int(revisions.lowerBound), .int(revisions.upperBound),
        ])
    }
  }

  func damage(_ document: String, _ revision: Int64) async throws {
    try file().transaction("BEGIN IMMEDIATE") { file throws(LogError) in
      try file.execute(
        "DELETE FROM record WHERE document = ? AND revision = ?",
        [.int(try file.entry(document)!.key), .int(revision)])
    }
  }

  func kept(of document: String) async throws -> Kept {
    try file().transaction("BEGIN") { file throws(LogError) in
      let key = SQLiteValue.int(try file.entry(document)!.key)
      var kept = Kept(records: [], snapshots: [])
      try file.execute(
        "SELECT revision FROM record WHERE document = ? ORDER BY revision", [key]
      ) { row throws(LogError) in kept.records.append(row.int(0)) }
      try file.execute(
        "SELECT revision FROM snapshot WHERE document = ? ORDER BY revision", [key]
      ) { row throws(LogError) in kept.snapshots.append(row.int(0)) }
      return kept
    }
  }
}
