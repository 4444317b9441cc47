import Foundation

/// Runs the program `kvo-top`, which the build puts next to the tests.
enum Program {
  static func process(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("kvo-top")
    process.arguments = arguments
    // A terminal with control sequences, whatever the tests' own is.
    process.environment = ["TERM": "xterm", "SWIFT_BACKTRACE": "enable=no"]
    process.standardInput = FileHandle.nullDevice
    return process
  }

  /// Runs the program until it exits.
  static func run(_ arguments: [String]) throws -> (output: String, errors: String, status: Int32) {
    let process = process(arguments)
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // Neither output is long enough to fill its pipe while the other one is read.
    let outputText = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let errorText = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (outputText, errorText, process.terminationStatus)
  }
}
