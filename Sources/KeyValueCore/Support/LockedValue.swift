/// A value with its lock, used instead of Synchronization's Mutex (see `UnfairLock`).
// Checked by hand: `value` is accessed only inside `lock`.
package struct LockedValue<Value>: ~Copyable, @unchecked Sendable {
  private let lock = UnfairLock()
  private let value: UnsafeMutablePointer<Value>

  package init(_ initialValue: sending Value) {
    value = .allocate(capacity: 1)
    value.initialize(to: initialValue)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
  }

  package borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value.pointee)
  }
}
