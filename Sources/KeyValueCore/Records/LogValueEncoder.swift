/// Encodes values of any `Encodable` type as log values.
///
/// ```swift
/// let encoder = LogValueEncoder { graph.id(of: $0) }
/// print(try encoder.encode(Point(x: 1, y: 2.5)))  // ["x": 1, "y": 2.5]
/// print(try encoder.encode([person]))             // [@7f3c2d1a]
/// ```
///
/// - An instance of a class that has an id becomes a reference. Any other instance encodes itself.
/// - A value that encodes nothing is an empty dictionary.
/// - A set's elements are in ascending order. So are the entries of a dictionary that Swift encodes
///   as an array of keys and values, because its keys are neither strings nor integers nor
///   `CodingKeyRepresentable`. Equal values thus have equal log values. A set or a dictionary that
///   another type's `encode(to:)` calls with its own encoder keeps its order.
/// - Foundation's types encode themselves: a `Date` is a number, a `URL` a dictionary, a `UUID` a
///   string, and `Data` an array with a number for each byte, which takes 24 times its memory.
/// - Arrays and dictionaries may be 128 levels deep, as in every log value.
///
/// An encoder has no state of its own, so it may be kept and used for many values.
package struct LogValueEncoder {
  private let reference: (AnyObject) throws -> KeyValueObjectID?

  /// Creates an encoder.
  ///
  /// - Parameter reference: The id of an instance of a class; nil if it's not an object of the graph. What it
  ///   throws, encoding throws.
  package init(reference: @escaping (AnyObject) throws -> KeyValueObjectID?) {
    self.reference = reference
  }

  /// Encodes a value.
  ///
  /// If a property is encoded often, keep a `LogValueCoding` for it, which looks at its type once.
  ///
  /// - Parameter value: The value.
  /// - Returns: The log value.
  /// - Throws: `EncodingError` if an integer is beyond `Int`, if values are too deep in each other, or
  ///   if one encodes itself twice; and what an `encode(to:)` throws.
  package func encode<Value: Encodable>(_ value: Value) throws -> KeyValueLogValue {
    try (value as? any PlainLogValue)?.plainLogValue ?? encodeInContainers(value)
  }

  func encodeInContainers<Value: Encodable>(_ value: Value) throws -> KeyValueLogValue {
    if Value.self is AnyObject.Type, let id = try reference(value as AnyObject) {
      return .reference(id)
    }
    let session = EncodingSession(reference: reference)
    defer { session.end() }
    let node = EncodingNode(session)
    try node.encodeSelf(value)
    return try node.finish()
  }
}

/// What all values have in common that are encoded by one call.
private final class EncodingSession {
  /// The most values that are encoded inside one another, which bounds the stack.
  static let maximumLevel = 1_000

  let reference: (AnyObject) throws -> KeyValueObjectID?
  /// How many values are being encoded inside one another.
  var level = 0
  /// The first error of a function that can't throw.
  var failure: EncodingError?
  /// The nodes with parts; each is in a cycle with its parts, which the end of the session breaks.
  private var nodesWithParts: [EncodingNode]? = []

  init(reference: @escaping (AnyObject) throws -> KeyValueObjectID?) { self.reference = reference }

  func hasParts(_ node: EncodingNode) { nodesWithParts?.append(node) }

  var isActive: Bool { nodesWithParts != nil }

  func end() {
    for node in nodesWithParts ?? [] { node.parts = [] }
    nodesWithParts = nil
  }
}

/// The encoder of one value, or of one nested container, with what it has been given so far.
private final class EncodingNode: Encoder {
  enum Kind { case nothing, single, array, dictionary }

  let session: EncodingSession
  /// The node that this one is a part of, for the coding path.
  let outer: EncodingNode?
  let place: CodingPlace
  /// How many arrays and dictionaries this one is in.
  let depth: Int

  var kind = Kind.nothing
  var single = KeyValueLogValue.null
  var values: [KeyValueLogValue] = []
  var fields: [String: KeyValueLogValue] = [:]
  /// Nested containers and encoders, whose values are still missing in `values` and `fields`.
  var parts: [EncodingNode] = []

  init(
    _ session: EncodingSession, outer: EncodingNode? = nil, place: CodingPlace = .root,
    depth: Int = 0
  ) {
    self.session = session
    self.outer = outer
    self.place = place
    self.depth = depth
  }

  // MARK: Values

