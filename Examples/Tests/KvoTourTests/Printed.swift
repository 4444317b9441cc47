import KvoTour

/// Returns the output of a scenario, or of `list` or `all`.
func printed(_ name: String) throws -> String {
  var lines: [String] = []
  try TourCommand.parse([name]).run(TourPrinter { lines.append($0) }) { lines.append($0) }
  return lines.joined(separator: "\n")
}
