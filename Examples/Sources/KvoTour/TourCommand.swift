import ArgumentParser

/// The command line of `kvo-tour`.
package struct TourCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "kvo-tour",
    abstract: "Runs the classic guide's examples, and more, and prints every callback.",
    discussion: """
      A line with > is what a scenario does; the lines below it are callbacks and results. The \
      first line names the page of the documentation that explains it.
      """
  )

  @Argument(help: "The name of a scenario, \"list\" for their names, or \"all\".")
  package var scenario = "list"

  package init() {}

  package func validate() throws {
    guard !["list", "all"].contains(scenario), Scenario.named(scenario) == nil else { return }
    let suggestion = Scenario.nearest(to: scenario).map { " Did you mean '\($0)'?" } ?? ""
    throw ValidationError(
      """
      There is no scenario '\(scenario)'.\(suggestion) The scenarios are \
      \(Scenario.all.map(\.name).joined(separator: ", ")).
      """)
  }

  package func run() throws { try run(TourPrinter { print($0) }) { print($0) } }

  /// `printer` receives the output of scenarios; `write` receives the list.
  package func run(_ printer: TourPrinter, write: (String) -> Void) throws {
    switch scenario {
    case "list":
      let width = Scenario.all.map(\.name.count).max() ?? 0
      for scenario in Scenario.all {
        let blanks = String(repeating: " ", count: width - scenario.name.count)
        write("\(scenario.name)\(blanks)  \(scenario.title)")
      }
    case "all":
      for (number, scenario) in Scenario.all.enumerated() {
        if number > 0 { printer.gap() }
        try scenario.play(printer)
      }
    default:
      try Scenario.named(scenario)?.play(printer)
    }
  }
}
