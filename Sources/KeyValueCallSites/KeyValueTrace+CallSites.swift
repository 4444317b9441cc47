import KeyValueCore

extension KeyValueTrace {
  /// Notes for each traced change where it's made, from now on.
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
  /// inspector's page show. It's the nearest line outside of this library, of the macros' code, and of the
  /// changed key's own setter. It's taken from the stack: the change keeps return addresses, and the place is
  /// looked up in the program's debug information when it's asked for, once for each address.
  ///
  /// A program without debug information has no places, nor has a change that's made by code without it.
  ///
  /// This is for the whole process. A traced change costs some microseconds more, and FoundationKVO's
  /// `addObserver` looks its place up; while nothing is traced, nothing else costs more. In a program that
  /// links this module and has `KVO_TRACE` in its environment, call sites are recorded from the start.
  ///
  /// Source of the behaviour: this library's; Cocoa has no counterpart.
  ///
  /// - Parameter isOn: Whether to record them, or to end that.
  /// - Returns: Whether call sites are recorded: always false on a platform where they can't be. Linux
  ///   with glibc is the only one where they can.
  @discardableResult
  public static func recordCallSites(_ isOn: Bool = true) -> Bool {
    CallSites.record(as: isOn ? CallStack.type : nil)
    return recordsCallSites
  }

  /// Whether each traced change notes where it's made; see `recordCallSites(_:)`.
  public static var recordsCallSites: Bool { CallSites.areRecorded }
}
