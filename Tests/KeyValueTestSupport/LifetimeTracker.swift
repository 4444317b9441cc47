import Synchronization

/// Counts the instances made for one test, so that a leak fails it.
///
/// ```swift
/// let tracker = LifetimeTracker()
/// do { let witness = tracker.instance() ; … }
/// #expect(tracker.liveCount == 0)
/// ```
public final class LifetimeTracker: Sendable {
  private let live = Atomic<Int>(0)

  /// Creates a tracker without instances.
  public init() {}

  /// The number of instances that are alive.
  public var liveCount: Int { live.load(ordering: .acquiring) }

  /// Creates an instance, to be held by an object or closure that must not leak.
  public func instance() -> Instance {
    Instance(self)
  }

  /// An object whose deallocation is counted.
  public final class Instance: Sendable {
    private let tracker: LifetimeTracker

    fileprivate init(_ tracker: LifetimeTracker) {
      self.tracker = tracker
      tracker.live.add(1, ordering: .acquiringAndReleasing)
    }

    deinit {
      tracker.live.subtract(1, ordering: .acquiringAndReleasing)
    }
  }
}
