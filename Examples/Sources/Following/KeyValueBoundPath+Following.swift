import KeyValueObserving

extension KeyValueBoundPath {
  /// Passes on the value of the path now and after each change.
  package func follow(_ take: @escaping (Value) -> Void) -> KeyValueObservation {
    observe(options: [.initial, .new]) { _, change in
      if let value = change.newValue { take(value) }
    }
  }
}
