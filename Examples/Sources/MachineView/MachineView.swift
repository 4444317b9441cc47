import KeyValueObserving
import MachineModel
import TerminalSupport

/// A machine as text.
///
/// It knows the model, but not the code that changes it. Its parts observe everything that it shows, and it
/// draws when the model counts another sample.
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
  private let meter: ObservationMeter?
  /// Covers the time between the last two samples.
  private var counts = ObservationMeter.Counts()
  private var observation: KeyValueObservation?
  /// A line for the end of an interactive view.
  package var note: String?

  /// Shows at most `limit` processes; nil for as many as fit.
  ///
  /// `present` is called after each sample, to show the view's `lines`. `countsObservation` is for an
  /// interactive view, which shows what observation did.
  package init(
    of machine: Machine, order: ProcessOrder, limit: Int?, countsObservation: Bool = false,
    present: @escaping (MachineView) -> Void
  ) {
    self.order = order
    self.limit = limit
    self.present = present
    meter = countsObservation ? ObservationMeter() : nil
    summary = MachineSummary(of: machine)
    table = ProcessTable(of: machine)
    observation = machine.kvo.sampleNumber.observe { [unowned self] _, _ in
      count()
      draw()
    }
  }

  package func draw() { present(self) }

  private func count() {
    guard let meter else { return }
    counts = meter.take()
    counts.redrawnRows = table.takeRedrawnCount()
  }

  /// The whole view, within the space.
  ///
  /// `isInteractive` is for a screen with keys: the view shows a hint for them, highlights its header, and
  /// says in its last line what observation did. With `hasColor`, the numbers in that line have a colour.
  package func lines(
    in space: Space, isInteractive: Bool = false, hasColor: Bool = false
  ) -> [String] {
    var texts = summary.texts
    texts.append(isInteractive ? hint : "sorted by \(order)")
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

    let footer = isInteractive ? footer(in: space, hasColor: hasColor) : []
    let used = summaryLines.count + 1 + footer.count
    let free = space.rows.map { max(0, $0 - used) } ?? Self.rowsWithoutEnd
    let rows = table.rows(in: order, limit: min(free, limit ?? free))
    // The footer is at the bottom of the screen, however few processes there are.
    let blank = footer.isEmpty ? 0 : max(0, (space.rows ?? 0) - used - rows.count)
    let lines =
      summaryLines + [header]
      + rows.map {
        layout.line($0.cells(memoryTotal: summary.memoryTotal))
      } + Array(repeating: "", count: blank) + footer
    return Array(lines.prefix(space.rows ?? .max))
  }

  /// What the keys do; equally long for each order, so the summary keeps its height.
  private var hint: String {
    func text(_ order: ProcessOrder) -> String { "sorted by \(order) (keys c m p n), q quits" }
    let longest = ProcessOrder.allCases.map { text($0).columnCount }.max() ?? 0
    return text(order).fitted(columns: longest, alignment: .left)
  }

  /// What observation did, and the note; nothing on a screen that is too short for more than a few
  /// processes.
  private func footer(in space: Space, hasColor: Bool) -> [String] {
    guard meter != nil, space.rows ?? .max >= 10 else { return [] }
    let columns = space.columns ?? .max
    let plain =
      "observation: " + counts.parts.map { "\($0.number) \($0.words)" }.joined(separator: ", ")
    let colored =
      "\u{1B}[2mobservation:\u{1B}[m "
      + counts.parts.map { "\u{1B}[1;36m\($0.number)\u{1B}[m \($0.words)" }.joined(separator: ", ")
    // A colour sequence must not be cut off before its end.
    let line = hasColor && plain.columnCount <= columns ? colored : plain.prefix(columns: columns)
    return [line] + (note.map { [$0.prefix(columns: columns)] } ?? [])
  }

  /// The width of a summary without a line limit.
  private static let summaryWidth = 100
  /// The number of processes without a limit of lines.
  private static let rowsWithoutEnd = 20
}
