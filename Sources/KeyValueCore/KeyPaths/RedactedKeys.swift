/// The names of the keys that any class has marked `@KeyValueRedacted`.
///
/// The classes that a value's path led through aren't known when the value is redacted, so a name
/// applies to all classes.
enum RedactedKeys {
  private static let names = LockedValue<Set<String>>([])

  static func insert(_ key: String) {
    _ = names.withLock { $0.insert(key) }
  }

  /// Whether it's such a key.
  static func contain(_ key: String) -> Bool { names.withLock { $0.contains(key) } }

  /// Whether a path contains such a key.
  static func contain(_ path: [PathComponent]) -> Bool {
    names.withLock { names in path.contains { names.contains($0.name) } }
  }
}
