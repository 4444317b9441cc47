/// Decodes values of any `Decodable` type from log values.
///
/// ```swift
/// let decoder = LogValueDecoder { try graph.object($0) }
/// let point = try decoder.decode(Point.self, from: ["x": 1, "y": 2.5])
/// ```
///
/// - A reference is decoded as a class by asking for the object.
/// - JSON can't tell 2 from 2.0, so an integer is decoded as `Double` and a whole number as any integer
///   type that holds it.
/// - What `LogValueEncoder` has encoded is decoded as it was, except for a nil in a nil, as in JSON.
///
/// A decoder has no state of its own, so it may be kept and used for many values.
package struct LogValueDecoder {
  let object: (KeyValueObjectID) throws -> AnyObject

  /// Creates a decoder.
  ///
  /// - Parameter object: The object of the graph that has an id. Its errors are passed on.
  package init(object: @escaping (KeyValueObjectID) throws -> AnyObject) { self.object = object }

  /// Decodes a value.
  ///
  /// If a property is decoded often, keep a `LogValueCoding` for it, which looks at its type once.
  ///
  /// - Parameters:
  ///   - type: The value's type.
  ///   - value: The log value.
  /// - Returns: The value.
  /// - Throws: `DecodingError` if the log value isn't one of the type; and what an `init(from:)` or the
  ///   function for objects throws.
  package func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from value: KeyValueLogValue
  ) throws -> Value {
    try plain(type, from: value) ?? decodeFromContainers(type, from: value)
  }

  func decodeFromContainers<Value: Decodable>(
    _ type: Value.Type, from value: KeyValueLogValue
  ) throws -> Value {
    try DecodingNode(value, DecodingSession(object: object)).decodeSelf(type)
  }
}

/// The value if the type is one that needs no container.
private func plain<Value>(_ type: Value.Type, from value: KeyValueLogValue) -> Value? {
  func decoded<Plain: PlainLogValue>(_ type: Plain.Type) -> Value? {
    // `Plain` is `Value`, which the compiler can't see.
    type.plain(from: value).map { $0 as! Value }
  }
  guard let type = type as? any PlainLogValue.Type else { return nil }
  return decoded(type)
}

/// What all values have in common that are decoded by one call.
private final class DecodingSession {
  /// The most values that are decoded inside one another, which bounds the stack.
  static let maximumLevel = 1_000

  let object: (KeyValueObjectID) throws -> AnyObject
  /// How many values are being decoded inside one another.
  var level = 0

  init(object: @escaping (KeyValueObjectID) throws -> AnyObject) { self.object = object }
}

/// The decoder of one value.
private final class DecodingNode: Decoder {
  let value: KeyValueLogValue
  let session: DecodingSession
  /// The decoder of the value that this one is a part of, for the coding path.
  let outer: DecodingNode?
  let place: CodingPlace

  init(
    _ value: KeyValueLogValue, _ session: DecodingSession, outer: DecodingNode? = nil,
    place: CodingPlace = .root
  ) {
    self.value = value
    self.session = session
    self.outer = outer
    self.place = place
  }

  // MARK: Values

  /// Decodes the value itself.
  func decodeSelf<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if case .reference(let id) = value, type is AnyObject.Type {
      let object = try session.object(id)
      if let object = object as? Value { return object }
      let text = "Expected \(type) but the object \(value) is of type \(Swift.type(of: object))."
      throw DecodingError.typeMismatch(type, context(text))
    }
    guard session.level < DecodingSession.maximumLevel else {
      throw DecodingError.dataCorrupted(
        context(
          "More than \(DecodingSession.maximumLevel) values are decoded inside one another; "
            + "one may contain itself."))
    }
    session.level += 1
    defer { session.level -= 1 }
    return try Value(from: self)
  }

  /// Decodes a part of the value.
  func decode<Value: Decodable>(
    _ type: Value.Type, from value: KeyValueLogValue, at place: @autoclosure () -> CodingPlace
  ) throws -> Value {
    try plain(type, from: value) ?? part(value, at: place()).decodeSelf(type)
  }

  func decode<Value: ScalarLogValue>(
    _ type: Value.Type, from value: KeyValueLogValue, at place: @autoclosure () -> CodingPlace
  ) throws -> Value {
    if let value = type.plain(from: value) { return value }
    throw mismatch(type, value, at: place())
  }

  /// The decoder of a part of the value.
  func part(_ value: KeyValueLogValue, at place: CodingPlace) -> DecodingNode {
    DecodingNode(value, session, outer: self, place: place)
  }

  // MARK: Decoder

  var codingPath: [any CodingKey] { place.path(after: outer?.codingPath ?? []) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .dictionary(let fields) = value else {
      throw mismatch([String: KeyValueLogValue].self, value, expected: "a dictionary")
    }
    return KeyedDecodingContainer(DictionaryDecoding(node: self, fields: fields))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let values) = value else {
      throw mismatch([KeyValueLogValue].self, value, expected: "an array")
    }
    return ArrayDecoding(node: self, values: values)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  // MARK: Errors

  private func mismatch(
    _ type: any Any.Type, _ value: KeyValueLogValue, expected: String? = nil,
    at place: CodingPlace = .root
  ) -> DecodingError {
    let expected = expected ?? "\(type)"
    switch value {
    case .null:
      return .valueNotFound(type, context("Expected \(expected) but found nil.", at: place))
    case .integer where type is any Numeric.Type, .number where type is any Numeric.Type:
      return .dataCorrupted(context("\(type) can't hold \(value).", at: place))
    default:
      return .typeMismatch(
        type, context("Expected \(expected) but found \(value.kind).", at: place))
    }
  }

  func context(_ text: String, at place: CodingPlace = .root) -> DecodingError.Context {
    .init(codingPath: place.path(after: codingPath), debugDescription: text)
  }
}

