/// A key whose value refers to objects: one, or a collection or dictionary of them.
final class RelationLoggedKey<Value>: LoggedKey, @unchecked Sendable {
  override func keep(at address: UnsafeRawPointer, isPart: Bool) -> KeptLogValue {
    .boxed(ValueBox(address.assumingMemoryBound(to: Value.self).pointee))
  }

  private func reference(_ object: AnyObject, _ graph: LogGraph) -> KeyValueLogValue {
    // A weak reference may lead out of the graph.
    graph.identity(of: object).map { .reference($0) } ?? .null
  }

  private func reference(to value: Any?, _ graph: LogGraph) throws -> KeyValueLogValue {
    guard let value else { return .null }
    guard let object = observable(value) else {
      // What is weak is nil outside of the graph.
      if isWeak { return .null }
      throw unfit(value)
    }
    return reference(object, graph)
  }

  private func unfit(_ value: Any) -> KeyValueLogError {
    .notLoggable(
      .init(
        key: property.key,
        reason: "it holds \(name(of: type(of: value))), which isn't an observable object"))
  }

  override func data(at address: UnsafeRawPointer, _ graph: LogGraph) throws -> KeyValueLogValue {
    guard let value = property.anyValue(at: address) else { return .null }
    switch relation {
    case .nothing: return .null
    case .object: return try reference(to: value, graph)
    case .collection:
      guard let collection = value as? any ToMany else { return .null }
      let elements =
        if let references = collection.observableReferences {
          references.map { reference($0, graph) }
        } else {
          try collection.anyElements.map { try reference(to: $0, graph) }
        }
      return .array(isUnordered ? KeyValueLogValue.ascending(elements) : elements)
    case .dictionary:
      let pairs = (value as? any Keyed)?.anyPairs ?? []
      if value is any StringKeyed {
        var entries: [String: KeyValueLogValue] = [:]
        for (key, value) in pairs {
          if let key = key as? String { entries[key] = try reference(to: value, graph) }
        }
        return .dictionary(entries)
      }
      return KeyValueLogValue.pairs(
        try pairs.map { (try data(ofKey: $0.key, graph), try reference(to: $0.value, graph)) })
    }
  }

  private func data(ofKey key: Any, _ graph: LogGraph) throws -> KeyValueLogValue {
    guard let key = key as? any Encodable else {
      throw KeyValueLogError.notLoggable(
        .init(
          key: property.key, reason: "the keys of \(name(of: Value.self)) aren't Codable"))
    }
    return try encoding { try graph.encoder.encode(key) }
  }

  override func places(
    of object: AnyObject, _ graph: LogGraph
  ) throws -> [(place: KeyValueLogValue, target: AnyObject)] {
    var value: Any?
    property.captureStored(from: object).withAddress { value = property.anyValue(at: $0) }
    var places: [(place: KeyValueLogValue, target: AnyObject)] = []
    switch relation {
    case .nothing: break
    case .object:
      for target in references(of: object) { places.append((.null, target)) }
    case .collection:
      for (index, element) in ((value as? any ToMany)?.anyElements ?? []).enumerated() {
        if let target = element.flatMap(observable) { places.append((.integer(index), target)) }
      }
    case .dictionary:
      for (key, element) in (value as? any Keyed)?.anyPairs ?? [] {
        guard let target = element.flatMap(observable) else { continue }
        places.append((try data(ofKey: key, graph), target))
      }
    }
    return places
  }

  override func objectInside(
    at address: UnsafeRawPointer, besides isKnown: @escaping (AnyObject) -> Bool
  ) -> AnyObject? {
    // Only a dictionary's keys aren't references.
    for (key, _) in (property.anyValue(at: address) as? any Keyed)?.anyPairs ?? [] {
      guard let key = key as? any Encodable else { continue }
      if let object = InnerObjectSearch.firstObject(in: key, besides: isKnown) { return object }
    }
    return nil
  }

  // MARK: Reading

  private func object(_ data: KeyValueLogValue, _ graph: LogGraph) throws -> Any? {
    if case .null = data { return nil }
    guard case .reference(let id) = data else { throw mismatch(data, "references") }
    return try graph.instance(id)
  }

  override func elements(of data: [KeyValueLogValue], _ graph: LogGraph) throws -> [Any] {
    try data.map { element in
      let object = try object(element, graph)
      guard let type = unwrapped(Value.self) as? any ToMany.Type,
        canHold(object, type.elementType)
      else { throw mismatch(element, "\(name(of: Value.self))") }
      return object ?? Optional<Any>.none as Any
    }
  }

