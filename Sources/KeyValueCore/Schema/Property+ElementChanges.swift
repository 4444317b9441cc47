extension Property {
  /// An assignment's changes, element by element; nil if those aren't known.
  func elementChanges(
    from old: UnsafeRawPointer, to new: UnsafeRawPointer
  ) -> [KeyValueObservedChange<any CapturedValue>]? {
    if let changes = elements?.changes(from: old, to: new) { return changes }
    func compare<Value: ElementComparing>(
      _ type: Value.Type
    ) -> [KeyValueObservedChange<any CapturedValue>]? {
      Value.changes(
        from: old.assumingMemoryBound(to: Value.self).pointee,
        to: new.assumingMemoryBound(to: Value.self).pointee)
    }
    return (valueType as? any ElementComparing.Type).flatMap { compare($0) }
  }
}
