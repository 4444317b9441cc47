/// The colours of a chart.
struct Palette {
  /// The end of the files' names.
  let name: String
  let background: String
  let ink: String
  let muted: String
  let grid: String
  private let systems: [ShownSystem: String]

  /// A system's colour; that of this library stands out.
  func color(_ system: ShownSystem) -> String { systems[system] ?? muted }

  static let light = Palette(
    name: "light", background: "#ffffff", ink: "#1f2328", muted: "#59636e", grid: "#d8dee4",
    systems: [
      .keyValue: "#d9480f", .proxy: "#e8590c", .handWritten: "#1f2328",
      .published: "#1c7ed6", .subject: "#1098ad", .observation: "#2b8a3e", .gnustep: "#9c36b5",
    ])
  static let dark = Palette(
    name: "dark", background: "#0d1117", ink: "#e6edf3", muted: "#9198a1", grid: "#30363d",
    systems: [
      .keyValue: "#ff922b", .proxy: "#ffa94d", .handWritten: "#e6edf3",
      .published: "#74c0fc", .subject: "#66d9e8", .observation: "#69db7c", .gnustep: "#e599f7",
    ])
}
