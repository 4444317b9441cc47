/// A copy of one registration's data, from `observationInfo`; it retains no object.
public struct KeyValueObservationInfo: CustomStringConvertible {
  /// The observer: a closure, or an observer object's class and address.
  public let observer: String
  /// The observed key path.
  public let keyPath: String
  /// The requested options.
  public let options: KeyValueObservingOptions
  /// The context, which is compared and passed back, but never dereferenced.
  public let context: UnsafeMutableRawPointer?

  /// One line: `account.balance -> closure, options: [.new]`.
  public var description: String {
    "\(keyPath) -> \(observer), options: \(options)"
      + (context.map { ", context: \($0)" } ?? "")
  }
}
