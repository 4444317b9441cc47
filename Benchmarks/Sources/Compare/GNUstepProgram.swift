import BenchmarkSupport
import Foundation

/// GNUstep's key-value observing, in a process of its own for each workload.
///
/// The process reads counts of operations, one a line, and answers each with nanoseconds or bytes,
/// notifications and checksum. So its samples alternate with those of the other systems.
final class GNUstepProgram {
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  private init(_ program: String, _ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    // The process exits at the end of its input.
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// The workloads of the program at this path.
  static func contenders(_ program: String) throws -> [Contender] {
    let listing = try GNUstepProgram(program, [])
    var names: Set<String> = []
    while let line = listing.readLine() { names.insert(line) }
    let contenders = Workload.all.filter { names.contains($0.name) }.map { workload in
      Contender(workload, "GNUstep") {
        let running = try GNUstepProgram(program, [workload.name])
        return { operations in try running.sample(operations) }
      }.atMost(100_000)
    }
    guard contenders.count == names.count else {
      throw Problem(description: "the GNUstep program has workloads that are not in the list")
    }
    return contenders
  }

  private func sample(_ operations: Int) throws -> Reading {
    // Otherwise, writing to an ended process would end this one.
    guard process.isRunning else { throw Problem(description: ending) }
    try input.fileHandleForWriting.write(contentsOf: Data("\(operations)\n".utf8))
    guard let line = readLine() else {
      process.waitUntilExit()
      throw Problem(description: ending)
    }
    let parts = line.split(separator: " ")
    guard parts.count == 3, let total = Double(parts[0]), let notifications = Int(parts[1]),
      let checksum = Int(parts[2])
    else { throw Problem(description: "the GNUstep program answered '\(line)'") }
    return Reading(total: total, notifications: notifications, checksum: checksum)
  }

  private var ending: String {
    let how = process.terminationReason == .exit ? "exit status" : "signal"
    return "the GNUstep program ended with \(how) \(process.terminationStatus)"
  }

  private func readLine() -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeSubrange(...end) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      unread.append(more)
    }
  }
}
