import BenchmarkSupport

/// The results as a table in Markdown that can be read as text, too.
struct Table {
  private var rows: [[String]] = [
    [
      "workload", "system", "median", "min", "max", "× hand-written", "× plain", "target",
    ]
  ]

  init(_ results: Results) {
    var last = ""
    for measurement in results.measurements {
      let workload = measurement.workload
      func ratio(_ system: String) -> String {
        guard measurement.isCorrect, let ratio = results.ratio(measurement, to: system) else {
          return ""
        }
        return ratio < 10 ? hundredths(ratio) : number(ratio)
      }
      var verdicts: [Verdict] = []
      if measurement.system == System.keyValue {
        verdicts = workload.targets.compactMap { Verdict($0, of: measurement, in: results) }
      }
      rows.append([
        workload.name == last ? "" : workload.name,
        measurement.system,
        measurement.isCorrect ? "\(number(measurement.median)) \(workload.unit.rawValue)" : "WRONG",
        number(measurement.minimum), number(measurement.maximum),
        ratio(System.handWritten), ratio(System.plain),
        verdicts.map(\.text).joined(separator: "; "),
      ])
      last = workload.name
    }
  }

  var text: String {
    let columns = rows[0].indices
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
      let filled = columns.map { column in
        (2...6).contains(column)
          ? padded(cells[column], widths[column])
          : cells[column] + String(repeating: " ", count: widths[column] - cells[column].count)
      }
      return "| " + filled.joined(separator: " | ") + " |"
    }
    let rule = columns.map { column in
      let dashes = String(repeating: "-", count: max(widths[column] - 1, 2))
      return (2...6).contains(column) ? dashes + ":" : dashes + "-"
    }
    return
      ([line(rows[0]), "| " + rule.joined(separator: " | ") + " |"]
      + rows.dropFirst().map(line)).joined(separator: "\n")
  }

  /// A ratio with two digits behind the point.
  private func hundredths(_ value: Double) -> String {
    let rounded = Int((value * 100).rounded())
    let digits = String(abs(rounded % 100))
    return "\(rounded / 100)." + (digits.count < 2 ? "0" : "") + digits
  }
}
