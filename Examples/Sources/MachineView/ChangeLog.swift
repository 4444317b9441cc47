import KeyValueObserving
import MachineModel
import TerminalSupport

/// Every change of a machine and of its processes, as lines.
///
/// It is written without knowing what the classes declare: it asks them for their keys and observes
/// each by its name.
package final class ChangeLog {
  private let write: (String) -> Void
  private var machineObservations: Set<KeyValueObservation> = []
  private var entryObservations: [ObjectIdentifier: [KeyValueObservation]] = [:]

  package init(of machine: Machine, write: @escaping (String) -> Void) throws {
    self.write = write
    for key in Machine.keyValueKeys {
      try machine.observe(key, options: [.old, .new]) { [unowned self] _, change in
        self.write(ChangeText.line(key, change))
      }
      .store(in: &machineObservations)
    }
    machine.follow(\.processes) { [unowned self] in watch($0) }.store(in: &machineObservations)
  }

  private func watch(_ processes: [ProcessEntry]) {
    var observations: [ObjectIdentifier: [KeyValueObservation]] = [:]
    for entry in processes {
      let id = ObjectIdentifier(entry)
      observations[id] =
        entryObservations[id] ?? ProcessEntry.keyValueKeys.map { watch($0, of: entry) }
    }
    entryObservations = observations
  }

  private func watch(_ key: String, of entry: ProcessEntry) -> KeyValueObservation {
    do {
      return try entry.observe(key, options: [.old, .new]) { [unowned self] entry, change in
        write(ChangeText.line("processes[\("\(entry)".harmless)].\(key)", change))
      }
    } catch {
      preconditionFailure("A class answered a key that it does not have: \(error)")
    }
  }
}
