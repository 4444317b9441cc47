import BenchmarkSupport

/// Rows of text, written as a Markdown table that is also readable as text.
struct Table {
  /// The columns with numbers, which are right-aligned.
  private let numbers: Range<Int>
  private var rows: [[String]]

  init(_ heads: [String], numbers: Range<Int>) {
    rows = [heads]
    self.numbers = numbers
  }

  mutating func append(_ cells: [String]) { rows.append(cells) }

  var text: String {
    let columns = rows[0].indices
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
      let filled = columns.map { column in
        numbers.contains(column)
          ? padded(cells[column], widths[column])
          : cells[column] + String(repeating: " ", count: widths[column] - cells[column].count)
      }
      return "| " + filled.joined(separator: " | ") + " |"
    }
    let rule = columns.map { column in
      let dashes = String(repeating: "-", count: max(widths[column] - 1, 2))
      return numbers.contains(column) ? dashes + ":" : dashes + "-"
    }
    let lines = [line(rows[0]), "| " + rule.joined(separator: " | ") + " |"]
    return (lines + rows.dropFirst().map(line)).joined(separator: "\n")
  }
}

/// A measured number, with one decimal where it matters.
func number(_ value: Double) -> String {
  guard value.isFinite else { return "–" }
  return abs(value) < 100 ? fixed(value) : String(Int(value.rounded()))
}

/// A ratio, with two decimals.
func hundredths(_ value: Double) -> String {
  let rounded = Int((value * 100).rounded())
  let digits = String(abs(rounded % 100))
  let sign = rounded < 0 ? "-" : ""
  return "\(sign)\(abs(rounded / 100))." + (digits.count < 2 ? "0" : "") + digits
}
