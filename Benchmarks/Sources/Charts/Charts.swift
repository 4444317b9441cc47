import Foundation

/// Draws a run's results, each chart once for light and once for dark pages.
@main
struct Charts {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 3 else {
      complain("usage: charts RESULTS.json BUILD-TIMES.csv FOLDER")
      exit(64)
    }
    let files = arguments.map { URL(filePath: $0) }
    do {
      let run = try Run(contentsOf: files[0])
      let builds = try BuildTimes(contentsOf: files[1])
      try FileManager.default.createDirectory(at: files[2], withIntermediateDirectories: true)
      for palette in [Palette.light, .dark] {
        let charts = [
          "overview": try OverviewChart(run: run, builds: builds).drawn(palette),
          "growth": try GrowthChart(run: run).drawn(palette),
        ]
        for (name, chart) in charts {
          let file = files[2].appending(path: "chart-\(name)-\(palette.name).svg")
          try Data(chart.text.utf8).write(to: file)
        }
      }
    } catch {
      complain("\(error)")
      exit(1)
    }
  }

  static func complain(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}

/// Why a chart can't be drawn.
struct Problem: Error, CustomStringConvertible {
  let description: String
}
