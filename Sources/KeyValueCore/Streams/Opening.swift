/// Puts an observation's initial element in front of all others.
///
/// Registration is complete before the initial value is read, so other threads may bring changes in the
/// meantime. What came before the reading began is part of what is read. What comes while it goes on may
/// be or not, so the value is then read again, a limited number of times.
struct Opening<Element> {
  private enum Phase {
    case registering
    case reading(held: [Element], attempt: Int)
    case open
  }

  private static var attempts: Int { 16 }
  private var phase: Phase

  /// - Parameter hasInitial: Whether there will be an initial element.
  init(hasInitial: Bool) {
    phase = hasInitial ? .registering : .open
  }

  /// Notes that the initial value is going to be read; false where it has been or is being read.
  mutating func beginReading() -> Bool {
    guard case .registering = phase else { return false }
    phase = .reading(held: [], attempt: 1)
    return true
  }

  /// Whether the element goes on at once; otherwise it has been taken care of.
  mutating func admits(_ element: Element) -> Bool {
    switch phase {
    case .open: return true
    case .registering: return false
    case .reading(let held, let attempt):
      phase = .reading(held: held + [element], attempt: attempt)
      return false
    }
  }

  /// Lets everything through from now on, or has the value read again.
  mutating func open() -> Opened {
    guard case .reading(let held, let attempt) = phase else { return .open(held: []) }
    if !held.isEmpty, attempt < Opening.attempts {
      phase = .reading(held: [], attempt: attempt + 1)
      return .readAgain(discarded: held)
    }
    phase = .open
    return .open(held: held)
  }

  enum Opened {
    /// With what waited, in its order.
    case open(held: [Element])
    /// Without what came while it was read: to be let go of where no lock is held.
    case readAgain(discarded: [Element])
  }
}
