extension LogGraph {
  /// The record with a state's data in place of those that it expects, where both are the same value.
  ///
  /// A value isn't always written alike: its type may write elements in any order, or may have gained fields since.
  func fitted(
    _ record: KeyValueTransactionRecord, to state: KeyValueSnapshot, _ classes: LogClasses
  ) -> KeyValueTransactionRecord {
    record.fitted(to: state) { id, name, expected, present in
      areSame(expected, present, of: key(name, of: id, in: state, classes))
    } isSameElement: { id, name, expected, present in
      areSameElements(expected, present, of: key(name, of: id, in: state, classes))
    } form: { id, name, element in
      form(ofElement: element, key(name, of: id, in: state, classes))
    }
  }

  /// A snapshot with another one's data in place of its own, where both are the same value.
  ///
  /// Of a list, a set or a dictionary, each part is compared by itself, so that the others don't differ if one does.
  func fitted(
    _ snapshot: KeyValueSnapshot, to other: KeyValueSnapshot, _ classes: LogClasses
  ) -> KeyValueSnapshot {
    var fitted = snapshot
    for (id, object) in snapshot.objects {
      guard let present = other.objects[id] else { continue }
      for (name, value) in object.values {
        guard let data = present.values[name], !data.isIdentical(to: value),
          let key = key(name, of: id, in: other, classes)
        else { continue }
        fitted.objects[id]!.values[name] = self.fitted(value, to: data, of: key)
      }
    }
    return fitted
  }

  /// A key's value with another one's data in place of its own: of all of it, or of the parts that are the same.
  private func fitted(
    _ value: KeyValueLogValue, to present: KeyValueLogValue, of key: LoggedKey
  ) -> KeyValueLogValue {
    guard key.relation == .nothing else { return value }
    func isSameValue(_ value: KeyValueLogValue, _ present: KeyValueLogValue) -> Bool {
      // Other Unicode scalars are another value, unless the program writes the same for both.
      areSame(value, present, of: key) { $0.isIdentical(to: $1) }
    }
    if isSameValue(value, present) { return present }
    switch (value, present) {
    case (.array(let elements), .array(let others))
    where unwrapped(key.property.valueType) is any ToMany.Type:
      let start = zip(elements, others).prefix(while: { $0.isIdentical(to: $1) }).count
      let end = zip(elements[start...].reversed(), others[start...].reversed())
        .prefix(while: { $0.isIdentical(to: $1) }).count
      let differing = start..<elements.count - end
      var found = PresentElements(others[start..<others.count - end])
      let taken = found.take(elements[differing]) {
        form(ofElement: $0, key)
      } isSame: {
        isSameValue(.array([$0]), .array([$1]))
      }
      var fitted = elements
      fitted.replaceSubrange(differing, with: taken)
      return .array(key.isUnordered ? KeyValueLogValue.ascending(fitted) : fitted)
    case (.dictionary(var entries), .dictionary(let others)) where key.isDictionary:
      for (name, entry) in entries {
        guard let place = others.index(forKey: name) else { continue }
        let other = others[place]
        let (own, present) = (
          KeyValueLogValue.dictionary([name: entry]),
          KeyValueLogValue.dictionary([other.key: other.value])
        )
        if own.isIdentical(to: present) || !isSameValue(own, present) { continue }
        // Setting an entry leaves the scalars of its name.
        entries[name] = nil
        entries[other.key] = other.value
      }
      return .dictionary(entries)
    default: return value
    }
  }

  /// The key of an object; it may be one that a state has and that isn't in the graph at present.
  private func key(
    _ name: String, of id: KeyValueObjectID, in state: KeyValueSnapshot, _ classes: LogClasses
  ) -> LoggedKey? {
    if let entry = entry(id) { return entry.type[name] }
    guard let object = state.objects[id], let type = try? classes.type(object.class),
      let logged = try? loggedClass(KeyValueSchema.schema(of: type))
    else { return nil }
    return logged[name]
  }

  /// A key's value, and how the program writes it; nil for a relation, and for what isn't such a value.
  private func form(
    of data: KeyValueLogValue, _ key: LoggedKey
  ) -> (value: any CapturedValue, data: KeyValueLogValue)? {
    guard key.relation == .nothing, let value = try? key.value(of: data, self),
      let data = try? key.data(of: value, self)
    else { return nil }
    return (value, data)
  }

  /// What is equal of elements of a key's collection that may be the same.
  private func form(ofElement element: KeyValueLogValue, _ key: LoggedKey?) -> KeyValueLogValue {
    guard let key, let (_, data) = form(of: .array([element]), key) else { return element }
    return data.withoutOrder
  }

  /// Whether two data are the same element of a key's collection.
  private func areSameElements(
    _ expected: KeyValueLogValue, _ present: KeyValueLogValue, of key: LoggedKey?
  ) -> Bool {
    areSame(.array([expected]), .array([present]), of: key)
  }

  /// Whether two data are the same value of a key: the program writes the same for both, as a comparison says.
  private func areSame(
    _ expected: KeyValueLogValue, _ present: KeyValueLogValue, of key: LoggedKey?,
    comparing areAlike: (KeyValueLogValue, KeyValueLogValue) -> Bool = { $0 == $1 }
  ) -> Bool {
    guard let key, let expected = form(of: expected, key), let present = form(of: present, key)
    else { return false }
    if areAlike(expected.data, present.data) { return true }
    guard areAlike(expected.data.withoutOrder, present.data.withoutOrder) else { return false }
    // Only the type's own equality knows whether the order counts.
    var areEqual: Bool?
    expected.value.withAddress { expected in
      present.value.withAddress { present in
        areEqual = isSame(key.property.anyValue(at: expected), key.property.anyValue(at: present))
      }
    }
    return areEqual == true
  }
}

extension KeyValueLogValue {
  /// The value with the elements of each array in ascending order.
  fileprivate var withoutOrder: KeyValueLogValue {
    switch self {
    case .array(let elements): .array(Self.ascending(elements.map(\.withoutOrder)))
    case .dictionary(let entries): .dictionary(entries.mapValues(\.withoutOrder))
    case .null, .bool, .integer, .number, .string, .reference: self
    }
  }
}
