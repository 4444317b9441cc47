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
  /// See ``KeyValueValues`` for when elements arrive, and for the sequence's end.
  ///
  /// - Parameters:
  ///   - bufferingPolicy: Which pending values to keep; by default the newest.
  ///   - fileID: Where the observer is registered, for ``KeyValueTrace``.
  ///   - line: The line there.
  /// - Returns: The sequence. It observes until it and its iterators are gone.
  ///
  /// - Complexity: A lock and a reading of the value for each change; maintained operators don't
  ///   compute their value again. Values of a weak key behind a collection are copied as weak references.
  ///
  /// Errors are as for `observe(options:changeHandler:)`.
  public func values(
    bufferingPolicy: KeyValueBufferingPolicy = .bufferingNewest(1),
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueValues<Value> {
    KeyValueValues(
      source: _object.valuesSource(
        _path, .initial, bufferingPolicy, keeping: keeping, at: SourcePlace(fileID, line)))
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
  /// Observing begins here, not with the iteration. See ``KeyValueChanges`` for the sequence's end
  /// and for several iterators, and ``KeyValueBufferingPolicy`` for slow iterations.
  ///
  /// With `initial`, the initial change comes first and once, even if other threads change the
  /// value meanwhile. With `initial` and `new`, the sequence keeps the value for further iterators,
  /// so changing a collection in place copies it. The objects that a `weak` key refers to are kept
  /// weakly, unless a string path leads to the key through a collection.
  ///
  /// - Parameters:
  ///   - options: What a change carries. `prior` could only arrive after the change, so it goes to
  ///     the violation handler; if the handler returns, the sequence is empty.
  ///   - bufferingPolicy: Which pending changes to keep; by default all.
  ///   - fileID: Where the observer is registered, for ``KeyValueTrace``.
  ///   - line: The line there.
  /// - Returns: The sequence. It observes until it and its iterators are gone.
  ///
  /// - Complexity: A lock for each change and iterator; with `initial` and `new` also a reading of
  ///   the value for each change that doesn't read it anyway.
  ///
  /// Errors are as for `observe(options:changeHandler:)`.
  public func changes(
    options: KeyValueObservingOptions = [], bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> KeyValueChanges<Value> {
    KeyValueChanges(
      source: _object.changesSource(
        _path, options, bufferingPolicy, keeping: keeping, at: SourcePlace(fileID, line)))
  }

  /// How the sequences keep the newest value: they keep no object alive that a weak key doesn't.
  private var keeping: StreamKeeping { endsInWeakKey ? .weakly : .strongly }

  /// Whether the value is made of what a weak key refers to, as far as the declared classes tell.
  private var endsInWeakKey: Bool {
    guard let last = _path.steps.last else {
      // The path was written as a string.
      let observed = _path.observed
      guard let path = try? ParsedKeyPath.parsed(observed.string) else { return false }
      let end = KnownEnd(
        of: path.reachingPrivateKeys(observed.reachesPrivateKeys), from: _object.schema)
      return end.property?.ownership == .weak
    }
    guard case .key(let property) = last.kind, property.ownership == .weak else { return false }
    // Behind collections the value is an array of the objects of all elements.
    var type = unwrapped(Value.self)
    while type != unwrapped(property.valueType) {
      guard let array = type as? any OrderedToMany.Type else { return false }
      type = unwrapped(array.elementType)
    }
    return true
  }
}
