import KeyValueObserving

/// An observable object with one number.
@KeyValueObservable
public final class PublicCounter {
  /// The number.
  public var value = 0

  /// Creates a counter at 0.
  public init() {}
}

/// An observable object with one text.
@KeyValueObservable
public final class PublicLabel {
  /// The text.
  public var text = ""

  /// Creates an empty label.
  public init() {}
}
