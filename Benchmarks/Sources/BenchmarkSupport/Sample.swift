/// Times a piece of work several times, and keeps the data for a median.
public struct Sample {
  /// Nanoseconds for one operation, ascending.
  public let nanoseconds: [Double]

  /// The middle of the measurements.
  public var median: Double { nanoseconds[nanoseconds.count / 2] }

  /// Runs the work once to warm up and then the given number of times.
  ///
  /// - Parameters:
  ///   - operations: The number of operations in one run of the work.
  ///   - repetitions: The number of timed runs.
  ///   - prepare: Called before each run, untimed.
  ///   - work: The timed work.
  public init(
    operations: Int, repetitions: Int = 7, prepare: () -> Void = {}, work: () -> Void
  ) {
    let clock = ContinuousClock()
    prepare()
    work()
    var times: [Double] = []
    for _ in 0..<repetitions {
      prepare()
      let time = clock.measure(work)
      let (seconds, attoseconds) = time.components
      times.append((Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(operations))
    }
    nanoseconds = times.sorted()
  }
}

/// A number with one decimal.
public func fixed(_ value: Double) -> String {
  let tenths = Int((value * 10).rounded())
  return "\(tenths / 10).\(abs(tenths % 10))"
}

/// A text padded with spaces on its left.
public func padded(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}
