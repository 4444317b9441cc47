/// What one sample measured, and what was heard meanwhile.
public struct Reading {
  /// Nanoseconds, or bytes, for all operations together.
  public var total: Double
  /// The notifications that came.
  public var notifications: Int
  /// The checksum of their values.
  public var checksum: Int

  /// Creates a reading from its parts.
  public init(total: Double, notifications: Int, checksum: Int) {
    self.total = total
    self.notifications = notifications
    self.checksum = checksum
  }

  /// Creates a reading of what a tally has counted.
  public init(total: Double, _ tally: Tally) {
    self.init(total: total, notifications: tally.notifications, checksum: tally.checksum)
  }
}

/// How long a piece of work takes.
public func nanoseconds(_ work: () throws -> Void) rethrows -> Double {
  let (seconds, attoseconds) = try ContinuousClock().measure(work).components
  return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
}
