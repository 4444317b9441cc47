import Synchronization

/// The number of activities, on all threads, that a change and a delivery have to check for:
/// transactions, mutations of parts, recordings of reads, and tracing.
///
/// One load shows that there are none.
enum ThreadActivity {
  private static let count = Atomic<Int>(0)

  /// Whether there are no activities; a thread always sees its own.
  @inline(__always)
  static var isNone: Bool { count.load(ordering: .relaxed) == 0 }

  static func begin() { count.add(1, ordering: .relaxed) }
  static func end() { count.subtract(1, ordering: .relaxed) }
}
