import Foundation

/// Draws a run's results and the counts of commits, each chart once for light and once for dark pages.
@main
struct Charts {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 4 else {
      complain("usage: charts RESULTS.json BUILD-TIMES.csv HISTORY.csv FOLDER")
      exit(64)
    }
    let files = arguments.map { URL(filePath: $0) }
    do {
      let run = try Run(contentsOf: files[0])
      let builds = try BuildTimes(contentsOf: files[1])
      let history = try History(contentsOf: files[2])
      try FileManager.default.createDirectory(at: files[3], withIntermediateDirectories: true)
      for palette in [Palette.light, .dark] {
        let charts = [
          "overview": try OverviewChart(run: run, builds: builds).drawn(palette),
          "growth": try GrowthChart(run: run).drawn(palette),
          "history": HistoryChart(history: history).drawn(palette),
        ]
        for (name, chart) in charts {
          let file = files[3].appending(path: "chart-\(name)-\(palette.name).svg")
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
