/// A mistake that the reference can be given, so that tests see that a difference is noticed.
package enum Flaw: CaseIterable, Sendable {
  /// Priors are not delivered.
  case noPriors
  /// Keys that notify by hand notify when they are assigned.
  case manualKeysNotify
}
