/// A value in a record or a snapshot: plain data, or a reference to an object by its id.
///
/// It describes itself, so a record decodes, compares and prints without the classes that it's about:
///
/// ```swift
/// let value: KeyValueLogValue = ["name": "Ada", "age": 36, "scores": [1, 2.5, nil]]
/// print(value)                                    // ["age": 36, "name": "Ada", "scores": [1, 2.5, nil]]
/// print(KeyValueLogValue.integer(2) == 2.0)       // true
/// ```
///
/// Numbers are equal if they're mathematically equal, whichever case they have, because JSON can't
/// tell 2 from 2.0. A number that isn't one (NaN) equals itself, so that a record equals its copy.
///
/// In JSON a value is what it looks like. Three kinds need a form of their own, an object whose key
/// begins with "@":
///
/// | value | JSON |
/// | --- | --- |
/// | a reference | `{"@":"7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12"}` |
/// | a number that JSON doesn't have | `{"@number":"infinity"}`, `{"@number":"-infinity"}`, `{"@number":"nan"}` |
/// | a dictionary's key that begins with "@" | the key with one more "@": `{"@@":1}` for `["@": 1]` |
///
/// No dictionary is therefore written with the field "@", and an object that has it is a reference.
///
/// A whole number that `Int` can't hold, which a `UInt64` may be, is the string of its digits, as
/// `init(exactly:)` makes it. So a type that can be a number or a string, and asks for the number first, gets a
/// number for a string of such digits. In JSON from elsewhere such a number is read as the nearest `Double`.
/// The sign of a zero may get lost. All other values are read as they were written.
///
/// Arrays and dictionaries are at most 128 levels deep. Deeper ones are neither written nor read:
/// coding throws.
///
/// A set is an array whose elements are in ascending order. A dictionary of objects with keys that
/// aren't strings is an array of pairs, `[[key, value], …]`, with ascending keys. One of values is
/// what `Codable` writes: a dictionary for keys that are integers, else keys and values in turn.
///
/// Source of the behaviour: this library's; Cocoa has no counterpart.
public enum KeyValueLogValue: Sendable {
  /// No value: a nil optional.
  case null
  /// A Boolean.
  case bool(Bool)
  /// A whole number.
  case integer(Int)
  /// A number with a fraction, or too large for `integer`.
  case number(Double)
  /// A string.
  case string(String)
  /// An array, a set, or a dictionary with keys that aren't strings.
  case array([KeyValueLogValue])
  /// A dictionary with strings as keys, or a value with named fields.
  case dictionary([String: KeyValueLogValue])
  /// An object of the graph.
  case reference(KeyValueObjectID)

  /// The maximum depth of arrays and dictionaries in each other.
  static let maximumDepth = 128

  /// Creates a whole number of any type: an `integer` if `Int` holds it, else the string of its digits.
  ///
  /// ```swift
  /// print(KeyValueLogValue(exactly: UInt8(7)))      // 7
  /// print(KeyValueLogValue(exactly: UInt64.max))    // "18446744073709551615"
  /// ```
  ///
  /// - Parameter number: The number.
  public init(exactly number: some BinaryInteger) {
    self = Int(exactly: number).map { .integer($0) } ?? .string("\(number)")
  }
}

extension KeyValueLogValue: Hashable {
  /// Whether both are the same value; numbers are compared as numbers.
  public static func == (left: KeyValueLogValue, right: KeyValueLogValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.integer(let integer), .number(let number)), (.number(let number), .integer(let integer)):
      Int(exactly: number) == integer
    case (.number(let left), .number(let right)): left == right || left.isNaN && right.isNaN
    case (.string(let left), .string(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)): left == right
    case (.reference(let left), .reference(let right)): left == right
    default: false
    }
  }

  /// Hashes the value; equal numbers have equal hashes.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .number(let value):
      if let integer = Int(exactly: value) {
        hasher.combine(integer)
      } else {
        hasher.combine(value.isNaN ? .nan : value)
      }
    case .string(let value): hasher.combine(value)
    case .array(let values): hasher.combine(values)
    case .dictionary(let values): hasher.combine(values)
    case .reference(let id): hasher.combine(id)
    }
  }
}

@_spi(Replication)
extension KeyValueLogValue {
  /// Whether both are the same value with the same Unicode scalars in their strings, which equal strings needn't have.
  ///
  /// What is recorded is compared so. What a record expects isn't, because text may be normalised on its way.
  public func isIdentical(to other: KeyValueLogValue) -> Bool {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): left == right
    case (.reference(let left), .reference(let right)): left == right
    case (.string(let left), .string(let right)): left.hasSameScalars(as: right)
    case (.array(let left), .array(let right)):
      haveSameBits(left, right) || left.elementsEqual(right) { $0.isIdentical(to: $1) }
    case (.dictionary(let left), .dictionary(let right)):
      haveSameBits(left, right)
        || left.count == right.count
          && left.allSatisfy { name, value in
            guard let index = right.index(forKey: name) else { return false }
            return right[index].key.hasSameScalars(as: name)
              && right[index].value.isIdentical(to: value)
          }
    default: self == other
    }
  }
}

extension KeyValueLogValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringInterpolation,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates `null`.
  public init(nilLiteral: ()) { self = .null }

  /// Creates a `bool`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates an `integer`.
  public init(integerLiteral value: Int) { self = .integer(value) }

  /// Creates a `number`.
  public init(floatLiteral value: Double) { self = .number(value) }

  /// Creates a `string`.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Creates an `array`.
  public init(arrayLiteral elements: KeyValueLogValue...) { self = .array(elements) }

  /// Creates a `dictionary`.
  ///
  /// - Precondition: No key occurs twice, as in every dictionary literal.
  public init(dictionaryLiteral elements: (String, KeyValueLogValue)...) {
    self = .dictionary(Dictionary(uniqueKeysWithValues: elements))
  }
}

extension KeyValueLogValue: CustomStringConvertible {
  /// The value as a Swift literal, with a dictionary's keys in ascending order; a reference is "@" and
  /// the first digits of its id.
  ///
  /// ```swift
  /// print(KeyValueLogValue.reference(id))           // @7f3c2d1a
  /// ```
  public var description: String {
    switch self {
    case .null: "nil"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let value): value.debugDescription
    case .array(let values): "\(values)"
    case .dictionary(let values): Self.listing(values)
    case .reference(let id): "@\(id.shortDescription)"
    }
  }

  /// `["age": 36, "name": "Ada"]`, by key.
  private static func listing(_ values: [String: KeyValueLogValue]) -> String {
    guard !values.isEmpty else { return "[:]" }
    let entries = values.sorted { $0.key < $1.key }
      .map { "\($0.key.debugDescription): \($0.value)" }
    return "[\(entries.joined(separator: ", "))]"
  }
}
