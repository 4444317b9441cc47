import KeyValueObserving

/// Where the scenarios say what they do and what they hear.
package final class TourPrinter {
  private let write: (String) -> Void

  package init(write: @escaping (String) -> Void) { self.write = write }

  func title(_ scenario: Scenario) { write("\(scenario.name): \(scenario.title)") }

  /// What the lines after it are about.
  func remark(_ text: String) { write("  \(text)") }

  /// What is done next.
  func step(_ text: String) { write("  > \(text)") }

  /// A callback, or what a step answered.
  func heard(_ text: String) { write("      \(text)") }

  func gap() { write("") }
}
