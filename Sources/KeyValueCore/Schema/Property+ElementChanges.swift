extension Property {
  /// What an assignment changed; nil where that is not known element by element.
  func elementChanges(from old: UnsafeRawPointer, to new: UnsafeRawPointer) -> [ElementChange]? {
    guard let type = valueType as? any ElementComparing.Type else { return nil }
    func compare<Value: ElementComparing>(_ type: Value.Type) -> [ElementChange]? {
      Value.changes(
        from: old.assumingMemoryBound(to: Value.self).pointee,
        to: new.assumingMemoryBound(to: Value.self).pointee)
    }
    return compare(type)
  }
}
