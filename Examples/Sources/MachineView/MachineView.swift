import KeyValueObserving
import MachineModel
import TerminalSupport

/// A machine as text.
///
/// It knows the model and nothing of who changes it: everything it shows it was told by the
/// observations of its parts, and it draws when the model counts another sample.
package final class MachineView {
  /// The space there is; nil where there is no end to it.
  package struct Space: Equatable {
    package var columns: Int?
    package var rows: Int?

    package init(columns: Int? = nil, rows: Int? = nil) {
      self.columns = columns
      self.rows = rows
    }
  }

  /// What the rows are sorted by; shown by the next drawing.
  package var order: ProcessOrder
  private let limit: Int?
  private let present: (MachineView) -> Void
  private let summary: MachineSummary
  private let table: ProcessTable
  private var observation: KeyValueObservation?

  /// - Parameters:
  ///   - limit: How many processes are shown at most; nil for as many as there is space for.
  ///   - present: Called after each sample, to show the view's `lines`.
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

  /// The whole view, in no more columns and rows than there are.
  ///
  /// - Parameter isInteractive: On a screen with keys: a hint at them, and the header stands out.
  package func lines(in space: Space, isInteractive: Bool = false) -> [String] {
    var texts = summary.texts
    let sorted = "sorted by \(order)"
    texts.append(isInteractive ? "\(sorted) (keys c m p n), q quits" : sorted)
    // A short screen is for the processes; they get at least half of it.
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

  /// How wide a summary gets where there is no end to a line.
  private static let summaryWidth = 100
  /// How many processes are enough where there is no end to the lines.
  private static let rowsWithoutEnd = 20
}
