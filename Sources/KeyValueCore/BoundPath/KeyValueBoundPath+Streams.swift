// Values and changes as asynchronous sequences.
extension KeyValueBoundPath {
  /// The values of the path as an asynchronous sequence, the current one first.
  ///
  /// ```swift
  /// for await balance in person.kvo.account.balance.values() {
  ///   print(balance as Any)           // Optional(100.0)
  /// }
  /// ```
  ///
  /// See ``KeyValueValues`` for what is told when, and for how it ends.
  ///
  /// - Parameter bufferingPolicy: What becomes of values that nobody has taken yet; by default the newest
  ///   is kept.
  ///
  /// Errors are those of `observe(options:changeHandler:)`. Cost: a reading of the value and a lock for
  /// each change; sums and the like are kept up to date and not computed again.
  public func values(
    bufferingPolicy: KeyValueBufferingPolicy = .bufferingNewest(1)
  ) -> KeyValueValues<Value> {
    KeyValueValues(source: _object.valuesSource(_path, .initial, bufferingPolicy))
  }

  /// The changes of the path as an asynchronous sequence.
  ///
  /// ```swift
  /// let changes = person.kvo.age.changes(options: [.old, .new])
  /// let task = Task {
  ///   for await change in changes { print(change) }
  /// }
  /// person.age = 37                   // setting, old: 36, new: 37
  /// ```
  ///
  /// Observing begins here and not with the iteration. See ``KeyValueChanges`` for how it ends and for
  /// several iterators, and ``KeyValueBufferingPolicy`` for iterations that are slower than the changes.
  ///
  /// With `initial`, the initial change comes first and once, also where other threads change the value
  /// meanwhile. With `initial` and `new`, the value is kept for further iterators, so changing a
  /// collection in place copies it.
  ///
  /// - Parameters:
  ///   - options: What a change carries. `prior` is refused, as it could only arrive after the
  ///     change, and goes to the violation handler; where that returns, the sequence is at its end.
  ///   - bufferingPolicy: What becomes of changes that nobody has taken yet; by default all are kept.
  ///
  /// Errors are those of `observe(options:changeHandler:)`. Cost: a lock for each change and iterator;
  /// with `initial` and `new` also a reading of the value for each change, unless it is read anyway.
  public func changes(
    options: KeyValueObservingOptions = [], bufferingPolicy: KeyValueBufferingPolicy = .unbounded
  ) -> KeyValueChanges<Value> {
    KeyValueChanges(source: _object.changesSource(_path, options, bufferingPolicy))
  }
}
