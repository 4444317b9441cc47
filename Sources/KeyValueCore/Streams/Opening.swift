/// Puts an observation's initial element in front of all others.
///
/// Registration is complete before the initial value is read, so other threads may bring changes in the
/// meantime. What came before the reading began is part of what is read; what comes while it goes on
/// waits for its end.
struct Opening<Element> {
  private enum Phase {
    case registering
    case reading(held: [Element])
    case open
  }

  private var phase: Phase

  /// - Parameter hasInitial: Whether there will be an initial element.
  init(hasInitial: Bool) {
    phase = hasInitial ? .registering : .open
  }

  /// Notes that the initial value is going to be read; false where it has been or is being read.
  mutating func beginReading() -> Bool {
    guard case .registering = phase else { return false }
    phase = .reading(held: [])
    return true
  }

  /// Whether the element goes on at once; otherwise it has been taken care of.
  mutating func admits(_ element: Element) -> Bool {
    switch phase {
    case .open: return true
    case .registering: return false
    case .reading(let held):
      phase = .reading(held: held + [element])
      return false
    }
  }

  /// Lets everything through from now on.
  ///
  /// - Returns: What waited, in its order.
  mutating func open() -> [Element] {
    defer { phase = .open }
    if case .reading(let held) = phase { return held }
    return []
  }
}
