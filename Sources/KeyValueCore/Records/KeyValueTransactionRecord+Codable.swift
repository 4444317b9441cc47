extension KeyValueTransactionRecord: Codable {
  /// Decodes a record.
  ///
  /// - Throws: `DecodingError`, which names the field; see `KeyValueEdit`. Other fields are ignored.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: RecordKey.self)
    id = KeyValueRecordID(try UniqueNumber(fields, .id))
    let writer = try fields.decodeIfPresent(String.self, forKey: .origin)
    origin = writer.map { .remote($0) } ?? .local
    isTransaction = try fields.decode(Bool.self, forKey: .isTransaction)
    edits = []
    var list = try fields.nestedUnkeyedContainer(forKey: .edits)
    var reader = LogValueReader()
    while !list.isAtEnd {
      edits.append(
        try KeyValueEdit(from: try list.nestedContainer(keyedBy: RecordKey.self), &reader))
    }
  }

  /// Encodes the record.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: RecordKey.self)
    try fields.encode(id, forKey: .id)
    if case .remote(let name) = origin { try fields.encode(name, forKey: .origin) }
    try fields.encode(isTransaction, forKey: .isTransaction)
    try fields.encode(edits, forKey: .edits)
  }
}
