import Foundation
import KeyValueReplica

/// A run of kvo-ledger, whose lines are read as they come.
final class SharedProgram {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let errorOutput = Pipe()
  private var unread = Data()
  /// What it has printed to standard error, once it has ended.
  private(set) var errors = ""

  var status: Int32 { process.terminationStatus }

  /// Starts it with a shared ledger.
  convenience init(_ author: String, _ place: String, state: String? = nil) throws {
    try self.init(["--shared", place, "--author", author], state: state)
  }

  /// - Parameters:
  ///   - arguments: Its arguments.
  ///   - state: Where it keeps what it can't send.
  /// - Throws: If it can't be started.
  init(_ arguments: [String], state: String? = nil) throws {
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("kvo-ledger")
    process.arguments = arguments
    if let state {
      process.environment = ProcessInfo.processInfo.environment.merging(["XDG_STATE_HOME": state]) {
        $1
      }
    }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errorOutput
    // Other programs that the tests start don't keep it open.
    _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    try process.run()
  }

  deinit { if process.isRunning { kill() } }

  func type(_ lines: String) { input.fileHandleForWriting.write(Data((lines + "\n").utf8)) }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// The lines up to one that's expected.
  func lines(through last: String) throws -> [String] { try lines { $0 == last } }

  /// The lines up to the first one that is the last.
  func lines(until isLast: (String) -> Bool) throws -> [String] {
    var lines: [String] = []
    while let line = nextLine() {
      lines.append(line)
      if isLast(line) { return lines }
    }
    throw Ended(lines: lines)
  }

  struct Ended: Error {
    let lines: [String]
  }

  /// Ends its input, and returns the lines up to its end.
  func end() throws -> [String] {
    try input.fileHandleForWriting.close()
    var lines: [String] = []
    while let line = nextLine() { lines.append(line) }
    errors = String(decoding: errorOutput.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return lines
  }

  private func nextLine() -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread = Data(unread[(end + 1)...]) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      // A line that doesn't come is a failure, not a test without an end.
      var waiting = pollfd(
        fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 600_000) > 0 else { return nil }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { return nil }
      unread += data
    }
  }
}

/// Waits until the shared ledger of a file has so many transactions.
///
/// What a program prints of its own commands may not be sent yet.
func committed(_ revision: Int64, at path: String) async throws {
  let store = SQLiteLogStore(path: path)
  defer { store.close() }
  var hints = try await store.hints(of: "ledger").makeAsyncIterator()
  while let document = try await store.document("ledger"), document.position.revision < revision {
    _ = await hints.next()
  }
}

/// A PostgreSQL server, in a folder that's deleted in the end.
final class LedgerServer {
  private static let programs: String? = {
    let versions =
      (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let folders = versions.sorted { $0.compare($1, options: .numeric) == .orderedDescending }
      .map { "/usr/lib/postgresql/\($0)/bin" }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return (folders + path.split(separator: ":").map(String.init)).first { folder in
      ["initdb", "pg_ctl"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
      }
    }
  }()

  static var isInstalled: Bool { programs != nil }

  /// A folder with a short path, because a socket is in it.
  let folder = "/tmp/kvo-\(UUID().uuidString.prefix(8))"
  var url: String { "postgresql:///postgres?host=\(folder)&user=kvo" }

  /// Makes a server and starts it.
  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if geteuid() == 0, let user = getpwnam("postgres") {
      chown(folder, user.pointee.pw_uid, user.pointee.pw_gid)
    }
    try run(
      "initdb --no-sync --auth=trust --username=kvo --encoding=UTF8 --locale=C --pgdata=data")
    try start()
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  func start() throws {
    try run(
      "pg_ctl --pgdata=data --wait --log=server.log --options=\"-k '\(folder)' -h ''\" start")
  }

  /// Stops it as a crash does.
  func stop() { try? run("pg_ctl --pgdata=data --wait --mode=immediate stop") }

  /// Runs a command as the server's user: it doesn't run as root.
  ///
  /// With the C library, because Foundation's process waits for all that the command leaves running.
  private func run(_ command: String) throws {
    let user =
      geteuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --clear-groups " : ""
    let path = Self.programs!
    let status = system(
      "cd '\(folder)' && PATH=\"\(path):$PATH\" \(user)\(command) </dev/null >>run.log 2>&1")
    guard status == 0 else {
      let log = try? String(contentsOfFile: "\(folder)/run.log", encoding: .utf8)
      throw Failure(description: "\(command): \(log ?? "")")
    }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }
}
