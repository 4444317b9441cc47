import Synchronization

/// Lets one change at a time through a binding, and stops its echo.
///
/// While a change passes, on the same thread:
/// - changes of the written side are its echo and are ignored;
/// - changes of the read side outdate the value being written. The gate passes the new value on
///   once more, and only once, so bindings in a circle settle;
/// - a change of the written side that's no echo, such as what `onError` sets, or a new owner of the target, is the
///   passage's answer. The gate passes it on in the
///   other direction afterwards. That passage has no answer, so two sides that answer each other settle.
///
/// Changes on another thread wait for the first to pass; then the current value is passed on.
final class BindingGate: Sendable {
  enum Direction {
    case forward
    case backward

    var opposite: Direction { self == .forward ? .backward : .forward }
  }

  /// Which changes of the thread in the gate are passed on.
  private enum Hearing {
    case readSide
    case bothSides
    case neither
  }

  private struct Passage {
    let thread: ThreadIdentity
    var direction: Direction
    var isStale = false
    var isRepeated = false
    /// Whether the thread has changed the written side, and that's no echo.
    var isAnswered = false
    /// Whether it passes on the answer to the passage before it.
    var isAnswer = false
    var hearing = Hearing.readSide
    /// Directions in which other threads wait to pass a change on, in the order of their changes.
    var waiting: [Direction] = []

    init(_ direction: Direction) {
      thread = .current
      self.direction = direction
    }

    /// Notes a change of the thread in the gate; false if it isn't passed on.
    mutating func note(_ change: Direction, mayBeEcho: Bool) -> Bool {
      if mayBeEcho {
        if hearing == .neither { return false }
        if hearing == .readSide, change != direction { return false }
      }
      if change == direction {
        if isRepeated { return false }
        isStale = true
      } else {
        if isAnswer { return false }
        isAnswered = true
      }
      return true
    }

    /// Turns to the next change to pass on; false if there's none.
    mutating func goOn() -> Bool {
      if isStale, !isRepeated {
        isRepeated = true
        return true
      }
      if isAnswered {
        direction = direction.opposite
      } else if !waiting.isEmpty {
        direction = waiting.removeFirst()
      } else {
        return false
      }
      isAnswer = isAnswered
      isAnswered = false
      isStale = false
      isRepeated = false
      return true
    }
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
  ///   - mayBeEcho: Whether the change may be an echo of what is being written.
  ///   - other: The side that the change didn't happen on; nil if it's gone. It's read once, after the gate
  ///     has let the change in, because most calls are echoes. The gate keeps it until the end: passing on
  ///     once more finds the side that the first passing has set.
  ///   - body: Passes the change on.
  @inline(__always)
  func pass<Side: AnyObject>(
    _ direction: Direction, mayBeEcho: Bool = true, to other: @autoclosure () -> Side?,
    _ body: (Direction, BindingWave, Side) -> Void
  ) {
    guard enter(direction, mayBeEcho) else { return }
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
    try run(.neither, body)
  }

  /// Runs a part of the passage that sets the sides for a reason of its own, so that no change of theirs is an echo.
  func listeningToBothSides(_ body: () -> Void) {
    run(.bothSides, body)
  }

  private func run(_ hearing: Hearing, _ body: () throws -> Void) rethrows {
    passage.withLock { $0?.hearing = hearing }
    defer { passage.withLock { $0?.hearing = .readSide } }
    try body()
  }

  @inline(__always)
  private func enter(_ direction: Direction, _ mayBeEcho: Bool) -> Bool {
    var isIgnored = false
    let isFree = passage.withLock { passage in
      guard var current = passage else {
        passage = Passage(direction)
        return true
      }
      if current.thread == .current {
        isIgnored = !current.note(direction, mayBeEcho: mayBeEcho)
      } else if !current.waiting.contains(direction) {
        current.waiting.append(direction)
      }
      passage = current
      return false
    }
    if isIgnored, !ThreadActivity.isNone { Tracer.skipOpenDelivery(.echo) }
    return isFree
  }

  /// The next direction to pass on; nil if the gate is free again.
  private func leave() -> Direction? {
    passage.withLock { passage in
      guard var current = passage, !isEnded, current.goOn() else {
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
