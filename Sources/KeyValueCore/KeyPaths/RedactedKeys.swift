import Synchronization

/// The names of the keys that any class has marked `@KeyValueRedacted`.
///
/// The classes that a value's path led through aren't known when the value is redacted, so a name
/// applies to all classes.
enum RedactedKeys {
  private static let names = LockedValue<Set<String>>([])
  private static let isEmpty = Atomic<Bool>(true)

  static func insert(_ key: String) {
    _ = names.withLock { $0.insert(key) }
    isEmpty.store(false, ordering: .releasing)
  }

  /// Whether a path contains such a key.
  static func contain(_ path: [PathComponent]) -> Bool {
    if isEmpty.load(ordering: .acquiring) { return false }
    return names.withLock { names in path.contains { names.contains($0.name) } }
  }
}
