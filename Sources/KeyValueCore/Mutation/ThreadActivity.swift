import Synchronization

/// How many mutings and transactions are going on, on any thread; almost always 0, and then a change
/// costs one load for both.
enum ThreadActivity {
  private static let count = Atomic<Int>(0)

  static func begin() { count.add(1, ordering: .relaxed) }
  static func end() { count.subtract(1, ordering: .relaxed) }

  /// Whether nothing is going on, on this thread or another; a thread always sees its own.
  @inline(__always)
  static var isNone: Bool { count.load(ordering: .relaxed) == 0 }
}
