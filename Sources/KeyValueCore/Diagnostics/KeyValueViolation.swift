import Synchronization

/// A misuse that neither the compiler nor a thrown error could report.
///
/// ```swift
/// KeyValueViolation.handler = { violation in log(violation.description) }
/// ```
///
/// Source of the behaviour: this library's; Cocoa raises exceptions.
public struct KeyValueViolation: Sendable, Hashable, CustomStringConvertible {
  /// What was done wrong.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A key path literal cannot be taken apart into observable components.
    case unobservablePath
    /// A path met a value, after registration, that cannot be observed.
    case unobservableValue
    /// A callback led back to itself without end.
    case runawayRecursion
    /// A property was accessed while it was being modified in place.
    case overlappingAccess
    /// A key that the class does not have was announced as changing.
    case undefinedKey
    /// An element of the wrong type was handed to a typed collection.
    case wrongElement
    /// A sum did not fit its type.
    case arithmeticOverflow
    /// An index lay outside the collection.
    case indexOutOfRange
    /// An option was given that has no meaning for this way of observing.
    case unsupportedOption
    /// Something that Cocoa tolerates and that is most likely a mistake.
    case tolerated
  }

  /// What was done wrong.
  public let kind: Kind
  /// What happened, and what to do about it.
  public let description: String

  /// Called with each violation, on the thread that committed it.
  ///
  /// The default prints to standard error and traps; for `.tolerated` it prints in debug builds, and
  /// where `KVO_AUDIT` is defined, and goes on. A replacement that returns lets the program go on where that is safe.
  public static var handler: @Sendable (KeyValueViolation) -> Void {
    get { current.withLock { $0.handle } }
    set {
      // The old handler is let go of outside the lock: what it captured may die of it.
      _ = current.withLock { current in
        let old = current
        current = Handler(handle: newValue)
        return old
      }
    }
  }

  /// A closure that is stored in a generic type by itself is wrapped once more at each access.
  private struct Handler: Sendable {
    let handle: @Sendable (KeyValueViolation) -> Void
  }

  private static let current = LockedValue(Handler(handle: trap))

  private static let trap: @Sendable (KeyValueViolation) -> Void = { violation in
    guard violation.kind == .tolerated else { fatalError("\(violation)") }
    #if DEBUG || KVO_AUDIT
      StandardError.write("KeyValueObserving: \(violation)\n")
    #endif
  }

  static func report(_ kind: Kind, _ description: String) {
    handler(KeyValueViolation(kind: kind, description: description))
  }

  /// Reports what cannot be gone on from, whatever the handler does.
  static func fatal(_ kind: Kind, _ description: String) -> Never {
    report(kind, description)
    fatalError(description)
  }
}
