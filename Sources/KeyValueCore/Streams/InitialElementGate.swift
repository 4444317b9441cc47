/// Puts an observation's initial element in front of all others.
///
/// Registration is complete before the initial value is read, so other threads may make changes in
/// between. The value includes the changes made before its reading began. A change during the
/// reading may or may not be included, so the value is then read again, a limited number of times.
struct InitialElementGate<Element> {
  private enum Phase {
    case registering
    case reading(attempt: Int)
    case open
  }

  private static var attempts: Int { 16 }
  private var phase: Phase
  /// What has arrived during the present reading; beside the phase, so that it grows in place.
  private var held: [Element] = []

  /// `hasInitial` is whether there is an initial element.
  init(hasInitial: Bool) {
    phase = hasInitial ? .registering : .open
  }

  /// Marks the initial value as being read; false if the reading has already begun.
  mutating func beginReading() -> Bool {
    guard case .registering = phase else { return false }
    phase = .reading(attempt: 1)
    return true
  }

  /// Whether to pass the element on at once; otherwise the gate keeps or drops it.
  mutating func admits(_ element: Element) -> Bool {
    switch phase {
    case .open: return true
    case .registering: return false
    case .reading:
      held.append(element)
      return false
    }
  }

  /// Lets all further elements through, or asks for another reading.
  mutating func open() -> Opened {
    guard case .reading(let attempt) = phase else { return .open(held: []) }
    let held = held
    self.held = []
    if !held.isEmpty, attempt < InitialElementGate.attempts {
      phase = .reading(attempt: attempt + 1)
      return .readAgain(discarded: held)
    }
    phase = .open
    return .open(held: held)
  }

  enum Opened {
    /// Opened, with the held elements in order.
    case open(held: [Element])
    /// Asks for another reading, with the elements that it includes; release them without a lock
    /// held.
    case readAgain(discarded: [Element])
  }
}
