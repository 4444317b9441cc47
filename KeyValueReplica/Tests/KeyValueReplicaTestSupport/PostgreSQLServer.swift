import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// A PostgreSQL server of the tests' own, in a folder in memory if there's room, reached by a socket.
///
/// A shell starts it, and stops it and deletes the folder when its standard input ends. That's when this
/// process ends, whatever ends it.
package final class PostgreSQLServer: Sendable {
  /// The folder of PostgreSQL's programs, the newest version's; nil if they or libpq are missing.
  package static let programs: String? = {
    let libraries = ["libpq.so.5", "libpq.5.dylib"]
    guard libraries.contains(where: { (name: String) in dlopen(name, RTLD_NOW) != nil }) else {
      return nil
    }
    let files = FileManager.default
    let versions = (try? files.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let folders =
      versions.sorted { $0.compare($1, options: .numeric) == .orderedDescending }
      .map { "/usr/lib/postgresql/\($0)/bin" }
      + (ProcessInfo.processInfo.environment["PATH"] ?? "")
      .split(separator: ":").map(String.init)
      + ["/opt/homebrew/opt/postgresql/bin", "/usr/local/opt/postgresql/bin"]
    return folders.first { folder in
      ["postgres", "initdb", "psql"].allSatisfy {
        files.isExecutableFile(atPath: "\(folder)/\($0)")
      }
    }
  }()

  package static var isInstalled: Bool { programs != nil }

  /// The server that tests share that leave it running.
  package static let shared = Result { try PostgreSQLServer() }

  package let folder: String
  /// Where it takes connections over TCP, too; nil for nowhere.
  package let port: Int?
  private let names = Mutex(0)
  /// The server's options by which its log stays small; none in a folder that a measurement has chosen.
  private let limits: String

  /// The folder of the folders: in memory, unless all servers at once might fill it, as in a container.
  private static let defaultRoot: String = {
    let shared = "/dev/shm"
    var status = statvfs()
    guard FileManager.default.isWritableFile(atPath: shared), statvfs(shared, &status) == 0,
      UInt64(status.f_bavail) * UInt64(status.f_frsize) >= 2 << 30
    else { return "/tmp" }
    return shared
  }()

  /// Makes a cluster and starts it.
  ///
  /// - Parameters:
  ///   - root: The folder of its folder; a socket's path has to be short.
  ///   - rules: What comes first in `pg_hba.conf`.
  ///   - port: Where it takes connections over TCP, too.
  ///   - settings: What is added to `postgresql.conf`.
  ///   - certificate: Whether it has one, which it made itself, so that it takes encrypted connections.
  /// - Throws: What keeps the server from starting.
  package init(
    in root: String? = nil, rules: String = "", port: Int? = nil, settings: String = "",
    certificate: Bool = false
  ) throws {
    self.port = port
    limits = root == nil ? "-c max_wal_size=64MB -c min_wal_size=32MB" : ""
    folder = "\(root ?? PostgreSQLServer.defaultRoot)/kvo-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if geteuid() == 0 {
      // The server doesn't run as root.
      guard let user = getpwnam("postgres") else { throw Unexpected("There's no user postgres.") }
      chown(folder, user.pointee.pw_uid, user.pointee.pw_gid)
    }
    try run(
      """
      "$programs/initdb" -N -A trust -U kvo -E UTF8 --locale=C -D data >initdb.log 2>&1 &&
        { printf %s "$text" | cat - data/pg_hba.conf >rules && mv rules data/pg_hba.conf; }
      """, text: rules)
    try run(#"printf %s "$text" >>data/postgresql.conf"#, text: settings)
    if certificate {
      try run(
        """
        openssl req -new -x509 -days 2 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost \
          -keyout data/server.key -out data/server.crt 2>openssl.log && chmod 600 data/server.key &&
          echo "ssl = on" >>data/postgresql.conf
        """, text: "")
    }
    try start()
  }

  /// Starts a shell's command, as the server's user in the folder.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - text: What it finds in `$text`.
  ///   - input: What it reads.
  /// - Returns: The shell.
  /// - Throws: `Unexpected` if it can't be started.
  func shell(
    _ command: String, text: String = "", input: ChildInput? = nil
  ) throws -> ChildProcess {
    var arguments = ["sh", "-c", "cd \"$folder\" && {\n\(command)\n}"]
    if geteuid() == 0 {
      arguments =
        ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] + arguments
    }
    return try ChildProcess(
      arguments,
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C",
        "programs": Self.programs!, "folder": folder, "text": text,
        "addresses": port == nil ? "" : "localhost", "port": "\(port ?? 5432)",
      ], input: input)
  }

  /// Runs a command to its end.
  private func run(_ command: String, text: String) throws {
    guard try shell(command, text: text).waitHere() == 0 else {
      let logs = ["initdb.log", "psql.log"].map {
        (try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) ?? ""
      }
      throw Unexpected("\(command) failed: \(logs.joined())")
    }
  }

  // Open for as long as the server runs.
  private let inputs = Mutex<[ChildInput]>([])

  /// Starts the server, and waits until it takes connections.
  package func start() throws {
    let input = ChildInput()
    inputs.withLock { $0.append(input) }
    _ = try shell(
      """
      "$programs/postgres" -D data -c unix_socket_directories="$folder" -c listen_addresses="$addresses" \
        -c port="$port" \
        -c max_connections=300 -c shared_buffers=32MB -c log_min_messages=fatal \(limits) \
        >>server.log 2>&1 </dev/null &
      server=$!
      cat >/dev/null
      kill -QUIT $server 2>/dev/null; wait $server
      cd / && rm -rf "$folder"
      """, input: input)
    let deadline = ContinuousClock.now + .seconds(600)
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

  /// The server's process.
  private func serverProcess() throws -> pid_t {
    guard let number = statusLines.first.flatMap({ pid_t($0) }), number > 1 else {
      throw Unexpected("The server doesn't run.")
    }
    return number
  }

  /// Ends the server at once, as a crash does, and starts it again.
  package func crash() throws {
    kill(try serverProcess(), SIGQUIT)
    let deadline = ContinuousClock.now + .seconds(600)
    // It's deleted by the server when it has ended, and so are the socket and its lock.
    while !statusLines.isEmpty {
      guard ContinuousClock.now < deadline else { throw Unexpected("The server doesn't end.") }
      usleep(1000)
    }
    try start()
  }

  /// Ends the server, and waits until its folder is gone.
  package func stop() throws {
    for input in inputs.withLock({ $0 }) { input.close() }
    let deadline = ContinuousClock.now + .seconds(600)
    while FileManager.default.fileExists(atPath: folder) {
      guard ContinuousClock.now < deadline else { throw Unexpected("The server doesn't end.") }
      usleep(1000)
    }
  }

  /// Sends a signal to all processes of the server.
  package func signal(_ number: Int32) throws {
    let server = try serverProcess()
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

  /// Options by which libpq connects.
  package func options(database: String, user: String = "kvo") -> String {
    "host=\(folder) port=\(port ?? 5432) dbname=\(database) user=\(user)"
  }

  /// Makes an empty database.
  ///
  /// - Returns: Its name.
  /// - Throws: What PostgreSQL says.
  package func makeDatabase() throws -> String {
    let number = names.withLock { names in
      names += 1
      return names
    }
    let name = "kvo\(number)"
    try run(
      """
      "$programs/psql" -h "$folder" -p "$port" -U kvo -d postgres -qc "$text" >>psql.log 2>&1
      """, text: "CREATE DATABASE \(name) TEMPLATE template0")
    return name
  }
}

/// Something that a test doesn't allow.
package struct Unexpected: Error, CustomStringConvertible {
  package var description: String
  package init(_ description: String) { self.description = description }
}
