/// A value of a change, kept until the expectation compares it.
///
/// Observable objects aren't retained, so a test can expect them to be released, or to leave a weak key.
enum ValueSnapshot {
  case none
  case object(WeakObject)
  case ordered([ValueSnapshot])
  case unordered([ValueSnapshot])
  case keyed([Entry], EntryForm)
  /// A scalar of a record.
  case logged(KeyValueLogValue)
  case value(Any)

  typealias Entry = (key: ValueSnapshot, value: ValueSnapshot)

  /// How a record has the entries of a dictionary.
  enum EntryForm {
    /// As a dictionary whose keys are strings.
    case fields
    /// As an array of keys and values in turn.
    case list
    /// As an array of keys with the objects that they lead to.
    case pairs
  }
}

extension ValueSnapshot {
  init(_ value: Any) {
    guard let value = flattened(value) else {
      self = .none
      return
    }
    if let object = value as? any KeyValueObservable {
      self = .object(WeakObject(object))
      return
    }
    switch value {
    case let many as any UnorderedToMany: self = .unordered(many.anyElements.map(Self.of))
    case let many as any ToMany: self = .ordered(many.anyElements.map(Self.of))
    case let keyed as any Keyed:
      self = .keyed(
        keyed.anyPairs.map { (key: ValueSnapshot($0.key), value: Self.of($0.value)) },
        EntryForm(type(of: keyed)))
    default: self = .value(value)
    }
  }

  private static func of(_ value: Any?) -> ValueSnapshot { value.map { .init($0) } ?? .none }

  /// The value of a record, with the objects that it refers to.
  init(_ value: KeyValueLogValue, _ object: (KeyValueObjectID) -> WeakObject?) {
    switch value {
    case .null: self = .none
    case .array(let values): self = .ordered(values.map { ValueSnapshot($0, object) })
    case .dictionary(let values):
      self = .keyed(
        values.map { (key: .logged(.string($0.key)), value: ValueSnapshot($0.value, object)) },
        .fields)
    case .reference(let id): self = object(id).map { .object($0) } ?? .logged(value)
    case .bool, .integer, .number, .string: self = .logged(value)
    }
  }

  /// The value itself, as far as it's still there; nil for nil.
  var value: Any? {
    switch self {
    case .none: return nil
    case .object(let object): return object.object
    case .ordered(let elements), .unordered(let elements): return elements.map { $0.value as Any }
    case .keyed(let pairs, _):
      var values: [AnyHashable: Any] = [:]
      for pair in pairs {
        if let key = pair.key.value as? AnyHashable { values[key] = pair.value.value as Any }
      }
      return values
    case .logged(.bool(let value)): return value
    case .logged(.integer(let value)): return value
    case .logged(.number(let value)): return value
    case .logged(.string(let value)): return value
    case .logged(let value): return value
    case .value(let value): return value
    }
  }

  /// The value as a record would have it.
  var asLogged: ValueSnapshot {
    switch self {
    case .none, .object, .logged: return self
    case .ordered(let elements): return .ordered(elements.map(\.asLogged))
    case .unordered(let elements): return .unordered(elements.map(\.asLogged))
    case .keyed(let pairs, let form):
      return .keyed(
        pairs.map { pair in
          let key = form == .fields ? pair.key.asField : pair.key.asLogged
          return (key: key, value: pair.value.asLogged)
        }, form)
    case .value(let value):
      guard let value = value as? any Encodable,
        let logged = try? LogValueEncoder(reference: { _ in nil }).encode(value)
      else { return self }
      return ValueSnapshot(logged) { _ in nil }
    }
  }

  /// A dictionary's key as a record that has the dictionary as such would have it.
  private var asField: ValueSnapshot {
    guard case .value(let value) = self, let key = value as? any CodingKeyRepresentable else {
      return self
    }
    return .logged(.string(key.codingKey.stringValue))
  }

