import Foundation
import Testing

@Suite("kvo-ledger with commands from a pipe")
struct ProgramTests {
  private let file: TemporaryFile
  private var path: String { file.path }

  init() throws {
    file = try TemporaryFile()
  }

  @Test("A saved ledger can be opened and edited")
  func twice() throws {
    let first = try run([path], "add 12.50 groceries milk\nsave\nquit\nlist\n")
    #expect(
      first.output == """
        \(path): new
        + category groceries
          groceries: 0.00 -> 12.50
        + transaction 1: 12.50 groceries "milk"
          total: 0.00 -> 12.50
        \(path): 2 new, 0 changed, 0 removed

        """)
    #expect(first.status == 0)
    let second = try run(["--echo", path], "undo\nedit 1 amount 13")
    #expect(
      second.output == """
        \(path): 1 transactions, total 12.50
        > undo
        nothing to undo
        > edit 1 amount 13
          groceries: 12.50 -> 13.00
          transaction 1 amount: 12.50 -> 13.00
          total: 12.50 -> 13.00
        not saved: 0 new, 1 changed, 0 removed

        """)
    #expect(second.status == 0)
  }

  @Test("The status is 1 after a failed command, or if the file isn't a ledger")
  func failures() throws {
    let failed = try run([], "add much food\nadd 1 food\nundo\n")
    #expect(
      failed.output.hasPrefix("error: 'much' is not an amount; write it like 12.50\n+ category"))
    #expect(failed.status == 1)
    try Data("something else, longer than a header".utf8).write(to: URL(fileURLWithPath: path))
    let noLedger = try run([path], "list")
    #expect(noLedger.output == "")
    #expect(noLedger.errors == "Error: \(path) is not a ledger\n")
    #expect(noLedger.status == 1)
  }

  @Test("--demo plays a session, ignores its input, and rejects a file")
  func demonstration() throws {
    let played = try run(["--demo"], "quit\n")
    #expect(
      played.output == """
        # Commands change the model. Its observers print everything else.
        > category food
        + category food
        > category food budget 20
          food budget: none -> 20.00
        > add 12.50 food "oat milk"
          food: 0.00 -> 12.50
        + transaction 1: 12.50 food "oat milk"
          total: 0.00 -> 12.50
        > add 900 rent
        + category rent
          rent: 0.00 -> 900.00
        + transaction 2: 900.00 rent
          total: 12.50 -> 912.50
        # Totals and budgets depend on the amounts, through the category and the account.
        > edit 1 amount 24
          total: 912.50 -> 924.00
          over budget: none -> food
          food: 12.50 -> 24.00
          transaction 1 amount: 12.50 -> 24.00
        # A field is bound to the amount: what it can't take is refused, and changes nothing.
        > edit 1 amount much
        error: 'much' is not an amount; write it like 12.50
        # A command is one step back, whatever it changed.
        > undo
          total: 924.00 -> 912.50
          over budget: food -> none
          food: 24.00 -> 12.50
          transaction 1 amount: 24.00 -> 12.50
        > totals
        category  spent budget left
        food      12.50  20.00 7.50
        rent     900.00      -    -
        total    912.50
        average  456.25

        """)
    #expect(played.status == 0)
    let withFile = try run(["--demo", path], "")
    #expect(withFile.output == "")
    #expect(
      withFile.errors.hasPrefix(
        "Error: --demo plays its own session, without a file and without --echo.\n"))
    #expect(withFile.status == 64)
  }

  /// Runs the program, which the build puts next to the tests, until it exits.
  private func run(
    _ arguments: [String], _ input: String
  ) throws -> (output: String, errors: String, status: Int32) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("kvo-ledger")
    process.arguments = arguments
    let (pipe, output, errors) = (Pipe(), Pipe(), Pipe())
    process.standardInput = pipe
    process.standardOutput = output
    process.standardError = errors
    // The input fits into the pipe's buffer.
    pipe.fileHandleForWriting.write(Data(input.utf8))
    try pipe.fileHandleForWriting.close()
    try process.run()
    let outputText = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let errorText = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (outputText, errorText, process.terminationStatus)
  }
}
