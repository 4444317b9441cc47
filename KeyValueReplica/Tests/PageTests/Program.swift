import Foundation

/// A folder that is deleted in the end.
final class TemporaryFolder: Sendable {
  let path = NSTemporaryDirectory() + "/kvo-page-" + UUID().uuidString

  init() {
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A run of one of the package's programs, which the build puts next to the tests.
final class Program {
  private let process = Process()
  private let output = Pipe()
  private var unread = Data()

  init(_ name: String, _ arguments: [String], in folder: String) throws {
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: name)
    process.executableURL = URL(filePath: "/usr/bin/env")
    // Its output isn't a terminal, and each line is wanted when it's printed all the same.
    process.arguments = ["stdbuf", "-oL", program.path] + arguments
    process.currentDirectoryURL = URL(filePath: folder)
    process.standardOutput = output
    try process.run()
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }

  /// The next lines, or fewer if it ends.
  func lines(_ count: Int) -> [String] {
    var lines: [String] = []
    while lines.count < count {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        lines.append(String(decoding: unread[..<end], as: UTF8.self))
        unread = Data(unread[(end + 1)...])
        continue
      }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { return lines }
      unread += data
    }
    return lines
  }
}
