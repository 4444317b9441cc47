/// The notifications of one sample's observers.
///
/// The counts are behind a pointer, where accesses aren't checked, so that counting costs the same, and
/// next to nothing, in every system. The attribute `@exclusivity(unchecked)` on stored properties does not
/// help: the compiler ignores it in other modules, and the systems are other modules.
///
/// One thread at a time uses a tally.
public final class Tally {
  @usableFromInline let counts: UnsafeMutablePointer<(notifications: Int, checksum: Int)>

  /// The number of notifications.
  @inlinable public final var notifications: Int {
    get { counts.pointee.notifications }
    set { counts.pointee.notifications = newValue }
  }
  /// The sum of the values' contributions.
  @inlinable public final var checksum: Int {
    get { counts.pointee.checksum }
    set { counts.pointee.checksum = newValue }
  }

  /// Creates an empty tally.
  public init() {
    counts = .allocate(capacity: 1)
    counts.initialize(to: (0, 0))
  }

  deinit {
    counts.deallocate()
  }

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
  /// Old and new value count differently, which detects swapped values.
  @inlinable @inline(__always)
  public static func weight(old: Int, new: Int) -> Int { new &* 3 &- old }
}
