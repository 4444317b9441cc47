import Following
import KeyValueObserving
import MachineModel

/// A row for each process of a machine.
///
/// A change of the list names the indexes of started and ended processes, so all other rows stay,
/// with their observations.
final class ProcessTable {
  /// In the order of the machine's processes.
  private var rows: [ProcessRow] = []
  private var observation: KeyValueObservation?

  init(of machine: Machine) {
    observation = machine.kvo.processes.observe(options: [.initial, .new]) {
      [unowned self] _, change in
      rows.follow(change) { ProcessRow(of: $0) }
    }
  }

  /// The number of rows with a text that was updated since the last call.
  func takeRedrawnCount() -> Int {
    rows.reduce(0) { $1.takeRedrawn() ? $0 + 1 : $0 }
  }

  /// The first rows, up to the limit.
  func rows(in order: ProcessOrder, limit: Int) -> ArraySlice<ProcessRow> {
    rows.sorted(by: order.areInOrder).prefix(limit)
  }
}
