// The thread sanitizer does not understand how Synchronization's Mutex waits on Linux (a program of one
// Mutex<Int> and four threads makes it report races), so builds for it define KVO_THREAD_SANITIZER and
// get a lock made of an atomic, which it does understand. The alias hides Synchronization's Mutex in
// this module. Not for any other use: it spins.
#if KVO_THREAD_SANITIZER
  import Synchronization

  typealias Mutex = SpinMutex

  package struct SpinMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Checked by hand: `value` is touched only between `lock()` and `unlock()`.
    private let isLocked = Atomic<Bool>(false)
    private let value: UnsafeMutablePointer<Value>

    package init(_ initialValue: consuming sending Value) {
      value = .allocate(capacity: 1)
      value.initialize(to: initialValue)
    }

    deinit {
      value.deinitialize(count: 1)
      value.deallocate()
    }

    package borrowing func withLock<Result: ~Copyable, E: Error>(
      _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result {
      while isLocked.exchange(true, ordering: .acquiring) {}
      defer { isLocked.store(false, ordering: .releasing) }
      return try body(&value.pointee)
    }
  }
#endif
