import KeyValueObserving

extension KeyValueObservable {
  /// Hands over the value of a key path now and after each change.
  package func follow<Value>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    _ take: @escaping (Value) -> Void
  ) -> KeyValueObservation {
    observe(keyPath, options: [.initial, .new]) { _, change in
      if let value = change.newValue { take(value) }
    }
  }
}
