import KeyValueObserving
import MachineModel

/// A row for each process of a machine.
final class ProcessTable {
  private var rows: [ObjectIdentifier: ProcessRow] = [:]
  private var observation: KeyValueObservation?

  init(of machine: Machine) {
    observation = machine.follow(\.processes) { [unowned self] in showRows(of: $0) }
  }

  /// Rows of processes that go on are kept, and with them what they observe.
  private func showRows(of processes: [ProcessEntry]) {
    var rows: [ObjectIdentifier: ProcessRow] = [:]
    rows.reserveCapacity(processes.count)
    for entry in processes {
      let id = ObjectIdentifier(entry)
      rows[id] = self.rows[id] ?? ProcessRow(of: entry)
    }
    self.rows = rows
  }

  /// The first so many rows.
  func rows(in order: ProcessOrder, limit: Int) -> ArraySlice<ProcessRow> {
    rows.values.sorted(by: order.areInOrder).prefix(limit)
  }
}
