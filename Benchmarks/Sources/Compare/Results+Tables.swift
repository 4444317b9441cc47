import BenchmarkSupport

extension Results {
  /// A line for each workload and a column for each system: medians and verdicts.
  var overview: Table {
    let systems = [
      (System.keyValue, "swift-kvo"), (System.handWritten, "hand-written"),
      (System.plain, "plain"), ("OpenCombine @Published", "`@Published`"),
      ("OpenCombine CurrentValueSubject", "`CurrentValueSubject`"),
      ("Observation withObservationTracking", "Observation"), ("GNUstep", "GNUstep"),
    ]
    var table = Table(
      ["workload"] + systems.map(\.1) + ["target", "others"], numbers: 1..<systems.count + 1)
    for workload in workloads {
      let taking = measurements.filter { $0.workload.name == workload.name }
      let cells = systems.map { system in
        taking.first { $0.system == system.0 }.map(Results.cell) ?? ""
      }
      let others = taking.filter { measurement in
        !systems.contains { $0.0 == measurement.system }
      }
      table.append(
        ["\(workload.name), \(workload.unit.rawValue)"] + cells + [
          taking.flatMap { $0.verdicts(in: self) }.map(\.text).joined(separator: ", "),
          others.map { "\($0.system): \(Results.cell($0))" }.joined(separator: "; "),
        ])
    }
    return table
  }

  /// A line for each workload and system, with minima, maxima and ratios.
  var details: Table {
    var table = Table(
      ["workload", "system", "median", "min", "max", "× hand-written", "× plain", "target"],
      numbers: 2..<7)
    var last = ""
    for measurement in measurements {
      let workload = measurement.workload
      func ratio(_ system: String) -> String {
        guard measurement.isCorrect, let ratio = self.ratio(measurement, to: system) else {
          return ""
        }
        return ratio < 10 ? hundredths(ratio) : number(ratio)
      }
      table.append([
        workload.name == last ? "" : "\(workload.name), \(workload.unit.rawValue)",
        measurement.system, Results.cell(measurement), number(measurement.minimum),
        number(measurement.maximum), ratio(System.handWritten), ratio(System.plain),
        measurement.verdicts(in: self).map(\.text).joined(separator: ", "),
      ])
      last = workload.name
    }
    return table
  }

  private static func cell(_ measurement: Measurement) -> String {
    measurement.isCorrect ? number(measurement.median) : "WRONG"
  }
}
