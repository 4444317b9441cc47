import Foundation

/// Nanoseconds from the moment when all threads are ready until the last is done.
///
/// - Parameters:
///   - count: How many threads there are.
///   - body: What each does: given its number and a closure that it calls when it is ready, and that
///     returns when all are.
public func nanosecondsOnThreads(
  _ count: Int, _ body: @escaping @Sendable (Int, () -> Void) -> Void
) -> Double {
  let ready = DispatchGroup()
  let done = DispatchGroup()
  let gate = DispatchSemaphore(value: 0)
  for index in 0..<count {
    ready.enter()
    done.enter()
    Thread.detachNewThread {
      body(index) {
        ready.leave()
        gate.wait()
      }
      done.leave()
    }
  }
  ready.wait()
  return nanoseconds {
    for _ in 0..<count { gate.signal() }
    done.wait()
  }
}
