/// Texts side by side, as many as fit into each line.
package enum FlowLayout {
  /// - Parameters:
  ///   - lineWidth: Nil when lines may have any length.
  ///   - lineLimit: Texts beyond so many lines are left out.
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
