import KvoTour

/// A scenario's output, or the list's.
func printed(_ name: String) throws -> String {
  var lines: [String] = []
  try TourCommand.parse([name]).run(TourPrinter { lines.append($0) }) { lines.append($0) }
  return lines.joined(separator: "\n")
}
