import KeyValueObserving
import MachineModel
import ProcFiles

/// Brings a machine up to date with samples.
///
/// It knows no observers and tells nobody anything: it sets what changed, and only that, in the
/// objects that are there.
package final class MachineSampler {
  private let machine: Machine
  private let processes: KeyValueMutableArray<ProcessEntry>
  private var users = UserNames()
  /// When the previous sample was taken, in seconds since the machine started.
  private var previousUptime: Double?
  private var previousCPUTimes = CPUTimes(busy: 0, total: 0)
  /// The processor time each process had used by the previous sample.
  private var cpuTicks: [ObjectIdentifier: Int] = [:]

  package init(of machine: Machine) {
    self.machine = machine
    processes = machine.mutableArrayValue(for: \.processes)
  }

  /// Makes the model say what the sample says; what the sample does not know stays as it is.
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
    // In this order the first sample does not look as if all memory were in use for a moment.
    update(machine, \.memoryAvailable, to: sample.memory?.available)
    update(machine, \.memoryTotal, to: sample.memory?.total)
    update(machine, \.swapFree, to: sample.memory?.swapFree)
    update(machine, \.swapTotal, to: sample.memory?.swapTotal)
  }

  /// Since the previous sample; the first one covers all the time since the machine started.
  private func cpuUsage(_ sample: MachineSample) -> CPUUsage? {
    guard let now = sample.cpuTimes else { return nil }
    let before = previousCPUTimes
    previousCPUTimes = now
    // The kernel's counters of waiting for devices are known to go back now and then.
    return CPUUsage(busy: max(0, now.busy - before.busy), total: max(0, now.total - before.total))
  }

  /// What went on is changed in place, what started and ended one change of the list each.
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
      // There is nothing to compare with yet: the average over its life, as `ps` shows it.
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

/// Setting a property notifies even if the value is equal, as in Cocoa; what did not change is
/// therefore not set.
private func update<Object: AnyObject, Value: Equatable>(
  _ object: Object, _ property: ReferenceWritableKeyPath<Object, Value>, to value: Value?
) {
  if let value, object[keyPath: property] != value { object[keyPath: property] = value }
}

/// The part of one processor that so many clock ticks are; nil if no time went by.
private func cpuFraction(ticks: Int, seconds: Double) -> Double? {
  seconds > 0 ? max(0, Double(ticks) / ClockTicks.perSecond / seconds) : nil
}

extension ProcessSample {
  /// Numbers from files can be absurd, and all processes together must still be a number: more than
  /// any machine has is as good as unreadable.
  fileprivate var plausibleResidentBytes: Int? {
    residentBytes.flatMap { $0 <= 1 << 46 ? $0 : nil }
  }
}
