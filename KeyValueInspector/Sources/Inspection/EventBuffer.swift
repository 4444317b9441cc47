import KeyValueObserving
import Synchronization

/// Receives events on the program's threads, and passes them to the inspector's task.
///
/// The program waits only for a lock and an append. The capacity is fixed: events that arrive while the
/// buffer is full are lost, and counted.
package final class EventBuffer: Sendable {
  // Guarded by the mutex: the events since the last `take`, and the number of lost ones.
  private let state: Mutex<State>
  private let capacity: Int

  private struct State {
    var events: [KeyValueTrace.Event] = []
    var lostCount = 0
  }

  /// Creates an empty buffer.
  ///
  /// - Parameter capacity: How many events it holds at most.
  package init(capacity: Int = 20_000) {
    self.capacity = capacity
    state = Mutex(State())
  }

  /// Adds an event, or counts it as lost.
  package func add(_ event: KeyValueTrace.Event) {
    state.withLock { state in
      if state.events.count < capacity {
        state.events.append(event)
      } else {
        state.lostCount += 1
      }
    }
  }

  /// Removes and returns all events, and the number of those lost since the last time.
  ///
  /// Threads may add events in an order other than that of their ids, so they're sorted by id.
  package func take() -> (events: [KeyValueTrace.Event], lostCount: Int) {
    let taken = state.withLock { state in
      let taken = state
      state = State()
      return taken
    }
    return (taken.events.sorted { $0.id < $1.id }, taken.lostCount)
  }
}