  override func value(of data: KeyValueLogValue, _ graph: LogGraph) throws -> any CapturedValue {
    if case .array(let elements) = data, let array = try array(of: elements, graph) { return array }
    let expected = "\(name(of: Value.self))"
    if case .null = data {
      guard let none = nilValue(of: Value.self) else { throw mismatch(data, expected) }
      return ValueBox(none)
    }
    let value: Any? =
      switch (relation, data) {
      case (.object, .reference): try object(data, graph)
      case (.collection, .array(let elements)):
        collection(of: try self.elements(of: elements, graph))
      case (.dictionary, .dictionary(let entries)):
        dictionary(of: try entries.map { ($0.key as Any, try object($0.value, graph)) })
      case (.dictionary, .array(let pairs)): dictionary(of: try entries(of: pairs, graph))
      default: nil
      }
    guard let value, let typed = typed(value) else { throw mismatch(data, expected) }
    return ValueBox(typed)
  }

  /// An array of observable objects, made without casting it; nil if the value is anything else.
  private func array(
    of data: [KeyValueLogValue], _ graph: LogGraph
  ) throws -> (any CapturedValue)? {
    func array<Object: KeyValueObservable>(_ type: Object.Type) throws -> (any CapturedValue)? {
      guard Value.self == [Object].self else { return nil }
      var objects: [Object] = []
      objects.reserveCapacity(data.count)
      for data in data {
        guard case .reference(let id) = data else { return nil }
        let object = try graph.instance(id)
        // A cast takes ten times as long.
        if Swift.type(of: object) == type {
          objects.append(unsafeDowncast(object, to: type))
        } else if let object = object as? Object {
          objects.append(object)
        } else {
          return nil
        }
      }
      return ValueBox(objects)
    }
    return try objectType.flatMap { try array($0) }
  }

  /// The elements' class, if the value is a collection of observable objects.
  private let objectType: (any KeyValueObservable.Type)? =
    (Value.self as? any ToMany.Type)?.elementType as? any KeyValueObservable.Type

  private func typed(_ value: Any) -> Value? {
    if let value = value as? Value { return value }
    func wrapped<Wrapped>(_ type: Wrapped.Type) -> Value? {
      (value as? Wrapped).flatMap { Optional.some($0) as? Value }
    }
    return _openExistential(unwrapped(Value.self), do: wrapped)
  }

  private func collection(of elements: [Any]) -> Any? {
    // New objects may be equal until they have their values.
    let isDistinct = (unwrapped(Value.self) as? any OrderedToMany.Type)?.isDistinct == true
    let elements = isDistinct ? onceEach(elements) : elements
    func build<Many: ToMany>(_ type: Many.Type) -> Any {
      var many = type.empty
      withUnsafeMutablePointer(to: &many) { many in
        let edit: Edit =
          isUnordered
          ? .algebra(.set, Set(elements.compactMap { asHashable($0) }))
          : .insertion(IndexRanges(0..<elements.count), elements)
        edit.apply(at: many, type: type)
      }
      return many
    }
    return (unwrapped(Value.self) as? any ToMany.Type).map { build($0) }
  }

  /// The entries of a dictionary whose keys aren't strings.
  private func entries(
    of pairs: [KeyValueLogValue], _ graph: LogGraph
  ) throws -> [(key: Any, value: Any?)] {
    var hasNewKeys = false
    let entries = try pairs.map { pair -> (key: Any, value: Any?) in
      guard case .array(let parts) = pair, parts.count == 2 else {
        throw mismatch(pair, "a key and a value")
      }
      parts[0].forEachReference { if graph.isArriving($0) { hasNewKeys = true } }
      return (try key(of: parts[0], graph), try object(parts[1], graph))
    }
    if !hasNewKeys { return entries }
    // New objects may be equal until they have their values.
    var seen: Set<AnyHashable> = []
    return entries.filter { entry in
      asHashable(entry.key).map { seen.insert($0).inserted } ?? true
    }
  }

  private func key(of data: KeyValueLogValue, _ graph: LogGraph) throws -> Any {
    guard let type = unwrapped(Value.self) as? any Keyed.Type,
      let decodable = type.anyKeyType as? any Decodable.Type
    else { throw mismatch(data, "\(name(of: Value.self))") }
    func decode<Key: Decodable>(_ type: Key.Type) throws -> Any {
      try decoding(type, from: data) { try graph.decoder.decode(type, from: data) }
    }
    return try decode(decodable)
  }

  private func dictionary(of entries: [(key: Any, value: Any?)]) -> Any? {
    (unwrapped(Value.self) as? any Keyed.Type)?.making(entries)
  }
}

/// Whether a collection can hold an object, or nil.
private func canHold(_ object: Any?, _ type: Any.Type) -> Bool {
  func check<Element>(_ type: Element.Type) -> Bool {
    object.map { $0 is Element } ?? (nilValue(of: Element.self) != nil)
  }
  return _openExistential(type, do: check)
}
