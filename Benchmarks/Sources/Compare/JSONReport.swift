import Foundation

/// The results for other programs: the run's conditions, and one object for each workload and system.
///
/// Numbers of memory workloads are bytes; their names say so.
struct JSONReport {
  private struct Report: Encodable {
    let conditions: String
    let results: [Row]
  }

  private struct Row: Encodable {
    let workload: String
    let system: String
    let medianNs: Double?
    let minNs: Double?
    let maxNs: Double?
    let checksumOk: Bool

    private enum CodingKeys: String, CodingKey {
      case workload, system, medianNs = "median_ns", minNs = "min_ns", maxNs = "max_ns"
      case checksumOk = "checksum_ok"
    }

    // Written out, so that missing measurements appear as null.
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(workload, forKey: .workload)
      try container.encode(system, forKey: .system)
      try container.encode(medianNs, forKey: .medianNs)
      try container.encode(minNs, forKey: .minNs)
      try container.encode(maxNs, forKey: .maxNs)
      try container.encode(checksumOk, forKey: .checksumOk)
    }
  }

  let results: Results
  let conditions: String

  func write(to file: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes, .sortedKeys]
    let rows = results.measurements.map { measurement in
      func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }
      return Row(
        workload: measurement.workload.name, system: measurement.system,
        medianNs: finite(measurement.median), minNs: finite(measurement.minimum),
        maxNs: finite(measurement.maximum), checksumOk: measurement.isCorrect)
    }
    try encoder.encode(Report(conditions: conditions, results: rows))
      .write(to: URL(fileURLWithPath: file))
  }
}
