import Synchronization

/// How many things are going on, on all threads, that a change and a delivery have to ask about:
/// transactions, mutations of parts, recordings of reads, and tracing.
///
/// One load tells that there is nothing to ask about.
enum ThreadActivity {
  private static let count = Atomic<Int>(0)

  /// Whether nothing is going on; a thread always sees its own activities.
  @inline(__always)
  static var isNone: Bool { count.load(ordering: .relaxed) == 0 }

  static func begin() { count.add(1, ordering: .relaxed) }
  static func end() { count.subtract(1, ordering: .relaxed) }
}
