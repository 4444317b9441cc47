import ArgumentParser
import MachineView

/// The command line of `kvo-top`.
package struct TopCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "kvo-top",
    abstract: "Watches this machine's processes through observation.",
    discussion: """
      On a terminal it shows a table until q or Ctrl-C is typed; c, m, p and n sort it by cpu, \
      memory, pid and command. Anywhere else it prints plain lines and stops after three samples, \
      unless --iterations is given.
      """
  )

  @Flag(help: "Take one sample, print it and stop.")
  package var once = false

  @Option(help: "Stop after this many samples.")
  package var iterations: Int?

  @Option(help: "Seconds from one sample to the next.")
  package var interval = 2.0

  @Option(help: "What to sort by.")
  package var sort = ProcessOrder.cpu

  @Flag(
    help: "Print every change as one line: key path, kind, indexes if any, old → new.")
  package var log = false

  @Flag(
    help: """
      Compare the observed totals with a recomputation in each sample; stop with an error if they \
      differ.
      """)
  package var verify = false

  @Flag(
    help: """
      Show objects, observers and changes on a web page, whose address is printed to standard \
      error.
      """)
  package var inspect = false

  @Option(help: "Show at most this many processes.")
  package var limit: Int?

  @Option(help: ArgumentHelp("Read another proc file system.", valueName: "folder"))
  package var proc = "/proc"

  package init() {}

  package func validate() throws {
    if once, iterations != nil {
      throw ValidationError("--once means --iterations 1: use only one of them.")
    }
    if let iterations, iterations < 1 {
      throw ValidationError("--iterations must be at least 1, not \(iterations).")
    }
    if let limit, limit < 1 {
      throw ValidationError("--limit must be at least 1, not \(limit).")
    }
    guard Self.intervals.contains(interval) else {
      throw ValidationError(
        """
        --interval must be from \(Self.intervals.lowerBound) to \(Self.intervals.upperBound) \
        seconds, not \(interval).
        """)
    }
  }

  private static let intervals = 0.05...86_400

  package func run() throws { try TopRun(options: self).run() }
}

extension ProcessOrder: ExpressibleByArgument {}
