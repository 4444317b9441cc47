/// A list that any thread adds to, and that tasks can wait for.
// Checked by hand: `elements`, `waiters` and `waitCount` are accessed only inside `lock`. An element is handed over:
// the thread that adds it doesn't use it afterwards.
final class Arrivals<Element>: @unchecked Sendable {
  private typealias Waiter = (count: Int, continuation: CheckedContinuation<Void, Never>)

  private let lock = LockedValue<Void>(())
  private var elements: [Element] = []
  /// What waits, by the number of the wait.
  private var waiters: [Int: Waiter] = [:]
  private var waitCount = 0
  private var isFinished = false

  func append(_ element: Element) {
    lock.withLock { _ in
      elements.append(element)
      return takeWaiters { $0.value.count <= elements.count }
    }.forEach { $0.resume() }
  }

  /// The elements so far.
  var all: [Element] {
    var all: [Element] = []
    lock.withLock { _ in all = elements }
    return all
  }

  /// Removes the first element and returns it; nil if there's none.
  func takeFirst() -> Element? {
    var first: Element?
    lock.withLock { _ in first = elements.isEmpty ? nil : elements.removeFirst() }
    return first
  }

  /// Ends all waiting: there will be no more elements.
  func finish() {
    lock.withLock { _ in
      isFinished = true
      return takeWaiters { _ in true }
    }.forEach { $0.resume() }
  }

  /// Waits until there are as many elements, until there will be no more, or until the limit has passed.
  ///
  /// If none are wanted, it waits for the end or the limit. A task that's cancelled doesn't wait.
  func wait(for count: Int, within limit: Duration) async {
    let number = newNumber()
    await withTaskCancellationHandler {
      await wait(number, for: count == 0 ? Int.max : count, within: limit)
    } onCancel: {
      stopWaiting(number)
    }
  }

  private func wait(_ number: Int, for count: Int, within limit: Duration) async {
    var alarm: Task<Void, Never>?
    await withCheckedContinuation { continuation in
      guard add((count, continuation), number) else { return continuation.resume() }
      // Started when it finds the waiter, and ends no other wait.
      alarm = Task {
        // Cancelled when there's nothing to wait for any more.
        if (try? await Task.sleep(for: limit)) != nil { stopWaiting(number) }
      }
      // A task that was cancelled earlier had no waiter to stop.
      if Task.isCancelled { stopWaiting(number) }
    }
    alarm?.cancel()
  }

  private func newNumber() -> Int {
    lock.withLock { _ in
      waitCount += 1
      return waitCount
    }
  }

  /// Adds what waits; returns false if there's nothing to wait for.
  private func add(_ waiter: Waiter, _ number: Int) -> Bool {
    lock.withLock { _ in
      if isFinished || elements.count >= waiter.count { return false }
      waiters[number] = waiter
      return true
    }
  }

  private func stopWaiting(_ number: Int) {
    lock.withLock { _ in takeWaiters { $0.key == number } }.forEach { $0.resume() }
  }

  private func takeWaiters(
    where isDone: ((key: Int, value: Waiter)) -> Bool
  ) -> [CheckedContinuation<Void, Never>] {
    let done = waiters.filter(isDone)
    for number in done.keys { waiters[number] = nil }
    return done.values.map(\.continuation)
  }
}
