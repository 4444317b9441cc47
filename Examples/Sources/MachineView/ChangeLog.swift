import Following
import KeyValueObserving
import MachineModel
import TerminalSupport

/// Every change of a machine, of its processes and of their aggregates, as lines.
///
/// It doesn't know the classes' properties: it reads their keys and observes each by name.
package final class ChangeLog {
  private let write: (String) -> Void
  private var machineObservations: Set<KeyValueObservation> = []
  /// In the order of the machine's processes.
  private var entryObservations: [[KeyValueObservation]] = []

  package init(of machine: Machine, write: @escaping (String) -> Void) throws {
    self.write = write
    for keyPath in Machine.keyValueKeys + Self.aggregates {
      try machine.observe(keyPath, options: [.old, .new]) { [unowned self] _, change in
        log(keyPath, change)
      }
      .store(in: &machineObservations)
    }
    machine.kvo.processes.observe(options: [.initial, .new]) { [unowned self] _, change in
      entryObservations.follow(change) { entry in
        ProcessEntry.keyValueKeys.map { watch($0, of: entry) }
      }
    }
    .store(in: &machineObservations)
  }

  private static let aggregates = [
    "processes.@count", "processes.@sum.runningCount", "processes.@sum.residentBytes",
    "processes.@max.cpuFraction",
  ]

  private func watch(_ key: String, of entry: ProcessEntry) -> KeyValueObservation {
    do {
      return try entry.observe(key, options: [.old, .new]) { [unowned self] entry, change in
        log("processes[\("\(entry)".harmless)].\(key)", change)
      }
    } catch {
      preconditionFailure("A class answered a key that it does not have: \(error)")
    }
  }

  private func log(_ keyPath: String, _ change: KeyValueObservedChange<Any?>) {
    // A derived value is announced whenever one of its sources is set. If it stays the same (most
    // processes aren't the busiest one), there is no line.
    if change.kind == .setting, areEqual(change.oldValue ?? nil, change.newValue ?? nil) { return }
    write(ChangeText.line(keyPath, change))
  }
}

/// Whether two values have the same type and are equal; false if the type isn't `Equatable`.
private func areEqual(_ first: Any?, _ second: Any?) -> Bool {
  func compare<Value: Equatable>(_ first: Value) -> Bool { first == second as? Value }
  guard let first = first as? any Equatable else { return first == nil && second == nil }
  return compare(first)
}
