extension KeyValueTrace {
  /// Why the calling code runs: the changes and deliveries on this thread that led to it.
  ///
  /// ```swift
  /// let observation = label.kvo.text.observe { _, _ in print(KeyValueTrace.cause) }
  /// ```
  ///
  /// The cause is empty outside handlers, and while nothing is traced (``isOn``).
  public static var cause: Cause { Cause(events: Tracer.openEvents) }

  /// A chain of changes and deliveries, each of which led to the next.
  public struct Cause: Sendable {
    /// The changes and deliveries, outermost first.
    public let events: [Event]

    /// Whether there is no cause, or nothing is traced.
    public var isEmpty: Bool { events.isEmpty }

    /// The chain, one line per step, outermost first.
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
