import Synchronization

/// Lets one change at a time through a binding, so that what the binding does to one side does not come
/// back to it from there.
///
/// While a change is being passed on, on the same thread:
/// - changes of the side that is written are the echo and are ignored;
/// - changes of the side that is read mean that what is being written is no longer right. It is passed
///   on once more, and only once, so that bindings in a circle come to rest.
///
/// Changes from another thread wait until the first is through; then the current value is passed on.
final class BindingGate: Sendable {
  enum Direction {
    case forward
    case backward
  }

  private struct Passage {
    let thread: ThreadIdentity
    var direction: Direction
    var isStale = false
    var isRepeated = false
    var isDeaf = false
    /// Directions in which other threads have something to pass on, in the order of their changes.
    var waiting: [Direction] = []
  }

  private let passage = LockedValue<Passage?>(nil)
  private let ended = Atomic<Bool>(false)

  /// Whether nothing more is to be passed on.
  var isEnded: Bool { ended.load(ordering: .acquiring) }

  /// Lets nothing more through, not even for the second time what is being passed on.
  func end() {
    ended.store(true, ordering: .releasing)
  }

  /// Passes a change on, unless it is an echo or the thread that is at it will do it.
  func pass(_ direction: Direction, _ body: (Direction) -> Void) {
    guard enter(direction) else { return }
    var next: Direction? = direction
    while let direction = next {
      body(direction)
      next = leave()
    }
  }

  /// Runs a part of the passage that causes nothing further, whichever side it changes.
  func withoutListening(_ body: () throws -> Void) rethrows {
    passage.withLock { $0?.isDeaf = true }
    defer { passage.withLock { $0?.isDeaf = false } }
    try body()
  }

  private func enter(_ direction: Direction) -> Bool {
    passage.withLock { passage in
      guard var current = passage else {
        passage = Passage(thread: .current, direction: direction)
        return true
      }
      if current.thread != .current {
        if !current.waiting.contains(direction) { current.waiting.append(direction) }
      } else if current.direction == direction, !current.isRepeated, !current.isDeaf {
        current.isStale = true
      }
      passage = current
      return false
    }
  }

  /// What is to be passed on next; nil where the gate is free again.
  private func leave() -> Direction? {
    passage.withLock { passage in
      guard var current = passage else { return nil }
      if isEnded {
        passage = nil
        return nil
      }
      if current.isStale, !current.isRepeated {
        current.isRepeated = true
      } else if !current.waiting.isEmpty {
        current.direction = current.waiting.removeFirst()
        current.isStale = false
        current.isRepeated = false
      } else {
        passage = nil
        return nil
      }
      passage = current
      return current.direction
    }
  }
}
