/// The identity of a record: the same wherever the record is stored, sent or applied.
///
/// It's a random UUID, printed and coded as such:
///
/// ```swift
/// let id = KeyValueRecordID()
/// print(id)                                       // 0b8e5f27-6c1d-4a39-b2f4-9d8c7b6a5e01
/// print(KeyValueRecordID("\(id)") == id)          // true
/// ```
///
/// The inverse of a record has an id that's derived from the record's, so the inverse of the inverse
/// has the record's own.
///
/// Source of the behaviour: this library's; Cocoa has no counterpart.
public struct KeyValueRecordID: Hashable, Sendable {
  let number: UniqueNumber

  init(_ number: UniqueNumber) { self.number = number }

  /// Creates a random id.
  public init() { number = UniqueNumber() }

  /// The id of the inverse record; its own inverse is this id.
  var inverse: KeyValueRecordID {
    // Every random bit changes, so that the two don't look alike. The version and the variant stay.
    KeyValueRecordID(
      UniqueNumber(high: number.high ^ ~0xF000, low: number.low ^ (1 << 62 - 1)))
  }
}

extension KeyValueRecordID: LosslessStringConvertible {
  /// Creates the id that a UUID spells, in upper or lower case; nil if the text isn't a UUID.
  ///
  /// - Parameter description: 36 characters, as `description` returns them.
  public init?(_ description: String) {
    guard let number = UniqueNumber(description) else { return nil }
    self.number = number
  }

  /// The UUID, in lower case: `0b8e5f27-6c1d-4a39-b2f4-9d8c7b6a5e01`.
  public var description: String { number.text }
}

extension KeyValueRecordID: Codable {
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
