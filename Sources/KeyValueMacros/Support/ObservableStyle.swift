/// Which module's declarations the macros read.
enum ObservableStyle {
  /// `KeyValueObserving`'s: every stored `var` announces its changes.
  case swift
  /// `FoundationKVO`'s, as in a Cocoa source: `dynamic` members announce their changes, and methods have
  /// Foundation's types.
  case cocoa
}
