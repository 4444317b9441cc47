import KeyValueCore

/// A lock in a class, for static properties and for classes whose members a macro reads.
// Checked by hand: the lock is its only state.
final class UnfairLockBox: Sendable {
  private let lock = UnfairLock()

  func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    try lock.withLock(body)
  }
}
