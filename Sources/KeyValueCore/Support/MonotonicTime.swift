#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// A clock that never goes back, in nanoseconds.
enum MonotonicTime {
  static var now: UInt64 {
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    #else
      // Read before the time, because the first use of `start` sets it.
      let start = Self.start
      let (seconds, attoseconds) = (ContinuousClock.now - start).components
      return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    #endif
  }

  #if !(canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android))
    private static let start = ContinuousClock.now
  #endif
}
