/// One sample's measurement and notifications.
public struct Reading {
  /// Nanoseconds, or bytes, for all operations together.
  public var total: Double
  /// The number of notifications.
  public var notifications: Int
  /// The checksum of their values.
  public var checksum: Int

  /// Creates a reading from its parts.
  public init(total: Double, notifications: Int, checksum: Int) {
    self.total = total
    self.notifications = notifications
    self.checksum = checksum
  }

  /// Creates a reading from a tally.
  public init(total: Double, _ tally: Tally) {
    self.init(total: total, notifications: tally.notifications, checksum: tally.checksum)
  }
}

/// The duration of a piece of work.
public func nanoseconds(_ work: () throws -> Void) rethrows -> Double {
  let (seconds, attoseconds) = try ContinuousClock().measure(work).components
  return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
}
