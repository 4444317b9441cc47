import Following
import KeyValueObserving
import MachineModel
import TerminalSupport

/// The machine's totals, above the table.
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
  /// Nil while there are no processes.
  private var busiestFraction: Double?
  private var observations: Set<KeyValueObservation> = []

  init(of machine: Machine) {
    show(machine.kvo.hostName, in: \.hostName)
    show(machine.kvo.uptime, in: \.uptime)
    show(machine.kvo.loadAverage1, in: \.load1)
    show(machine.kvo.loadAverage5, in: \.load5)
    show(machine.kvo.loadAverage15, in: \.load15)
    show(machine.kvo.cpuFraction, in: \.cpuFraction)
    show(machine.kvo.memoryTotal, in: \.memoryTotal)
    show(machine.kvo.memoryUsed, in: \.memoryUsed)
    show(machine.kvo.memoryUsedFraction, in: \.memoryUsedFraction)
    show(machine.kvo.swapTotal, in: \.swapTotal)
    show(machine.kvo.swapUsed, in: \.swapUsed)
    // These aren't recomputed: changes of a process or of the list keep each up to date.
    show(machine.kvo.processes.count, in: \.processCount)
    show(machine.kvo.processes[sum: \.runningCount], in: \.runningCount)
    show(machine.kvo.processes[sum: \.residentBytes], in: \.residentBytes)
    show(machine.kvo.processes[maximum: \.cpuFraction], in: \.busiestFraction)
  }

  private func show<Value>(
    _ path: KeyValueBoundPath<Machine, Value>,
    in property: ReferenceWritableKeyPath<MachineSummary, Value>, line: UInt = #line
  ) {
    path.follow(line: line) { [unowned self] in self[keyPath: property] = $0 }
      .store(in: &observations)
  }

  /// The most important first, because a short screen shows only the first ones.
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