  /// Whether both are the same value: equal, the same object, or collections of such.
  func equals(_ other: ValueSnapshot) -> Bool {
    switch (self, other) {
    case (.none, .none): true
    case (.object(let left), .object(let right)): left.isSame(as: right)
    case (.ordered(let left), .ordered(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.equals($1) }
    case (.unordered(let left), .unordered(let right)), (.unordered(let left), .ordered(let right)),
      (.ordered(let left), .unordered(let right)):
      haveSameElements(left, right) { $0.equals($1) }
    case (.keyed(let left, _), .keyed(let right, _)): haveSameEntries(left, right)
    case (.keyed(let entries, let form), .ordered(let elements)),
      (.ordered(let elements), .keyed(let entries, let form)):
      form.entries(of: elements).map { haveSameEntries(entries, $0) } ?? false
    case (.logged(let left), .logged(let right)): left == right
    case (.value(let left), .value(let right)): areEqual(left, right)
    default: false
    }
  }

  func text(_ names: ObjectNames) -> String {
    switch self {
    case .none: "nil"
    case .object(let object): object.name(in: names)
    case .ordered(let elements): listing(elements.map { $0.text(names) })
    case .unordered(let elements): listing(elements.map { $0.text(names) }.sorted())
    case .keyed(let pairs, _):
      pairs.isEmpty
        ? "[:]" : listing(pairs.map { "\($0.key.text(names)): \($0.value.text(names))" }.sorted())
    case .logged(let value): "\(value)"
    case .value(let value): plainDescription(value)
    }
  }

  private func listing(_ texts: [String]) -> String { "[\(texts.joined(separator: ", "))]" }
}

extension ValueSnapshot.EntryForm {
  fileprivate init(_ type: any Keyed.Type) {
    let value = unwrapped(type.anyValueType)
    // A record refers to the objects, and encodes everything else.
    if value is any KeyValueObservable.Type || !(value is any Encodable.Type) {
      self = type.anyKeyType == String.self ? .fields : .pairs
    } else {
      self = type.anyKeyType is any CodingKeyRepresentable.Type ? .fields : .list
    }
  }

  /// The entries that a record's array has in this form; nil if it has another one.
  fileprivate func entries(of elements: [ValueSnapshot]) -> [ValueSnapshot.Entry]? {
    switch self {
    case .fields: return nil
    case .list:
      guard elements.count.isMultiple(of: 2) else { return nil }
      return stride(from: 0, to: elements.count, by: 2).map {
        (key: elements[$0], value: elements[$0 + 1])
      }
    case .pairs:
      var entries: [ValueSnapshot.Entry] = []
      for element in elements {
        guard case .ordered(let parts) = element, parts.count == 2 else { return nil }
        entries.append((key: parts[0], value: parts[1]))
      }
      return entries
    }
  }
}

extension WeakObject {
  fileprivate func isSame(as other: WeakObject) -> Bool {
    guard let object, let other = other.object else { return false }
    return object === other || isEqual(object, other) == true
  }
}

/// Whether each element of one has an equal one in the other.
private func haveSameElements<Element>(
  _ left: [Element], _ right: [Element], _ areEqual: (Element, Element) -> Bool
) -> Bool {
  guard left.count == right.count else { return false }
  var rest = right
  for element in left {
    guard let index = rest.firstIndex(where: { areEqual(element, $0) }) else { return false }
    rest.remove(at: index)
  }
  return true
}

/// Whether each entry of one dictionary has an equal one in the other.
private func haveSameEntries(
  _ left: [ValueSnapshot.Entry], _ right: [ValueSnapshot.Entry]
) -> Bool {
  haveSameElements(left, right) { $0.key.equals($1.key) && $0.value.equals($1.value) }
}

/// Whether two values are equal; values that aren't `Equatable`, if they're of one type and have equal parts.
private func areEqual(_ left: Any, _ right: Any) -> Bool {
  if let isEqual = isEqual(left, right) { return isEqual }
  guard type(of: left) == type(of: right) else { return false }
  let (parts, others) = (Mirror(reflecting: left).children, Mirror(reflecting: right).children)
  guard parts.count == others.count else { return false }
  if parts.isEmpty { return "\(left)" == "\(right)" }
  return zip(parts, others).allSatisfy {
    $0.label == $1.label && ValueSnapshot($0.value).equals(ValueSnapshot($1.value))
  }
}
