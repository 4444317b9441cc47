import Synchronization

/// Asks an object whether it answers an undefined key.
package enum UndefinedKeyQuestion {
  /// The questions that a thread is asking.
  private final class State {
    @exclusivity(unchecked) var depth = 0
    @exclusivity(unchecked) var isDenied = false
  }

  private static let states = ThreadLocal { State() }

  /// Whether reading a key neither throws nor is denied.
  static func isAnswered(_ read: () throws -> Void) -> Bool {
    let state = states.value
    let outer = state.isDenied
    state.isDenied = false
    state.depth += 1
    defer {
      state.depth -= 1
      state.isDenied = outer
    }
    do { try read() } catch { return false }
    return !state.isDenied
  }

  /// Whether a class names keys that have no value.
  static let isNeeded = Atomic(false)

  /// Reads keys that may have no value, if a class names any.
  static func withoutRaising(_ read: () -> Any?) -> Any? {
    guard isNeeded.load(ordering: .relaxed) else { return read() }
    var value: Any?
    return isAnswered { value = read() } ? value : nil
  }

  /// Called instead of raising an exception; returns false if no question is being asked.
  package static func deny() -> Bool {
    guard let state = states.known, state.depth > 0 else { return false }
    state.isDenied = true
    return true
  }
}
