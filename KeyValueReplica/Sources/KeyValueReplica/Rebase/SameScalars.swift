@_spi(Replication) import KeyValueCore

// What one side has changed is found by `isIdentical`. What a record expects is compared by `==`, because text may be
// normalised on its way, and so is what both sides have set.

extension KeyValueLogValue? {
  /// Whether both are absent, or the same value with the same Unicode scalars.
  func isIdentical(to other: KeyValueLogValue?) -> Bool {
    switch (self, other) {
    case (.none, .none): true
    case (let value?, let other?): value.isIdentical(to: other)
    default: false
    }
  }
}

extension [String: KeyValueLogValue] {
  /// The names of the entries that only one of two dictionaries has, or that they have otherwise: with another value,
  /// or with other Unicode scalars in the value or the name.
  func names(differingFrom other: Self) -> Set<String> {
    var names = Set(other.keys.filter { index(forKey: $0) == nil })
    for (name, value) in self where !other.hasIdentical(value, at: name) { names.insert(name) }
    return names
  }

  /// Whether both dictionaries have an entry, and its name has other Unicode scalars in the other one.
  ///
  /// Setting an entry leaves its name.
  func hasOtherName(of name: String, than other: Self) -> Bool {
    guard let own = index(forKey: name), let place = other.index(forKey: name) else {
      return false
    }
    return !self[own].key.hasSameScalars(as: other[place].key)
  }

  /// Whether the dictionary has an entry with the same Unicode scalars in the name and the value.
  private func hasIdentical(_ value: KeyValueLogValue, at name: String) -> Bool {
    guard let place = index(forKey: name) else { return false }
    return self[place].key.hasSameScalars(as: name) && self[place].value.isIdentical(to: value)
  }
}

extension Set<KeyValueLogValue> {
  /// Whether the set has a member with the same Unicode scalars.
  func hasIdentical(to member: KeyValueLogValue) -> Bool {
    firstIndex(of: member).map { self[$0].isIdentical(to: member) } ?? false
  }
}
