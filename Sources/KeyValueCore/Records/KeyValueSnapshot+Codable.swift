extension KeyValueSnapshot: Codable {
  /// Decodes a snapshot.
  ///
  /// - Throws: `DecodingError`, which names the field. Whether references lead to objects isn't checked.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: RecordKey.self)
    root = try fields.decode(KeyValueObjectID.self, forKey: .root)
    schema = try fields.decode(Int.self, forKey: .schema)
    let list = try fields.nestedContainer(keyedBy: RecordKey.self, forKey: .objects)
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
        class: try object.decode(String.self, forKey: .class),
        values: try reader.dictionary(in: object, forKey: .values))
      guard objects.updateValue(read, forKey: id) == nil else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: list, debugDescription: "There are two objects \(id).")
      }
    }
  }

  /// Encodes the snapshot, its objects ordered by id.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: RecordKey.self)
    try fields.encode(root, forKey: .root)
    try fields.encode(schema, forKey: .schema)
    var list = fields.nestedContainer(keyedBy: RecordKey.self, forKey: .objects)
    for (id, object) in objects.sorted(by: { $0.key.number < $1.key.number }) {
      try list.encode(WrittenObject(object: object), forKey: RecordKey(id.description))
    }
  }

  /// An object as an encoder takes it, which is faster than a container for each.
  private struct WrittenObject: Encodable {
    let object: Object

    func encode(to encoder: any Encoder) throws {
      var fields = encoder.container(keyedBy: RecordKey.self)
      try fields.encode(object.class, forKey: .class)
      try LogValueWriter.write(object.values, to: &fields, forKey: .values)
    }
  }
}
