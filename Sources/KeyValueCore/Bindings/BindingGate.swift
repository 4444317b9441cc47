import Synchronization

/// Lets one change at a time through a binding, and stops its echo.
///
/// While a change passes, on the same thread:
/// - changes of the written side are its echo and are ignored;
/// - changes of the read side outdate the value being written. The gate passes the new value on
///   once more, and only once, so bindings in a circle settle.
///
/// Changes on another thread wait for the first to pass; then the current value is passed on.
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
    var isIgnoringChanges = false
    /// Directions in which other threads wait to pass a change on, in the order of their changes.
    var waiting: [Direction] = []
  }

  private let passage = LockedValue<Passage?>(nil)
  private let ended = Atomic<Bool>(false)
  /// The number of the last wave in which the gate let a change through.
  private let lastWave = Atomic<UInt64>(0)

  /// Whether the gate is closed for good.
  var isEnded: Bool { ended.load(ordering: .acquiring) }

  /// Closes the gate for good, even for a change that it would pass on once more.
  func end() {
    ended.store(true, ordering: .releasing)
  }

  /// Whether the change in the gate is the first of a wave; false from then on.
  func isFirst(of wave: BindingWave) -> Bool {
    // Only the thread in the gate asks.
    if lastWave.load(ordering: .relaxed) == wave.number { return false }
    lastWave.store(wave.number, ordering: .relaxed)
    return true
  }

  /// Passes a change on, unless it's an echo or the thread in the gate will pass it on.
  ///
  /// - Parameters:
  ///   - direction: Where the change goes.
  ///   - other: The side that the change didn't happen on; nil if it's gone. It's read once, after the gate
  ///     has let the change in, because most calls are echoes. The gate keeps it until the end: passing on
  ///     once more finds the side that the first passing has set.
  ///   - body: Passes the change on.
  @inline(__always)
  func pass<Side: AnyObject>(
    _ direction: Direction, to other: @autoclosure () -> Side?,
    _ body: (Direction, BindingWave, Side) -> Void
  ) {
    guard enter(direction) else { return }
    guard let other = other() else {
      while leave() != nil {}
      return
    }
    let wave = BindingWave.begin()
    var next: Direction? = direction
    while let direction = next {
      body(direction, wave, other)
      next = leave()
    }
    wave.end()
    withExtendedLifetime(other) {}
  }

  /// Runs a part of the passage whose changes, on either side, aren't passed on.
  func withoutListening(_ body: () throws -> Void) rethrows {
    passage.withLock { $0?.isIgnoringChanges = true }
    defer { passage.withLock { $0?.isIgnoringChanges = false } }
    try body()
  }

  @inline(__always)
  private func enter(_ direction: Direction) -> Bool {
    var isEcho = false
    let isFree = passage.withLock { passage in
      guard var current = passage else {
        passage = Passage(thread: .current, direction: direction)
        return true
      }
      if current.thread != .current {
        if !current.waiting.contains(direction) { current.waiting.append(direction) }
      } else if current.direction == direction, !current.isRepeated, !current.isIgnoringChanges {
        current.isStale = true
      } else {
        isEcho = true
      }
      passage = current
      return false
    }
    if isEcho, !ThreadActivity.isNone { Tracer.skipOpenDelivery(.echo) }
    return isFree
  }

  /// The next direction to pass on; nil if the gate is free again.
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

/// All that bindings set on one thread because one of them passes a change on.
///
/// In a graph with several ways between two objects, each way brings the same value. So a binding
/// passes on its first change of a wave in any case, but another only if its sides disagree.
/// Otherwise the work would double with each way.
struct BindingWave {
  private static let count = Atomic<UInt64>(0)

  let number: UInt64
  /// The thread's context, if the wave begins here; the thread keeps it.
  private let context: Unmanaged<ThreadContext>?

  /// The thread's wave, or a new one.
  static func begin() -> BindingWave {
    let context = ThreadContext.ofThisThread
    guard context.wave == 0 else { return BindingWave(number: context.wave, context: nil) }
    context.wave = count.add(1, ordering: .relaxed).newValue
    return BindingWave(number: context.wave, context: .passUnretained(context))
  }

  /// Ends the wave where it began.
  func end() {
    context?._withUnsafeGuaranteedRef { $0.wave = 0 }
  }
}
