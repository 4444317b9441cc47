/// A misuse that neither the compiler nor a thrown error can report.
///
/// ```swift
/// KeyValueViolation.handler = { violation in log(violation.description) }
/// ```
///
/// Source of the behaviour: this library's; Cocoa raises exceptions.
public struct KeyValueViolation: Sendable, Hashable, CustomStringConvertible {
  /// The kind of misuse.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A key path literal doesn't consist of observable components.
    case unobservablePath
    /// After registration, a path or a dependency reached a value that isn't observable.
    ///
    /// The default handler prints it and continues, because the objects that a program will have aren't
    /// known where the path is written.
    case unobservableValue
    /// A handler triggered itself without end.
    case runawayRecursion
    /// A property was accessed while it was being modified in place.
    case overlappingAccess
    /// A change was announced for a key that the class doesn't have.
    case undefinedKey
    /// An element of the wrong type was passed to a typed collection.
    case wrongElement
    /// A sum overflowed its type.
    case arithmeticOverflow
    /// An index was outside the collection.
    case indexOutOfRange
    /// An option isn't available for this way of observing.
    case unsupportedOption
    /// A Cocoa exception: `FoundationKVO` reports one where Cocoa raises it.
    case exception
    /// Code that Cocoa tolerates, but that is probably a mistake.
    case tolerated
  }

  /// The kind of misuse.
  public let kind: Kind
  /// What happened, and how to fix it.
  public let description: String
  /// Where the observer was registered, if the misuse is the registration's.
  package let place: SourcePlace

  /// Called with each violation, on the thread that committed it, unless the task has a handler of its own.
  ///
  /// It's the whole process's. ``withHandler(_:perform:)`` installs one for a task.
  ///
  /// The default prints to standard error and traps. For `.unobservableValue` it prints and
  /// continues. For `.tolerated` it prints in debug builds, and with `KVO_AUDIT`, and continues. If a
  /// replacement returns, the program continues where that's safe.
  public static var handler: @Sendable (KeyValueViolation) -> Void {
    get { current.withLock { $0.handle } }
    set {
      // Release the old handler outside the lock: objects that it captured may die with it.
      _ = current.withLock { current in
        let old = current
        current = Handler(handle: newValue)
        return old
      }
    }
  }

  /// Wraps the handler: a closure alone in a generic type is wrapped once more at each access.
  private struct Handler: Sendable {
    let handle: @Sendable (KeyValueViolation) -> Void
  }

  private static let current = LockedValue(Handler(handle: trap))

  private static let trap: @Sendable (KeyValueViolation) -> Void = { violation in
    switch violation.kind {
    case .tolerated:
      #if DEBUG || KVO_AUDIT
        printOut(violation)
      #endif
    case .unobservableValue: printOut(violation)
    case .exception:
      fatalError("\(violation) \(exceptions)")
    default:
      if let place = KeyValueTrace.Place(violation.place) {
        StandardError.report("KeyValueObserving: The observer was registered at \(place).\n")
      }
      fatalError("\(violation)")
    }
  }

  private static func printOut(_ violation: KeyValueViolation) {
    StandardError.report("KeyValueObserving: \(violation)\n")
    if isFirstReport() {
      StandardError.report("KeyValueObserving: \(page)\n")
    }
  }

  /// Printed with each exception.
  private static let exceptions =
    "The section Errors of the page Porting from Cocoa (Documentation/PortingFromCocoa.md) says what raises here."

  /// Printed after the first report of a process.
  private static let page =
    "The page Nothing is called: why? (NothingIsCalled.md) has every such report with its cause."
  private static let hasReported = LockedValue(false)

  private static func isFirstReport() -> Bool {
    hasReported.withLock { hasReported in
      defer { hasReported = true }
      return !hasReported
    }
  }

  package static func report(
    _ kind: Kind, _ description: String, at place: SourcePlace = .unknown, isProblem: Bool = true
  ) {
    #if DEBUG || KVO_AUDIT
      if isProblem { TokenLifetime.noteProblem() }
    #endif
    Tracer.thread?.emit(.violation) { $0.message = "\(kind.rawValue): \(description)" }
    let violation = KeyValueViolation(kind: kind, description: description, place: place)
    if let scope = ViolationScope.current { return scope.handle(violation) }
    handler(violation)
  }

  /// Reports a violation after which the program can't continue, whatever the handler does.
  package static func fatal(_ kind: Kind, _ description: String) -> Never {
    report(kind, description)
    fatalError(description)
  }
}
