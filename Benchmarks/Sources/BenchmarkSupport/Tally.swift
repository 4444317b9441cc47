/// What the observers of one sample heard.
///
/// The properties do without exclusivity checks, so that counting costs the same, and next to nothing,
/// in every system. One thread uses a tally at a time.
public final class Tally {
  /// How many notifications came.
  @exclusivity(unchecked) public final var notifications = 0
  /// What the values that came add up to.
  @exclusivity(unchecked) public final var checksum = 0

  /// Creates a tally of nothing.
  public init() {}

  /// Counts a notification and adds an old and a new value to the checksum.
  @inlinable @inline(__always)
  public func record(old: Int, new: Int) {
    notifications &+= 1
    checksum &+= Tally.weight(old: old, new: new)
  }

  /// Forgets what was counted so far.
  public func reset() {
    notifications = 0
    checksum = 0
  }

  /// What one change adds to a checksum; old and new value count differently, so that an exchange of
  /// the two is noticed.
  @inlinable @inline(__always)
  public static func weight(old: Int, new: Int) -> Int { new &* 3 &- old }
}
