/// How many instructions operations have taken from commit to commit.
struct HistoryChart {
  private struct Panel {
    let title: String
    let workload: String
  }

  private static let panels = [
    Panel(title: "set, one observer", workload: "W2 set Int, one observer, no values, same module"),
    Panel(title: "… old and new", workload: "W3 set Int, one observer, old and new, same module"),
    Panel(title: "set, 10 observers", workload: "W4 set Int, 10 observers, no values"),
    Panel(title: "add and remove an observer", workload: "W5 add and remove an observer, alone"),
    Panel(title: "the end of a path", workload: "W6 path a.b.c, the leaf set"),
    Panel(title: "a dependent key", workload: "W7 dependent key with two sources, new"),
    Panel(
      title: "append through a proxy", workload: "W8 append through a kept proxy, 1000 elements"),
    Panel(
      title: "one of 10,000 under a total",
      workload: "W9 totalSalary of 10000, one salary changed"),
    Panel(title: "two two-way bindings", workload: "W11 two chained two-way bindings"),
    Panel(
      title: "10 sets in a transaction",
      workload: "W15 10 sets in a transaction, one observer, old and new"),
    Panel(title: "a traced set", workload: "W18 set Int, one observer, old and new, traced"),
    Panel(title: "a logged set", workload: "W22 set Int, logged, records counted"),
  ]

  private let history: History

  init(history: History) { self.history = history }

  func drawn(_ palette: Palette) -> Drawing {
    let (width, height) = (240.0, 150.0)
    let columns = 4
    let bottom = Double((Self.panels.count + columns - 1) / columns) * height
    var drawing = Drawing(
      palette, width: Double(columns) * width, height: bottom + 36,
      title: "Instructions from commit to commit",
      description: Self.panels.map { panel in
        let points = points(of: panel)
        guard let first = points.first, let last = points.last else {
          return "\(panel.title): not counted"
        }
        return "\(panel.title): \(Quantity.count.text(first.count)) on \(first.date), "
          + "\(Quantity.count.text(last.count)) on \(last.date)"
      }.joined(separator: ". "))
    for (index, panel) in Self.panels.enumerated() {
      draw(
        panel, in: &drawing, palette, x: Double(index % columns) * width,
        y: Double(index / columns) * height)
    }
    let (first, last) = (history.landings.first, history.landings.last)
    drawing.write(
      "Instructions of one operation, from \(first?.commit ?? "") of \(first?.date ?? "") "
        + "to \(last?.commit ?? "") of \(last?.date ?? ""); less is better.",
      x: 16, y: bottom + 24, size: 11, color: palette.muted)
    return drawing
  }

  private func points(of panel: Panel) -> [(place: Int, date: String, count: Double)] {
    history.landings.enumerated().compactMap { place, landing in
      landing.counts[panel.workload].map { (place, landing.date, $0) }
    }
  }

  private func draw(
    _ panel: Panel, in drawing: inout Drawing, _ palette: Palette, x: Double, y: Double
  ) {
    drawing.write(panel.title, x: x + 16, y: y + 22, size: 12, bold: true)
    let points = points(of: panel)
    let (left, right, top, bottom) = (x + 16, x + 180, y + 46, y + 138)
    drawing.line(from: (left, bottom), to: (right, bottom), color: palette.grid)
    guard let most = points.map(\.count).max(), let last = points.last else { return }
    let step = (right - left) / Double(max(1, history.landings.count - 1))
    let places = points.map { point in
      (
        x: left + Double(point.place) * step,
        y: bottom - point.count / most * (bottom - top)
      )
    }
    let color = palette.color(.keyValue)
    drawing.path(through: places, color: color, width: 2)
    for place in places { drawing.dot(x: place.x, y: place.y, radius: 2.5, color: color) }
    let end = places[places.count - 1]
    drawing.write(
      Quantity.count.text(last.count), x: end.x + 8, y: end.y + 4, size: 11.5, bold: true)
    if points[0].count > 1.3 * last.count {
      drawing.write(
        Quantity.count.text(points[0].count), x: places[0].x, y: places[0].y - 6, size: 10.5,
        color: palette.muted)
    }
  }
}
