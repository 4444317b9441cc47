extension KeyValueTrace {
  /// Why the code that asks runs: the changes and deliveries that led to it, on this thread.
  ///
  /// ```swift
  /// let observation = label.kvo.text.observe { _, _ in print(KeyValueTrace.cause) }
  /// ```
  ///
  /// It's empty outside of handlers, and while nothing is traced (``isOn``).
  public static var cause: Cause { Cause(events: Tracer.openEvents) }

  /// A chain of changes and deliveries, each of which led to the next.
  public struct Cause: Sendable {
    /// The changes and deliveries, the outermost first.
    public let events: [Event]

    /// Whether there is no cause, or nothing is traced.
    public var isEmpty: Bool { events.isEmpty }

    /// The chain, one line for each step, the outermost first.
    public var lines: [String] { events.flatMap(\.steps) }
  }
}

extension KeyValueTrace.Cause: CustomStringConvertible {
  /// The chain's lines, each indented more than the one before.
  public var description: String {
    lines.enumerated().map { index, line in
      String(repeating: "  ", count: index) + line
    }.joined(separator: "\n")
  }
}
