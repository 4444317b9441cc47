import KeyValueObserving
import MachineModel
import TerminalSupport

/// A machine as text.
///
/// It knows the model, but not the code that changes it. Its parts' observations bring everything
/// that it shows; it draws when the model counts another sample.
package final class MachineView {
  /// The available space; nil means unlimited.
  package struct Space: Equatable {
    package var columns: Int?
    package var rows: Int?

    package init(columns: Int? = nil, rows: Int? = nil) {
      self.columns = columns
      self.rows = rows
    }
  }

  /// The order of the rows, from the next drawing on.
  package var order: ProcessOrder
  private let limit: Int?
  private let present: (MachineView) -> Void
  private let summary: MachineSummary
  private let table: ProcessTable
  private var observation: KeyValueObservation?

  /// Shows at most `limit` processes; nil for as many as fit.
  ///
  /// `present` is called after each sample, to show the view's `lines`.
  package init(
    of machine: Machine, order: ProcessOrder, limit: Int?,
    present: @escaping (MachineView) -> Void
  ) {
    self.order = order
    self.limit = limit
    self.present = present
    summary = MachineSummary(of: machine)
    table = ProcessTable(of: machine)
    observation = machine.kvo.sampleNumber.observe { [unowned self] _, _ in draw() }
  }

  package func draw() { present(self) }

  /// The whole view, within the space.
  ///
  /// `isInteractive` is for a screen with keys: the view has a hint at them, and its header stands
  /// out.
  package func lines(in space: Space, isInteractive: Bool = false) -> [String] {
    var texts = summary.texts
    let sorted = "sorted by \(order)"
    texts.append(isInteractive ? "\(sorted) (keys c m p n), q quits" : sorted)
    // On a short screen the processes get at least half of the lines.
    let summaryLines = FlowLayout.lines(
      texts, lineWidth: space.columns ?? Self.summaryWidth,
      lineLimit: space.rows.map { max(1, $0 / 2 - 1) })

    let layout = TableLayout(columns: ProcessRow.columns, lineWidth: space.columns)
    let header =
      isInteractive
      ? "\u{1B}[7m" + layout.header.fitted(columns: space.columns ?? 0, alignment: .left)
        + "\u{1B}[m"
      : layout.header

    let free = space.rows.map { max(0, $0 - summaryLines.count - 1) } ?? Self.rowsWithoutEnd
    let rows = table.rows(in: order, limit: min(free, limit ?? free))
    let lines =
      summaryLines + [header]
      + rows.map {
        layout.line($0.cells(memoryTotal: summary.memoryTotal))
      }
    return Array(lines.prefix(space.rows ?? .max))
  }

  /// The width of a summary without a line limit.
  private static let summaryWidth = 100
  /// The number of processes without a limit of lines.
  private static let rowsWithoutEnd = 20
}
