import Foundation

/// The nanoseconds from the moment when all threads are ready until the last is done.
///
/// - Parameters:
///   - count: The number of threads.
///   - body: Each thread's work. It gets its number and a closure to call when it's ready, which
///     returns when all are.
/// - Returns: The nanoseconds.
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
