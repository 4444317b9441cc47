import KeyValueCore

// Observing and notifying by key paths that the compiler checks.
extension KeyValueObservable where Self: NSObject {
  /// Observes a path, spelled as in Foundation.
  public func observe<Value>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    options: NSKeyValueObservingOptions = [],
    fileID: StaticString = #fileID, line: UInt = #line,
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    observe(KeyValuePath(keyPath), options: options, fileID: fileID, line: line) { object, change in
      changeHandler(object, NSKeyValueObservedChange(change))
    }
  }

  /// Observes a path that's spelled with `?`.
  @_disfavoredOverload
  public func observe<Value>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
    options: NSKeyValueObservingOptions = [],
    fileID: StaticString = #fileID, line: UInt = #line,
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value?>) -> Void
  ) -> NSKeyValueObservation {
    observe(KeyValuePath<Self, Value?>(keyPath), options: options, fileID: fileID, line: line) {
      object, change in
      changeHandler(object, NSKeyValueObservedChange(change))
    }
  }

  /// Observes one property by a plain key path.
  @_disfavoredOverload
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>?, options: NSKeyValueObservingOptions = [],
    fileID: StaticString = #fileID, line: UInt = #line,
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let handler: (Self, KeyValueObservedChange<Value>) -> Void = { object, change in
      changeHandler(object, NSKeyValueObservedChange(change))
    }
    return observe(
      keyPath, options: options, fileID: fileID, line: line, changeHandler: handler)
  }

  /// Announces that a property is about to change.
  public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
    willChangeValue(forKey: key(keyPath))
  }

  /// Announces that a property has changed.
  public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
    didChangeValue(forKey: key(keyPath))
  }

  /// Announces that elements of a property are about to change.
  public func willChange<Value>(
    _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, for keyPath: KeyPath<Self, Value>
  ) {
    willChange(changeKind, valuesAt: indexes, forKey: key(keyPath))
  }

  /// Announces that elements of a property have changed.
  public func didChange<Value>(
    _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, for keyPath: KeyPath<Self, Value>
  ) {
    didChange(changeKind, valuesAt: indexes, forKey: key(keyPath))
  }

  /// Announces that a set is about to change.
  public func willChangeValue<Value: Hashable>(
    for keyPath: KeyPath<Self, Set<Value>>, withSetMutation mutation: NSKeyValueSetMutationKind,
    using set: Set<Value>
  ) {
    willChangeValue(
      forKey: key(keyPath), withSetMutation: mutation, using: Set<AnyHashable>(set))
  }

  /// Announces that a set has changed.
  public func didChangeValue<Value: Hashable>(
    for keyPath: KeyPath<Self, Set<Value>>, withSetMutation mutation: NSKeyValueSetMutationKind,
    using set: Set<Value>
  ) {
    didChangeValue(
      forKey: key(keyPath), withSetMutation: mutation, using: Set<AnyHashable>(set))
  }

  private func key(_ keyPath: AnyKeyPath) -> String { type(of: self).key(keyPath) }

  /// The key that a key path names, which raises if there's none.
  ///
  /// `alternative` is what the exception advises to write instead.
  static func key(
    _ keyPath: AnyKeyPath, or alternative: String = "the key as a string"
  ) -> String {
    guard let key = KeyValueSchema.schema(of: self).key(keyPath) else {
      Exception.invalidArgument.raise(
        "\(self) has no key that is named by \(keyPath). Write a key path to one property, or "
          + "\(alternative).")
    }
    return key
  }
}
