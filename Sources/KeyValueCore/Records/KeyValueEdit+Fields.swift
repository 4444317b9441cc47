extension KeyValueEdit {
  /// What a field of a written edit holds.
  enum FieldContent {
    case id(KeyValueObjectID)
    case text(String)
    case value(KeyValueLogValue)
    case list([KeyValueLogValue])
    case values([String: KeyValueLogValue])
    case indexes(RangeSet<Int>)
    case part(Elements)
  }

  /// Calls the body with each field that the edit is written as, in ascending order of the names.
  ///
  /// The elements of sets are in ascending order, too.
  func forEachField<Failure: Error>(
    _ body: (RecordKey, FieldContent) throws(Failure) -> Void
  ) throws(Failure) {
    let verb = RecordKey(self.verb.rawValue)
    switch self {
    case .create(let id, let name, let values), .delete(let id, let name, let values):
      try body(.class, .text(name))
      try body(verb, .id(id))
      try body(.values, .values(values))
    case .set(let id, let key, let old, let new):
      try body(.key, .text(key))
      try body(.new, .value(new))
      try body(.old, .value(old))
      try body(verb, .id(id))
    case .insert(let id, let key, let indexes, let elements):
      try body(.elements, .list(elements))
      try body(.indexes, .indexes(indexes))
      try body(verb, .id(id))
      try body(.key, .text(key))
    case .remove(let id, let key, let indexes, let elements):
      try body(.elements, .list(elements))
      try body(.indexes, .indexes(indexes))
      try body(.key, .text(key))
      try body(verb, .id(id))
    case .replace(let id, let key, let indexes, let old, let new):
      try body(.indexes, .indexes(indexes))
      try body(.key, .text(key))
      try body(.new, .list(new))
      try body(.old, .list(old))
      try body(verb, .id(id))
    case .amend(let id, let key, let removed, let inserted):
      try body(verb, .id(id))
      try body(.inserted, .part(inserted))
      try body(.key, .text(key))
      try body(.removed, .part(removed))
    case .union(let id, let key, let elements), .subtract(let id, let key, let elements):
      try body(.elements, .list(KeyValueLogValue.ascending(elements)))
      try body(.key, .text(key))
      try body(verb, .id(id))
    case .exchange(let id, let key, let old, let new):
      try body(verb, .id(id))
      try body(.key, .text(key))
      try body(.new, .list(KeyValueLogValue.ascending(new)))
      try body(.old, .list(KeyValueLogValue.ascending(old)))
    case .setEntry(let id, let key, let entry, let old, let new):
      try body(.entry, .value(entry))
      try body(.key, .text(key))
      // No field means no entry; null is an entry that's nil.
      if let new { try body(.new, .value(new)) }
      if let old { try body(.old, .value(old)) }
      try body(verb, .id(id))
    }
  }
}
