import KeyValueObserving
import Synchronization

/// Counts what observation does, by tracing it.
final class ObservationMeter {
  /// What was counted in an interval.
  struct Counts: Equatable {
    var changes = 0
    var callbacks = 0
    var redrawnRows = 0

    /// The words and numbers of a line, in turn.
    var parts: [(number: Int, words: String)] {
      [
        (changes, changes == 1 ? "change" : "changes"),
        (callbacks, callbacks == 1 ? "callback" : "callbacks"),
        (redrawnRows, redrawnRows == 1 ? "row redrawn" : "rows redrawn"),
      ]
    }
  }

  /// Shared with the closure that traces.
  private final class Tally: Sendable {
    let changes = Atomic<Int>(0)
    let callbacks = Atomic<Int>(0)
  }

  private let tally: Tally
  private let token: KeyValueTrace.Token

  /// Starts counting.
  init() {
    let tally = Tally()
    self.tally = tally
    token = KeyValueTrace.observe { event in
      switch event.kind {
      case .changeBegan: tally.changes.add(1, ordering: .relaxed)
      case .delivered: tally.callbacks.add(1, ordering: .relaxed)
      default: break
      }
    }
  }

  /// Returns the counts since the last time.
  func take() -> Counts {
    Counts(
      changes: tally.changes.exchange(0, ordering: .relaxed),
      callbacks: tally.callbacks.exchange(0, ordering: .relaxed))
  }
}
