/// A record of what was observed: which changes were made, which observers they called, and why.
///
/// ```swift
/// let trace = KeyValueTrace.recording { person.firstName = "Grace" }
/// print(trace.deliveries(to: \Person.fullName).count)     // 1
/// print(trace)                                            // one line for each event
/// ```
///
/// Nothing is traced until a recording begins, a closure or a sequence is attached
/// (``observe(_:)``, ``events(bufferingNewest:)``), or `KVO_TRACE` is in the environment. Until
/// then, tracing has no measurable cost.
///
/// Source of the behaviour: this library's; Cocoa has no counterpart.
public struct KeyValueTrace: Sendable {
  /// The recorded events, by id: a cause precedes its effects.
  public let events: [Event]

  /// Creates a record of events in any order, such as those from a closure or a sequence.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of events.
  public init(_ events: some Sequence<Event>) {
    self.events = events.sorted { $0.id < $1.id }
  }
}
