extension KeyValueEdit: Codable {
  private enum Field {
    static let name = RecordKey("class")
    static let values = RecordKey("values")
    static let key = RecordKey("key")
    static let old = RecordKey("old")
    static let new = RecordKey("new")
    static let indexes = RecordKey("indexes")
    static let elements = RecordKey("elements")
    static let removed = RecordKey("removed")
    static let inserted = RecordKey("inserted")
    static let entry = RecordKey("entry")
  }

  /// Decodes an edit.
  ///
  /// - Throws: `DecodingError`, which names the field: for an edit of an unknown kind or of two kinds, for
  ///   a missing field or one of the wrong type, for ranges that are negative, empty, overlapping or not
  ///   ascending, and for elements that aren't as many as the indexes. Other fields are ignored.
  public init(from decoder: any Decoder) throws {
    var reader = LogValueReader()
    try self.init(from: decoder.container(keyedBy: RecordKey.self), &reader)
  }

  /// Encodes the edit, the elements of sets in ascending order.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: RecordKey.self)
    try fields.encode(id, forKey: RecordKey(verb.rawValue))
    if let key { try fields.encode(key, forKey: Field.key) }
    switch self {
    case .create(_, let name, let values), .delete(_, let name, let values):
      try fields.encode(name, forKey: Field.name)
      try LogValueWriter.write(values, to: &fields, forKey: Field.values)
    case .set(_, _, let old, let new):
      try LogValueWriter.write(old, to: &fields, forKey: Field.old)
      try LogValueWriter.write(new, to: &fields, forKey: Field.new)
    case .insert(_, _, let indexes, let elements), .remove(_, _, let indexes, let elements):
      try Self.write(Elements(indexes: indexes, elements: elements), to: &fields)
    case .replace(_, _, let indexes, let old, let new):
      try Self.write(indexes, to: &fields)
      try LogValueWriter.write(old, to: &fields, forKey: Field.old)
      try LogValueWriter.write(new, to: &fields, forKey: Field.new)
    case .amend(_, _, let removed, let inserted):
      for (key, part) in [(Field.removed, removed), (Field.inserted, inserted)] {
        var nested = fields.nestedContainer(keyedBy: RecordKey.self, forKey: key)
        try Self.write(part, to: &nested)
      }
    case .union(_, _, let elements), .subtract(_, _, let elements):
      let elements = KeyValueLogValue.ascending(elements)
      try LogValueWriter.write(elements, to: &fields, forKey: Field.elements)
    case .exchange(_, _, let old, let new):
      try LogValueWriter.write(KeyValueLogValue.ascending(old), to: &fields, forKey: Field.old)
      try LogValueWriter.write(KeyValueLogValue.ascending(new), to: &fields, forKey: Field.new)
    case .setEntry(_, _, let entry, let old, let new):
      try LogValueWriter.write(entry, to: &fields, forKey: Field.entry)
      // No field means no entry; null is an entry that's nil.
      if let old { try LogValueWriter.write(old, to: &fields, forKey: Field.old) }
      if let new { try LogValueWriter.write(new, to: &fields, forKey: Field.new) }
    }
  }

  // MARK: Indexes

  private static func write(_ part: Elements, to fields: inout LogValueWriter.Fields) throws {
    try write(part.indexes, to: &fields)
    try LogValueWriter.write(part.elements, to: &fields, forKey: Field.elements)
  }

  private static func write(
    _ indexes: RangeSet<Int>, to fields: inout LogValueWriter.Fields
  ) throws {
    var list = fields.nestedUnkeyedContainer(forKey: Field.indexes)
    for range in indexes.ranges {
      var bounds = list.nestedUnkeyedContainer()
      try bounds.encode(range.lowerBound)
      try bounds.encode(range.upperBound)
    }
  }

  // MARK: Reading

  typealias Fields = KeyedDecodingContainer<RecordKey>

  /// Decodes an edit with a reader that knows the values of other edits.
  init(from fields: Fields, _ reader: inout LogValueReader) throws {
    let (verb, field) = try Self.verb(of: fields)
    let id = KeyValueObjectID(try UniqueNumber(fields, field))
    let isObject = verb == .create || verb == .delete
    let key = isObject ? "" : try fields.decode(String.self, forKey: Field.key)
    switch verb {
    case .create, .delete:
      let name = try fields.decode(String.self, forKey: Field.name)
      let values = try reader.dictionary(in: fields, forKey: Field.values)
      self =
        verb == .create
        ? .create(id, class: name, values: values) : .delete(id, class: name, values: values)
    case .set:
      self = .set(
        id, key: key, old: try reader.value(in: fields, forKey: Field.old),
        new: try reader.value(in: fields, forKey: Field.new))
    case .insert, .remove:
      let part = try Self.elements(fields, &reader)
      self =
        verb == .insert
        ? .insert(id, key: key, indexes: part.indexes, elements: part.elements)
        : .remove(id, key: key, indexes: part.indexes, elements: part.elements)
    case .replace:
      let indexes = try Self.indexes(fields)
      self = .replace(
        id, key: key, indexes: indexes.set,
        old: try Self.elements(fields, Field.old, count: indexes.count, &reader),
        new: try Self.elements(fields, Field.new, count: indexes.count, &reader))
    case .amend:
      let removed = try fields.nestedContainer(keyedBy: RecordKey.self, forKey: Field.removed)
      let inserted = try fields.nestedContainer(keyedBy: RecordKey.self, forKey: Field.inserted)
      self = .amend(
        id, key: key, removed: try Self.elements(removed, &reader),
        inserted: try Self.elements(inserted, &reader))
    case .union, .subtract:
      let elements = try reader.values(in: fields, forKey: Field.elements)
      self =
        verb == .union
        ? .union(id, key: key, elements: elements) : .subtract(id, key: key, elements: elements)
    case .exchange:
      self = .exchange(
        id, key: key, old: try reader.values(in: fields, forKey: Field.old),
        new: try reader.values(in: fields, forKey: Field.new))
    case .setEntry:
      func value(_ field: RecordKey) throws -> KeyValueLogValue? {
        // Not with `? :`, in which nil would be a value that's null.
        guard fields.contains(field) else { return .none }
        return try reader.value(in: fields, forKey: field)
      }
      self = .setEntry(
        id, key: key, entry: try reader.value(in: fields, forKey: Field.entry),
        old: try value(Field.old), new: try value(Field.new))
    }
  }

  /// The kind of an edit, and the field that says it.
  private static func verb(of fields: Fields) throws -> (Verb, RecordKey) {
    let found = fields.allKeys.compactMap { key in
      Verb(rawValue: key.stringValue).map { ($0, key) }
    }
    guard found.count == 1 else {
      let names = fields.allKeys.map(\.stringValue).sorted().prefix(8).map(quoted)
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: fields.codingPath,
          debugDescription: found.isEmpty
            ? "There's no edit of a known kind among the fields \(names.joined(separator: ", "))."
            : "An edit is of one kind; the fields are \(names.joined(separator: ", "))."))
    }
    return found[0]
  }

  private static func elements(
    _ fields: Fields, _ reader: inout LogValueReader
  ) throws -> Elements {
    let indexes = try indexes(fields)
    return Elements(
      indexes: indexes.set,
      elements: try elements(fields, Field.elements, count: indexes.count, &reader))
  }

  /// A list of elements, one for each index.
  private static func elements(
    _ fields: Fields, _ field: RecordKey, count: Int, _ reader: inout LogValueReader
  ) throws -> [KeyValueLogValue] {
    let elements = try reader.values(in: fields, forKey: field)
    guard elements.count == count else {
      throw DecodingError.dataCorruptedError(
        forKey: field, in: fields,
        debugDescription: "There are \(elements.count) elements for \(count) indexes.")
    }
    return elements
  }

  /// The indexes, and how many there are.
  private static func indexes(_ fields: Fields) throws -> (set: RangeSet<Int>, count: Int) {
    var list = try fields.nestedUnkeyedContainer(forKey: Field.indexes)
    var ranges: [Range<Int>] = []
    var (end, count) = (0, 0)
    while !list.isAtEnd {
      var bounds = try list.nestedUnkeyedContainer()
      let (lower, upper) = (try bounds.decode(Int.self), try bounds.decode(Int.self))
      guard lower >= end, lower < upper, bounds.isAtEnd else {
        throw DecodingError.dataCorruptedError(
          forKey: Field.indexes, in: fields,
          debugDescription: "Indexes are ascending ranges, [[lower, upper], …], none of them "
            + "empty, and [\(lower), \(upper)\(bounds.isAtEnd ? "" : ", …")] follows \(end).")
      }
      ranges.append(lower..<upper)
      end = upper
      // The ranges are apart and not negative, so their sum isn't more than `Int.max`.
      count += upper - lower
    }
    return (RangeSet(ranges), count)
  }
}
