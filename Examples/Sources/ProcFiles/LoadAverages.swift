/// Processes that ran or waited to run, averaged over three spans of time (`/proc/loadavg`).
package struct LoadAverages: Equatable {
  package var oneMinute: Double
  package var fiveMinutes: Double
  package var fifteenMinutes: Double

  package init(oneMinute: Double, fiveMinutes: Double, fifteenMinutes: Double) {
    self.oneMinute = oneMinute
    self.fiveMinutes = fiveMinutes
    self.fifteenMinutes = fifteenMinutes
  }

  package init?(_ text: [UInt8]) {
    let numbers = String(decoding: text, as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).prefix(3).compactMap { Double($0) }
    guard numbers.count == 3, numbers.allSatisfy(\.isFinite) else { return nil }
    self.init(
      oneMinute: numbers[0], fiveMinutes: numbers[1], fifteenMinutes: numbers[2])
  }
}
