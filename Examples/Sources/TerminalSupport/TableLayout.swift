/// A column of a table.
package struct TableColumn: Sendable {
  package let title: String
  /// For a column that takes the rest of the line: the minimum width.
  package let width: Int
  package let alignment: Alignment
  /// A line that's too short omits the columns of lowest importance.
  package let importance: Int

  package init(_ title: String, width: Int, alignment: Alignment, importance: Int) {
    self.title = title
    self.width = width
    self.alignment = alignment
    self.importance = importance
  }
}

/// The columns of a table that fit into a line, and its lines.
///
/// The last column takes the remaining width and is never omitted.
package struct TableLayout {
  private let columns: [TableColumn]
  private let shown: [Int]
  private let lineWidth: Int?

  /// Without `lineWidth`, lines have any length.
  package init(columns: [TableColumn], lineWidth: Int?) {
    self.columns = columns
    self.lineWidth = lineWidth
    var shown = Array(columns.indices)
    if let lineWidth {
      while shown.count > 1, columns.width(of: shown) > lineWidth {
        let least = shown.dropLast().min { columns[$0].importance < columns[$1].importance }
        shown.removeAll { $0 == least }
      }
    }
    self.shown = shown
  }

  package var header: String { line(columns.map(\.title)) }

  /// A line of the table; `cells` has one text for each column, including omitted ones.
  package func line(_ cells: [String]) -> String {
    var line = ""
    for index in shown.dropLast() {
      let column = columns[index]
      line += cells[index].fitted(columns: column.width, alignment: column.alignment)
      line += " "
    }
    if let last = shown.last { line += cells[last] }
    guard let lineWidth else { return line }
    return line.prefix(columns: lineWidth)
  }
}

extension [TableColumn] {
  fileprivate func width(of shown: [Int]) -> Int {
    shown.reduce(shown.count - 1) { $0 + self[$1].width }
  }
}
