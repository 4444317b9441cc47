import Following
import KeyValueObserving
import MachineModel
import TerminalSupport

/// Every change of a machine, of its processes and of what they come to together, as lines.
///
/// It is written without knowing what the classes declare: it asks them for their keys and observes
/// each by its name.
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
    // What is worked out from others is announced whenever one of them is set. Where it came out the
    // same (most processes are not the busiest one), there is nothing to tell.
    if change.kind == .setting, areEqual(change.oldValue ?? nil, change.newValue ?? nil) { return }
    write(ChangeText.line(keyPath, change))
  }
}

/// Whether two values are of one type and equal; what defines no equality is not.
private func areEqual(_ first: Any?, _ second: Any?) -> Bool {
  func compare<Value: Equatable>(_ first: Value) -> Bool { first == second as? Value }
  guard let first = first as? any Equatable else { return first == nil && second == nil }
  return compare(first)
}
