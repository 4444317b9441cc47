/// Six panels: a set, an observer, a path, a total, memory and a build.
///
/// Times are dots on logarithmic axes, because they are thousands of times apart; bytes and seconds of
/// a build are bars from zero.
struct OverviewChart {
  private struct Row {
    let label: String
    let value: Double
    /// The system whose colour it has.
    let system: ShownSystem?
  }

  private struct Panel {
    let title: String
    let subtitle: String
    let quantity: Quantity
    let rows: [Row]
  }

  private let panels: [Panel]
  private let conditions: String

  init(run: Run, builds: BuildTimes) throws {
    func times(_ title: String, _ subtitle: String, _ workload: String) throws -> Panel {
      let rows = try ShownSystem.allCases.compactMap { system in
        try run.minimum(workload, system.rawValue).map {
          Row(label: system.label, value: $0, system: system)
        }
      }
      return Panel(title: title, subtitle: subtitle, quantity: .nanoseconds, rows: rows)
    }
    let memory = try ShownSystem.allCases.compactMap { system -> Row? in
      let object = try run.minimum("W10 bytes of an unobserved object", system.rawValue)
      let first = try run.minimum("W10 bytes for the first observation", system.rawValue)
      guard let object, let first else { return nil }
      return Row(label: system.label, value: object + first, system: system)
    }
    conditions = run.conditions
    panels = [
      try times(
        "Set an Int", "one observer, old and new value",
        "W3 set Int, one observer, old and new, same module"),
      try times(
        "Observe", "add an observer and remove it",
        "W5 add and remove an observer, beside another"),
      try times("Path a.b.c", "set its end, old and new value", "W6 path a.b.c, the leaf set"),
      try times(
        "Total of 10,000", "change one of the numbers",
        "W9 totalSalary of 10000, one salary changed"),
      Panel(
        title: "Memory", subtitle: "an object and its first observer", quantity: .bytes,
        rows: memory),
      Panel(
        title: "Build", subtitle: "processor time of a small package", quantity: .seconds,
        rows: builds.rows.map {
          Row(
            label: $0.name, value: $0.seconds,
            // The next row is also this library's.
            system: $0.name.hasPrefix("swift-kvo") || $0.name.hasPrefix("…") ? .keyValue : nil)
        }),
    ]
  }

  func drawn(_ palette: Palette) -> Drawing {
    let (width, height) = (336.0, 214.0)
    var drawing = Drawing(
      palette, width: 3 * width, height: 2 * height + 36, title: "swift-kvo beside other systems",
      description: panels.map { panel in
        "\(panel.title), \(panel.subtitle): "
          + panel.rows.map { "\($0.label) \(panel.quantity.text($0.value))" }
          .joined(separator: ", ")
      }.joined(separator: ". "))
    for (index, panel) in panels.enumerated() {
      draw(
        panel, in: &drawing, palette, x: Double(index % 3) * width,
        y: Double(index / 3) * height + 6)
    }
    drawing.write(
      """
      Less is better. Dots: logarithmic axes, the quickest round; bars: from zero. \(conditions)
      """,
      x: 16, y: 2 * height + 24, size: 11, color: palette.muted)
    return drawing
  }

  private func draw(
    _ panel: Panel, in drawing: inout Drawing, _ palette: Palette, x: Double, y: Double
  ) {
    drawing.write(panel.title, x: x + 16, y: y + 22, size: 14, bold: true)
    drawing.write(panel.subtitle, x: x + 16, y: y + 39, size: 11.5, color: palette.muted)
    let (left, right, top) = (x + 152, x + 256, y + 52)
    let bottom = top + Double(panel.rows.count) * 21
    let isTime = panel.quantity == .nanoseconds
    let axis = LogarithmicAxis(panel.rows.map(\.value), from: left, to: right)
    if isTime {
      for tick in axis.ticks(atMost: 3) {
        let place = axis.place(tick)
        drawing.line(from: (place, top), to: (place, bottom), color: palette.grid)
        drawing.write(
          panel.quantity.tick(tick), x: place, y: bottom + 13, size: 10, color: palette.muted,
          anchor: .middle)
      }
    } else {
      drawing.line(from: (left, top), to: (left, bottom), color: palette.grid)
    }
    let most = panel.rows.map(\.value).max() ?? 1
    for (index, row) in panel.rows.enumerated() {
      let middle = top + (Double(index) + 0.5) * 21
      let isOurs = row.system == .keyValue
      let color = isOurs ? palette.color(.keyValue) : palette.muted
      drawing.write(
        row.label, x: left - 8, y: middle + 4, color: isOurs ? color : palette.ink, anchor: .end,
        bold: isOurs)
      if isTime {
        let place = axis.place(row.value)
        drawing.line(from: (left, middle), to: (place, middle), color: color, width: 1.5)
        drawing.dot(x: place, y: middle, radius: 5, color: color)
      } else {
        let width = (right - left) * row.value / most
        drawing.bar(x: left, y: middle - 6, width: max(1, width), height: 12, color: color)
      }
      drawing.write(
        panel.quantity.text(row.value), x: x + 322, y: middle + 4,
        color: isOurs ? color : palette.ink, anchor: .end, bold: isOurs)
    }
  }
}
