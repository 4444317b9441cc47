/// A value that a pending change keeps: as data if that needs no object's id, else in its own type until the
/// record is made.
enum KeptLogValue {
  case data(KeyValueLogValue)
  case boxed(any CapturedValue)
}

/// How a log writes and reads one stored key; made once for each class.
class LoggedKey: @unchecked Sendable {
  /// What the key's value refers to.
  enum Relation {
    case nothing, object, collection, dictionary
  }

  let property: Property
  let relation: Relation
  /// Whether the objects that the value refers to belong to the graph.
  let isFollowed: Bool
  /// Whether the value refers to objects that don't belong to the graph because of it.
  let isWeak: Bool
  let isOrdered: Bool
  let isUnordered: Bool
  /// Whether a setting may be recorded as what differs.
  let isComposite: Bool
  /// Whether keeping each value of a transaction would cost more than keeping the first and the last: a collection
  /// would be copied by each change in place.
  let settingsMayLast: Bool
  /// Whether the value may have objects inside that it isn't a reference to.
  let mayHaveObjectsInside: Bool
  /// Whether the value may hash objects, which their values may distinguish.
  let hashesObjects: Bool
  /// Whether elements of an ordered collection that are equal may be written differently.
  let equalityMayLeaveOut: Bool
  /// Whether the getter may return another value than the stored one.
  private let isDisguised: Bool
  private let reader: Reader

  /// How the usual types are read, without run-time metadata.
  private enum Reader {
    case integer((AnyObject) -> Int)
    case string((AnyObject) -> String)
    case other
  }

  init(_ property: Property, _ relation: Relation, isDisguised: Bool) {
    self.property = property
    self.relation = relation
    self.isDisguised = isDisguised
    isFollowed = relation != .nothing && property.ownership == .strong
    isWeak = relation != .nothing && property.ownership != .strong
    isOrdered = unwrapped(property.valueType) is any OrderedToMany.Type
    isUnordered = unwrapped(property.valueType) is any UnorderedToMany.Type
    isComposite = isOrdered || unwrapped(property.valueType) is any StringKeyed.Type
    settingsMayLast =
      !isWeak && relation != .object && property.valueStorage?.isTrivial == false
      && !(unwrapped(property.valueType) is any ScalarLogValue.Type)
    mayHaveObjectsInside =
      switch relation {
      case .nothing: InnerObjectSearch.mayFind(in: property.valueType)
      case .object, .collection: false
      case .dictionary:
        (unwrapped(property.valueType) as? any Keyed.Type).map {
          InnerObjectSearch.mayFind(in: $0.anyKeyType)
        } ?? false
      }
    let list = unwrapped(property.valueType) as? any OrderedToMany.Type
    let hashesElements = list?.isDistinct ?? isUnordered
    hashesObjects = mayHaveObjectsInside || relation == .collection && hashesElements
    equalityMayLeaveOut =
      list.map { !equalityIsExact(for: $0.elementType) && !areComparedByIdentity($0.elementType) }
      ?? false
    if property.valueStorage?.mayBeOverridden == true {
      reader = .other
    } else if let read = property.reader(of: Int.self) {
      reader = .integer(read)
    } else if let read = property.reader(of: String.self) {
      reader = .string(read)
    } else {
      reader = .other
    }
  }

  var isConstant: Bool { property.origin == .constant }

  /// Whether the key may be set to a value: a constant isn't set, and not every type has nil.
  final func takes(_ value: KeyValueLogValue) -> Bool {
    !isConstant && (value != .null || isOptional(property.valueType))
  }

  // MARK: Overridden for each type

  /// Keeps a value; `isPart` means that it's the elements that a change concerns.
  func keep(at address: UnsafeRawPointer, isPart: Bool) -> KeptLogValue { .data(.null) }

  /// The value at an address that holds the key's type.
  func data(at address: UnsafeRawPointer, _ graph: LogGraph) throws -> KeyValueLogValue {
    .null
  }

  /// A value of the key's type.
  func value(of data: KeyValueLogValue, _ graph: LogGraph) throws -> any CapturedValue {
    ValueBox<Any?>(nil)
  }

  /// The elements that a collection of the key's type holds for these.
  func elements(of data: [KeyValueLogValue], _ graph: LogGraph) throws -> [Any] { [] }

