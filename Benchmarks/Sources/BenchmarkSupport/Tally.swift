/// The notifications of one sample's observers.
///
/// The properties have no exclusivity checks, so that counting costs the same, and next to nothing,
/// in every system. One thread at a time uses a tally.
public final class Tally {
  /// The number of notifications.
  @exclusivity(unchecked) public final var notifications = 0
  /// The sum of the values' contributions.
  @exclusivity(unchecked) public final var checksum = 0

  /// Creates an empty tally.
  public init() {}

  /// Counts a notification and adds an old and a new value to the checksum.
  @inlinable @inline(__always)
  public func record(old: Int, new: Int) {
    notifications &+= 1
    checksum &+= Tally.weight(old: old, new: new)
  }

  /// Resets both to 0.
  public func reset() {
    notifications = 0
    checksum = 0
  }

  /// One change's contribution to a checksum.
  ///
  /// Old and new value count differently, which detects an exchange of the two.
  @inlinable @inline(__always)
  public static func weight(old: Int, new: Int) -> Int { new &* 3 &- old }
}