  /// Has a value encode itself with this encoder.
  func encodeSelf<Value: Encodable>(_ value: Value) throws {
    guard session.level < EncodingSession.maximumLevel else {
      throw error(
        value,
        "More than \(EncodingSession.maximumLevel) values are encoded inside one another; "
          + "one may contain itself.")
    }
    session.level += 1
    defer { session.level -= 1 }
    try value.encode(to: self)
    if kind == .array, let type = Value.self as? any HashedLogValue.Type, parts.isEmpty {
      values = type.ordered(values)
    }
  }

  /// A value in an array or a dictionary of this node.
  func encoded<Value: Encodable>(
    _ value: Value, at place: @autoclosure () -> CodingPlace
  ) throws -> KeyValueLogValue {
    if let value = plain(value) {
      return value
    }
    if Value.self is AnyObject.Type, let id = try session.reference(value as AnyObject) {
      return .reference(id)
    }
    guard depth < KeyValueLogValue.maximumDepth else { throw error(value, LogValueTag.tooDeep) }
    let node = EncodingNode(session, outer: self, place: place(), depth: depth + 1)
    try node.encodeSelf(value)
    return try node.finish()
  }

  /// The value if it needs no container.
  ///
  /// Close to the greatest depth all arrays need one, because it finds that they're too deep.
  private func plain<Value: Encodable>(_ value: Value) -> KeyValueLogValue? {
    guard depth < KeyValueLogValue.maximumDepth - 16 else { return nil }
    return (value as? any PlainLogValue)?.plainLogValue
  }

  /// The value that this node has been given.
  func finish() throws -> KeyValueLogValue {
    if let failure = session.failure { throw failure }
    if depth >= KeyValueLogValue.maximumDepth, kind == .array || kind == .dictionary {
      throw error(kind == .array ? values : fields, LogValueTag.tooDeep)
    }
    for part in parts {
      let value = try part.finish()
      switch part.place {
      case .root: break
      case .field(let key): fields[key.stringValue] = value
      case .element(let index): values[index] = value
      }
    }
    parts = []
    switch kind {
    case .nothing: return .dictionary([:])
    case .single: return single
    case .array: return .array(values)
    case .dictionary: return .dictionary(fields)
    }
  }

  // MARK: Encoder