  /// An observable object inside the value at an address that isn't known.
  func objectInside(
    at address: UnsafeRawPointer, besides isKnown: @escaping (AnyObject) -> Bool
  ) -> AnyObject? {
    nil
  }

  /// The objects that the value that the object stores refers to, each with its place: the index in a list, or the key
  /// in a dictionary as it's written.
  func places(
    of object: AnyObject, _ graph: LogGraph
  ) throws -> [(place: KeyValueLogValue, target: AnyObject)] {
    []
  }

  // MARK: What all types share

  /// Whether the value may be what can't be written, although the type is fit: something else than an observable object
  /// where the type is `Any` or a protocol, or a dictionary's keys.
  final var mayBeUnwritable: Bool {
    if isWeak { return false }
    func isUntyped(_ type: Any.Type) -> Bool { isExistential(unwrapped(type)) }
    let type = unwrapped(property.valueType)
    switch relation {
    case .nothing: return false
    case .object: return isUntyped(type)
    case .collection:
      return (type as? any ToMany.Type).map { isUntyped($0.elementType) } ?? false
    case .dictionary:
      guard let type = type as? any Keyed.Type else { return false }
      return isUntyped(type.anyValueType) || !(type.anyKeyType is any Encodable.Type)
    }
  }

  /// The objects that a value's data refer to, each with its place, as those of a stored value.
  final func places(
    in data: KeyValueLogValue
  ) -> [(place: KeyValueLogValue, target: KeyValueObjectID)] {
    var places: [(place: KeyValueLogValue, target: KeyValueObjectID)] = []
    func add(_ place: KeyValueLogValue, _ value: KeyValueLogValue) {
      if case .reference(let id) = value { places.append((place, id)) }
    }
    switch (relation, data) {
    case (.object, _): add(.null, data)
    case (.collection, .array(let elements)):
      for (index, element) in elements.enumerated() { add(.integer(index), element) }
    case (.dictionary, .dictionary(let entries)):
      for (name, value) in entries { add(.string(name), value) }
    case (.dictionary, .array(let pairs)):
      for case .array(let pair) in pairs where pair.count == 2 { add(pair[0], pair[1]) }
    default: break
    }
    return places
  }

