import BenchmarkSupport

/// A target and its result.
struct Verdict {
  /// The measurement and its target: `1.32 (≤ 1.5 × hand-written)`, in bold if the target is
  /// missed.
  let text: String
  /// Whether the target is met.
  let isMet: Bool

  /// Nil if the measurement that the target compares with is missing.
  init?(_ target: Target, of measurement: Measurement, in results: Results) {
    let value: Double?
    let limit: Double
    let words: String
    switch target {
    case .ratio(let system, let atMost):
      (value, limit) = (results.ratio(measurement, to: system), atMost)
      words = "≤ \(fixed(atMost)) × \(system)"
    case .difference(let system, let atMost):
      let base = results.median(measurement.workload.name, system)
      (value, limit) = (base.map { measurement.median - $0 }, atMost)
      words = "≤ \(number(atMost)) more than \(system)"
    case .growth(let workload, let atMost):
      let base = results.median(workload, measurement.system)
      (value, limit) = (base.map { measurement.median / $0 }, atMost)
      words = "≤ \(fixed(atMost)) × *\(workload)*"
    case .value(let atMost):
      (value, limit) = (measurement.median, atMost)
      words = "≤ \(number(atMost)) \(measurement.workload.unit.rawValue)"
    }
    guard let value, value.isFinite, measurement.isCorrect else { return nil }
    isMet = value <= limit
    let digits = value < 10 ? hundredths(value) : number(value)
    text = (isMet ? digits : "**\(digits)**") + " (\(words))"
  }
}

extension Measurement {
  /// The results of this library's targets; empty for other systems.
  func verdicts(in results: Results) -> [Verdict] {
    guard system == System.keyValue else { return [] }
    return workload.targets.compactMap { Verdict($0, of: self, in: results) }
  }
}
