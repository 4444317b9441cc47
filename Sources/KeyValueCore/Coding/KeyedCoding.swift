/// Encodes and decodes single properties of a `Codable` class, as synthesised conformances do.
///
/// Only the `init(from:)` and `encode(to:)` that the macro writes call it. The overloads tell
/// optional properties from others by type, which the macro doesn't see.
public enum _KeyValueCoder {
  /// Reads a property's value; a missing value is an error.
  ///
  /// Disfavoured, so that optional properties use the other overload.
  @_disfavoredOverload
  @inlinable
  public static func decode<Key: CodingKey, Value: Decodable>(
    _ key: Key, from container: KeyedDecodingContainer<Key>
  ) throws -> Value {
    try container.decode(Value.self, forKey: key)
  }

  /// Reads an optional property's value; a missing value is nil.
  @inlinable
  public static func decode<Key: CodingKey, Value: Decodable>(
    _ key: Key, from container: KeyedDecodingContainer<Key>
  ) throws -> Value? {
    try container.decodeIfPresent(Value.self, forKey: key)
  }

  /// Writes a property's value.
  @inlinable
  public static func encode<Key: CodingKey, Value: Encodable>(
    _ value: Value, _ key: Key, to container: inout KeyedEncodingContainer<Key>
  ) throws {
    try container.encode(value, forKey: key)
  }

  /// Writes an optional property's value; nothing for nil.
  @inlinable
  public static func encode<Key: CodingKey, Value: Encodable>(
    _ value: Value?, _ key: Key, to container: inout KeyedEncodingContainer<Key>
  ) throws {
    try container.encodeIfPresent(value, forKey: key)
  }
}