  var codingPath: [any CodingKey] { place.path(after: outer?.codingPath ?? []) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(DictionaryEncoding(node: becoming(.dictionary)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    ArrayEncoding(node: becoming(.array))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// This node, or one whose values are lost if this one is of another kind already.
  private func becoming(_ wanted: Kind) -> EncodingNode {
    if kind == .nothing || kind == wanted {
      kind = wanted
      return self
    }
    fail(twice())
    return EncodingNode(session, outer: outer, place: place, depth: depth)
  }

  // MARK: Parts

  func setField(_ value: KeyValueLogValue, _ key: some CodingKey) {
    let name = key.stringValue
    fields[name] = value
    if !parts.isEmpty { parts.removeAll { $0.place.isField(name) } }
  }

  /// The node of a nested container or encoder in a field; the same one for the same field.
  func part(_ key: some CodingKey) -> EncodingNode {
    if let part = parts.first(where: { $0.place.isField(key.stringValue) }) { return part }
    fields[key.stringValue] = .null
    return part(at: .field(key))
  }

  /// The node of a nested container or encoder behind the elements so far.
  func nextPart() -> EncodingNode {
    values.append(.null)
    return part(at: .element(values.count - 1))
  }

  private func part(at place: CodingPlace) -> EncodingNode {
    guard depth < KeyValueLogValue.maximumDepth else {
      fail(error(kind == .array ? values : fields, LogValueTag.tooDeep))
      // It doesn't refer to this node, so that an endless nesting doesn't make an endless chain.
      return EncodingNode(session, outer: outer, place: place, depth: depth)
    }
    let part = EncodingNode(session, outer: self, place: place, depth: depth + 1)
    if session.isActive {
      if parts.isEmpty { session.hasParts(self) }
      parts.append(part)
    }
    return part
  }

  // MARK: Errors

  private func fail(_ error: @autoclosure () -> EncodingError) {
    if session.failure == nil { session.failure = error() }
  }

  private func twice() -> EncodingError {
    let value: Any =
      switch kind {
      case .nothing, .single: single
      case .array: values
      case .dictionary: fields
      }
    return error(value, "The value encodes itself twice, in containers of different kinds.")
  }

  private func error(_ value: Any, _ text: String, at place: CodingPlace = .root) -> EncodingError {
    .invalidValue(value, .init(codingPath: place.path(after: codingPath), debugDescription: text))
  }
}

extension EncodingNode: SingleValueEncodingContainer {
  func encodeNil() throws { try setSingle(.null) }

  // The standard library has functions of its own for these two, which only throw.
  func encode(_ value: Int128) throws { try setSingle(value.scalarLogValue) }
  func encode(_ value: UInt128) throws { try setSingle(value.scalarLogValue) }

  func encode<Value: ScalarLogValue>(_ value: Value) throws {
    try setSingle(value.scalarLogValue)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    if let value = plain(value) {
      try setSingle(value)
    } else if Value.self is AnyObject.Type, let id = try session.reference(value as AnyObject) {
      try setSingle(.reference(id))
    } else {
      guard kind == .nothing else { throw twice() }
      try encodeSelf(value)
    }
  }

  private func setSingle(_ value: KeyValueLogValue) throws {
    guard kind == .nothing else { throw twice() }
    single = value
    kind = .single
  }
}

private struct DictionaryEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: EncodingNode

  var codingPath: [any CodingKey] { node.codingPath }

  func encodeNil(forKey key: Key) { node.setField(.null, key) }

  func encode(_ value: Int128, forKey key: Key) {
    node.setField(value.scalarLogValue, key)
  }

  func encode(_ value: UInt128, forKey key: Key) {
    node.setField(value.scalarLogValue, key)
  }

  func encode<Value: ScalarLogValue>(_ value: Value, forKey key: Key) {
    node.setField(value.scalarLogValue, key)
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    node.setField(try node.encoded(value, at: .field(key)), key)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    node.part(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    node.part(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { node.part(RecordKey.super) }
  func superEncoder(forKey key: Key) -> any Encoder { node.part(key) }
}

private struct ArrayEncoding: UnkeyedEncodingContainer {
  let node: EncodingNode

  var codingPath: [any CodingKey] { node.codingPath }
  var count: Int { node.values.count }

  func encodeNil() { node.values.append(.null) }

  func encode(_ value: Int128) {
    node.values.append(value.scalarLogValue)
  }

  func encode(_ value: UInt128) {
    node.values.append(value.scalarLogValue)
  }

  func encode<Value: ScalarLogValue>(_ value: Value) {
    node.values.append(value.scalarLogValue)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    node.values.append(try node.encoded(value, at: .element(count)))
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    node.nextPart().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    node.nextPart().unkeyedContainer()
  }

  func superEncoder() -> any Encoder { node.nextPart() }
}

/// A collection that encodes its elements in an order that isn't its own.
private protocol HashedLogValue {
  /// Its encoded array, in ascending order.
  static func ordered(_ values: [KeyValueLogValue]) -> [KeyValueLogValue]
}

extension Set: HashedLogValue {
  static func ordered(_ values: [KeyValueLogValue]) -> [KeyValueLogValue] {
    KeyValueLogValue.ascending(values)
  }
}

extension Dictionary: HashedLogValue {
  /// Keys and values alternate.
  static func ordered(_ values: [KeyValueLogValue]) -> [KeyValueLogValue] {
    let keys = stride(from: 0, to: values.count - 1, by: 2).sorted {
      KeyValueLogValue.precedes(values[$0], values[$1])
    }
    return keys.flatMap { values[$0...$0 + 1] }
  }
}

/// Where a value is in the array or the dictionary around it.
enum CodingPlace {
  /// In neither, or in the same place as the value around it.
  case root
  case field(any CodingKey)
  case element(Int)

  func path(after path: [any CodingKey]) -> [any CodingKey] {
    switch self {
    case .root: path
    case .field(let key): path + [key]
    case .element(let index): path + [IndexKey(index)]
    }
  }

  func isField(_ name: String) -> Bool {
    if case .field(let key) = self { key.stringValue == name } else { false }
  }

  private struct IndexKey: CodingKey {
    let index: Int
    var intValue: Int? { index }
    var stringValue: String { "Index \(index)" }

    init(_ index: Int) { self.index = index }
    init?(intValue: Int) { index = intValue }
    init?(stringValue: String) { nil }
  }
}

extension RecordKey {
  /// The field of a superclass's part, by the convention of Swift's coders.
  static let `super` = RecordKey("super")
}
