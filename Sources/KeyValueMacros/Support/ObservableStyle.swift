/// Whose declarations the macros read.
enum ObservableStyle {
  /// `KeyValueObserving`'s: every stored `var` announces its changes.
  case swift
  /// `FoundationKVO`'s, as a Cocoa source has them: what is `dynamic` announces its changes, and methods have
  /// Foundation's types.
  case cocoa
}
