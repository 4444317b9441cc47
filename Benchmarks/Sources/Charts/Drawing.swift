/// An SVG picture whose text stays text.
struct Drawing {
  enum Anchor: String {
    case start, middle, end
  }

  private var lines: [String] = []
  private let palette: Palette

  /// Begins a picture; its title and description are for screen readers.
  init(_ palette: Palette, width: Double, height: Double, title: String, description: String) {
    self.palette = palette
    let size = "width=\"\(short(width))\" height=\"\(short(height))\""
    lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" \(size) \
      viewBox="0 0 \(short(width)) \(short(height))" role="img" \
      font-family="-apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif">
      """,
      "<title>\(escaped(title))</title>", "<desc>\(escaped(description))</desc>",
      "<rect \(size) fill=\"\(palette.background)\"/>",
    ]
  }

  /// The picture's source.
  var text: String { (lines + ["</svg>", ""]).joined(separator: "\n") }

  mutating func write(
    _ text: String, x: Double, y: Double, size: Double = 12, color: String? = nil,
    anchor: Anchor = .start, bold: Bool = false
  ) {
    lines.append(
      """
      <text x="\(short(x))" y="\(short(y))" font-size="\(short(size))" \
      fill="\(color ?? palette.ink)" text-anchor="\(anchor.rawValue)"\
      \(bold ? " font-weight=\"600\"" : "")>\(escaped(text))</text>
      """)
  }

  mutating func line(
    from start: (x: Double, y: Double), to end: (x: Double, y: Double), color: String,
    width: Double = 1
  ) {
    lines.append(
      """
      <line x1="\(short(start.x))" y1="\(short(start.y))" x2="\(short(end.x))" \
      y2="\(short(end.y))" stroke="\(color)" stroke-width="\(short(width))"/>
      """)
  }

  mutating func path(through points: [(x: Double, y: Double)], color: String, width: Double) {
    let places = points.map { "\(short($0.x)),\(short($0.y))" }.joined(separator: " ")
    lines.append(
      """
      <polyline points="\(places)" fill="none" stroke="\(color)" \
      stroke-width="\(short(width))" stroke-linejoin="round"/>
      """)
  }

  mutating func dot(x: Double, y: Double, radius: Double, color: String) {
    lines.append(
      "<circle cx=\"\(short(x))\" cy=\"\(short(y))\" r=\"\(short(radius))\" fill=\"\(color)\"/>")
  }

  mutating func bar(x: Double, y: Double, width: Double, height: Double, color: String) {
    lines.append(
      """
      <rect x="\(short(x))" y="\(short(y))" width="\(short(width))" height="\(short(height))" \
      rx="2" fill="\(color)"/>
      """)
  }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}

/// A number with at most one decimal.
func short(_ number: Double) -> String {
  let tenths = (number * 10).rounded()
  let whole = Int(tenths / 10)
  let rest = Int(abs(tenths)) % 10
  return rest == 0 ? "\(whole)" : "\(tenths < 0 && whole == 0 ? "-" : "")\(whole).\(rest)"
}
