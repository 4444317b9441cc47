/// An object with one number and nothing else.
///
/// This module has no key path literal: it would make every access of the property slower.
public final class PublicCounter {
  /// The number.
  public var value = 0

  /// Creates a counter at 0.
  public init() {}
}
