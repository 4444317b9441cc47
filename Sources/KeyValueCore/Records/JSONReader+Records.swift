extension JSONReader {
  // MARK: Snapshots

  mutating func snapshot() throws(Fault) -> KeyValueSnapshot {
    let start = position
    try begin(UInt8(ascii: "{"), "a snapshot, an object,")
    var root: UniqueNumber?
    var schema: Int?
    var objects: [KeyValueObjectID: KeyValueSnapshot.Object]?
    var isFirst = true
    while try next(UInt8(ascii: "}"), &isFirst) {
      let place = position
      let name = try fieldName()
      switch name {
      case "root":
        if root != nil { throw twice(name, at: place) }
        root = try uniqueNumber()
      case "schema":
        if schema != nil { throw twice(name, at: place) }
        schema = try integer()
      case "objects":
        if objects != nil { throw twice(name, at: place) }
        objects = try self.objects()
      default: try skipValue()
      }
    }
    return KeyValueSnapshot(
      root: KeyValueObjectID(try required(root, "root", start)),
      objects: try required(objects, "objects", start),
      schema: try required(schema, "schema", start))
  }

  private mutating func objects() throws(Fault) -> [KeyValueObjectID: KeyValueSnapshot.Object] {
    var objects: [KeyValueObjectID: KeyValueSnapshot.Object] = [:]
    try begin(UInt8(ascii: "{"), "an object")
    var isFirst = true
    var count = 0
    while try next(UInt8(ascii: "}"), &isFirst) {
      let place = position
      guard current == UInt8(ascii: "\"") else { throw unexpected("an object's id, a string,") }
      let id = KeyValueObjectID(try uniqueNumber())
      skipSpace()
      try begin(UInt8(ascii: ":"), "':'")
      skipSpace()
      let object = try object(about: count)
      count = object.values.count
      guard objects.updateValue(object, forKey: id) == nil else {
        throw fault(at: place, "there are two objects \(id); keep one of them")
      }
    }
    return objects
  }

  private mutating func object(about count: Int) throws(Fault) -> KeyValueSnapshot.Object {
    let start = position
    var className: String?
    var values: [String: KeyValueLogValue]?
    try begin(UInt8(ascii: "{"), "an object")
    var isFirst = true
    while try next(UInt8(ascii: "}"), &isFirst) {
      let place = position
      let name = try fieldName()
      switch name {
      case "class":
        if className != nil { throw twice(name, at: place) }
        className = try string("a string", isName: true)
      case "values":
        if values != nil { throw twice(name, at: place) }
        values = try dictionary(about: count)
      default: try skipValue()
      }
    }
    return KeyValueSnapshot.Object(
      class: try required(className, "class", start),
      values: try required(values, "values", start))
  }

  private func required<Value>(
    _ value: Value?, _ name: String, _ start: Int
  ) throws(Fault) -> Value {
    guard let value else { throw fault(at: start, "there's no field '\(name)' in the object") }
    return value
  }

  // MARK: Records

  mutating func record() throws(Fault) -> KeyValueTransactionRecord {
    let start = position
    try begin(UInt8(ascii: "{"), "a record, an object,")
    var id: UniqueNumber?
    var origin: KeyValueChangeOrigin?
    var isTransaction: Bool?
    var edits: [KeyValueEdit]?
    var isFirst = true
    while try next(UInt8(ascii: "}"), &isFirst) {
      let place = position
      let name = try fieldName()
      switch name {
      case "id":
        if id != nil { throw twice(name, at: place) }
        id = try uniqueNumber()
      case "origin":
        if origin != nil { throw twice(name, at: place) }
        if current == UInt8(ascii: "n") {
          try null()
          origin = .local
        } else {
          origin = .remote(try string("a string or null"))
        }
      case "isTransaction":
        if isTransaction != nil { throw twice(name, at: place) }
        isTransaction = try boolean()
      case "edits":
        if edits != nil { throw twice(name, at: place) }
        edits = try self.edits()
      default: try skipValue()
      }
    }
    return KeyValueTransactionRecord(
      try required(edits, "edits", start),
      isTransaction: try required(isTransaction, "isTransaction", start),
      origin: origin ?? .local, id: KeyValueRecordID(try required(id, "id", start)))
  }

  private mutating func edits() throws(Fault) -> [KeyValueEdit] {
    try begin(UInt8(ascii: "["), "an array")
    var edits: [KeyValueEdit] = []
    var isFirst = true
    while try next(UInt8(ascii: "]"), &isFirst) { edits.append(try edit()) }
    return edits
  }

  // MARK: Edits

  /// Where the fields of an edit are.
  ///
  /// Which ones count is known when the kind of the edit is, in a field that may be the last. So an edit is
  /// looked through first.
  private struct EditFields {
    let start: Int
    var places: [(name: String, value: Int)] = []
    /// The first few other fields, for an error.
    var others: [String] = []
  }

  private static let editFields: Set<String> = Set(KeyValueEdit.Verb.allCases.map(\.rawValue))
    .union([
      "class", "values", "key", "old", "new", "indexes", "elements", "removed", "inserted", "entry",
    ])

  private mutating func editFields() throws(Fault) -> EditFields {
    var fields = EditFields(start: position)
    try begin(UInt8(ascii: "{"), "an object")
    var isFirst = true
    while try next(UInt8(ascii: "}"), &isFirst) {
      let place = position
      let name = try fieldName()
      if Self.editFields.contains(name) {
        if fields.places.contains(where: { $0.name == name }) { throw twice(name, at: place) }
        fields.places.append((name, position))
      } else if fields.others.count < 8 {
        fields.others.append(name)
      }
      try skipValue()
    }
    return fields
  }

  private mutating func field<Value>(
    _ name: String, _ fields: EditFields,
    _ body: (inout JSONReader) throws(Fault) -> Value
  ) throws(Fault) -> Value {
    let place = fields.places.first(where: { $0.name == name })
    return try at(required(place, name, fields.start).value, body)
  }

  mutating func edit() throws(Fault) -> KeyValueEdit {
    let fields = try editFields()
    let verb = try verb(of: fields)
    let id = KeyValueObjectID(
      try field(verb.rawValue, fields) { reader throws(Fault) in try reader.uniqueNumber() })
    let isObject = verb == .create || verb == .delete
    let key = isObject ? "" : try text("key", fields)
    switch verb {
    case .create, .delete:
      let name = try text("class", fields)
      let values = try field("values", fields) { reader throws(Fault) in
        try reader.dictionary(about: 0)
      }
      return verb == .create
        ? .create(id, class: name, values: values) : .delete(id, class: name, values: values)
    case .set:
      return .set(id, key: key, old: try value("old", fields), new: try value("new", fields))
    case .insert, .remove:
      let part = try elements(fields)
      return verb == .insert
        ? .insert(id, key: key, indexes: part.indexes, elements: part.elements)
        : .remove(id, key: key, indexes: part.indexes, elements: part.elements)
    case .replace:
      let indexes = try indexes(fields)
      return .replace(
        id, key: key, indexes: indexes.set, old: try list("old", fields, count: indexes.count),
        new: try list("new", fields, count: indexes.count))
    case .amend:
      let (removed, inserted) = (try part("removed", fields), try part("inserted", fields))
      return .amend(id, key: key, removed: removed, inserted: inserted)
    case .union: return .union(id, key: key, elements: try list("elements", fields))
    case .subtract: return .subtract(id, key: key, elements: try list("elements", fields))
    case .exchange:
      return .exchange(
        id, key: key, old: try list("old", fields), new: try list("new", fields))
    case .setEntry:
      // No field means no entry; null is an entry that's nil.
      return .setEntry(
        id, key: key, entry: try value("entry", fields), old: try valueIfAny("old", fields),
        new: try valueIfAny("new", fields))
    }
  }

  private func verb(of fields: EditFields) throws(Fault) -> KeyValueEdit.Verb {
    let verbs = fields.places.compactMap { KeyValueEdit.Verb(rawValue: $0.name) }
    if verbs.count == 1 { return verbs[0] }
    let names = (fields.places.map(\.name) + fields.others).sorted().prefix(8).map(quoted)
      .joined(separator: ", ")
    throw fault(
      at: fields.start,
      verbs.isEmpty
        ? names.isEmpty
          ? "an edit has fields, and there are none"
          : "there's no edit of a known kind among the fields \(names)"
        : "an edit is of one kind; the fields are \(names)")
  }

  private mutating func text(_ name: String, _ fields: EditFields) throws(Fault) -> String {
    try field(name, fields) { reader throws(Fault) in try reader.string("a string", isName: true) }
  }

  private mutating func value(
    _ name: String, _ fields: EditFields
  ) throws(Fault) -> KeyValueLogValue {
    try field(name, fields) { reader throws(Fault) in try reader.value() }
  }

  private mutating func valueIfAny(
    _ name: String, _ fields: EditFields
  ) throws(Fault) -> KeyValueLogValue? {
    // Not with `? :`, in which nil would be a value that's null.
    guard fields.places.contains(where: { $0.name == name }) else { return .none }
    return try value(name, fields)
  }

  private mutating func part(
    _ name: String, _ fields: EditFields
  ) throws(Fault) -> KeyValueEdit.Elements {
    try field(name, fields) { reader throws(Fault) in
      let part = try reader.editFields()
      return try reader.elements(part)
    }
  }

  private mutating func elements(_ fields: EditFields) throws(Fault) -> KeyValueEdit.Elements {
    let indexes = try indexes(fields)
    return KeyValueEdit.Elements(
      indexes: indexes.set, elements: try list("elements", fields, count: indexes.count))
  }

  /// A list of elements; one for each index, if there are such.
  private mutating func list(
    _ name: String, _ fields: EditFields, count: Int? = nil
  ) throws(Fault) -> [KeyValueLogValue] {
    try field(name, fields) { reader throws(Fault) in
      let start = reader.position
      let elements = try reader.values()
      if let count, elements.count != count {
        throw reader.fault(at: start, "there are \(elements.count) elements for \(count) indexes")
      }
      return elements
    }
  }

  /// The indexes, and how many there are.
  private mutating func indexes(
    _ fields: EditFields
  ) throws(Fault) -> (set: RangeSet<Int>, count: Int) {
    try field("indexes", fields) { reader throws(Fault) in
      try reader.begin(UInt8(ascii: "["), "an array of ranges")
      var ranges: [Range<Int>] = []
      var (end, count) = (0, 0)
      var isFirst = true
      while try reader.next(UInt8(ascii: "]"), &isFirst) {
        let start = reader.position
        let bounds = try reader.bounds()
        guard bounds.lower >= end, bounds.lower < bounds.upper else {
          throw reader.fault(
            at: start,
            "indexes are ascending ranges, [[lower, upper], …], none of them empty, and "
              + "[\(bounds.lower), \(bounds.upper)] follows \(end)")
        }
        ranges.append(bounds.lower..<bounds.upper)
        end = bounds.upper
        // The ranges are apart and not negative, so their sum isn't more than `Int.max`.
        count += bounds.upper - bounds.lower
      }
      return (RangeSet(ranges), count)
    }
  }

  private mutating func bounds() throws(Fault) -> (lower: Int, upper: Int) {
    try begin(UInt8(ascii: "["), "a range, [lower, upper],")
    skipSpace()
    let lower = try integer()
    skipSpace()
    try begin(UInt8(ascii: ","), "',' and a range's upper bound")
    skipSpace()
    let upper = try integer()
    skipSpace()
    try begin(UInt8(ascii: "]"), "']', the end of a range,")
    return (lower, upper)
  }
}
