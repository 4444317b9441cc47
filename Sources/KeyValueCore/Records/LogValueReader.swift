/// Reads values from a decoder, whose containers can't say what they hold.
///
/// A failed attempt to read a type costs as much as several successful ones, because it creates an
/// error. The reader therefore tries first what the last value of the same name was: a snapshot has
/// many objects of few classes.
struct LogValueReader {
  enum Kind: CaseIterable {
    case null, string, integer, bool, dictionary, array, number
  }

  /// The kind of the last value of each name.
  private var kinds: [String: Kind] = [:]
  /// How many arrays and dictionaries the value that's being read is in.
  private var depth = 0

  mutating func value(from decoder: any Decoder) throws -> KeyValueLogValue {
    var slot = DecoderSlot(decoder: decoder)
    var kind = Kind.string
    return try value(in: &slot, &kind)
  }

  /// The value of a field.
  mutating func value(
    in container: KeyedDecodingContainer<RecordKey>, forKey key: RecordKey
  ) throws -> KeyValueLogValue {
    var slot = FieldSlot(container: container, key: key)
    let likely = kinds[key.stringValue] ?? .string
    var kind = likely
    let value = try value(in: &slot, &kind)
    if kind != likely { kinds[key.stringValue] = kind }
    return value
  }

  /// The values of an array.
  mutating func values(
    in container: KeyedDecodingContainer<RecordKey>, forKey key: RecordKey
  ) throws -> [KeyValueLogValue] {
    try values(in: try container.nestedUnkeyedContainer(forKey: key))
  }

  /// The values of a dictionary.
  mutating func dictionary(
    in container: KeyedDecodingContainer<RecordKey>, forKey key: RecordKey
  ) throws -> [String: KeyValueLogValue] {
    try dictionary(in: try container.nestedContainer(keyedBy: RecordKey.self, forKey: key))
  }

  // MARK: One value

  /// Reads a value, with the kind that it probably has and then does have.
  private mutating func value(
    in slot: inout some ValueSlot, _ kind: inout Kind
  ) throws -> KeyValueLogValue {
    if let value = try value(of: kind, in: &slot) { return value }
    for other in Kind.allCases where other != kind {
      guard let value = try value(of: other, in: &slot) else { continue }
      kind = other
      return value
    }
    throw slot.corrupted("There's no value that a record can have.")
  }

  /// The value if it's of that kind; nil if it's of another one.
  ///
  /// A number is an `integer` wherever it can be one, however it's written and whatever was tried
  /// before.
  private mutating func value(
    of kind: Kind, in slot: inout some ValueSlot
  ) throws -> KeyValueLogValue? {
    switch kind {
    case .null: return try slot.isNil() ? .null : nil
    case .string: return (try? slot.decode(String.self)).map { .string($0) }
    case .integer: return (try? slot.decode(Int.self)).map { .integer($0) }
    case .bool: return (try? slot.decode(Bool.self)).map { .bool($0) }
    case .number:
      let mark = slot
      guard let number = try? slot.decode(Double.self), number.isFinite else {
        slot = mark
        return nil
      }
      guard let integer = Int(exactly: number) else { return .number(number) }
      if number.magnitude < 0x1p53 { return .integer(integer) }
      // It may have been rounded.
      var again = mark
      return .integer((try? again.decode(Int.self)) ?? integer)
    case .dictionary:
      guard let container = try? slot.dictionary() else { return nil }
      return try nested {
        try $0.tagged(in: container) ?? .dictionary($0.dictionary(in: container))
      }
    case .array:
      guard let container = try? slot.array() else { return nil }
      return try nested { .array(try $0.values(in: container)) }
    }
  }

