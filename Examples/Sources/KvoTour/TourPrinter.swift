import KeyValueObserving

/// Prints the scenarios' steps and calls.
package final class TourPrinter {
  private let write: (String) -> Void

  package init(write: @escaping (String) -> Void) { self.write = write }

  func title(_ scenario: Scenario) {
    write("\(scenario.name): \(scenario.title) (page \(scenario.page.rawValue))")
  }

  /// The subject of the following lines.
  func remark(_ text: String) { write("  \(text)") }

  /// The next step.
  func step(_ text: String) { write("  > \(text)") }

  /// A call of an observer, or a step's result.
  func heard(_ text: String) { write("      \(text)") }

  func gap() { write("") }
}
