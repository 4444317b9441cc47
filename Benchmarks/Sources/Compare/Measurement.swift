import BenchmarkSupport

/// One system's measurements of one workload.
struct Measurement {
  let workload: Workload
  let system: String
  /// For one operation, in the order of the rounds.
  var rounds: [Double] = []
  /// Whether every sample had exactly the expected notifications.
  var isCorrect = true
  /// The first problem.
  var problem: String?

  var sorted: [Double] { rounds.sorted() }
  var median: Double { rounds.isEmpty ? .nan : sorted[rounds.count / 2] }
  var minimum: Double { rounds.min() ?? .nan }
  var maximum: Double { rounds.max() ?? .nan }

  mutating func fail(_ problem: String) {
    isCorrect = false
    if self.problem == nil { self.problem = problem }
  }
}
