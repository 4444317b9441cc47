/// An object with one number and nothing else.
///
/// No key path literal stands in this module: it would make every access of the property slower.
public final class PublicCounter {
  /// The number.
  public var value = 0

  /// Creates a counter at 0.
  public init() {}
}
