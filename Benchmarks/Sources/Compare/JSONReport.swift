import Foundation

/// The results for other programs: one object for each workload and system.
///
/// Numbers of memory workloads are bytes; their names say so.
struct JSONReport {
  private struct Row: Encodable {
    let workload: String
    let system: String
    let medianNs: Double?
    let minNs: Double?
    let maxNs: Double?
    let checksumOk: Bool
  }

  let results: Results

  func write(to file: String) throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes, .sortedKeys]
    let rows = results.measurements.map { measurement in
      func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }
      return Row(
        workload: measurement.workload.name, system: measurement.system,
        medianNs: finite(measurement.median), minNs: finite(measurement.minimum),
        maxNs: finite(measurement.maximum), checksumOk: measurement.isCorrect)
    }
    try encoder.encode(rows).write(to: URL(fileURLWithPath: file))
  }
}
