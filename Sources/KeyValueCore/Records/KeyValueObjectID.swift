/// The identity of an object in records and snapshots.
///
/// A record refers to objects by their ids, so it's valid in another process and on another machine.
/// An id is a random UUID, version 4:
///
/// ```swift
/// let id = KeyValueObjectID()
/// print(id)                                       // 7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12
/// print(KeyValueObjectID("\(id)") == id)          // true
/// print(KeyValueObjectID("7f3c") as Any)          // nil
/// ```
///
/// It's coded as that string, and as such it's a key of a coded dictionary.
///
/// Source of the behaviour: this library's; Cocoa has no counterpart.
public struct KeyValueObjectID: Hashable, Sendable {
  let number: UniqueNumber

  init(_ number: UniqueNumber) { self.number = number }

  /// Creates a random id.
  public init() { number = UniqueNumber() }

  /// The hash in a set or a dictionary, as integers have one: without a `Hasher`.
  public func _rawHashValue(seed: Int) -> Int { number.keyedHash ^ seed }

  /// The first eight digits, for texts in which a reader tells a few objects apart.
  var shortDescription: String { number.shortText }
}

extension KeyValueObjectID: LosslessStringConvertible {
  /// Creates the id that a UUID spells, in upper or lower case; nil if the text isn't a UUID.
  ///
  /// - Parameter description: 36 characters, as `description` returns them.
  public init?(_ description: String) {
    guard let number = UniqueNumber(description) else { return nil }
    self.number = number
  }

  /// The UUID, in lower case: `7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12`.
  public var description: String { number.text }
}

extension KeyValueObjectID: Codable {
  /// Decodes the id from a string.
  ///
  /// - Throws: `DecodingError` if the string isn't a UUID.
  public init(from decoder: any Decoder) throws {
    number = try UniqueNumber(from: decoder)
  }

  /// Encodes the id as a string.
  public func encode(to encoder: any Encoder) throws {
    try number.encode(to: encoder)
  }
}

extension KeyValueObjectID: CodingKeyRepresentable {
  /// The id as the key of a coded dictionary.
  public var codingKey: any CodingKey { RecordKey(description) }

  /// Creates the id that a coded dictionary's key spells; nil if the key isn't a UUID.
  public init?(codingKey: some CodingKey) {
    self.init(codingKey.stringValue)
  }
}
