import Synchronization

/// The names of the keys that any class has marked `@KeyValueRedacted`.
///
/// Of a value that was read through a path it's not known which classes it led through, so a name
/// counts for all of them.
enum RedactedKeys {
  private static let names = LockedValue<Set<String>>([])
  private static let isEmpty = Atomic<Bool>(true)

  static func insert(_ key: String) {
    _ = names.withLock { $0.insert(key) }
    isEmpty.store(false, ordering: .releasing)
  }

  /// Whether a path leads through, or to, such a key.
  static func contain(_ path: [PathComponent]) -> Bool {
    if isEmpty.load(ordering: .acquiring) { return false }
    return names.withLock { names in path.contains { names.contains($0.name) } }
  }
}
