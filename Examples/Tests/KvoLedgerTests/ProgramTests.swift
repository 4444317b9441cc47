import Foundation
import Testing

@Suite("kvo-ledger with commands from a pipe")
struct ProgramTests {
  private let file: TemporaryFile
  private var path: String { file.path }

  init() throws {
    file = try TemporaryFile()
  }

  @Test("A ledger is there in the next run, without being saved")
  func twice() throws {
    let first = try run([path], "add 12.50 groceries milk\nquit\nlist\n")
    #expect(
      first.output == """
        \(path): new
        + category groceries
          groceries: 0.00 -> 12.50
        + transaction 1: 12.50 groceries "milk"
          total: 0.00 -> 12.50

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

        """)
    #expect(second.status == 0)
    let third = try run([path], "list")
    #expect(
      third.output == """
        \(path): 1 transactions, total 13.00
        id amount category  note
         1  13.00 groceries milk

        """)
  }

  @Test("A database is written when it's saved")
  func database() throws {
    let first = try run(["--database", path], "add 12.50 groceries milk\nsave\nadd 1 x\n")
    #expect(first.output.hasPrefix("\(path): new\n+ category groceries\n"))
    #expect(first.output.contains("\n\(path): 2 new, 0 changed, 0 removed\n"))
    #expect(first.output.hasSuffix("\nnot saved: 2 new, 0 changed, 0 removed\n"))
    let second = try run(["--database", path], "list")
    #expect(
      second.output == """
        \(path): 1 transactions, total 12.50
        id amount category  note
         1  12.50 groceries milk

        """)
    let third = try run([path], "list")
    #expect(third.errors == "Error: \(path) is a database; open it with --database\n")
    let both = try run([path, "--database", path], "list")
    #expect(
      both.errors.hasPrefix("Error: A ledger is in a file or in a --database, not in both.\n"))
    #expect(both.status == 64)
  }

  @Test("What a command has changed survives the program's being killed")
  func killed() throws {
    let process = try start([path])
    process.input.write(Data("add 5 food lunch\nadd 7 rent\nlist nothing\n".utf8))
    // The answer to a command comes after what the commands before it changed is in the file.
    var output = ""
    while !output.contains("there is no category 'nothing'") {
      let data = process.output.availableData
      if data.isEmpty { break }
      output += String(decoding: data, as: UTF8.self)
    }
    kill(process.process.processIdentifier, SIGKILL)
    process.process.waitUntilExit()
    #expect(process.process.terminationReason == .uncaughtSignal)
    #expect(
      try run([path], "list").output == """
        \(path): 2 transactions, total 12.00
        id amount category note
         1   5.00 food     lunch
         2   7.00 rent

        """)
  }

  @Test("A write that fails half-way is an error, leaves the file as it was, and can be repeated")
  func full() throws {
    _ = try run([path], "add 5 food lunch\nadd 7 rent\n")
    let url = URL(fileURLWithPath: path)
    let before = try Data(contentsOf: url)
    // A file may get as long as the next multiple of the shell's blocks, 512 or 1,024 bytes.
    let note = String(repeating: "x", count: 180)
    let lines = Array(repeating: "add 1 food \(note)", count: 8).joined(separator: "\n")
    let limited = try run(
      [path], lines + "\nlist nothing\n", blocks: (before.count + 1_023) / 1_024 + 1)
    #expect(limited.output.contains("\nerror: \(path): File too large\n"))
    #expect(limited.output.contains("\nnot saved: "))
    #expect(limited.status == 1)
    let after = try Data(contentsOf: url)
    #expect(after.starts(with: before) && after.last == UInt8(ascii: "\n"))
    let again = try run([path], "add 1 food more\n")
    #expect(again.output.hasPrefix("\(path): "))
    #expect(!again.output.contains("torn") && again.status == 0)
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

  /// Runs the program until it exits; no file gets longer than the blocks of `ulimit -f`, if given.
  private func run(
    _ arguments: [String], _ input: String, blocks: Int? = nil
  ) throws -> (output: String, errors: String, status: Int32) {
    let (process, inputEnd, output, errors) = try start(arguments, blocks: blocks)
    // The input fits into the pipe's buffer.
    inputEnd.write(Data(input.utf8))
    try inputEnd.close()
    let outputText = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
    let errorText = String(decoding: errors.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (outputText, errorText, process.terminationStatus)
  }

  /// Starts the program, which the build puts next to the tests.
  private func start(
    _ arguments: [String], blocks: Int? = nil
  ) throws -> (process: Process, input: FileHandle, output: FileHandle, errors: FileHandle) {
    let program = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("kvo-ledger")
    let process = Process()
    if let blocks {
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      // The system refuses the write, and doesn't end the program.
      let script = "trap '' XFSZ; ulimit -f \(blocks); exec \"$0\" \"$@\""
      process.arguments = ["-c", script, program.path] + arguments
    } else {
      process.executableURL = program
      process.arguments = arguments
    }
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    return (
      process, input.fileHandleForWriting, output.fileHandleForReading, errors.fileHandleForReading
    )
  }
}
