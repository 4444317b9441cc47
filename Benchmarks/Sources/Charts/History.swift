import Foundation

/// The instruction counts of commits, as `Benchmarks/history` writes them: a line for each commit, a column for
/// each workload.
struct History {
  /// A commit's line, which needn't have each workload.
  struct Landing {
    let commit: String
    let date: String
    let counts: [String: Double]
  }

  let landings: [Landing]

  init(contentsOf file: URL) throws {
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    guard let header = lines.first.map(Self.fields),
      header.prefix(3) == ["commit", "date", "source"]
    else { throw Problem(description: "\(file.lastPathComponent) has no header of counts") }
    landings = try lines.dropFirst().map { line in
      let fields = Self.fields(of: line)
      guard fields.count == header.count else {
        throw Problem(description: "not \(header.count) fields: \(line)")
      }
      var counts: [String: Double] = [:]
      for (workload, field) in zip(header, fields).dropFirst(3) where !field.isEmpty {
        guard let count = Double(field) else {
          throw Problem(description: "not a count of “\(workload)”: \(field)")
        }
        counts[workload] = count
      }
      return Landing(commit: fields[0], date: fields[1], counts: counts)
    }
  }

  /// A line's fields, of which those with a comma are between quotation marks.
  private static func fields(of line: Substring) -> [String] {
    var fields = [""]
    var isQuoted = false
    for character in line {
      switch character {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted: fields.append("")
      default: fields[fields.count - 1].append(character)
      }
    }
    return fields
  }
}
