import KeyValueCore

// The library's own: the thread sanitizer doesn't understand Synchronization's Mutex on Linux.
package typealias Lock = LockedValue

extension LockedValue where Value: Sendable {
  /// Sets the value, and lets go of the old one without the lock: the death of an observed object calls
  /// observers, which read.
  package borrowing func replace(with newValue: Value) {
    let old = withLock { value in
      defer { value = newValue }
      return value
    }
    withExtendedLifetime(old) {}
  }
}
