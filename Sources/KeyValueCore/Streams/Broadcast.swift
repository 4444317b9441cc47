import Synchronization

/// What one sequence hears, kept for each of its iterators until that takes it.
///
/// Mutable state and its guard: `state`, under `lock`. Nothing of the user's runs or dies under it:
/// what is dropped is let go of, and who waits is woken, after it is released.
// Checked by hand: `state` is touched only under `lock`. Elements that are not Sendable come from a
// sequence that is not either, so that it, its iterators and the observed object are in one place.
package final class Broadcast<Element>: Relay, @unchecked Sendable {
  typealias Waiter = CheckedContinuation<Void, Never>

  /// What one iterator has not taken yet.
  private struct Listener {
    let number: Int
    var buffer: ElementBuffer<Element>
    var waiters: [Waiter] = []
    var isCancelled = false
  }

  private struct State {
    var opening: Opening<Element>
    /// In the order of their numbers; the first is there from the start, for the first iterator.
    var listeners: ContiguousArray<Listener> = []
    var nextListener = 0
    var droppedCount = 0
    var hasEnded = false
    /// What a further iterator begins with, and when its value was read.
    var current: (element: Element, reading: UInt64)?
    var initialReading: UInt64 = 0
    var lastReading: UInt64 = 0

    func index(of number: Int) -> Int? {
      listeners.firstIndex { $0.number == number }
    }
  }

  /// What is left to do once the lock is released.
  private struct Aftermath {
    var waiters: [Waiter] = []
    var released: [Element] = []
  }

  package enum Taken {
    case element(Element)
    case nothingYet
    case end
  }

  private let policy: KeyValueBufferingPolicy
  private let lock = UnfairLock()
  private var state: State

  private let onNews: @Sendable () -> Void

  /// - Parameters:
  ///   - hasInitial: Whether every iterator begins with the current value.
  ///   - onNews: Called when there may be something to take, or the end has come.
  init(
    _ policy: KeyValueBufferingPolicy, hasInitial: Bool,
    onNews: @escaping @Sendable () -> Void = {}
  ) {
    self.policy = policy
    self.onNews = onNews
    state = State(opening: Opening(hasInitial: hasInitial))
    state.listeners = [Listener(number: 0, buffer: ElementBuffer(policy))]
  }

  // MARK: Where the change is made

  func beginInitial() -> Bool {
    lock.withLock {
      guard state.opening.beginReading() else { return false }
      state.lastReading += 1
      state.initialReading = state.lastReading
      return true
    }
  }

  func open(with element: Element) -> Bool {
    var isOpen = false
    update { aftermath in
      switch state.opening.open() {
      case .readAgain(let discarded):
        aftermath.released += discarded
        state.lastReading += 1
        state.initialReading = state.lastReading
      case .open(let held):
        isOpen = true
        keep(element, readAt: state.initialReading, &aftermath)
        for element in [element] + held { add(element, &aftermath) }
      }
    }
    return isOpen
  }

  func append(_ element: Element) {
    update { aftermath in
      if state.opening.admits(element) { add(element, &aftermath) }
    }
  }

  /// Numbers the reading of a value that begins now.
  func beginReading() -> UInt64 {
    lock.withLock {
      state.lastReading += 1
      return state.lastReading
    }
  }

  /// Takes an element, and what a further iterator begins with after it.
  func append(_ element: Element, current: Element, readAt reading: UInt64) {
    update { aftermath in
      keep(current, readAt: reading, &aftermath)
      if state.opening.admits(element) { add(element, &aftermath) }
    }
  }

  /// Takes the current value; where one whose reading began later is here already, takes that once
  /// more, so that the last element is never an outdated one.
  func append(current element: Element, readAt reading: UInt64) {
    update { aftermath in
      keep(element, readAt: reading, &aftermath)
      let newest = state.current?.element ?? element
      if state.opening.admits(newest) { add(newest, &aftermath) }
    }
  }

  /// Ends the sequence, behind what is waiting to be taken.
  func end() {
    update { aftermath in
      state.hasEnded = true
      for index in state.listeners.indices { wake(index, &aftermath) }
    }
  }

  // MARK: Where elements are taken

  /// How many elements were dropped of all iterators, those included that are gone.
  package var droppedCount: Int {
    lock.withLock { state.droppedCount }
  }

  func droppedCount(of number: Int) -> Int {
    lock.withLock {
      state.index(of: number).map { state.listeners[$0].buffer.droppedCount } ?? 0
    }
  }

  /// Adds an iterator; the first takes what has come so far.
  func addListener() -> Int {
    lock.withLock {
      let number = state.nextListener
      state.nextListener += 1
      guard number > 0 else { return number }
      var listener = Listener(number: number, buffer: ElementBuffer(policy))
      if !state.hasEnded, let current = state.current {
        _ = listener.buffer.append(current.element)
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

  package func take(_ number: Int) -> Taken {
    lock.withLock {
      guard let index = state.index(of: number) else { return .end }
      if let element = state.listeners[index].buffer.popFirst() { return .element(element) }
      return isOver(index) ? .end : .nothingYet
    }
  }

  /// Whether the end has come and everything before it is taken.
  package func isAtEnd(_ number: Int) -> Bool {
    lock.withLock {
      state.index(of: number).map { isOver($0) && state.listeners[$0].buffer.isEmpty } ?? true
    }
  }

  /// Resumes the waiter when there is something to take, which may be at once.
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

  /// Ends one iterator at once; what waits for it is let go of.
  package func cancel(_ number: Int) {
    var forgotten: ElementBuffer<Element>?
    update { aftermath in
      guard let index = state.index(of: number) else { return }
      wake(index, &aftermath)
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

  private func keep(_ element: Element, readAt reading: UInt64, _ aftermath: inout Aftermath) {
    if let current = state.current {
      guard reading > current.reading else { return }
      aftermath.released.append(current.element)
    }
    state.current = (element, reading)
  }

  private func add(_ element: Element, _ aftermath: inout Aftermath) {
    for index in state.listeners.indices where !state.listeners[index].isCancelled {
      if let dropped = state.listeners[index].buffer.append(element) {
        aftermath.released.append(dropped)
        state.droppedCount += 1
      }
      wake(index, &aftermath)
    }
  }

  private func wake(_ index: Int, _ aftermath: inout Aftermath) {
    guard !state.listeners[index].waiters.isEmpty else { return }
    aftermath.waiters += state.listeners[index].waiters
    state.listeners[index].waiters = []
  }

  private func update(_ body: (inout Aftermath) -> Void) {
    var aftermath = Aftermath()
    lock.withLock { body(&aftermath) }
    for waiter in aftermath.waiters { waiter.resume() }
    onNews()
  }
}
