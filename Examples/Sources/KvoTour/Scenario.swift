/// One of the classic guide's examples, or of what the library adds to it.
package struct Scenario: Sendable {
  /// A page of the library's documentation, by its title.
  package enum Page: String, Sendable, CaseIterable {
    case bindings = "Bindings"
    case dependentKeys = "Dependent keys"
    case manualNotification = "Manual notification"
    case observing = "Observing"
    case toManyRelationships = "To-many relationships"
    case transactions = "Transactions"
    case undoing = "Undoing"
  }

  package let name: String
  /// The page that explains it.
  package let page: Page
  /// A one-line description.
  package let title: String
  private let steps: @Sendable (TourPrinter) throws -> Void

  init(
    _ name: String, on page: Page, _ title: String,
    steps: @escaping @Sendable (TourPrinter) throws -> Void
  ) {
    self.name = name
    self.page = page
    self.title = title
    self.steps = steps
  }

  /// Prints the title and the page, the scenario's steps, and every call.
  package func play(_ printer: TourPrinter) throws {
    printer.title(self)
    try steps(printer)
  }

  package static let all = [
    account, initial, prior,
    openingBalance, nestedKeys, switches,
    removal, observationInfo,
    fullName, download, dog,
    keyPath,
    transactions, books, elementChanges,
    accessors, setAlgebra,
    totalSalary, arrayRegistration,
    operators, aggregates,
    subclass,
    typeOf,
    observerDies, observedDies, selfObserverDies,
    performChanges, binding, undo,
  ]

  /// The scenario of that name, in upper or lower case.
  package static func named(_ name: String) -> Scenario? {
    all.first { $0.name.lowercased() == name.lowercased() }
  }

  /// The name with the smallest edit distance from this one, if it's small.
  package static func nearest(to name: String) -> String? {
    let distances = all.map { ($0.name, editDistance(name.lowercased(), $0.name.lowercased())) }
    guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= max(2, best.0.count / 3)
    else { return nil }
    return best.0
  }
}

/// The number of letters to insert, remove or replace to turn one word into the other.
private func editDistance(_ first: String, _ second: String) -> Int {
  let second = Array(second)
  var row = Array(0...second.count)
  for (line, letter) in first.enumerated() {
    var diagonal = row[0]
    row[0] = line + 1
    for (column, other) in second.enumerated() {
      let replaced = diagonal + (letter == other ? 0 : 1)
      diagonal = row[column + 1]
      row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
    }
  }
  return row[second.count]
}
