import BenchmarkSupport

/// Runs the systems of a workload alternately, so that the machine's other work affects all of
/// them.
struct Runner {
  /// The minimum number of rounds, and the number for short samples.
  let rounds: ClosedRange<Int>
  /// A sample's intended nanoseconds.
  let sampleTime: Double
  let quick: Bool

  init(quick: Bool) {
    self.quick = quick
    // Many short samples: on a busy machine a sample is either disturbed or not, and a median of few
    // jumps between the two.
    rounds = 7...(quick ? 15 : 51)
    sampleTime = quick ? 1.2e6 : 5e6
  }

  func run(_ workload: Workload, _ contenders: [Contender]) -> [Measurement] {
    var entries = contenders.map { Entry(workload, $0) }
    for index in entries.indices { entries[index].fit(self) }
    for round in 0..<rounds.upperBound {
      // Each round begins with another system, so that none always follows the same one.
      for step in entries.indices {
        let index = (step + round) % entries.count
        if round < rounds.lowerBound || entries[index].hasShortSamples(self) {
          entries[index].measure()
        }
      }
    }
    return entries.map(\.measurement)
  }

  /// One system in the run of one workload.
  private struct Entry {
    var measurement: Measurement
    private let sample: ((Int) throws -> Reading)?
    private let maximum: Int
    private var operations = 1
    private var shortest = Double.infinity
    private var expected = Workload.Expectation(notifications: 0, checksum: 0)

    init(_ workload: Workload, _ contender: Contender) {
      measurement = Measurement(workload: workload, system: contender.system)
      maximum = contender.maximum
      do {
        sample = try contender.prepare()
      } catch {
        sample = nil
        measurement.fail("\(error)")
      }
    }

    /// Finds the number of operations that fill a sample's time.
    ///
    /// This also warms up.
    mutating func fit(_ runner: Runner) {
      switch measurement.workload.size {
      case .fixed(let full, let quick):
        operations = min(runner.quick ? quick : full, maximum)
        expected = measurement.workload.expected(operations)
      case .fitted(let unit, let maximum):
        operations = unit
        expected = measurement.workload.expected(operations)
        // The first sample includes one-time work, and would look like a long operation.
        _ = take()
        while true {
          expected = measurement.workload.expected(operations)
          guard let time = take(), time < runner.sampleTime * 0.7, operations < maximum else {
            return
          }
          let factor = min(100, max(1.5, runner.sampleTime / max(time, 1)))
          let units = (Double(operations / unit) * factor).rounded(.up)
          operations = min(maximum, Int(units) * unit)
        }
      }
    }

    /// Whether more rounds help: memory is the same every time, and one long operation makes a long
    /// sample.
    func hasShortSamples(_ runner: Runner) -> Bool {
      measurement.workload.unit == .nanoseconds && shortest < 5 * runner.sampleTime
    }

    mutating func measure() {
      guard let total = take() else { return }
      shortest = min(shortest, total)
      let each = total / Double(operations)
      // The harness's own allocations amount to some thousandths of a byte for each object.
      let isBytes = measurement.workload.unit == .bytes
      measurement.rounds.append(isBytes ? (each * 10).rounded() / 10 : each)
    }

    private mutating func take() -> Double? {
      guard let sample, measurement.problem == nil else { return nil }
      do {
        let reading = try sample(operations)
        let heard = Workload.Expectation(
          notifications: reading.notifications, checksum: reading.checksum)
        if heard != expected {
          measurement.fail("\(operations) operations: expected \(expected), heard \(heard)")
        }
        return reading.total
      } catch {
        measurement.fail("\(error)")
        return nil
      }
    }
  }
}
