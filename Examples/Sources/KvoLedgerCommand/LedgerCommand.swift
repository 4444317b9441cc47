import ArgumentParser
import Inspecting
import TerminalSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The command line of `kvo-ledger`.
package struct LedgerCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "kvo-ledger",
    abstract: "Keeps a ledger: commands in, what changed out.",
    discussion: """
      Reads commands from standard input, one a line; the command help lists them. Where input is no \
      terminal, the exit status is 1 if a command failed.
      """
  )

  @Argument(help: "A ledger to open, or a file that is not there yet.")
  package var file: String?

  @Flag(help: "Print each command before what it prints.")
  package var echo = false

  @Flag(
    help: """
      Show objects, observers and changes on a web page, whose address is printed to standard \
      error.
      """)
  package var inspect = false

  package init() {}

  package func run() throws {
    let output = OutputFile()
    let isInteractive = isatty(STDIN_FILENO) == 1
    // Before anything is observed, so that the page has all of it.
    let inspector = inspect ? try ProgramInspector(for: "kvo-ledger") : nil
    defer { withExtendedLifetime(inspector) {} }
    if let inspector {
      OutputFile(file: STDERR_FILENO).writeLines(["Inspector: \(inspector.url)"])
    }
    let session = LedgerSession { output.writeLines([$0]) }
    if let file { try session.open(file) }
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
}
