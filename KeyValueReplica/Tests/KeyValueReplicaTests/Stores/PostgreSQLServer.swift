import Foundation
import Synchronization

@testable import KeyValueReplica

/// A PostgreSQL server of the tests' own, in a folder in memory, reached by a socket.
///
/// A shell starts it, and stops it and deletes the folder when its standard input ends. That's when this
/// process ends, whatever ends it.
final class PostgreSQLServer: Sendable {
  /// The folder of PostgreSQL's programs, the newest version's; nil if they or libpq are missing.
  static let programs: String? = {
    guard case .success = LibPQ.shared else { return nil }
    let files = FileManager.default
    let versions = (try? files.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let folders =
      versions.sorted { $0.compare($1, options: .numeric) == .orderedDescending }
      .map { "/usr/lib/postgresql/\($0)/bin" }
      + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
      + ["/opt/homebrew/opt/postgresql/bin", "/usr/local/opt/postgresql/bin"]
    return folders.first { folder in
      ["postgres", "initdb"].allSatisfy { files.isExecutableFile(atPath: "\(folder)/\($0)") }
    }
  }()

  static var isInstalled: Bool { programs != nil }

  /// The server that tests share that leave it running.
  static let shared = Result { try PostgreSQLServer() }

  let folder: String
  private let names = Mutex(0)

  /// Makes a cluster and starts it.
  ///
  /// - Parameter rules: What comes first in `pg_hba.conf`.
  /// - Throws: What keeps the server from starting.
  init(rules: String = "") throws {
    let shared = "/dev/shm"
    let root = FileManager.default.isWritableFile(atPath: shared) ? shared : "/tmp"
    folder = "\(root)/kvo-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if geteuid() == 0 {
      // The server doesn't run as root.
      guard let user = getpwnam("postgres") else { throw Unexpected("There's no user postgres.") }
      chown(folder, user.pointee.pw_uid, user.pointee.pw_gid)
    }
    try run(
      """
      "$programs/initdb" -N -A trust -U kvo -E UTF8 --locale=C -D data >initdb.log 2>&1 &&
        { cat - data/pg_hba.conf >rules && mv rules data/pg_hba.conf; }
      """, input: rules)
    try start()
  }

  /// A shell's command, run as the server's user in the folder.
  private func shell(_ command: String) -> Process {
    let process = Process()
    var arguments = ["sh", "-c", command]
    if geteuid() == 0 {
      arguments =
        ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] + arguments
    }
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "programs": Self.programs!, "LC_ALL": "C",
    ]
    return process
  }

  private func run(_ command: String, input: String = "") throws {
    let process = shell(command)
    let pipe = Pipe()
    process.standardInput = pipe
    try process.run()
    try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try pipe.fileHandleForWriting.close()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let log = try? String(contentsOfFile: "\(folder)/initdb.log", encoding: .utf8)
      throw Unexpected("\(command) failed: \(log ?? "")")
    }
  }

  // Open for as long as the server runs.
  private let inputs = Mutex<[FileHandle]>([])

  /// Starts the server, and waits until it takes connections.
  func start() throws {
    let process = shell(
      """
      "$programs/postgres" -D data -c unix_socket_directories="$PWD" -c listen_addresses='' \
        -c max_connections=300 -c shared_buffers=32MB -c log_min_messages=fatal \
        >>server.log 2>&1 </dev/null &
      server=$!
      cat >/dev/null
      kill -QUIT $server; wait $server
      cd / && rm -rf "$OLDPWD"
      """)
    let input = Pipe()
    // Other programs that the tests start don't keep it open.
    _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    process.standardInput = input
    inputs.withLock { $0.append(input.fileHandleForWriting) }
    try process.run()
    let deadline = ContinuousClock.now + .seconds(60)
    while !isReady {
      guard ContinuousClock.now < deadline else {
        throw Unexpected("The server doesn't start: see \(folder)/server.log.")
      }
      usleep(2000)
    }
  }

  private var statusLines: [Substring] {
    let file = try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
    return file?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
  }

  private var isReady: Bool {
    let lines = statusLines
    return lines.count > 7 && lines[7].hasPrefix("ready")
  }

  var process: pid_t { statusLines.first.flatMap { pid_t($0) } ?? 0 }

  /// Ends the server at once, as a crash does, and starts it again.
  func crash() throws {
    let process = self.process
    kill(process, SIGQUIT)
    let deadline = ContinuousClock.now + .seconds(60)
    while kill(process, 0) == 0 {
      guard ContinuousClock.now < deadline else { throw Unexpected("The server doesn't end.") }
      usleep(1000)
    }
    try start()
  }

  /// Sends a signal to all processes of the server.
  func signal(_ number: Int32) {
    let server = process
    var all = [server]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let child = pid_t(name),
        let status = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
        // After the name, which is in parentheses: the state and the parent.
        let fields = status.split(separator: ")").last?.split(separator: " "),
        fields.count > 1, pid_t(fields[1]) == server
      else { continue }
      all.append(child)
    }
    for process in all { kill(process, number) }
  }

  // MARK: Databases

  func options(database: String, user: String = "kvo") -> String {
    "host=\(folder) dbname=\(database) user=\(user)"
  }

  /// A session that does what a test wants it to.
  func session(database: String = "postgres", user: String = "kvo") throws -> PostgreSQLSession {
    PostgreSQLSession(
      try LibPQ.shared.get(), options: options(database: database, user: user),
      timeout: .seconds(60)
    ) { _, _ in }
  }

  /// Makes an empty database.
  ///
  /// - Returns: Its name.
  func makeDatabase() async throws -> String {
    let number = names.withLock { names in
      names += 1
      return names
    }
    let name = "kvo\(number)"
    let session = try session()
    defer { session.close() }
    try await session.run("CREATE DATABASE \(name) TEMPLATE template0")
    return name
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
    database = try await self.server.makeDatabase()
  }

  func store() -> any LogStore { PostgreSQLLogStore(options) }

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
