import Synchronization

/// The changes of one observation on their way to another place, in order.
///
/// While there are any, one drain is on its way or running at the destination, never two: that keeps
/// the order also where the destination runs several things at once.
///
/// Mutable state and its guard: `state`, under itself. Nothing of the user's runs or dies under it.
final class DeliveryQueue<Value: Sendable>: Relay, Sendable {
  typealias Element = KeyValueObservedChange<Value>

  private struct State {
    var opening: Opening<Element>
    var pending: [Element] = []
    var isDraining = false
    weak var token: KeyValueObservation?
  }

  private let state: LockedValue<State>
  private let schedule: @Sendable (DeliveryQueue<Value>) -> Void

  /// - Parameter schedule: Brings about a drain at the destination.
  init(
    _ options: KeyValueObservingOptions,
    schedule: @escaping @Sendable (DeliveryQueue<Value>) -> Void
  ) {
    state = LockedValue(State(opening: Opening(hasInitial: options.contains(.initial))))
    self.schedule = schedule
  }

  /// Sets the token that decides whether anything is delivered; before anything can come.
  func follow(_ token: KeyValueObservation) {
    state.withLock { $0.token = token }
  }

  // MARK: Where the change is made

  func beginInitial() -> Bool {
    state.withLock { $0.opening.beginReading() }
  }

  func open(with element: Element) -> Bool {
    // Here, because what dies of being discarded may make a change.
    var discarded: [Element] = []
    let isOpen = add { opening in
      switch opening.open() {
      case .open(let held): return [element] + held
      case .readAgain(let elements):
        discarded = elements
        return nil
      }
    }
    withExtendedLifetime(discarded) {}
    return isOpen
  }

  func append(_ element: Element) {
    _ = add { $0.admits(element) ? [element] : nil }
  }

  /// Adds what the opening lets through; false where that is nothing.
  private func add(_ elements: (inout Opening<Element>) -> [Element]?) -> Bool {
    var isAdmitted = false
    let isDrainNeeded = state.withLock { state in
      guard let elements = elements(&state.opening) else { return false }
      isAdmitted = true
      state.pending += elements
      guard !state.isDraining else { return false }
      state.isDraining = true
      return true
    }
    if isDrainNeeded { schedule(self) }
    return isAdmitted
  }

  // MARK: At the destination

  /// Whether the token has been invalidated or is gone.
  ///
  /// The death of the observed object is neither: what it told before is still delivered.
  var isInvalidated: Bool {
    // The token may die of being let go of, so not under the lock.
    let token = state.withLock { $0.token }
    return token?.isInvalidated ?? true
  }

  /// Delivers what is pending; what is added in the meantime waits for the next drain, so that others
  /// have their turn at the destination.
  ///
  /// - Returns: Whether there is more, and another drain to be made by the caller.
  func drain(_ deliver: (Element) -> Void) -> Bool {
    let batch = takePending()
    for change in batch {
      if isInvalidated { break }
      deliver(change)
    }
    if isInvalidated { discard() }
    return state.withLock { state in
      state.isDraining = !state.pending.isEmpty
      return state.isDraining
    }
  }

  /// Lets go of what is pending.
  func discard() {
    _ = takePending()
  }

  private func takePending() -> [Element] {
    state.withLock { state in
      defer { state.pending = [] }
      return state.pending
    }
  }
}
