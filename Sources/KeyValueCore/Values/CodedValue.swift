/// A value that has keys of its own, as Cocoa's strings and numbers have: read by key, and never observed.
package protocol CodedValue {
  /// The value of a key, which may be nil; `.none` if the value has no such key.
  func codedValue(forKey key: String) -> Any??
}

/// Whether values have such keys: where Cocoa's classes are read, and not those of other modules.
package enum CodedValues {
  private final class State {
    var depth = 0
  }

  private static let states = ThreadLocal { State() }

  static var areRead: Bool { (states.known?.depth ?? 0) > 0 }

  /// Reads by the rules of Cocoa's classes.
  package static func reading<Result>(_ body: () throws -> Result) rethrows -> Result {
    let state = states.value
    state.depth += 1
    defer { state.depth -= 1 }
    return try body()
  }
}
