import Foundation

/// The nanoseconds since a moment, for code that suspends.
public struct Stopwatch: Sendable {
  private let start = ContinuousClock.now

  /// Begins now.
  public init() {}

  /// The nanoseconds since the beginning.
  public var nanoseconds: Double {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
  }
}

/// Runs a task and blocks until it is done.
public func waiting(_ work: @escaping @Sendable () async -> Reading) -> Reading {
  let done = DispatchSemaphore(value: 0)
  // Written before the signal, read after the wait.
  nonisolated(unsafe) var reading = Reading(total: 0, notifications: 0, checksum: 0)
  Task.detached {
    reading = await work()
    done.signal()
  }
  done.wait()
  return reading
}

extension Tally {
  /// Counts a notification and adds its value to the checksum.
  @inlinable @inline(__always)
  public func record(_ value: Int) {
    notifications &+= 1
    checksum &+= value
  }
}