  /// Encodes a value, with the key in an error.
  final func encoding<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as KeyValueLogError {
      throw error.completed { $0.key = $0.key ?? property.key }
    } catch {
      throw KeyValueLogError.notLoggable(.init(key: property.key, reason: "\(error)"))
    }
  }

  /// Decodes a value, with the key in an error.
  final func decoding<Result>(
    _ type: Result.Type, from data: KeyValueLogValue, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as KeyValueLogError {
      throw error
    } catch {
      throw mismatch(data, "\(name(of: type))")
    }
  }

  final func mismatch(_ data: KeyValueLogValue, _ expected: String) -> KeyValueLogError {
    .typeMismatch(.init(key: property.key, reason: "it takes \(expected), not \(data)"))
  }

  final func data(of kept: KeptLogValue, _ graph: LogGraph) throws -> KeyValueLogValue {
    switch kept {
    case .data(let data): return data
    case .boxed(let box): return try data(of: box, graph)
    }
  }

  final func data(of box: any CapturedValue, _ graph: LogGraph) throws -> KeyValueLogValue {
    var result = Result<KeyValueLogValue, any Error>.success(.null)
    box.withAddress { address in result = Result { try data(at: address, graph) } }
    return try result.get()
  }

  /// The value that the object stores.
  final func data(of object: AnyObject, _ graph: LogGraph) throws -> KeyValueLogValue {
    switch reader {
    case .integer(let read): return .integer(read(object))
    case .string(let read): return .string(read(object))
    case .other: break
    }
    var result = Result<KeyValueLogValue, any Error>.success(.null)
    withStored(of: object) { address in result = Result { try data(at: address, graph) } }
    return try result.get()
  }

  /// The value that the object stores and the recorded one, if they differ.
  final func difference(
    of object: AnyObject, from value: KeyValueLogValue, _ graph: LogGraph
  ) throws -> (present: KeyValueLogValue, recorded: KeyValueLogValue)? {
    let present = try data(of: object, graph)
    if present == value { return nil }
    // A number may be written in two ways.
    let recorded = try data(of: self.value(of: value, graph), graph)
    return present == recorded ? nil : (present, recorded)
  }

  private func withStored(of object: AnyObject, _ body: (UnsafeRawPointer) -> Void) {
    if property.valueStorage?.mayBeOverridden == true {
      property.captureStored(from: object).withAddress(body)
    } else {
      property.withValue(of: object, body)
    }
  }

  /// Keeps the value that the object stores.
  final func kept(of object: AnyObject) -> KeptLogValue {
    var kept = KeptLogValue.data(.null)
    withStored(of: object) { kept = keep(at: $0, isPart: false) }
    return kept
  }

  /// Checks that the graph knows the objects inside the value that the object stores.
  ///
  /// - Throws: `KeyValueLogError.notLoggable`.
  final func checkInside(of object: AnyObject, _ isKnown: @escaping (AnyObject) -> Bool) throws {
    var stranger: AnyObject?
    withStored(of: object) { stranger = objectInside(at: $0, besides: isKnown) }
    guard let stranger else { return }
    throw KeyValueLogError.inside(stranger).completed { $0.key = property.key }
  }

  /// The objects that a value refers to, each as often as it does.
  final func references(at address: UnsafeRawPointer) -> [AnyObject] {
    // Casting a value to an object takes longer than all else.
    if let target = property.reference(at: address) { return target.map { [$0] } ?? [] }
    guard let value = property.anyValue(at: address) else { return [] }
    switch relation {
    case .nothing: return []
    case .object: return [value as AnyObject]
    case .collection:
      guard let collection = value as? any ToMany else { return [] }
      return collection.observableReferences
        ?? collection.anyElements.compactMap { $0.flatMap(observable) }
    case .dictionary:
      let pairs = (value as? any Keyed)?.anyPairs ?? []
      return pairs.compactMap { $0.value.flatMap(observable) }
    }
  }

  /// The objects that the value that the object stores refers to, each as often as it does.
  final func references(of object: AnyObject) -> [AnyObject] {
    if relation == .nothing { return [] }
    // Copying what is stored takes longer than the getter.
    if relation == .object, !isDisguised, let target = property.reference(of: object) {
      return [target]
    }
    var references: [AnyObject] = []
    let stored = property.captureStored(from: object)
    stored.withAddress { references = self.references(at: $0) }
    return references
  }
}

/// The value as an observable object; nil if it's none.
func observable(_ value: Any) -> AnyObject? {
  value is any KeyValueObservable ? value as AnyObject : nil
}

extension LoggedKey {
  /// - Throws: `KeyValueLogError.notLoggable`, if no log can write the key's values.
  static func make(_ property: Property, in schema: KeyValueSchema) throws -> LoggedKey {
    let isDisguised = schema.mayDisguise(property)
    func open<Value>(_ type: Value.Type) -> LoggedKey? {
      let bare = unwrapped(type)
      func relating(_ relation: Relation) -> LoggedKey {
        RelationLoggedKey<Value>(property, relation, isDisguised: isDisguised)
      }
      if refersToObjects(bare) { return relating(.object) }
      if let many = bare as? any ToMany.Type, refersToObjects(unwrapped(many.elementType)) {
        return relating(.collection)
      }
      if let keyed = bare as? any Keyed.Type, refersToObjects(unwrapped(keyed.anyValueType)) {
        return relating(.dictionary)
      }
      return (type as? any Codable.Type).map { plain($0) }
    }
    func plain<Value: Codable>(_ type: Value.Type) -> LoggedKey {
      PlainLoggedKey<Value>(property, .nothing, isDisguised: isDisguised)
    }
    guard let key = _openExistential(property.valueType, do: open) else {
      throw KeyValueLogError.notLoggable(
        .init(
          type: schema.name, key: property.key,
          reason:
            "its type \(name(of: unwrapped(property.valueType))) is neither Codable nor an observable class. "
            + "Make it one of these, or mark the property @KeyValueIgnored"))
    }
    return key
  }

  private static func refersToObjects(_ type: Any.Type) -> Bool {
    type is any KeyValueObservable.Type || isExistential(type) && !(type is any Codable.Type)
  }
}
