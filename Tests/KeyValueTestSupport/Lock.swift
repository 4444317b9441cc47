import KeyValueCore

// The library's own lock: the thread sanitizer doesn't understand Synchronization's Mutex on Linux.
package typealias Lock = LockedValue

extension LockedValue where Value: Sendable {
  /// Sets the value, and releases the old one after unlocking: deallocating an observed object calls
  /// observers, which may read the value.
  package borrowing func replace(with newValue: Value) {
    let old = withLock { value in
      defer { value = newValue }
      return value
    }
    withExtendedLifetime(old) {}
  }
}
