/// One observation's changes on their way to another place, in order.
///
/// While there are pending changes, exactly one drain is scheduled or running at the destination.
/// That keeps the order even on a concurrent queue.
///
/// Mutable state and its guard: `state`, under itself. No client code runs under it and no client
/// object dies under it.
final class DeliveryQueue<Value: Sendable>: ElementReceiver, Sendable {
  typealias Element = KeyValueObservedChange<Value>

  /// A change, and what traces record of its delivery.
  private struct Item: Sendable {
    let change: Element
    let deferral: Deferral
  }

  private struct State {
    var gate: InitialElementGate<Item>
    var pending: [Item] = []
    var isDraining = false
    weak var token: KeyValueObservation?
  }

  private let state: LockedValue<State>
  private let schedule: @Sendable (DeliveryQueue<Value>) -> Void

  /// `schedule` makes the destination drain the queue.
  init(
    _ options: KeyValueObservingOptions,
    schedule: @escaping @Sendable (DeliveryQueue<Value>) -> Void
  ) {
    state = LockedValue(State(gate: InitialElementGate(hasInitial: options.contains(.initial))))
    self.schedule = schedule
  }

  /// Sets the token that decides whether anything is delivered, before the first change.
  func follow(_ token: KeyValueObservation) {
    state.withLock { $0.token = token }
  }

  // MARK: Where changes are made

  func beginInitial() -> Bool {
    state.withLock { $0.gate.beginReading() }
  }

  func open(with element: Element) -> Bool {
    let item = Item(change: element, deferral: .current)
    // Released outside the lock: an object that dies with an element may make a change.
    var discarded: [Item] = []
    let isOpen = add { gate in
      switch gate.open() {
      case .open(let held): return [item] + held
      case .readAgain(let items):
        discarded = items
        return nil
      }
    }
    skip(discarded, .partOfLargerChange)
    return isOpen
  }

  func append(_ element: Element) {
    let item = Item(change: element, deferral: .current)
    _ = add { $0.admits(item) ? [item] : nil }
  }

  /// Adds the elements that the gate lets through; false if there are none.
  private func add(_ elements: (inout InitialElementGate<Item>) -> [Item]?) -> Bool {
    var isAdmitted = false
    let isDrainNeeded = state.withLock { state in
      guard let elements = elements(&state.gate) else { return false }
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
  /// If the observed object dies, earlier changes are still delivered.
  var isInvalidated: Bool {
    // Outside the lock: this may be the last reference to the token.
    let token = state.withLock { $0.token }
    return token?.isInvalidated ?? true
  }

  /// Delivers the pending changes.
  ///
  /// Changes added meanwhile wait for the next drain, so that other work gets its turn at the
  /// destination.
  ///
  /// - Parameter deliver: Called with each change.
  /// - Returns: Whether changes are pending again; the caller then schedules another drain.
  func drain(_ deliver: (Element) -> Void) -> Bool {
    let batch = takePending()
    for (index, item) in batch.enumerated() {
      if isInvalidated {
        skip(batch[index...], .ended)
        break
      }
      item.deferral.deliver { deliver(item.change) }
    }
    if isInvalidated { discard(.ended) }
    return state.withLock { state in
      state.isDraining = !state.pending.isEmpty
      return state.isDraining
    }
  }

  /// Drops the pending changes.
  ///
  /// - Parameter reason: Why they aren't delivered.
  func discard(_ reason: KeyValueTrace.SkipReason) {
    skip(takePending(), reason)
  }

  private func skip(_ items: some Sequence<Item>, _ reason: KeyValueTrace.SkipReason) {
    for item in items { item.deferral.skip(reason) }
  }

  private func takePending() -> [Item] {
    state.withLock { state in
      defer { state.pending = [] }
      return state.pending
    }
  }
}
