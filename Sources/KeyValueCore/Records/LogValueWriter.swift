/// Writes values into an encoder's containers.
///
/// Scalars are encoded by the container directly, which takes half the time that a value's own
/// `encode(to:)` takes. A whole number is encoded as an integer: 2^60 as a `Double` would be written as
/// 1.152921504606847e+18, which an integer's reader takes for another number.
enum LogValueWriter {
  typealias Fields = KeyedEncodingContainer<RecordKey>

  static func write(_ value: KeyValueLogValue, to encoder: any Encoder) throws {
    switch value {
    case .array(let values):
      var container = encoder.unkeyedContainer()
      try write(values, to: &container, depth: 1)
    case .dictionary(let values):
      var container = encoder.container(keyedBy: RecordKey.self)
      try write(values, to: &container, depth: 1)
    default:
      if let (tag, text) = tagged(value) {
        var container = encoder.container(keyedBy: RecordKey.self)
        try container.encode(text, forKey: tag)
        return
      }
      var container = encoder.singleValueContainer()
      switch value {
      case .bool(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .number(let value):
        if let integer = Int(exactly: value) {
          try container.encode(integer)
        } else {
          try container.encode(value)
        }
      case .string(let value): try container.encode(value)
      default: try container.encodeNil()
      }
    }
  }

  /// Writes a field.
  static func write(
    _ value: KeyValueLogValue, to container: inout Fields, forKey key: RecordKey, depth: Int = 0
  ) throws {
    switch value {
    case .null: try container.encodeNil(forKey: key)
    case .bool(let value): try container.encode(value, forKey: key)
    case .integer(let value): try container.encode(value, forKey: key)
    case .string(let value): try container.encode(value, forKey: key)
    case .array(let values): try write(values, to: &container, forKey: key, depth: depth)
    case .dictionary(let values): try write(values, to: &container, forKey: key, depth: depth)
    case .number(let number) where number.isFinite:
      if let integer = Int(exactly: number) {
        try container.encode(integer, forKey: key)
      } else {
        try container.encode(number, forKey: key)
      }
    case .number, .reference:
      guard let (tag, text) = tagged(value) else { return }
      var nested = container.nestedContainer(keyedBy: RecordKey.self, forKey: key)
      try nested.encode(text, forKey: tag)
    }
  }

  /// Writes a field that's an array of values, or, if it's inside of others, a value that's an array.
  static func write(
    _ values: [KeyValueLogValue], to container: inout Fields, forKey key: RecordKey, depth: Int = -1
  ) throws {
    var nested = container.nestedUnkeyedContainer(forKey: key)
    try write(values, to: &nested, depth: depth + 1)
  }

  /// Writes a field that's an object's values, or, if it's inside of others, a value that's a dictionary.
  static func write(
    _ values: [String: KeyValueLogValue], to container: inout Fields, forKey key: RecordKey,
    depth: Int = -1
  ) throws {
    var nested = container.nestedContainer(keyedBy: RecordKey.self, forKey: key)
    try write(values, to: &nested, depth: depth + 1)
  }

  private static func write(
    _ values: [KeyValueLogValue], to container: inout any UnkeyedEncodingContainer, depth: Int
  ) throws {
    try checkDepth(depth, values, container.codingPath)
    for value in values {
      switch value {
      case .null: try container.encodeNil()
      case .bool(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      case .array(let values):
        var nested = container.nestedUnkeyedContainer()
        try write(values, to: &nested, depth: depth + 1)
      case .dictionary(let values):
        var nested = container.nestedContainer(keyedBy: RecordKey.self)
        try write(values, to: &nested, depth: depth + 1)
      case .number(let number) where number.isFinite:
        if let integer = Int(exactly: number) {
          try container.encode(integer)
        } else {
          try container.encode(number)
        }
      case .number, .reference:
        guard let (tag, text) = tagged(value) else { continue }
        var nested = container.nestedContainer(keyedBy: RecordKey.self)
        try nested.encode(text, forKey: tag)
      }
    }
  }

  private static func write(
    _ values: [String: KeyValueLogValue], to container: inout Fields, depth: Int
  ) throws {
    try checkDepth(depth, values, container.codingPath)
    for (name, value) in values {
      let key = RecordKey(escaped(name))
      try write(value, to: &container, forKey: key, depth: depth)
    }
  }

  /// A dictionary's key as it's written.
  static func escaped(_ name: String) -> String {
    name.utf8.first == LogValueTag.sign ? "@" + name : name
  }

  /// What is written of a value that JSON doesn't have; nil for all others.
  static func tagged(_ value: KeyValueLogValue) -> (RecordKey, String)? {
    switch value {
    case .reference(let id): (LogValueTag.reference, id.description)
    case .number(let number) where !number.isFinite:
      (LogValueTag.number, LogValueTag.name(of: number))
    default: nil
    }
  }

  private static func checkDepth(
    _ depth: Int, _ value: Any, _ path: @autoclosure () -> [any CodingKey]
  ) throws {
    if depth > KeyValueLogValue.maximumDepth {
      throw EncodingError.invalidValue(
        value, .init(codingPath: path(), debugDescription: LogValueTag.tooDeep))
    }
  }
}
