/// Arranges texts in lines, as many as fit into each.
package enum FlowLayout {
  /// Without `lineWidth`, lines have any length.
  ///
  /// Texts beyond `lineLimit` lines are omitted.
  package static func lines(_ texts: [String], lineWidth: Int?, lineLimit: Int?) -> [String] {
    let gap = "   "
    var lines: [String] = []
    for text in texts {
      if let last = lines.last,
        lineWidth.map({ (last + gap + text).columnCount <= $0 }) ?? true
      {
        lines[lines.count - 1] += gap + text
      } else if let lineLimit, lines.count >= lineLimit {
        break
      } else {
        lines.append(lineWidth.map { text.prefix(columns: $0) } ?? text)
      }
    }
    return lines
  }
}
