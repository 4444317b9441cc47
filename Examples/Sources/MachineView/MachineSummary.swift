import Following
import KeyValueObserving
import MachineModel
import TerminalSupport

/// What is shown about the machine as a whole, above the table.
final class MachineSummary {
  private(set) var memoryTotal = 0
  private var hostName = ""
  private var uptime = 0.0
  private var load1 = 0.0
  private var load5 = 0.0
  private var load15 = 0.0
  private var cpuFraction = 0.0
  private var memoryUsed = 0
  private var memoryUsedFraction = 0.0
  private var swapTotal = 0
  private var swapUsed = 0
  private var processCount = 0
  private var runningCount = 0
  private var residentBytes = 0
  /// Nil as long as there are no processes.
  private var busiestFraction: Double?
  private var observations: Set<KeyValueObservation> = []

  init(of machine: Machine) {
    show(\.hostName, of: machine, in: \.hostName)
    show(\.uptime, of: machine, in: \.uptime)
    show(\.loadAverage1, of: machine, in: \.load1)
    show(\.loadAverage5, of: machine, in: \.load5)
    show(\.loadAverage15, of: machine, in: \.load15)
    show(\.cpuFraction, of: machine, in: \.cpuFraction)
    show(\.memoryTotal, of: machine, in: \.memoryTotal)
    show(\.memoryUsed, of: machine, in: \.memoryUsed)
    show(\.memoryUsedFraction, of: machine, in: \.memoryUsedFraction)
    show(\.swapTotal, of: machine, in: \.swapTotal)
    show(\.swapUsed, of: machine, in: \.swapUsed)
    // Nobody adds these up again: each is kept up to date by what changes in a process or the list.
    show(\.processes.count, of: machine, in: \.processCount)
    show(\.processes[sum: \.runningCount], of: machine, in: \.runningCount)
    show(\.processes[sum: \.residentBytes], of: machine, in: \.residentBytes)
    show(\.processes[maximum: \.cpuFraction], of: machine, in: \.busiestFraction)
  }

  private func show<Value>(
    _ keyPath: KeyPath<KeyValuePath<Machine, Machine>, KeyValuePath<Machine, Value>>,
    of machine: Machine, in property: ReferenceWritableKeyPath<MachineSummary, Value>
  ) {
    machine.follow(keyPath) { [unowned self] in self[keyPath: property] = $0 }
      .store(in: &observations)
  }

  /// The most important first, as a short screen shows only the first ones.
  var texts: [String] {
    let bytes = NumberText.bytes
    let percent = NumberText.percent
    let loads = [load1, load5, load15].map { NumberText.fixed($0, decimals: 2) }
    return [
      hostName.isEmpty ? "this machine" : hostName.harmless,
      "cpu \(percent(cpuFraction))%",
      "memory \(bytes(memoryUsed)) of \(bytes(memoryTotal)) (\(percent(memoryUsedFraction))%)",
      "\(processCount) process\(processCount == 1 ? "" : "es"), \(runningCount) running",
      "load \(loads.joined(separator: " "))",
      "up \(NumberText.duration(seconds: uptime))",
      "resident \(bytes(residentBytes)) (\(percent(residentBytes.fraction(of: memoryTotal)))%)",
      "busiest \(percent(busiestFraction ?? 0))%",
      swapTotal > 0 ? "swap \(bytes(swapUsed)) of \(bytes(swapTotal))" : "no swap",
    ]
  }
}
