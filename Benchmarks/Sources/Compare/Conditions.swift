import BenchmarkSupport
import Foundation

/// A run's conditions, in a sentence under its table.
struct Conditions {
  private let start = Conditions.load

  private static var load: Double {
    var averages = [0.0]
    return getloadavg(&averages, 1) == 1 ? averages[0] : .nan
  }

  /// The date, the rounds and the machine's load, to be read when the run is over.
  func text(_ runner: Runner, _ options: Options) -> String {
    let format = ISO8601DateFormatter()
    format.formatOptions = .withFullDate
    return """
      \(format.string(from: Date())), \(runner.rounds.lowerBound) to \(runner.rounds.upperBound) rounds\(options.quick ? ", quick" : ""), \
      \(ProcessInfo.processInfo.activeProcessorCount) cores, load average \(fixed(start)) before and \
      \(fixed(Conditions.load)) after.
      """
  }

  /// What a load means for the table.
  static let advice = """
    If the load exceeds 1, other programs used the machine, too: compare the minima, because the \
    medians may be from different times.
    """
}
