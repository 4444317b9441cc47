import Foundation
import KeyValueReplicaTestSupport

/// The program `replica-writer`, which appends to a document in a process of its own.
final class WriterProcess: Sendable {
  /// A transaction that it was told the fate of.
  struct Acknowledgement: Hashable {
    var revision: Int64
    var id: UUID
  }

  private let process = Process()
  // A file: a pipe's end might be inherited by other programs, which would keep it open.
  private let output: String
  private let ended: AsyncStream<Void>

  /// Starts it.
  init(_ arguments: [String], asNobody: Bool = false) throws {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let program = folder.appendingPathComponent("replica-writer").path
    var command = [program] + arguments
    if asNobody, geteuid() == 0 {
      command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + command
    }
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    output = NSTemporaryDirectory() + "/kvo-writer-" + UUID().uuidString
    try Data().write(to: URL(fileURLWithPath: output))
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    self.ended = ended
    process.terminationHandler = { _ in end.finish() }
    try process.run()
  }

  deinit {
    try? FileManager.default.removeItem(atPath: output)
  }

  /// What it has printed, whole lines.
  var lines: [String] {
    let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  var acknowledgements: [Acknowledgement] {
    get throws {
      try lines.map { line in
        let words = line.split(separator: " ")
        guard words.count == 2, let revision = Int64(words[0]),
          let id = UUID(uuidString: String(words[1]))
        else { throw Unexpected(line) }
        return Acknowledgement(revision: revision, id: id)
      }
    }
  }

  /// Sends a signal.
  func signal(_ number: Int32) {
    kill(process.processIdentifier, number)
  }

  /// Waits for its end.
  func wait() async {
    for await _ in ended {}
  }

  /// Runs it to its end.
  ///
  /// - Returns: What it printed.
  static func output(_ arguments: [String], asNobody: Bool = false) async throws -> [String] {
    let writer = try WriterProcess(arguments, asNobody: asNobody)
    await writer.wait()
    return writer.lines
  }
}
