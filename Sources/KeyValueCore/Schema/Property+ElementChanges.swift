extension Property {
  /// What an assignment changed; nil where that is not known element by element.
  func elementChanges(
    from old: UnsafeRawPointer, to new: UnsafeRawPointer
  ) -> [KeyValueObservedChange<any CapturedValue>]? {
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
