import BenchmarkSupport

/// All measurements of a run, in the order of the workloads.
struct Results {
  private(set) var measurements: [Measurement] = []

  var failed: [Measurement] { measurements.filter { !$0.isCorrect } }

  /// The workloads of the run, in order.
  var workloads: [Workload] {
    var names: Set<String> = []
    return measurements.map(\.workload).filter { names.insert($0.name).inserted }
  }

  mutating func append(_ more: [Measurement]) { measurements += more }

  func median(_ workload: String, _ system: String) -> Double? {
    measurements.first { $0.workload.name == workload && $0.system == system }?.median
  }

  /// The ratio to another system's measurement of the same workload, if there is one.
  func ratio(_ measurement: Measurement, to system: String) -> Double? {
    guard let base = median(measurement.workload.name, system), base > 0 else { return nil }
    return measurement.median / base
  }

  /// The cost of each further observer: the difference between many and few.
  ///
  /// Taken round by round, because neighbouring samples have the most in common.
  mutating func derivePerObserver(few: Int, many: Int) {
    let workload = Workload(
      "W4", "each further observer, from \(few) to \(many)",
      targets: [.ratio(to: System.handWritten, atMost: 1)],
      expected: { _ in Workload.Expectation(notifications: 0, checksum: 0) })
    for least in measurements where least.workload.name == Workload.observers(few).name {
      guard
        let most = measurements.first(where: {
          $0.workload.name == Workload.observers(many).name && $0.system == least.system
        })
      else { continue }
      var derived = Measurement(workload: workload, system: least.system)
      derived.rounds = zip(least.rounds, most.rounds).map { ($1 - $0) / Double(many - few) }
      derived.isCorrect = least.isCorrect && most.isCorrect
      measurements.append(derived)
    }
  }
}
