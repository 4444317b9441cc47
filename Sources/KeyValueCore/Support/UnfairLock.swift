// Synchronization's Mutex calls Linux's futex inside the standard library. The thread sanitizer
// doesn't see that and reports races in every program that uses one. It sees a pthread lock, which
// costs 50 more instructions each time. This lock is an atomic word that every client compiles, so
// the sanitizer sees it; it uses pthreads only if a thread has to wait.
#if os(Linux)
  import Synchronization
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// A lock without a value; not recursive, not fair, one word long.
  package struct UnfairLock: ~Copyable, Sendable {
    private static let free: UInt32 = 0
    private static let held: UInt32 = 1
    /// Held, and a thread may be waiting in the parking lot.
    private static let contended: UInt32 = 2

    private let word = Atomic<UInt32>(free)

    package init() {}

    @inline(__always)
    borrowing func lock() {
      let (isTaken, _) = word.compareExchange(
        expected: Self.free, desired: Self.held, ordering: .acquiring)
      if !isTaken { wait() }
    }

    @inline(__always)
    borrowing func unlock() {
      if word.exchange(Self.free, ordering: .releasing) == Self.contended {
        ParkingLot.wakeAll(address)
      }
    }

    /// Takes a lock that another thread holds.
    @inline(never)
    private borrowing func wait() {
      // Most locks here are held for a few instructions.
      for _ in 0..<100 where word.load(ordering: .relaxed) == Self.free {
        if word.compareExchange(expected: Self.free, desired: Self.held, ordering: .acquiring)
          .exchanged
        {
          return
        }
      }
      // A thread that has waited can't know whether others still wait, so it leaves `contended`.
      ParkingLot.wait(address) { word.exchange(Self.contended, ordering: .acquiring) == Self.free }
    }

    private var address: UInt {
      withUnsafePointer(to: self) { UInt(bitPattern: $0) }
    }
  }

  /// Where threads wait for an `UnfairLock`: a few condition variables, shared by all locks by address.
  ///
  /// No wake-up is lost: a thread sets a lock's word to `contended` only under the mutex of the
  /// lock's place, and the thread that finds it there takes that mutex before it wakes the others.
  private enum ParkingLot {
    private struct Place {
      var mutex = pthread_mutex_t()
      var condition = pthread_cond_t()
    }

    private static let count = 64

    // Allocated once, initialised before it's published, and never freed.
    nonisolated(unsafe) private static let places: UnsafeMutablePointer<Place> = {
      let places = UnsafeMutablePointer<Place>.allocate(capacity: count)
      for index in 0..<count {
        (places + index).initialize(to: Place())
        pthread_mutex_init(&places[index].mutex, nil)
        pthread_cond_init(&places[index].condition, nil)
      }
      return places
    }()

    /// Sleeps until the attempt to take the lock at that address succeeds.
    static func wait(_ address: UInt, until isTaken: () -> Bool) {
      let place = place(of: address)
      pthread_mutex_lock(&place.pointee.mutex)
      while !isTaken() { pthread_cond_wait(&place.pointee.condition, &place.pointee.mutex) }
      pthread_mutex_unlock(&place.pointee.mutex)
    }

    /// Wakes the threads that wait for the lock at that address, which may already be gone.
    @inline(never)
    static func wakeAll(_ address: UInt) {
      let place = place(of: address)
      pthread_mutex_lock(&place.pointee.mutex)
      pthread_cond_broadcast(&place.pointee.condition)
      pthread_mutex_unlock(&place.pointee.mutex)
    }

    private static func place(of address: UInt) -> UnsafeMutablePointer<Place> {
      places + Int((address >> 4 ^ address >> 10) % UInt(count))
    }
  }
#else
  import Synchronization

  /// A lock without a value; not recursive.
  package struct UnfairLock: ~Copyable, Sendable {
    private let mutex = Mutex<Void>(())

    package init() {}

    borrowing func lock() { mutex._unsafeLock() }

    borrowing func unlock() { mutex._unsafeUnlock() }
  }
#endif

extension UnfairLock {
  @inline(__always)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
