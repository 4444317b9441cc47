/// Changes of a JSON document, as RFC 6902 defines them.
///
/// `KeyValueTransactionRecord.jsonPatch(in:)` creates one for tools that know JSON Patch. It's coded as
/// the RFC's array:
///
/// ```swift
/// let patch = try record.jsonPatch(in: snapshot)
/// print(String(decoding: try JSONEncoder().encode(patch), as: UTF8.self))
/// // [{"op":"test","path":"/objects/7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12/values/count","value":0},
/// //  {"op":"replace","path":"/objects/7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12/values/count","value":1}]
/// ```
///
/// Source of the behaviour: this library's; Cocoa has no counterpart.
public struct KeyValueJSONPatch: Hashable, Sendable {
  /// The operations, in the order in which they apply.
  public var operations: [Operation]

  /// Creates a patch.
  ///
  /// - Parameter operations: The operations, in the order in which they apply.
  public init(_ operations: [Operation] = []) { self.operations = operations }

  /// One operation of a patch.
  public struct Operation: Hashable, Sendable {
    /// What the operation does.
    public var op: Kind
    /// The place, a JSON pointer: `/objects/7f3c…/values/count`.
    public var path: String
    /// The place that a value is moved or copied from; nil for all other operations.
    public var from: String?
    /// The value that's added, replaces another or is expected; nil for all other operations.
    ///
    /// A value that's null is `.null`.
    public var value: KeyValueLogValue?

    /// Creates an operation.
    ///
    /// - Parameters:
    ///   - op: What the operation does.
    ///   - path: The place, a JSON pointer.
    ///   - from: The place that a value is moved or copied from.
    ///   - value: The value that's added, replaces another or is expected.
    public init(
      _ op: Kind, _ path: String, from: String? = nil, value: KeyValueLogValue? = nil
    ) {
      self.op = op
      self.path = path
      self.from = from
      self.value = value
    }

    /// What an operation does.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
      /// Adds a field, or an element at an index.
      case add
      /// Removes a value.
      case remove
      /// Replaces a value.
      case replace
      /// Moves a value from another place.
      case move
      /// Copies a value from another place.
      case copy
      /// Expects a value; a patch whose test fails isn't applied.
      case test
    }
  }
}

extension KeyValueJSONPatch: Codable {
  /// Decodes a patch from the RFC's array.
  ///
  /// - Throws: `DecodingError`, which names the field, for an unknown operation, for one without a field
  ///   that it needs, and for a path that isn't a JSON pointer. Other fields are ignored.
  public init(from decoder: any Decoder) throws {
    operations = try [Operation](from: decoder)
  }

  /// Encodes the patch as the RFC's array.
  public func encode(to encoder: any Encoder) throws {
    try operations.encode(to: encoder)
  }
}

extension KeyValueJSONPatch.Operation: Codable {
  private enum Field {
    static let op = RecordKey("op")
    static let path = RecordKey("path")
    static let from = RecordKey("from")
    static let value = RecordKey("value")
  }

  /// Decodes an operation.
  ///
  /// - Throws: `DecodingError`, which names the field.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: RecordKey.self)
    func pointer(_ field: RecordKey) throws -> String {
      let text = try fields.decode(String.self, forKey: field)
      guard JSONPointer.isValid(text) else {
        throw DecodingError.dataCorruptedError(
          forKey: field, in: fields, debugDescription: "\(quoted(text)) isn't a JSON pointer.")
      }
      return text
    }
    op = try fields.decode(Kind.self, forKey: Field.op)
    path = try pointer(Field.path)
    from = op == .move || op == .copy ? try pointer(Field.from) : nil
    value = nil
    if op == .add || op == .replace || op == .test {
      // A field that's missing and one that's null differ.
      guard fields.contains(Field.value) else {
        throw DecodingError.keyNotFound(
          Field.value,
          .init(
            codingPath: fields.codingPath,
            debugDescription: "The operation '\(op.rawValue)' has no value."))
      }
      var reader = LogValueReader()
      value = try reader.value(in: fields, forKey: Field.value)
    }
  }

  /// Encodes the operation.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: RecordKey.self)
    try fields.encode(op, forKey: Field.op)
    try fields.encodeIfPresent(from, forKey: Field.from)
    try fields.encode(path, forKey: Field.path)
    if let value { try LogValueWriter.write(value, to: &fields, forKey: Field.value) }
  }
}

extension KeyValueJSONPatch: CustomStringConvertible {
  /// A line for each operation: `replace /objects/7f3c…/values/count: 1`.
  public var description: String {
    operations.map { operation in
      operation.op.rawValue + (operation.from.map { " \($0) to" } ?? "") + " \(operation.path)"
        + (operation.value.map { ": \($0)" } ?? "")
    }.joined(separator: "\n")
  }
}

/// A JSON pointer, RFC 6901, as text.
enum JSONPointer {
  /// A pointer along fields and indexes.
  static func to(_ names: String...) -> String { names.map { "/" + escaped($0) }.joined() }

  /// A name as a pointer has it: "~0" for "~", and "~1" for "/".
  static func escaped(_ name: String) -> String {
    guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
      return name
    }
    // By bytes: a "/" that a combining mark follows is a "/" to a reader of JSON.
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "~"): bytes += [byte, UInt8(ascii: "0")]
      case UInt8(ascii: "/"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "1")]
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a text is a pointer: empty, or each name after a "/", and "~" only in "~0" and "~1".
  static func isValid(_ text: String) -> Bool {
    guard text.utf8.first ?? UInt8(ascii: "/") == UInt8(ascii: "/") else { return false }
    var bytes = text.utf8[...]
    while let tilde = bytes.firstIndex(of: UInt8(ascii: "~")) {
      bytes = bytes[bytes.index(after: tilde)...]
      guard let digit = bytes.first, digit == UInt8(ascii: "0") || digit == UInt8(ascii: "1") else {
        return false
      }
    }
    return true
  }
}
