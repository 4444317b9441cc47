import Observation

/// Observes what a closure reads, repeatedly: `withObservationTracking` reports one change and has
/// to be called again for the next.
///
/// It reports before the change. So the new value is read when tracking is renewed, after the set.
/// A program does that in a task or on its run loop; here `renew` does it, without the cost of
/// either.
final class Tracker<Value> {
  // One thread; without exclusivity checks, as in the other systems' tallies.
  @exclusivity(unchecked) private var hasChanged = false
  private let read: () -> Value
  private let handler: (Value, Value) -> Void
  private var value: Value

  /// Begins to track; the handler gets the old and the new value.
  init(_ read: @escaping () -> Value, _ handler: @escaping (Value, Value) -> Void) {
    self.read = read
    self.handler = handler
    value = read()
    track()
  }

  /// Renews the tracking after a set, and calls the handler if there was a change.
  func renew() {
    guard hasChanged else { return }
    hasChanged = false
    let old = value
    track()
    handler(old, value)
  }

  private func track() {
    // Everything happens on one thread, so nothing is shared.
    nonisolated(unsafe) let tracker = self
    value = withObservationTracking(read) { tracker.hasChanged = true }
  }
}
