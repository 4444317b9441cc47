import KeyValueCore

extension KeyValueTrace {
  /// Records where each traced change is made, from now on.
  ///
  /// ```swift
  /// import KeyValueCallSites
  ///
  /// KeyValueTrace.recordCallSites()
  /// print(KeyValueTrace.recording { person.age = 37 })
  /// // Person.age is set at View.swift:31, was 36
  /// // …
  /// ```
  ///
  /// The event of a change then has an `Event.place`, which its text, `KeyValueTrace.cause` and the
  /// inspector's page show. The place is the nearest line outside this library, the macros' code
  /// and the changed key's own setter. It comes from the stack: the change keeps return addresses,
  /// and the place is looked up in the program's debug information on demand, once for each
  /// address.
  ///
  /// A program without debug information has no places, and neither does a change made by code
  /// without it.
  ///
  /// The setting applies to the whole process. A traced change costs some microseconds more, and
  /// FoundationKVO's `addObserver` looks its place up. While nothing is traced, nothing else costs
  /// more. In a program that's built by Swift 6.3 or later, links this module and has `KVO_TRACE` in
  /// its environment, call sites are recorded from the start.
  ///
  /// Source of the behaviour: this library's; Cocoa has no counterpart.
  ///
  /// - Parameter isOn: Whether to record call sites, or to stop recording them.
  /// - Returns: Whether call sites are recorded. They can be recorded only on Linux with glibc;
  ///   elsewhere the result is always false.
  @discardableResult
  public static func recordCallSites(_ isOn: Bool = true) -> Bool {
    CallSites.record(as: isOn ? CallStack.type : nil)
    return recordsCallSites
  }

  /// Whether the place of each traced change is recorded; see `recordCallSites(_:)`.
  public static var recordsCallSites: Bool { CallSites.areRecorded }
}
