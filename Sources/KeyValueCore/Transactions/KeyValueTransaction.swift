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
  /// With `rollingBack`, an error takes back every set of an observable stored property that this thread made
  /// in the closure:
  ///
  /// ```swift
  /// try KeyValueTransaction.perform(rollingBack: true) {
  ///   from.balance -= 100
  ///   to.balance += 100
  ///   if from.balance < 0 { throw Overdraft() }
  /// }
  /// ```
  ///
  /// Like ``KeyValueObservable/performChanges(rollingBack:_:)``, for changes without a natural receiver.
  ///
  /// - Parameters:
  ///   - rollingBack: Whether an error takes the changes back.
  ///   - body: Makes the changes.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  @discardableResult
  public static func perform<Result>(
    rollingBack: Bool = false, _ body: () throws -> Result
  ) rethrows -> Result {
    try Transaction.perform(rollingBack: rollingBack, body)
  }
}
