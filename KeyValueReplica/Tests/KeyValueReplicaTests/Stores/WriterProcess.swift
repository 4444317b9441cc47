import Foundation
import KeyValueReplicaTestSupport

/// The program `replica-writer`, which appends to a document in a process of its own.
final class WriterProcess: Sendable {
  /// A transaction that it was told the fate of.
  struct Acknowledgement: Hashable {
    var revision: Int64
    var id: UUID
  }

  private let process: ChildProcess
  private let output: String

  /// Starts it.
  init(_ arguments: [String], asNobody: Bool = false) throws {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    var command = [folder.appendingPathComponent("replica-writer").path] + arguments
    if asNobody, geteuid() == 0 {
      command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + command
    }
    output = NSTemporaryDirectory() + "/kvo-writer-" + UUID().uuidString
    process = try ChildProcess(command, output: output)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: output)
  }

  /// Whether it starts as nobody, who may be kept from reading the build's folder or the toolchain's.
  static let startsAsNobody: Bool = {
    guard let place = try? SQLitePlace(), chmod(place.folder, 0o777) == 0,
      let writer = try? WriterProcess([place.path, "d", "Ada", "0"], asNobody: true)
    else { return false }
    return withExtendedLifetime(place) { writer.process.waitHere() == 0 }
  }()

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
    process.signal(number)
  }

  /// Waits for its end.
  func wait() async {
    await process.wait()
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