  private mutating func nested(
    _ body: (inout LogValueReader) throws -> KeyValueLogValue
  ) throws -> KeyValueLogValue {
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  // MARK: Arrays and dictionaries

  private mutating func values(
    in container: any UnkeyedDecodingContainer
  ) throws -> [KeyValueLogValue] {
    try checkDepth(container.codingPath)
    var slot = ElementSlot(container: container)
    var kind = Kind.string
    var values: [KeyValueLogValue] = []
    while !slot.container.isAtEnd {
      values.append(try value(in: &slot, &kind))
    }
    return values
  }

  mutating func dictionary(
    in container: KeyedDecodingContainer<RecordKey>
  ) throws -> [String: KeyValueLogValue] {
    try checkDepth(container.codingPath)
    let keys = container.allKeys
    var values = [String: KeyValueLogValue](minimumCapacity: keys.count)
    for key in keys {
      var name = key.stringValue
      if name.utf8.first == LogValueTag.sign {
        name.removeFirst()
        guard name.utf8.first == LogValueTag.sign else {
          throw DecodingError.dataCorruptedError(
            forKey: key, in: container,
            debugDescription: "No value has the field \(quoted(key.stringValue)); "
              + "a dictionary's key that begins with '@' is written with one more.")
        }
      }
      values[name] = try value(in: container, forKey: key)
    }
    return values
  }

  /// The value that a sole field whose name begins with "@" stands for; nil for a dictionary.
  private func tagged(
    in container: KeyedDecodingContainer<RecordKey>
  ) throws -> KeyValueLogValue? {
    let keys = container.allKeys
    guard keys.count == 1, let tag = LogValueTag(rawValue: keys[0].stringValue) else { return nil }
    switch tag {
    case .reference:
      return .reference(try container.decode(KeyValueObjectID.self, forKey: keys[0]))
    case .number:
      let name = try container.decode(String.self, forKey: keys[0])
      guard let number = LogValueTag.numbers.first(where: { $0.name == name }) else {
        throw DecodingError.dataCorruptedError(
          forKey: keys[0], in: container,
          debugDescription: "\(quoted(name)) is not 'infinity', '-infinity' or 'nan'.")
      }
      return .number(number.value)
    }
  }

  private func checkDepth(_ path: @autoclosure () -> [any CodingKey]) throws {
    if depth > KeyValueLogValue.maximumDepth {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: path(), debugDescription: LogValueTag.tooDeep))
    }
  }
}

/// What values that JSON doesn't have are written as: an object with this key alone.
enum LogValueTag: String {
  case reference = "@"
  case number = "@number"

  /// The first character of a tag, which a dictionary's key gets one more of.
  static let sign = UInt8(ascii: "@")

  static let numbers: [(name: String, value: Double)] = [
    ("infinity", .infinity), ("-infinity", -.infinity), ("nan", .nan),
  ]

  /// The name of a number that JSON doesn't have.
  static func name(of number: Double) -> String {
    number.isNaN ? "nan" : number < 0 ? "-infinity" : "infinity"
  }

  static let tooDeep =
    "The value is more than \(KeyValueLogValue.maximumDepth) arrays and dictionaries deep."
}

/// A place in a container that has one value.
///
/// A failed attempt leaves the place as it is.
private protocol ValueSlot {
  mutating func isNil() throws -> Bool
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value
  mutating func dictionary() throws -> KeyedDecodingContainer<RecordKey>
  mutating func array() throws -> any UnkeyedDecodingContainer
  func corrupted(_ reason: String) -> DecodingError
}

/// The only value of a decoder.
private struct DecoderSlot: ValueSlot {
  let decoder: any Decoder

  func isNil() throws -> Bool { try decoder.singleValueContainer().decodeNil() }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try decoder.singleValueContainer().decode(type)
  }
  func dictionary() throws -> KeyedDecodingContainer<RecordKey> {
    try decoder.container(keyedBy: RecordKey.self)
  }
  func array() throws -> any UnkeyedDecodingContainer { try decoder.unkeyedContainer() }
  func corrupted(_ reason: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
  }
}

/// A field of an object.
private struct FieldSlot: ValueSlot {
  let container: KeyedDecodingContainer<RecordKey>
  let key: RecordKey

  func isNil() throws -> Bool { try container.decodeNil(forKey: key) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try container.decode(type, forKey: key)
  }
  func dictionary() throws -> KeyedDecodingContainer<RecordKey> {
    try container.nestedContainer(keyedBy: RecordKey.self, forKey: key)
  }
  func array() throws -> any UnkeyedDecodingContainer {
    try container.nestedUnkeyedContainer(forKey: key)
  }
  func corrupted(_ reason: String) -> DecodingError {
    .dataCorruptedError(forKey: key, in: container, debugDescription: reason)
  }
}

/// The next element of an array.
private struct ElementSlot: ValueSlot {
  var container: any UnkeyedDecodingContainer

  mutating func isNil() throws -> Bool { try container.decodeNil() }
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try container.decode(type)
  }
  mutating func dictionary() throws -> KeyedDecodingContainer<RecordKey> {
    try container.nestedContainer(keyedBy: RecordKey.self)
  }
  mutating func array() throws -> any UnkeyedDecodingContainer {
    try container.nestedUnkeyedContainer()
  }
  func corrupted(_ reason: String) -> DecodingError {
    .dataCorruptedError(in: container, debugDescription: reason)
  }
}
