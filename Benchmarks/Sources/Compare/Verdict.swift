import BenchmarkSupport

/// A target, and what came of it.
struct Verdict {
  /// What was measured and what was to be reached: `1.32 (≤ 1.5 × hand-written)`, in bold where the
  /// target is missed.
  let text: String
  /// Whether the target is met.
  let isMet: Bool

  /// Nil where what the target compares with was not measured.
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
  /// What came of this library's targets; nothing for other systems.
  func verdicts(in results: Results) -> [Verdict] {
    guard system == System.keyValue else { return [] }
    return workload.targets.compactMap { Verdict($0, of: self, in: results) }
  }
}
