/// One of the classic guide's examples.
package struct Scenario: Sendable {
  package let name: String
  /// What it shows, in one line.
  package let title: String
  private let steps: @Sendable (TourPrinter) throws -> Void

  init(_ name: String, _ title: String, steps: @escaping @Sendable (TourPrinter) throws -> Void) {
    self.name = name
    self.title = title
    self.steps = steps
  }

  /// Prints the title, what the scenario does, and every callback.
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
  ]

  /// The scenario of that name; upper and lower case are the same to it.
  package static func named(_ name: String) -> Scenario? {
    all.first { $0.name.lowercased() == name.lowercased() }
  }

  /// The name that takes the fewest changes of a letter to make it from this one, if that is few.
  package static func nearest(to name: String) -> String? {
    let distances = all.map { ($0.name, editDistance(name.lowercased(), $0.name.lowercased())) }
    guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= max(2, best.0.count / 3)
    else { return nil }
    return best.0
  }
}

/// How many letters have to be put in, taken out or replaced to make one word from another.
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