extension DecodingNode: SingleValueDecodingContainer {
  func decodeNil() -> Bool { value.isNull }

  // The standard library has functions of its own for these two, which only throw.
  func decode(_ type: Int128.Type) throws -> Int128 { try decode(type, from: value, at: .root) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try decode(type, from: value, at: .root) }

  func decode<Value: ScalarLogValue>(_ type: Value.Type) throws -> Value {
    try decode(type, from: value, at: .root)
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try plain(type, from: value) ?? decodeSelf(type)
  }
}

private struct DictionaryDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let node: DecodingNode
  let fields: [String: KeyValueLogValue]

  var codingPath: [any CodingKey] { node.codingPath }
  var allKeys: [Key] { fields.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { fields[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try value(key).isNull }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try node.decode(type, from: value(key), at: .field(key))
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try node.decode(type, from: value(key), at: .field(key))
  }

  func decode<Value: ScalarLogValue>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try node.decode(type, from: value(key), at: .field(key))
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try node.decode(type, from: value(key), at: .field(key))
  }

  func decodeIfPresent<Value: ScalarLogValue>(
    _ type: Value.Type, forKey key: Key
  ) throws -> Value? {
    guard let value = fields[key.stringValue], !value.isNull else { return nil }
    return try node.decode(type, from: value, at: .field(key))
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let value = fields[key.stringValue], !value.isNull else { return nil }
    return try node.decode(type, from: value, at: .field(key))
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try node.part(value(key), at: .field(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try node.part(value(key), at: .field(key)).unkeyedContainer()
  }

  /// The superclass's part; nil as the value if there is none, as in Swift's other coders.
  func superDecoder() -> any Decoder { superDecoder(in: RecordKey.super) }
  func superDecoder(forKey key: Key) -> any Decoder { superDecoder(in: key) }

  private func superDecoder(in key: some CodingKey) -> any Decoder {
    node.part(fields[key.stringValue] ?? .null, at: .field(key))
  }

  private func value(_ key: Key) throws -> KeyValueLogValue {
    if let value = fields[key.stringValue] { return value }
    throw DecodingError.keyNotFound(
      key, node.context("There's no value for the key \(quoted(key.stringValue))."))
  }
}

private struct ArrayDecoding: UnkeyedDecodingContainer {
  let node: DecodingNode
  let values: [KeyValueLogValue]
  var currentIndex = 0

  var codingPath: [any CodingKey] { node.codingPath }
  var count: Int? { values.count }
  var isAtEnd: Bool { currentIndex == values.count }

  mutating func decodeNil() throws -> Bool {
    guard try next(Optional<KeyValueLogValue>.self).isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode(_ type: Int128.Type) throws -> Int128 { try decodeNext(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try decodeNext(type) }

  mutating func decode<Value: ScalarLogValue>(_ type: Value.Type) throws -> Value {
    try decodeNext(type)
  }

  private mutating func decodeNext<Value: ScalarLogValue>(_ type: Value.Type) throws -> Value {
    let value = try node.decode(type, from: next(type), at: .element(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try node.decode(type, from: next(type), at: .element(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let part = try nextPart(KeyedDecodingContainer<NestedKey>.self)
    let container = try part.container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try nextPart((any UnkeyedDecodingContainer).self).unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let part = try nextPart((any Decoder).self)
    currentIndex += 1
    return part
  }

  private func nextPart(_ type: any Any.Type) throws -> DecodingNode {
    node.part(try next(type), at: .element(currentIndex))
  }

  private func next(_ type: any Any.Type) throws -> KeyValueLogValue {
    if currentIndex < values.count { return values[currentIndex] }
    throw DecodingError.valueNotFound(
      type,
      node.context(
        "The array ends after \(values.count) elements.", at: .element(currentIndex)))
  }
}

extension KeyValueLogValue {
  fileprivate var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// What the value is, in the text of an error.
  fileprivate var kind: String {
    switch self {
    case .null: "nil"
    case .bool: "a Boolean"
    case .integer, .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .dictionary: "a dictionary"
    case .reference: "a reference to an object"
    }
  }
}
