import KeyValueObserving
import MachineModel
import ProcFiles

/// Updates a machine with samples.
///
/// It has no reference to observers. It sets only changed values, in the existing objects.
package final class MachineSampler {
  private let machine: Machine
  private let processes: KeyValueMutableArray<ProcessEntry>
  private var users = UserNames()
  /// The time of the previous sample, in seconds since the machine started.
  private var previousUptime: Double?
  private var previousCPUTimes = CPUTimes(busy: 0, total: 0)
  /// Each process's processor time at the previous sample.
  private var cpuTicks: [ObjectIdentifier: Int] = [:]

  package init(of machine: Machine) {
    self.machine = machine
    processes = machine.mutableArrayValue(for: \.processes)
  }

  /// Sets the model to the sample's values; unknown ones stay as they are.
  package func apply(_ sample: MachineSample) {
    applyMachine(sample)
    applyProcesses(sample)
    previousUptime = sample.uptime
    machine.sampleNumber += 1
  }

  private func applyMachine(_ sample: MachineSample) {
    update(machine, \.hostName, to: sample.hostName)
    update(machine, \.uptime, to: sample.uptime)
    update(machine, \.loadAverage1, to: sample.loadAverages?.oneMinute)
    update(machine, \.loadAverage5, to: sample.loadAverages?.fiveMinutes)
    update(machine, \.loadAverage15, to: sample.loadAverages?.fifteenMinutes)
    update(machine, \.cpuUsage, to: cpuUsage(sample))
    // In this order the first sample doesn't show all memory as used for a moment.
    update(machine, \.memoryAvailable, to: sample.memory?.available)
    update(machine, \.memoryTotal, to: sample.memory?.total)
    update(machine, \.swapFree, to: sample.memory?.swapFree)
    update(machine, \.swapTotal, to: sample.memory?.swapTotal)
  }

  /// The usage since the previous sample, or since the machine started for the first sample.
  private func cpuUsage(_ sample: MachineSample) -> CPUUsage? {
    guard let now = sample.cpuTimes else { return nil }
    let before = previousCPUTimes
    previousCPUTimes = now
    // The kernel's counters for waiting on devices sometimes go back.
    return CPUUsage(busy: max(0, now.busy - before.busy), total: max(0, now.total - before.total))
  }

  /// Changes surviving processes in place; started and ended processes are one change of the list
  /// each.
  private func applyProcesses(_ sample: MachineSample) {
    let change = ProcessListChange(from: machine.processes, to: sample.processes)
    for (entry, process) in change.kept { apply(process, to: entry, at: sample.uptime) }
    for (index, process) in change.replaced {
      cpuTicks[ObjectIdentifier(processes[index])] = nil
      processes[index] = newEntry(process, at: sample.uptime)
    }
    for index in change.removed.ranges.joined() {
      cpuTicks[ObjectIdentifier(processes[index])] = nil
    }
    processes.remove(at: change.removed)
    processes.insert(
      contentsOf: change.started.map { newEntry($0, at: sample.uptime) }, at: change.inserted)
  }

  private func newEntry(_ process: ProcessSample, at uptime: Double?) -> ProcessEntry {
    let entry = ProcessEntry(
      pid: process.pid, startTicks: process.startTicks, command: process.command ?? "?",
      state: process.state ?? "?", user: users.name(of: process.effectiveUserID))
    entry.residentBytes = process.plausibleResidentBytes
    if let ticks = process.cpuTicks {
      cpuTicks[ObjectIdentifier(entry)] = ticks
      // Without a previous value, this is the average over the process's life, as in `ps`.
      if let uptime, let start = process.startTicks {
        let age = uptime - Double(start) / ClockTicks.perSecond
        entry.cpuFraction = cpuFraction(ticks: ticks, seconds: age) ?? 0
      }
    }
    return entry
  }

  private func apply(_ process: ProcessSample, to entry: ProcessEntry, at uptime: Double?) {
    update(entry, \.command, to: process.command)
    update(entry, \.state, to: process.state)
    if process.effectiveUserID != nil {
      update(entry, \.user, to: users.name(of: process.effectiveUserID))
    }
    update(entry, \.residentBytes, to: .some(process.plausibleResidentBytes))
    if let ticks = process.cpuTicks {
      let before = cpuTicks.updateValue(ticks, forKey: ObjectIdentifier(entry))
      if let before, let uptime, let earlier = previousUptime {
        let fraction = cpuFraction(ticks: ticks - before, seconds: uptime - earlier)
        update(entry, \.cpuFraction, to: fraction)
      }
    }
  }
}

/// Sets a property if the value differs: as in Cocoa, setting an equal value notifies.
private func update<Object: AnyObject, Value: Equatable>(
  _ object: Object, _ property: ReferenceWritableKeyPath<Object, Value>, to value: Value?
) {
  if let value, object[keyPath: property] != value { object[keyPath: property] = value }
}

/// The fraction of one processor for a number of clock ticks; nil if no time has passed.
private func cpuFraction(ticks: Int, seconds: Double) -> Double? {
  seconds > 0 ? max(0, Double(ticks) / ClockTicks.perSecond / seconds) : nil
}

extension ProcessSample {
  /// A number from a file can be absurd, and the sum over all processes must fit, so a value that
  /// exceeds any machine's memory counts as unreadable.
  fileprivate var plausibleResidentBytes: Int? {
    residentBytes.flatMap { $0 <= 1 << 46 ? $0 : nil }
  }
}
