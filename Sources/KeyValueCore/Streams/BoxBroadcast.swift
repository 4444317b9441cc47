/// A sequence's elements in boxes, kept for each iterator until it takes them.
///
/// The elements are in boxes so that this code isn't generic: code that's generic over an element's type
/// asks the runtime for metadata at each step.
///
/// Mutable state and its guard: `state`, under `lock`. No client code runs under it and no client
/// object dies under it: dropped elements are released, and waiters resumed, after unlocking.
// Checked by hand: `state` is accessed only under `lock`, where no two accesses overlap. Elements that
// aren't Sendable come from a sequence that isn't either, so the sequence, its iterators and the observed
// object share an isolation domain.
package class BoxBroadcast: @unchecked Sendable {
  typealias Waiter = CheckedContinuation<Void, Never>
  /// The `ValueBox` of an element.
  typealias Box = AnyObject

  /// How the newest element is kept, which a further iterator begins with.
  enum Keeping {
    /// Not at all, because there is no further iterator.
    case nothing
    case strongly
    /// Without the object that it has.
    case weakly(WeakKeeping)
  }

  /// How to keep elements without the objects that they have.
  struct WeakKeeping {
    /// What to keep in place of an element's box.
    let kept: (Box) -> AnyObject
    /// A box like the one that it was kept for; without the object, if that has died.
    let restored: (AnyObject) -> Box
  }

  /// An iterator's pending elements.
  private struct Listener {
    let number: Int
    var buffer: ElementBuffer<Box>
    var waiters: [Waiter] = []
    var isCancelled = false
  }

  private struct State {
    var gate: InitialElementGate<Box>
    /// Sorted by number; the first exists from the start, for the first iterator.
    var listeners: ContiguousArray<Listener> = []
    var nextListener = 0
    var droppedCount = 0
    var hasEnded = false
    /// The first element of a further iterator, as it's kept, and when its value was read.
    var current: (element: AnyObject, reading: UInt64)?
    var initialReading: UInt64 = 0
    var lastReading: UInt64 = 0
    /// How many readings have begun of which the value hasn't arrived.
    var openReadings = 0

    /// Numbers a reading of the value that begins now.
    mutating func beginReading() -> UInt64 {
      lastReading += 1
      return lastReading
    }

    func index(of number: Int) -> Int? {
      listeners.firstIndex { $0.number == number }
    }
  }

  /// The work to do after unlocking.
  private struct Cleanup {
    var waiters: [Waiter] = []
    var released: [Box] = []
  }

  private let policy: KeyValueBufferingPolicy
  private let keepsNothing: Bool
  /// Nil if elements are kept with the objects that they have.
  private let weakKeeping: WeakKeeping?
  private let lock = UnfairLock()
  @exclusivity(unchecked) private var state: State

  private let onNews: @Sendable () -> Void

  /// With `hasInitial`, every iterator begins with the current value.
  ///
  /// `onNews` is called when there may be an element to take, or at the end.
  init(
    _ policy: KeyValueBufferingPolicy, hasInitial: Bool, keeping: Keeping = .strongly,
    onNews: @escaping @Sendable () -> Void = {}
  ) {
    self.policy = policy
    keepsNothing = if case .nothing = keeping { true } else { false }
    weakKeeping = if case .weakly(let keeping) = keeping { keeping } else { nil }
    self.onNews = onNews
    state = State(gate: InitialElementGate(hasInitial: hasInitial))
    state.listeners = [Listener(number: 0, buffer: ElementBuffer(policy))]
  }

  // MARK: Where changes are made

  func beginInitial() -> Bool {
    lock.withLock {
      guard state.gate.beginReading() else { return false }
      state.initialReading = state.beginReading()
      return true
    }
  }

  func open(withBox element: Box) -> Bool {
    var isOpen = false
    update { cleanup in
      switch state.gate.open() {
      case .readAgain(let discarded):
        cleanup.released += discarded
        state.initialReading = state.beginReading()
      case .open(let held):
        isOpen = true
        if !keepsNothing { keep(element, readAt: state.initialReading, &cleanup) }
        for element in [element] + held { add(element, &cleanup) }
      }
    }
    return isOpen
  }

  func append(box element: Box) {
    update { cleanup in
      if state.gate.admits(element) { add(element, &cleanup) }
    }
  }

  /// Numbers a reading of the value that begins now.
  func beginReading() -> UInt64 {
    lock.withLock {
      state.openReadings += 1
      return state.beginReading()
    }
  }

  /// Appends an element, and the first element of a further iterator.
  func append(box element: Box, currentBox current: Box, readAt reading: UInt64) {
    update { cleanup in
      keep(current, readAt: reading, &cleanup)
      if state.gate.admits(element) { add(element, &cleanup) }
      endReading(&cleanup)
    }
  }

  /// Appends the current value.
  ///
  /// If a value of a later reading is already here, that one is appended again, so the last
  /// element is never outdated.
  func append(currentBox element: Box, readAt reading: UInt64) {
    update { cleanup in
      keep(element, readAt: reading, &cleanup)
      var newest = element
      if let current = state.current, current.reading > reading {
        newest = restored(current.element)
        // Nothing else may have it when this is over.
        cleanup.released.append(newest)
      }
      if state.gate.admits(newest) { add(newest, &cleanup) }
      endReading(&cleanup)
    }
  }

  /// Ends the sequence after its pending elements.
  func end() {
    update { cleanup in
      state.hasEnded = true
      for index in state.listeners.indices { wake(index, &cleanup) }
    }
  }

  // MARK: Where elements are taken

  /// The number of elements that all iterators have dropped, including those that are gone.
  package final var droppedCount: Int {
    lock.withLock { state.droppedCount }
  }

  func droppedCount(of number: Int) -> Int {
    lock.withLock {
      state.index(of: number).map { state.listeners[$0].buffer.droppedCount } ?? 0
    }
  }

  /// Adds an iterator; the first gets all elements so far.
  func addListener() -> Int {
    lock.withLock {
      let number = state.nextListener
      state.nextListener += 1
      guard number > 0 else { return number }
      var listener = Listener(number: number, buffer: ElementBuffer(policy))
      if !state.hasEnded, let current = state.current {
        _ = listener.buffer.append(restored(current.element))
      }
      state.listeners.append(listener)
      return number
    }
  }

  func removeListener(_ number: Int) {
    let removed = lock.withLock {
      state.index(of: number).map { state.listeners.remove(at: $0) }
    }
    withExtendedLifetime(removed) {}
  }

  /// The next element; nil if there is none, now or ever.
  func takeBox(_ number: Int) -> Box? {
    lock.withLock {
      state.index(of: number).flatMap { state.listeners[$0].buffer.popFirst() }
    }
  }

  /// Whether the sequence has ended and the iterator has taken everything.
  package final func isAtEnd(_ number: Int) -> Bool {
    lock.withLock {
      state.index(of: number).map { isOver($0) && state.listeners[$0].buffer.isEmpty } ?? true
    }
  }

  /// Resumes the waiter when there is an element to take, possibly at once.
  func wait(_ number: Int, _ waiter: Waiter) {
    let hasToWait = lock.withLock {
      guard let index = state.index(of: number), !isOver(index),
        state.listeners[index].buffer.isEmpty
      else { return false }
      state.listeners[index].waiters.append(waiter)
      return true
    }
    if !hasToWait { waiter.resume() }
  }

  /// Ends one iterator at once and releases its pending elements.
  package final func cancel(_ number: Int) {
    var forgotten: ElementBuffer<Box>?
    update { cleanup in
      guard let index = state.index(of: number) else { return }
      wake(index, &cleanup)
      forgotten = state.listeners[index].buffer
      state.listeners[index].isCancelled = true
      state.listeners[index].buffer.removeAll()
    }
    withExtendedLifetime(forgotten) {}
  }

  // MARK: Under the lock

  private func isOver(_ index: Int) -> Bool {
    state.hasEnded || state.listeners[index].isCancelled
  }

  private func keep(_ element: Box, readAt reading: UInt64, _ cleanup: inout Cleanup) {
    if let current = state.current {
      guard reading > current.reading else { return }
      cleanup.released.append(current.element)
    }
    state.current = (weakKeeping.map { $0.kept(element) } ?? element, reading)
  }

  /// The element's box, or one like it.
  private func restored(_ kept: AnyObject) -> Box {
    weakKeeping.map { $0.restored(kept) } ?? kept
  }

  /// Forgets the newest element where it's kept only for earlier readings, once there are none.
  private func endReading(_ cleanup: inout Cleanup) {
    state.openReadings -= 1
    guard keepsNothing, state.openReadings == 0, let current = state.current else { return }
    cleanup.released.append(current.element)
    state.current = nil
  }

  private func add(_ element: Box, _ cleanup: inout Cleanup) {
    for index in state.listeners.indices where !state.listeners[index].isCancelled {
      if let dropped = state.listeners[index].buffer.append(element) {
        cleanup.released.append(dropped)
        state.droppedCount += 1
      }
      wake(index, &cleanup)
    }
  }

  private func wake(_ index: Int, _ cleanup: inout Cleanup) {
    guard !state.listeners[index].waiters.isEmpty else { return }
    cleanup.waiters += state.listeners[index].waiters
    state.listeners[index].waiters = []
  }

  private func update(_ body: (inout Cleanup) -> Void) {
    var cleanup = Cleanup()
    lock.withLock { body(&cleanup) }
    for waiter in cleanup.waiters { waiter.resume() }
    onNews()
  }
}
