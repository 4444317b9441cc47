/// Finds the ids of objects, and the objects of ids.
protocol LogIdentities: AnyObject {
  /// The id of an object in the graph; nil outside.
  func identity(of object: AnyObject) -> KeyValueObjectID?
  /// - Throws: `KeyValueLogError.unknownObject`.
  func instance(_ id: KeyValueObjectID) throws -> any KeyValueObservable
}

extension LogIdentities {
  var encoder: LogValueEncoder {
    LogValueEncoder { [unowned self] object in
      if let id = identity(of: object) { return id }
      guard object is any KeyValueObservable else { return nil }
      throw KeyValueLogError.inside(object)
    }
  }

  var decoder: LogValueDecoder {
    LogValueDecoder { [unowned self] in try instance($0) }
  }
}

extension KeyValueLogError {
  /// A value has an object inside that isn't in the graph.
  fileprivate static func inside(_ object: AnyObject) -> Self {
    .notLoggable(
      .init(
        reason:
          "its value has an object of \(name(of: type(of: object))) inside, whose changes are not seen. Let a "
          + "key of its own refer to the object"))
  }
}

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
  let isUnordered: Bool
  /// Whether a setting may be recorded as what differs.
  let isComposite: Bool
  /// Whether the value may have objects inside that it isn't a reference to.
  let mayHaveObjectsInside: Bool
  private let reader: Reader

  /// How the usual types are read, without run-time metadata.
  private enum Reader {
    case integer((AnyObject) -> Int)
    case string((AnyObject) -> String)
    case other
  }

  init(_ property: Property, _ relation: Relation) {
    self.property = property
    self.relation = relation
    isFollowed = relation != .nothing && property.ownership == .strong
    isWeak = relation != .nothing && property.ownership != .strong
    isUnordered = unwrapped(property.valueType) is any UnorderedToMany.Type
    isComposite =
      unwrapped(property.valueType) is any OrderedToMany.Type
      || unwrapped(property.valueType) is any StringKeyed.Type
    mayHaveObjectsInside =
      switch relation {
      case .nothing: InnerObjectSearch.mayFind(in: property.valueType)
      case .object, .collection: false
      case .dictionary:
        (unwrapped(property.valueType) as? any Keyed.Type).map {
          InnerObjectSearch.mayFind(in: $0.anyKeyType)
        } ?? false
      }
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

  // MARK: Overridden for each type

  /// Keeps a value; `isPart` means that it's the elements that a change concerns.
  func keep(at address: UnsafeRawPointer, isPart: Bool) -> KeptLogValue { .data(.null) }

  /// The value at an address that holds the key's type.
  func data(at address: UnsafeRawPointer, _ ids: any LogIdentities) throws -> KeyValueLogValue {
    .null
  }

  /// A value of the key's type.
  func value(of data: KeyValueLogValue, _ ids: any LogIdentities) throws -> any CapturedValue {
    ValueBox<Any?>(nil)
  }

  /// The elements that a collection of the key's type holds for these.
  func elements(of data: [KeyValueLogValue], _ ids: any LogIdentities) throws -> [Any] { [] }

  /// An observable object inside the value at an address that isn't known.
  func objectInside(
    at address: UnsafeRawPointer, besides isKnown: @escaping (AnyObject) -> Bool
  ) -> AnyObject? {
    nil
  }

  // MARK: What all types share

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

  final func data(of kept: KeptLogValue, _ ids: any LogIdentities) throws -> KeyValueLogValue {
    switch kept {
    case .data(let data): return data
    case .boxed(let box): return try data(of: box, ids)
    }
  }

  final func data(of box: any CapturedValue, _ ids: any LogIdentities) throws -> KeyValueLogValue {
    var result = Result<KeyValueLogValue, any Error>.success(.null)
    box.withAddress { address in result = Result { try data(at: address, ids) } }
    return try result.get()
  }

  /// The value that the object stores.
  final func data(of object: AnyObject, _ ids: any LogIdentities) throws -> KeyValueLogValue {
    switch reader {
    case .integer(let read): return .integer(read(object))
    case .string(let read): return .string(read(object))
    case .other: break
    }
    var result = Result<KeyValueLogValue, any Error>.success(.null)
    withStored(of: object) { address in result = Result { try data(at: address, ids) } }
    return try result.get()
  }

  private func withStored(of object: AnyObject, _ body: (UnsafeRawPointer) -> Void) {
    if property.valueStorage?.mayBeOverridden == true {
      property.captureStored(from: object).withAddress(body)
    } else {
      property.withValue(of: object, body)
    }
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

  final func references(of object: AnyObject) -> [AnyObject] {
    if relation == .nothing { return [] }
    if relation == .object, let target = property.reference(of: object) { return [target] }
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

/// A key of plain data: a number, a string, or anything `Codable`.
final class PlainLoggedKey<Value: Codable>: LoggedKey, @unchecked Sendable {
  private let coding = LogValueCoding<Value>()
  /// Whether a value is small enough to be written when it changes.
  private let isScalar = unwrapped(Value.self) is any ScalarLogValue.Type
  private let withoutObjects = LogValueEncoder { _ in nil }
  private let withoutInstances = LogValueDecoder {
    throw KeyValueLogError.unknownObject(.init(object: $0))
  }
  /// The elements' type, if the value is an array of elements that are decoded without a container.
  private let plainElement: (any PlainLogValue.Type)? = {
    let type = unwrapped(Value.self)
    guard type is any PlainLogValue.Type, let many = type as? any ToMany.Type else { return nil }
    return many.elementType as? any PlainLogValue.Type
  }()

  override func keep(at address: UnsafeRawPointer, isPart: Bool) -> KeptLogValue {
    // The usual types are read without run-time metadata; each check proves that the types are equal.
    if Value.self == Int.self {
      return .data(.integer(address.assumingMemoryBound(to: Int.self).pointee))
    }
    if Value.self == String.self {
      return .data(.string(address.assumingMemoryBound(to: String.self).pointee))
    }
    let value = address.assumingMemoryBound(to: Value.self).pointee
    // Whole collections are written only if that's said shorter than what differs.
    if isScalar || isPart && plainElement != nil,
      let data = try? coding.encode(value, withoutObjects)
    {
      return .data(data)
    }
    return .boxed(ValueBox(value))
  }

  override func data(
    at address: UnsafeRawPointer, _ ids: any LogIdentities
  ) throws -> KeyValueLogValue {
    let value = address.assumingMemoryBound(to: Value.self).pointee
    return try encoding { try coding.encode(value, isScalar ? withoutObjects : ids.encoder) }
  }

  override func objectInside(
    at address: UnsafeRawPointer, besides isKnown: @escaping (AnyObject) -> Bool
  ) -> AnyObject? {
    InnerObjectSearch.firstObject(
      in: address.assumingMemoryBound(to: Value.self).pointee, besides: isKnown)
  }

  override func value(
    of data: KeyValueLogValue, _ ids: any LogIdentities
  ) throws -> any CapturedValue {
    ValueBox(try decode(data, ids))
  }

  private func decode(_ data: KeyValueLogValue, _ ids: any LogIdentities) throws -> Value {
    try decoding(Value.self, from: data) {
      try coding.decode(data, isScalar ? withoutInstances : ids.decoder)
    }
  }

  override func elements(of data: [KeyValueLogValue], _ ids: any LogIdentities) throws -> [Any] {
    func plain<Element: PlainLogValue>(_ type: Element.Type) -> [Any]? {
      var elements: [Any] = []
      elements.reserveCapacity(data.count)
      for data in data {
        guard let element = type.plain(from: data) else { return nil }
        elements.append(element)
      }
      return elements
    }
    if let plainElement, let elements = plain(plainElement) { return elements }
    let elements = (flattened(try decode(.array(data), ids)) as? any ToMany)?.anyElements ?? []
    return elements.map { $0 ?? Optional<Any>.none as Any }
  }
}

/// A key whose value refers to objects: one, or a collection or dictionary of them.
final class RelationLoggedKey<Value>: LoggedKey, @unchecked Sendable {
  override func keep(at address: UnsafeRawPointer, isPart: Bool) -> KeptLogValue {
    .boxed(ValueBox(address.assumingMemoryBound(to: Value.self).pointee))
  }

  private func reference(_ object: AnyObject, _ ids: any LogIdentities) -> KeyValueLogValue {
    // A weak reference may lead out of the graph.
    ids.identity(of: object).map { .reference($0) } ?? .null
  }

  private func reference(to value: Any?, _ ids: any LogIdentities) throws -> KeyValueLogValue {
    guard let value else { return .null }
    guard let object = observable(value) else { throw unfit(value) }
    return reference(object, ids)
  }

  private func unfit(_ value: Any) -> KeyValueLogError {
    .notLoggable(
      .init(
        key: property.key,
        reason: "it holds \(name(of: type(of: value))), which isn't an observable object"))
  }

  override func data(
    at address: UnsafeRawPointer, _ ids: any LogIdentities
  ) throws -> KeyValueLogValue {
    guard let value = property.anyValue(at: address) else { return .null }
    switch relation {
    case .nothing: return .null
    case .object: return try reference(to: value, ids)
    case .collection:
      guard let collection = value as? any ToMany else { return .null }
      let elements =
        if let references = collection.observableReferences {
          references.map { reference($0, ids) }
        } else {
          try collection.anyElements.map { try reference(to: $0, ids) }
        }
      return .array(isUnordered ? KeyValueLogValue.ascending(elements) : elements)
    case .dictionary:
      let pairs = (value as? any Keyed)?.anyPairs ?? []
      if value is any StringKeyed {
        var entries: [String: KeyValueLogValue] = [:]
        for (key, value) in pairs {
          if let key = key as? String { entries[key] = try reference(to: value, ids) }
        }
        return .dictionary(entries)
      }
      return KeyValueLogValue.pairs(
        try pairs.map { (try data(ofKey: $0.key, ids), try reference(to: $0.value, ids)) })
    }
  }

  private func data(ofKey key: Any, _ ids: any LogIdentities) throws -> KeyValueLogValue {
    guard let key = key as? any Encodable else {
      throw KeyValueLogError.notLoggable(
        .init(
          key: property.key, reason: "the keys of \(name(of: Value.self)) aren't Codable"))
    }
    return try encoding { try ids.encoder.encode(key) }
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

  private func object(_ data: KeyValueLogValue, _ ids: any LogIdentities) throws -> Any? {
    if case .null = data { return nil }
    guard case .reference(let id) = data else { throw mismatch(data, "references") }
    return try ids.instance(id)
  }

  override func elements(of data: [KeyValueLogValue], _ ids: any LogIdentities) throws -> [Any] {
    try data.map { element in
      let object = try object(element, ids)
      guard let type = unwrapped(Value.self) as? any ToMany.Type,
        canHold(object, type.elementType)
      else { throw mismatch(element, "\(name(of: Value.self))") }
      return object ?? Optional<Any>.none as Any
    }
  }

  override func value(
    of data: KeyValueLogValue, _ ids: any LogIdentities
  ) throws -> any CapturedValue {
    if case .array(let elements) = data, let array = try array(of: elements, ids) { return array }
    let expected = "\(name(of: Value.self))"
    if case .null = data {
      guard let none = nilValue(of: Value.self) else { throw mismatch(data, expected) }
      return ValueBox(none)
    }
    let value: Any? =
      switch (relation, data) {
      case (.object, .reference): try object(data, ids)
      case (.collection, .array(let elements)):
        collection(of: try self.elements(of: elements, ids))
      case (.dictionary, .dictionary(let entries)):
        dictionary(of: try entries.map { ($0.key as Any, try object($0.value, ids)) })
      case (.dictionary, .array(let entries)):
        dictionary(
          of: try entries.map { entry in
            guard case .array(let pair) = entry, pair.count == 2 else {
              throw mismatch(entry, "a key and a value")
            }
            return (try key(of: pair[0], ids), try object(pair[1], ids))
          })
      default: nil
      }
    guard let value, let typed = typed(value) else { throw mismatch(data, expected) }
    return ValueBox(typed)
  }

  /// An array of observable objects, made without casting it; nil if the value is anything else.
  private func array(
    of data: [KeyValueLogValue], _ ids: any LogIdentities
  ) throws -> (any CapturedValue)? {
    func array<Object: KeyValueObservable>(_ type: Object.Type) throws -> (any CapturedValue)? {
      guard Value.self == [Object].self else { return nil }
      var objects: [Object] = []
      objects.reserveCapacity(data.count)
      for data in data {
        guard case .reference(let id) = data else { return nil }
        let object = try ids.instance(id)
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
    func build<Many: ToMany>(_ type: Many.Type) -> Any {
      var many = type.empty
      withUnsafeMutablePointer(to: &many) { many in
        let edit: Edit =
          isUnordered
          ? .algebra(.set, Set(elements.compactMap { $0 as? AnyHashable }))
          : .insertion(IndexRanges(0..<elements.count), elements)
        edit.apply(at: many, type: type)
      }
      return many
    }
    return (unwrapped(Value.self) as? any ToMany.Type).map { build($0) }
  }

  private func key(of data: KeyValueLogValue, _ ids: any LogIdentities) throws -> Any {
    guard let type = unwrapped(Value.self) as? any Keyed.Type,
      let decodable = type.anyKeyType as? any Decodable.Type
    else { throw mismatch(data, "\(name(of: Value.self))") }
    func decode<Key: Decodable>(_ type: Key.Type) throws -> Any {
      try decoding(type, from: data) { try ids.decoder.decode(type, from: data) }
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

extension LoggedKey {
  /// - Throws: `KeyValueLogError.notLoggable`, if no log can write the key's values.
  static func make(_ property: Property, in schema: KeyValueSchema) throws -> LoggedKey {
    func open<Value>(_ type: Value.Type) -> LoggedKey? {
      let bare = unwrapped(type)
      if refersToObjects(bare) { return RelationLoggedKey<Value>(property, .object) }
      if let many = bare as? any ToMany.Type, refersToObjects(unwrapped(many.elementType)) {
        return RelationLoggedKey<Value>(property, .collection)
      }
      if let keyed = bare as? any Keyed.Type, refersToObjects(unwrapped(keyed.anyValueType)) {
        return RelationLoggedKey<Value>(property, .dictionary)
      }
      return (type as? any Codable.Type).map { plain($0) }
    }
    func plain<Value: Codable>(_ type: Value.Type) -> LoggedKey {
      PlainLoggedKey<Value>(property, .nothing)
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

/// The stored keys of a class, as a log writes them.
final class LoggedClass {
  let schema: KeyValueSchema
  /// The class's name in records.
  let name: String
  /// In declaration order, superclasses' first.
  let keys: [LoggedKey]
  let followed: [LoggedKey]
  let weak: [LoggedKey]
  /// Those whose values may have objects inside that they aren't references to.
  let opaque: [LoggedKey]
  /// Whether any key's value refers to objects.
  let hasRelations: Bool
  /// Whether making an object of the class may make others.
  let hasConstantRelations: Bool
  private let byID: [LoggedKey?]
  private let byName: [String: LoggedKey]
  private let names: [String]
  /// The classes that objects of this class have been seen to lead to.
  ///
  /// The graph keeps all of them; classes that lead to each other would keep each other.
  private var targets: [Target] = []

  /// The last of them that was seen.
  @exclusivity(unchecked) private var lastTarget: ObjectIdentifier?

  private struct Target {
    let identity: ObjectIdentifier
    unowned let type: LoggedClass
  }

  /// Why the class can't be logged, if this stands for one: its objects have ids, and none of their keys is logged.
  let problem: KeyValueLogError?

  convenience init(_ schema: KeyValueSchema) throws {
    let stored = schema.properties.filter { $0.isStored || $0.origin == .constant }
    self.init(
      schema, recordedName(of: schema.type), try stored.map { try LoggedKey.make($0, in: schema) })
  }

  /// Stands for a class that can't be logged.
  convenience init(unlogged schema: KeyValueSchema, as name: String, _ problem: KeyValueLogError) {
    self.init(schema, name, [], problem)
  }

  private init(
    _ schema: KeyValueSchema, _ name: String, _ keys: [LoggedKey],
    _ problem: KeyValueLogError? = nil
  ) {
    self.schema = schema
    self.name = name
    self.keys = keys
    self.problem = problem
    followed = keys.filter(\.isFollowed)
    weak = keys.filter(\.isWeak)
    opaque = keys.filter(\.mayHaveObjectsInside)
    hasRelations = !followed.isEmpty || !weak.isEmpty
    hasConstantRelations = keys.contains { $0.isConstant && $0.relation != .nothing }
    var byID = [LoggedKey?](repeating: nil, count: schema.properties.count)
    for key in keys where byID.indices.contains(key.property.id) { byID[key.property.id] = key }
    self.byID = byID
    byName = Dictionary(uniqueKeysWithValues: keys.map { ($0.property.key, $0) })
    names = keys.map(\.property.key)
  }

  subscript(id: Int) -> LoggedKey? { byID.indices.contains(id) ? byID[id] : nil }

  subscript(name: String) -> LoggedKey? {
    // Hashing a name takes longer than comparing it with a few.
    guard names.count <= 8 else { return byName[name] }
    return names.firstIndex(of: name).map { keys[$0] }
  }

  /// The values of all keys.
  func values(
    _ value: (LoggedKey) throws -> KeyValueLogValue
  ) throws -> [String: KeyValueLogValue] {
    // The result has the names in the same places, so nothing is hashed.
    if let values = try? byName.mapValues(value) { return values }
    // The first key's error, in the order of declaration.
    for key in keys { _ = try value(key) }
    return try byName.mapValues(value)
  }

  /// An object of the class as an observable one.
  func observable(_ object: AnyObject) -> any KeyValueObservable {
    func typed<Object: KeyValueObservable>(_ type: Object.Type) -> any KeyValueObservable {
      unsafeDowncast(object, to: type)
    }
    return typed(schema.type)
  }

  /// Calls the body with each reference of an object's followed keys.
  func forEachFollowed(
    in object: KeyValueSnapshot.Object, _ body: (KeyValueObjectID) -> Void
  ) {
    for key in followed { object.values[key.property.key]?.forEachReference(body) }
  }

  /// Records that objects of this class lead to objects of another.
  func leads(to target: LoggedClass) {
    let identity = ObjectIdentifier(target)
    if lastTarget == identity { return }
    lastTarget = identity
    if targets.contains(where: { $0.identity == identity }) { return }
    targets.append(Target(identity: identity, type: target))
  }

  /// Whether objects of the class have been seen to lead to objects of the class.
  var isInCycle: Bool {
    var seen: [LoggedClass] = []
    var work = targets
    while let next = work.popLast()?.type {
      if next === self { return true }
      if seen.contains(where: { $0 === next }) { continue }
      seen.append(next)
      work += next.targets
    }
    return false
  }
}

/// The name of a class in records: with its module and the types around it, without what differs between
/// builds.
func recordedName(of type: any KeyValueObservable.Type) -> String {
  var name = _typeName(type, qualified: true)
  // A private type's name has its file's address: `Bank.(unknown context at $10f2c).Account`.
  guard name.utf8.contains(UInt8(ascii: "$")) else { return name }
  while let start = name.firstRange(of: "(unknown context at ")?.lowerBound,
    let end = name[start...].firstRange(of: ").")?.upperBound
  {
    name.removeSubrange(start..<end)
  }
  return name
}

/// Whether a name in a record means a class that was called so; a name without a module fits any.
func isRecordedName(_ name: String, _ former: String) -> Bool {
  name == former || !former.contains(".") && name.hasSuffix(".\(former)")
}
