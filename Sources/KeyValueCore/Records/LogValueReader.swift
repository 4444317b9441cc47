/// Reads values from a decoder, whose containers can't say what they hold.
///
/// A failed attempt to read a type costs as much as several successful ones, because it creates an
/// error. The reader therefore tries first what the last value of the same name was; a snapshot has
/// many objects of few classes. Only nil can be asked for without an error.
struct LogValueReader {
  enum Kind: CaseIterable {
    case string, integer, bool, object, array, number
  }

  /// What values of one name have been so far.
  private struct Habit: Equatable {
    /// The kind of the last value that wasn't null.
    var kind = Kind.string
    var isNullable = false
  }

  private var habits: [String: Habit] = [:]
  /// How many arrays and dictionaries the value that's being read is in.
  private var depth = 0

  mutating func value(from decoder: any Decoder) throws -> KeyValueLogValue {
    var slot = DecoderSlot(decoder: decoder)
    var habit = Habit(isNullable: true)
    return try value(in: &slot, &habit)
  }

  /// The value of a field.
  mutating func value(
    in container: KeyedDecodingContainer<RecordKey>, forKey key: RecordKey
  ) throws -> KeyValueLogValue {
    var slot = FieldSlot(container: container, key: key)
    let known = habits[key.stringValue]
    var habit = known ?? Habit()
    let value = try value(in: &slot, &habit)
    if habit != known { habits[key.stringValue] = habit }
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
    let nested = try container.nestedContainer(keyedBy: RecordKey.self, forKey: key)
    return try dictionary(in: nested)
  }

  // MARK: One value

  private mutating func value(
    in slot: inout some ValueSlot, _ habit: inout Habit
  ) throws -> KeyValueLogValue {
    if habit.isNullable, try slot.isNil() { return .null }
    if let value = try value(of: habit.kind, in: &slot) { return value }
    if !habit.isNullable, try slot.isNil() {
      habit.isNullable = true
      return .null
    }
    for other in Kind.allCases where other != habit.kind {
      guard let value = try value(of: other, in: &slot) else { continue }
      habit.kind = other
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
    case .string: return (try? slot.string()).map { .string($0) }
    case .integer: return (try? slot.integer()).map { .integer($0) }
    case .bool: return (try? slot.bool()).map { .bool($0) }
    case .number:
      let mark = slot
      guard let number = try? slot.number(), number.isFinite else {
        slot = mark
        return nil
      }
      let integer = Int(exactly: number)
      if let integer, number.magnitude < 0x1p53 { return .integer(integer) }
      // It may have been rounded, the greatest ones to what no integer is.
      guard integer != nil || number == 0x1p63 else { return .number(number) }
      var again = mark
      return (try? again.integer()).map { .integer($0) } ?? integer.map { .integer($0) }
        ?? .number(number)
    case .object:
      guard let container = try? slot.object() else { return nil }
      if container.contains(LogValueTag.reference) {
        return .reference(KeyValueObjectID(try UniqueNumber(container, LogValueTag.reference)))
      }
      if let number = try number(in: container) { return .number(number) }
      return .dictionary(try nested { try $0.dictionary(in: container) })
    case .array:
      guard let container = try? slot.array() else { return nil }
      return .array(try nested { try $0.values(in: container) })
    }
  }

  private mutating func nested<Value>(
    _ body: (inout LogValueReader) throws -> Value
  ) throws -> Value {
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
    var habit = Habit()
    var values: [KeyValueLogValue] = []
    while !slot.container.isAtEnd {
      values.append(try value(in: &slot, &habit))
    }
    return values
  }

  private mutating func dictionary(
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

  /// The number that JSON doesn't have; nil for a dictionary.
  private func number(in container: KeyedDecodingContainer<RecordKey>) throws -> Double? {
    guard container.contains(LogValueTag.number) else { return nil }
    let name = try container.decode(String.self, forKey: LogValueTag.number)
    guard let number = LogValueTag.number(named: name) else {
      throw DecodingError.dataCorruptedError(
        forKey: LogValueTag.number, in: container,
        debugDescription: "\(quoted(name)) isn't 'infinity', '-infinity' or 'nan'.")
    }
    return number
  }

  private func checkDepth(_ path: @autoclosure () -> [any CodingKey]) throws {
    if depth > KeyValueLogValue.maximumDepth {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: path(), debugDescription: LogValueTag.tooDeep))
    }
  }
}

/// The field of the object that a value is written as if JSON doesn't have such values.
enum LogValueTag {
  static let reference = RecordKey("@")
  static let number = RecordKey("@number")

  /// The first character of a tag, which a dictionary's key gets one more of.
  static let sign = UInt8(ascii: "@")

  /// The number that JSON doesn't have, by its name.
  static func number(named name: String) -> Double? {
    switch name {
    case "infinity": .infinity
    case "-infinity": -.infinity
    case "nan": .nan
    default: nil
    }
  }

  /// The name of a number that JSON doesn't have.
  static func name(of number: Double) -> String {
    number.isNaN ? "nan" : number < 0 ? "-infinity" : "infinity"
  }

  static let tooDeep =
    "The value is more than \(KeyValueLogValue.maximumDepth) arrays and dictionaries deep."
  /// The same inside of a sentence.
  static let tooDeepValue =
    "the value is more than \(KeyValueLogValue.maximumDepth) arrays and dictionaries deep"
}

/// A place in a container that has one value.
///
/// A failed attempt leaves the place as it is. There's a method for each type, because a container's
/// generic method is several times slower than the one for a type of the standard library.
private protocol ValueSlot {
  mutating func isNil() throws -> Bool
  mutating func string() throws -> String
  mutating func integer() throws -> Int
  mutating func number() throws -> Double
  mutating func bool() throws -> Bool
  mutating func object() throws -> KeyedDecodingContainer<RecordKey>
  mutating func array() throws -> any UnkeyedDecodingContainer
  func corrupted(_ reason: String) -> DecodingError
}

/// The only value of a decoder.
private struct DecoderSlot: ValueSlot {
  let decoder: any Decoder

  func isNil() throws -> Bool { try decoder.singleValueContainer().decodeNil() }
  func string() throws -> String { try decoder.singleValueContainer().decode(String.self) }
  func integer() throws -> Int { try decoder.singleValueContainer().decode(Int.self) }
  func number() throws -> Double { try decoder.singleValueContainer().decode(Double.self) }
  func bool() throws -> Bool { try decoder.singleValueContainer().decode(Bool.self) }
  func object() throws -> KeyedDecodingContainer<RecordKey> {
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
  func string() throws -> String { try container.decode(String.self, forKey: key) }
  func integer() throws -> Int { try container.decode(Int.self, forKey: key) }
  func number() throws -> Double { try container.decode(Double.self, forKey: key) }
  func bool() throws -> Bool { try container.decode(Bool.self, forKey: key) }
  func object() throws -> KeyedDecodingContainer<RecordKey> {
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
  mutating func string() throws -> String { try container.decode(String.self) }
  mutating func integer() throws -> Int { try container.decode(Int.self) }
  mutating func number() throws -> Double { try container.decode(Double.self) }
  mutating func bool() throws -> Bool { try container.decode(Bool.self) }
  mutating func object() throws -> KeyedDecodingContainer<RecordKey> {
    try container.nestedContainer(keyedBy: RecordKey.self)
  }
  mutating func array() throws -> any UnkeyedDecodingContainer {
    try container.nestedUnkeyedContainer()
  }
  func corrupted(_ reason: String) -> DecodingError {
    .dataCorruptedError(in: container, debugDescription: reason)
  }
}
