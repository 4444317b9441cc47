import ArgumentParser
import Inspecting
import KeyValueObserving
import LedgerModel
import LedgerStorage
import TerminalSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The command line of `kvo-ledger`.
package struct LedgerCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "kvo-ledger",
    abstract: "Keeps a ledger: reads commands, prints changes.",
    discussion: """
      Reads commands from standard input, one a line; the command help lists them. Where input is no \
      terminal, the exit status is 1 if a command failed.

      A ledger's file has a record of every change. What a command has changed is on the disk when it \
      ends. If a crash tears the end of the file, the next start drops it and says so.

      Programs with the same --shared have the same ledger: what is typed in one, the others print, too.
      """
  )

  @Argument(help: "A ledger to open, or a new file.")
  package var file: String?

  @Option(
    help: ArgumentHelp(
      """
      A SQLite database to open, or a new one, in place of a file of records. The command save writes it.
      """, valueName: "file"))
  package var database: String?

  @Option(
    help: ArgumentHelp(
      """
      A ledger that several programs change at once: a SQLite file, or a PostgreSQL database, as in \
      postgresql://host/database.
      """, valueName: "file-or-url"))
  package var shared: String?

  @Option(help: ArgumentHelp("The shared ledger's name, if not \"ledger\".", valueName: "name"))
  package var document: String?

  @Option(help: ArgumentHelp("The name that the other programs see.", valueName: "name"))
  package var author: String?

  @Flag(help: "Print each command before its output.")
  package var echo = false

  @Flag(
    help: """
      Play a session with explanations, on a terminal with pauses. It saves nothing. With --shared, it plays \
      three programs with one ledger, which is kept as the document "demonstration".
      """)
  package var demo = false

  @Flag(
    help: """
      Show objects, observers, changes, and the ledger's history, on a web page, whose address is \
      printed to standard error.
      """)
  package var inspect = false

  package init() {}

  package func validate() throws {
    guard file == nil || database == nil else {
      throw ValidationError("A ledger is in a file or in a --database, not in both.")
    }
    guard !demo || (file == nil && database == nil && !echo) else {
      throw ValidationError("--demo plays its own session, without a file and without --echo.")
    }
    guard shared == nil || (file == nil && database == nil) else {
      throw ValidationError("A ledger is in a file, in a --database or --shared, not in several.")
    }
    guard shared != nil && !demo || (document == nil && author == nil) else {
      throw ValidationError("--document and --author are for a --shared ledger, without --demo.")
    }
  }

  @MainActor
  package func run() async throws {
    let output = OutputFile()
    switch (shared, demo) {
    case (let place?, true):
      var demonstration = SharedDemonstration(at: place, on: output)
      try await demonstration.play()
      if let failure = output.failure, !failure.meansReaderLeft { throw failure }
    case (let place?, false): try await share(SharedPlace(place), on: output)
    case (nil, true): try play(Demonstration.lines, on: output)
    case (nil, false): try edit(on: output)
    }
  }

  private func startInspector() throws -> ProgramInspector? {
    let inspector = inspect ? try ProgramInspector(for: "kvo-ledger") : nil
    if let inspector {
      OutputFile(file: STDERR_FILENO).writeLines(["Inspector: \(inspector.url)"])
    }
    return inspector
  }

  @MainActor
  private func share(_ place: SharedPlace, on output: OutputFile) async throws {
    let inspector = try startInspector()
    defer { withExtendedLifetime(inspector) {} }
    let run = SharedRun(
      place: place, document: document ?? "ledger", author: author, echoes: echo,
      opened: { document in
        do {
          // Beside the replica's own, so its ids are others.
          try inspector?.showHistory(
            of: KeyValueChangeLog(of: document.account, classes: Account.logClasses))
        } catch {
          output.writeLines(["no history: \(error)"])
        }
      })
    let hasFailed = try await run.run(on: output)
    if hasFailed, isatty(STDIN_FILENO) == 0 { throw ExitCode.failure }
  }

  private func edit(on output: OutputFile) throws {
    let isInteractive = isatty(STDIN_FILENO) == 1
    // It starts before anything is observed, so the page shows everything.
    let inspector = try startInspector()
    defer { withExtendedLifetime(inspector) {} }
    let session = LedgerSession(
      format: database == nil ? .records : .database,
      opened: { document in
        do {
          if let log = document.log { try inspector?.showHistory(of: log) }
        } catch {
          output.writeLines(["no history: \(error)"])
        }
      }, write: { output.writeLines([$0]) })
    if let path = file ?? database { try session.open(path) }
    while !session.hasEnded, output.failure == nil {
      if isInteractive { output.write("> ") }
      guard let line = readLine() else {
        if isInteractive { output.write("\n") }
        break
      }
      if echo { output.writeLines(["> " + line.harmless]) }
      session.run(line)
    }
    session.finish()
    if let failure = output.failure, !failure.meansReaderLeft { throw failure }
    if session.hasFailed, !isInteractive { throw ExitCode.failure }
  }

  /// Runs lines as if they were typed; on a terminal, it pauses before each.
  private func play(_ lines: [String], on output: OutputFile) throws {
    let isTerminal = isatty(output.file) == 1
    let session = LedgerSession { output.writeLines([$0]) }
    for (number, line) in lines.enumerated() where output.failure == nil {
      if isTerminal, number > 0 { usleep(line.hasPrefix("#") ? 1_500_000 : 900_000) }
      let shown = line.hasPrefix("#") ? line : "> " + line
      // Bold commands, and explanations in yellow.
      let style = line.hasPrefix("#") ? "33" : "1"
      output.writeLines([isTerminal ? "\u{1B}[\(style)m\(shown)\u{1B}[0m" : shown])
      session.run(line)
    }
    if let failure = output.failure, !failure.meansReaderLeft { throw failure }
  }
}
