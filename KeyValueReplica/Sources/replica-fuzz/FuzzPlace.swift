import Foundation
import KeyValueReplica
import KeyValueReplicaTestSupport

/// Where the document of a run is kept, and what can be done to it.
final class FuzzPlace: Sendable {
  let folder: String
  let kind: FuzzStore
  /// What the participants call the place.
  let place: String
  /// The run's own store, which no fault is injected into.
  let store: any LogStore
  let proxy: Proxy?
  private let server: PostgreSQLServer?
  private let database: String

  init(_ kind: FuzzStore) async throws {
    self.kind = kind
    // A socket's path has to be short.
    folder = "/tmp/replica-fuzz-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    switch kind {
    case .sqlite:
      (server, proxy, database) = (nil, nil, "")
      place = folder + "/log.kvo"
      store = SQLiteLogStore(path: place, durability: .process)
    case .postgresql:
      guard PostgreSQLServer.isInstalled else {
        throw FuzzError.unavailable("PostgreSQL isn't installed.")
      }
      let server = try PostgreSQLServer()
      self.server = server
      database = try server.makeDatabase()
      let direct = server.options(database: database)
      let proxy = try Proxy(to: server.folder, in: folder + "/proxy")
      self.proxy = proxy
      place = direct.replacingOccurrences(of: server.folder, with: proxy.folder)
      let store = PostgreSQLLogStore(direct)
      self.store = store
      try await store.migrate()
    }
  }

  /// Ends the server at once, and starts it again.
  @concurrent
  func crash() async throws { try server?.crash() }

  /// Has the server end one of the participants' sessions.
  @concurrent
  func terminateSession() async throws {
    guard let server, let programs = PostgreSQLServer.programs else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "\(programs)/psql")
    process.arguments = [
      "-X", "-q", "-d", server.options(database: database), "-c",
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1
      """,
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
  }

  /// Calls the store until it can be reached.
  @MainActor
  func persistently<Result>(_ body: (any LogStore) async throws -> Result) async throws -> Result {
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
      do {
        return try await body(store)
      } catch let error as LogError {
        switch error {
        case .unreachable, .outcomeUnknown:
          guard ContinuousClock.now < deadline else { throw error }
          try await Task.sleep(for: .milliseconds(20))
        default: throw error
        }
      }
    }
  }

  /// Deletes everything.
  func remove() {
    store.close()
    try? FileManager.default.removeItem(atPath: folder)
  }
}
