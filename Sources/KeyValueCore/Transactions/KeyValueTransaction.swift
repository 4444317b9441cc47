/// Changes of several objects that observers receive as one.
public enum KeyValueTransaction {
  /// Makes several changes as one: every observer is notified once, when the closure ends.
  ///
  /// ```swift
  /// KeyValueTransaction.perform {
  ///   from.balance -= 100
  ///   to.balance += 100
  /// }
  /// ```
  ///
  /// Like ``KeyValueObservable/performChanges(rollingBack:_:)``, for changes without a natural receiver.
  ///
  /// - Throws: What the closure throws.
  @discardableResult
  public static func perform<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Transaction.perform(nil, body)
  }

  /// Makes several changes as one, and reverts them if the closure throws.
  ///
  /// ```swift
  /// try KeyValueTransaction.perform(rollingBack: [from, to]) {
  ///   from.balance -= 100
  ///   to.balance += 100
  ///   if from.balance < 0 { throw Overdraft() }
  /// }
  /// ```
  ///
  /// Like ``KeyValueObservable/performChanges(rollingBack:_:)`` with `rollingBack`, for all these
  /// objects.
  ///
  /// - Parameters:
  ///   - objects: The objects with stored properties to restore, observed or not.
  ///   - body: Makes the changes.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  @discardableResult
  public static func perform<Result>(
    rollingBack objects: [any KeyValueObservable], _ body: () throws -> Result
  ) rethrows -> Result {
    try Transaction.perform(RollbackLog(objects), body)
  }
}
