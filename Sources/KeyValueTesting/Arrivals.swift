/// A list that any thread adds to, and that a task can wait for.
// Checked by hand: `elements` and `waiter` are accessed only inside `lock`. An element is handed over: the thread
// that adds it doesn't use it afterwards.
final class Arrivals<Element>: @unchecked Sendable {
  private let lock = LockedValue<Void>(())
  private var elements: [Element] = []
  private var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?
  private var isFinished = false

  func append(_ element: Element) {
    let waiter = lock.withLock { _ in
      elements.append(element)
      return takeWaiter(if: elements.count >= (self.waiter?.count ?? .max))
    }
    waiter?.resume()
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
      return takeWaiter(if: true)
    }?.resume()
  }

  /// Waits until there are as many elements, until there will be no more, or until the limit has passed.
  ///
  /// If none are wanted, it waits for one of the other two.
  func wait(for count: Int, within limit: Duration) async {
    let count = count == 0 ? Int.max : count
    let alarm = Task {
      // Cancelled when there's nothing to wait for any more.
      if (try? await Task.sleep(for: limit)) != nil { stopWaiting() }
    }
    await withCheckedContinuation { continuation in
      let isDone = lock.withLock { _ in
        if isFinished || elements.count >= count { return true }
        waiter = (count, continuation)
        return false
      }
      if isDone { continuation.resume() }
    }
    alarm.cancel()
  }

  private func stopWaiting() {
    lock.withLock { _ in takeWaiter(if: true) }?.resume()
  }

  private func takeWaiter(if isDone: Bool) -> CheckedContinuation<Void, Never>? {
    guard isDone, let waiter else { return nil }
    self.waiter = nil
    return waiter.continuation
  }
}
