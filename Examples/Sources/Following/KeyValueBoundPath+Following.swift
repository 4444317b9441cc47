import KeyValueObserving

extension KeyValueBoundPath {
  /// Passes on the value of the path now and after each change.
  ///
  /// A trace shows the caller's line as the place of the registration.
  package func follow(
    fileID: StaticString = #fileID, line: UInt = #line, _ take: @escaping (Value) -> Void
  ) -> KeyValueObservation {
    observe(options: [.initial, .new], fileID: fileID, line: line) { _, change in
      if let value = change.newValue { take(value) }
    }
  }
}
