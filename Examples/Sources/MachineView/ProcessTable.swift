import Following
import KeyValueObserving
import MachineModel

/// A row for each process of a machine.
///
/// A change of the list says where processes started and ended, so the rows of all others stay, and
/// with them what they observe.
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

  /// The first so many rows.
  func rows(in order: ProcessOrder, limit: Int) -> ArraySlice<ProcessRow> {
    rows.sorted(by: order.areInOrder).prefix(limit)
  }
}
