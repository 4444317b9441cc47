/// How costs grow with elements and observers, on logarithmic axes.
struct GrowthChart {
  private struct Panel {
    let title: String
    let subtitle: String
    /// The sizes and the nanoseconds of each system.
    let curves: [(system: ShownSystem, points: [(size: Double, time: Double)])]
  }

  private let panels: [Panel]
  private let conditions: String

  init(run: Run) throws {
    func panel(
      _ title: String, _ subtitle: String, _ workloads: [(size: Double, name: String)]
    ) throws -> Panel {
      let curves = try ShownSystem.allCases.map { system in
        (
          system: system,
          points: try workloads.compactMap { workload in
            try run.minimum(workload.name, system.rawValue).map { (workload.size, $0) }
          }
        )
      }
      return Panel(title: title, subtitle: subtitle, curves: curves.filter { $0.points.count > 1 })
    }
    conditions = run.conditions
    panels = [
      try panel(
        "An observed total", "change one of n numbers",
        [1_000, 10_000, 100_000].map {
          (Double($0), "W9 totalSalary of \($0), one salary changed")
        }),
      try panel(
        "An observed array", "append to n elements, old and new value and indexes",
        [1_000, 100_000].map { (Double($0), "W8 append through a kept proxy, \($0) elements") }),
      try panel(
        "Observers of one property", "set it, n observers, no values",
        [
          (1, "W2 set Int, one observer, no values, same module"),
          (10, "W4 set Int, 10 observers, no values"),
          (100, "W4 set Int, 100 observers, no values"),
        ]),
      try panel(
        "Adding and removing observers", "n observers of one object, time for each",
        [
          (1, "W5 add and remove an observer, alone"),
          (100, "W5 100 observers added, then removed, each"),
          (1_000, "W5 1000 observers added, then removed, each"),
        ]),
      try panel(
        "An array of objects under a total", "append one of n or remove it, in plain Swift",
        [1_000, 10_000, 100_000].map {
          (Double($0), "W19 append and removeLast by turns, \($0) objects, sum observed, new")
        }),
      try panel(
        "The same array assigned", "one object more or less than n",
        [1_000, 10_000, 100_000].map {
          (Double($0), "W19 assigned, one more or one less, \($0) objects, sum observed, new")
        }),
    ]
  }

  func drawn(_ palette: Palette) -> Drawing {
    let (width, height) = (480.0, 300.0)
    let bottom = Double((panels.count + 1) / 2) * height
    var drawing = Drawing(
      palette, width: 2 * width, height: bottom + 36, title: "How costs grow",
      description: panels.map { panel in
        "\(panel.title), \(panel.subtitle): "
          + panel.curves.map { curve in
            "\(curve.system.label) "
              + curve.points.map {
                "\(Quantity.nanoseconds.text($0.time)) at \(Quantity.count.text($0.size))"
              }.joined(separator: ", ")
          }.joined(separator: "; ")
      }.joined(separator: ". "))
    for (index, panel) in panels.enumerated() {
      draw(
        panel, in: &drawing, palette, x: Double(index % 2) * width,
        y: Double(index / 2) * height + 6)
    }
    drawing.write(
      "Time of one operation in the quickest round; less is better. \(conditions)", x: 16,
      y: bottom + 24, size: 11, color: palette.muted)
    return drawing
  }

  private func draw(
    _ panel: Panel, in drawing: inout Drawing, _ palette: Palette, x: Double, y: Double
  ) {
    drawing.write(panel.title, x: x + 16, y: y + 22, size: 14, bold: true)
    drawing.write(panel.subtitle, x: x + 16, y: y + 39, size: 11.5, color: palette.muted)
    let points = panel.curves.flatMap(\.points)
    let (left, right, top, bottom) = (x + 62, x + 340, y + 56, y + 262)
    let sizes = LogarithmicAxis(points.map(\.size), from: left, to: right)
    let times = LogarithmicAxis(points.map(\.time), from: bottom, to: top)
    for tick in times.ticks(atMost: 8) {
      let place = times.place(tick)
      drawing.line(from: (left, place), to: (right, place), color: palette.grid)
      drawing.write(
        Quantity.nanoseconds.tick(tick), x: left - 8, y: place + 4, size: 11,
        color: palette.muted, anchor: .end)
    }
    for tick in sizes.ticks(atMost: 6) {
      drawing.write(
        "\(tick == 1 ? "n = " : "")\(Quantity.count.text(tick))", x: sizes.place(tick),
        y: bottom + 17, size: 11, color: palette.muted, anchor: .middle)
    }

    // This library's curve lies above the others.
    for curve in panel.curves.sorted(by: { $1.system == .keyValue && $0.system != .keyValue }) {
      let color = palette.color(curve.system)
      let isOurs = curve.system == .keyValue
      let places = curve.points.map { (x: sizes.place($0.size), y: times.place($0.time)) }
      drawing.path(through: places, color: color, width: isOurs ? 3 : 1.75)
      for place in places {
        drawing.dot(x: place.x, y: place.y, radius: isOurs ? 4.5 : 3, color: color)
      }
    }

    // Names at the ends of the curves, moved apart.
    let ends = panel.curves.map { ($0, times.place($0.points[$0.points.count - 1].time)) }
      .sorted { $0.1 < $1.1 }
    for ((curve, end), place) in zip(ends, spread(ends.map(\.1), apart: 16, within: top...bottom)) {
      let color = palette.color(curve.system)
      let last = sizes.place(curve.points[curve.points.count - 1].size)
      drawing.line(from: (last + 7, end), to: (right + 16, place), color: color, width: 0.75)
      drawing.write(
        curve.system.label, x: right + 20, y: place + 4, size: 11.5, color: color,
        bold: curve.system == .keyValue)
    }
  }

  /// Positions in ascending order, moved so that neighbours are at least a distance apart.
  private func spread(
    _ places: [Double], apart distance: Double, within range: ClosedRange<Double>
  ) -> [Double] {
    var places = places
    for index in places.indices.dropFirst() {
      places[index] = max(places[index], places[index - 1] + distance)
    }
    var limit = range.upperBound
    for index in places.indices.reversed() where places[index] > limit {
      places[index] = limit
      limit -= distance
    }
    for index in places.indices.dropLast().reversed() {
      places[index] = min(places[index], places[index + 1] - distance)
    }
    return places
  }
}
