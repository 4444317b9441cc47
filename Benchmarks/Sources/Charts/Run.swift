import Foundation

/// The results of a run, as `compare --json` writes them.
struct Run: Decodable {
  struct Row: Decodable {
    let workload: String
    let system: String
    let minimum: Double?
    let isCorrect: Bool

    private enum CodingKeys: String, CodingKey {
      case workload, system, minimum = "min_ns", isCorrect = "checksum_ok"
    }
  }

  /// When and how it ran.
  let conditions: String
  private let results: [Row]

  init(contentsOf file: URL) throws {
    self = try JSONDecoder().decode(Run.self, from: Data(contentsOf: file))
  }

  /// A system's quickest round, which other work on the machine has disturbed least; nil if the system
  /// doesn't implement the workload.
  ///
  /// A workload missing from the run, or a sample with wrong notifications, is a problem.
  func minimum(_ workload: String, _ system: String) throws -> Double? {
    let rows = results.filter { $0.workload == workload }
    guard !rows.isEmpty else { throw Problem(description: "the run has no workload “\(workload)”") }
    guard let row = rows.first(where: { $0.system == system }) else { return nil }
    guard row.isCorrect, let minimum = row.minimum else {
      throw Problem(description: "“\(workload)” of \(system) is wrong or was not measured")
    }
    return minimum
  }
}

/// The processor time of first builds: lines of `name,seconds,source`.
struct BuildTimes {
  let rows: [(name: String, seconds: Double)]

  init(contentsOf file: URL) throws {
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    rows = try lines.dropFirst().map { line in
      let fields = line.split(separator: ",", maxSplits: 2)
      guard fields.count == 3, let seconds = Double(fields[1]) else {
        throw Problem(description: "not a line of name, seconds and source: \(line)")
      }
      return (String(fields[0]), seconds)
    }
  }
}

/// A compared system, as the charts show it.
enum ShownSystem: String, CaseIterable {
  case handWritten = "hand-written"
  case keyValue = "swift-kvo"
  case proxy = "swift-kvo, proxy"
  case published = "OpenCombine @Published"
  case subject = "OpenCombine CurrentValueSubject"
  case observation = "Observation withObservationTracking"
  case gnustep = "GNUstep"

  var label: String {
    switch self {
    case .handWritten: "hand-written"
    case .keyValue: "swift-kvo"
    case .proxy: "swift-kvo, proxy"
    case .published: "@Published"
    case .subject: "CurrentValueSubject"
    case .observation: "Observation"
    case .gnustep: "GNUstep"
    }
  }
}
