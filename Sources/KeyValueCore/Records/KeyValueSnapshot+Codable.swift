extension KeyValueSnapshot: Codable {
  private enum Field {
    static let root = RecordKey("root")
    static let objects = RecordKey("objects")
    static let schema = RecordKey("schema")
    static let name = RecordKey("class")
    static let values = RecordKey("values")
  }

  /// Decodes a snapshot.
  ///
  /// - Throws: `DecodingError`, which names the field. Whether references lead to objects isn't checked.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: RecordKey.self)
    root = try fields.decode(KeyValueObjectID.self, forKey: Field.root)
    schema = try fields.decode(Int.self, forKey: Field.schema)
    let list = try fields.nestedContainer(keyedBy: RecordKey.self, forKey: Field.objects)
    let keys = list.allKeys
    objects = Dictionary(minimumCapacity: keys.count)
    var reader = LogValueReader()
    for key in keys {
      guard let id = KeyValueObjectID(key.stringValue) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: list, debugDescription: "\(quoted(key.stringValue)) isn't a UUID.")
      }
      let object = try list.nestedContainer(keyedBy: RecordKey.self, forKey: key)
      let read = Object(
        class: try object.decode(String.self, forKey: Field.name),
        values: try reader.dictionary(in: object, forKey: Field.values))
      guard objects.updateValue(read, forKey: id) == nil else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: list, debugDescription: "There are two objects \(id).")
      }
    }
  }

  /// Encodes the snapshot, its objects ordered by id.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: RecordKey.self)
    try fields.encode(root, forKey: Field.root)
    try fields.encode(schema, forKey: Field.schema)
    var list = fields.nestedContainer(keyedBy: RecordKey.self, forKey: Field.objects)
    for (id, object) in objects.sorted(by: { $0.key.number < $1.key.number }) {
      try list.encode(WrittenObject(object: object), forKey: RecordKey(id.description))
    }
  }

  /// An object as an encoder takes it, which is faster than a container for each.
  private struct WrittenObject: Encodable {
    let object: Object

    func encode(to encoder: any Encoder) throws {
      var fields = encoder.container(keyedBy: RecordKey.self)
      try fields.encode(object.class, forKey: Field.name)
      try LogValueWriter.write(object.values, to: &fields, forKey: Field.values)
    }
  }
}
