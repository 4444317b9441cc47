extension KeyValueEdit: Codable {
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
    try forEachField { key, content in try Self.write(content, to: &fields, forKey: key) }
  }

  private static func write(
    _ content: FieldContent, to fields: inout LogValueWriter.Fields, forKey key: RecordKey
  ) throws {
    switch content {
    case .id(let id): try fields.encode(id, forKey: key)
    case .text(let text): try fields.encode(text, forKey: key)
    case .value(let value): try LogValueWriter.write(value, to: &fields, forKey: key)
    case .list(let values): try LogValueWriter.write(values, to: &fields, forKey: key)
    case .values(let values): try LogValueWriter.write(values, to: &fields, forKey: key)
    case .indexes(let indexes):
      try fields.encode(indexes.ranges.map { [$0.lowerBound, $0.upperBound] }, forKey: key)
    case .part(let part):
      var nested = fields.nestedContainer(keyedBy: RecordKey.self, forKey: key)
      try write(.list(part.elements), to: &nested, forKey: .elements)
      try write(.indexes(part.indexes), to: &nested, forKey: .indexes)
    }
  }

  // MARK: Reading

  typealias Fields = KeyedDecodingContainer<RecordKey>

  /// Decodes an edit with a reader that knows the values of other edits.
  init(from fields: Fields, _ reader: inout LogValueReader) throws {
    let verb = try Self.verb(of: fields)
    let id = KeyValueObjectID(try UniqueNumber(fields, RecordKey(verb.rawValue)))
    let isObject = verb == .create || verb == .delete
    let key = isObject ? "" : try fields.decode(String.self, forKey: .key)
    switch verb {
    case .create, .delete:
      let name = try fields.decode(String.self, forKey: .class)
      let values = try reader.dictionary(in: fields, forKey: .values)
      self =
        verb == .create
        ? .create(id, class: name, values: values) : .delete(id, class: name, values: values)
    case .set:
      self = .set(
        id, key: key, old: try reader.value(in: fields, forKey: .old),
        new: try reader.value(in: fields, forKey: .new))
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
        old: try Self.elements(fields, .old, count: indexes.count, &reader),
        new: try Self.elements(fields, .new, count: indexes.count, &reader))
    case .amend:
      let removed = try fields.nestedContainer(keyedBy: RecordKey.self, forKey: .removed)
      let inserted = try fields.nestedContainer(keyedBy: RecordKey.self, forKey: .inserted)
      self = .amend(
        id, key: key, removed: try Self.elements(removed, &reader),
        inserted: try Self.elements(inserted, &reader))
    case .union:
      self = .union(id, key: key, elements: try reader.values(in: fields, forKey: .elements))
    case .subtract:
      self = .subtract(id, key: key, elements: try reader.values(in: fields, forKey: .elements))
    case .exchange:
      self = .exchange(
        id, key: key, old: try reader.values(in: fields, forKey: .old),
        new: try reader.values(in: fields, forKey: .new))
    case .setEntry:
      func value(_ field: RecordKey) throws -> KeyValueLogValue? {
        // Not with `? :`, in which nil would be a value that's null.
        guard fields.contains(field) else { return .none }
        return try reader.value(in: fields, forKey: field)
      }
      self = .setEntry(
        id, key: key, entry: try reader.value(in: fields, forKey: .entry),
        old: try value(.old), new: try value(.new))
    }
  }

  private static func verb(of fields: Fields) throws -> Verb {
    let found = fields.allKeys.compactMap { Verb(rawValue: $0.stringValue) }
    guard found.count == 1 else {
      let names = fields.allKeys.map(\.stringValue).sorted().prefix(8).map(quoted)
        .joined(separator: ", ")
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: fields.codingPath,
          debugDescription: found.isEmpty
            ? "There's no edit of a known kind among the fields \(names)."
            : "An edit is of one kind; the fields are \(names)."))
    }
    return found[0]
  }

  private static func elements(
    _ fields: Fields, _ reader: inout LogValueReader
  ) throws -> Elements {
    let indexes = try indexes(fields)
    return Elements(
      indexes: indexes.set,
      elements: try elements(fields, .elements, count: indexes.count, &reader))
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
    var list = try fields.nestedUnkeyedContainer(forKey: .indexes)
    var ranges: [Range<Int>] = []
    var (end, count) = (0, 0)
    while !list.isAtEnd {
      var bounds = try list.nestedUnkeyedContainer()
      let (lower, upper) = (try bounds.decode(Int.self), try bounds.decode(Int.self))
      guard lower >= end, lower < upper, bounds.isAtEnd else {
        throw DecodingError.dataCorruptedError(
          forKey: .indexes, in: fields,
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
