// Observing as written without a library: `didSet` and an array of closures. Unsupported: removing
// observers, locking, and an observer that adds another or sets the property.

/// Calls closures without values.
public final class PublicCounter {
  /// The number.
  public var value = 0 {
    didSet { for observer in observers { observer() } }
  }
  private var observers: [() -> Void] = []

  /// Creates a counter at 0.
  public init() {}

  /// Calls the closure after each set.
  public func observe(_ observer: @escaping () -> Void) { observers.append(observer) }
}

/// Calls closures with the old and the new number.
public final class PublicLevel {
  /// The number.
  public var value = 0 {
    didSet { for observer in observers { observer(oldValue, value) } }
  }
  private var observers: [(Int, Int) -> Void] = []

  /// Creates a level of 0.
  public init() {}

  /// Calls the closure after each set.
  public func observe(_ observer: @escaping (Int, Int) -> Void) { observers.append(observer) }
}

/// Calls closures with the old and the new text.
public final class PublicLabel {
  /// The text.
  public var text = "" {
    didSet { for observer in observers { observer(oldValue, text) } }
  }
  private var observers: [(String, String) -> Void] = []

  /// Creates an empty label.
  public init() {}

  /// Calls the closure after each set.
  public func observe(_ observer: @escaping (String, String) -> Void) { observers.append(observer) }
}
