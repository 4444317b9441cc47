import Foundation
import Synchronization

/// A participant's process, from the side of the run.
final class Child: Sendable {
  private struct State {
    var lines: [String] = []
    var rest = Data()
    var hasEnded = false
  }

  private let process: Process
  private let input = Pipe()
  private let state = Mutex(State())
  private let errors: String

  var identifier: pid_t { process.processIdentifier }

  /// Starts it.
  init(_ settings: ParticipantSettings) throws {
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["participant", try settings.argument]
    process.standardInput = input
    let output = Pipe()
    // Other children don't keep them open: what this one reads and writes ends with this one.
    for handle in [input.fileHandleForWriting, output.fileHandleForWriting] {
      _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    process.standardOutput = output
    errors = "\(settings.folder)/\(settings.name)-\(settings.incarnation).stderr"
    _ = FileManager.default.createFile(atPath: errors, contents: nil)
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
    // A readability handler sometimes isn't called for the end, where it comes right behind the last line.
    Thread.detachNewThread { [weak self] in
      var data = Data()
      repeat {
        data = output.fileHandleForReading.availableData
        self?.receive(data)
      } while !data.isEmpty
    }
  }

  private func receive(_ data: Data) {
    state.withLock { state in
      if data.isEmpty { state.hasEnded = true }
      state.rest += data
      while let end = state.rest.firstIndex(of: UInt8(ascii: "\n")) {
        state.lines.append(String(decoding: state.rest[..<end], as: UTF8.self))
        state.rest = Data(state.rest[(end + 1)...])
      }
    }
  }

  /// What it has written to standard error.
  var complaint: String {
    ((try? String(contentsOfFile: errors, encoding: .utf8)) ?? "").prefix(1000)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  func send(_ command: String) {
    try? input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
  }

  /// Its next answer; nil if it has ended.
  func reply(within limit: Duration = .seconds(180)) async throws -> String? {
    let deadline = ContinuousClock.now + limit
    while true {
      let (line, hasEnded) = state.withLock { state -> (String?, Bool) in
        (state.lines.isEmpty ? nil : state.lines.removeFirst(), state.hasEnded)
      }
      if let line { return line }
      if hasEnded { return nil }
      if ContinuousClock.now > deadline { throw Violation("no answer for \(limit)") }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Kills it, and waits until it's gone.
  func end() {
    signal(SIGKILL)
    process.waitUntilExit()
  }
}
