/// Writes JSON in UTF-8, without spaces, fields in ascending order.
///
/// It's what an encoder writes that sorts fields and doesn't escape slashes, in a fraction of its time.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []

  // MARK: Snapshots and records

  mutating func write(_ snapshot: KeyValueSnapshot) throws(KeyValueJSONError) {
    bytes.reserveCapacity(snapshot.objects.count * 128 + 128)
    raw(#"{"objects":{"#)
    // Only ids are sorted, because objects would be retained at each step.
    var isFirst = true
    for id in snapshot.objects.keys.sorted(by: { $0.number < $1.number }) {
      guard let object = snapshot.objects[id] else { continue }
      separate(&isFirst)
      write(id.number)
      raw(#":{"class":"#)
      write(object.class)
      raw(#","values":"#)
      do throws(KeyValueJSONError) {
        try write(object.values)
      } catch {
        throw error.inside("objects", id.description, "values")
      }
      raw("}")
    }
    raw(#"},"root":"#)
    write(snapshot.root.number)
    raw(#","schema":"#)
    write(snapshot.schema)
    raw("}")
  }

  mutating func write(_ record: KeyValueTransactionRecord) throws(KeyValueJSONError) {
    raw(#"{"edits":["#)
    var isFirst = true
    for (index, edit) in record.edits.enumerated() {
      separate(&isFirst)
      do throws(KeyValueJSONError) {
        try write(edit)
      } catch {
        throw error.inside("edits", "\(index)")
      }
    }
    raw(#"],"id":"#)
    write(record.id.number)
    raw(#","isTransaction":"#)
    raw(record.isTransaction ? "true" : "false")
    if case .remote(let name) = record.origin {
      raw(#","origin":"#)
      write(name)
    }
    raw("}")
  }

  // MARK: Edits

  private mutating func write(_ edit: KeyValueEdit) throws(KeyValueJSONError) {
    raw("{")
    var isFirst = true
    try edit.forEachField { key, content throws(KeyValueJSONError) in
      separate(&isFirst)
      try write(content, as: key)
    }
    raw("}")
  }

  /// Writes a field, whose name needs no escapes.
  private mutating func write(
    _ content: KeyValueEdit.FieldContent, as key: RecordKey
  ) throws(KeyValueJSONError) {
    bytes.append(UInt8(ascii: "\""))
    raw(key.stringValue)
    raw("\":")
    do throws(KeyValueJSONError) {
      switch content {
      case .id(let id): write(id.number)
      case .text(let text): write(text)
      case .value(let value): try write(value)
      // A list isn't a level of a value.
      case .list(let values): try write(.array(values), -1)
      case .values(let values): try write(values)
      case .indexes(let indexes): write(indexes)
      case .part(let part):
        raw("{")
        try write(.list(part.elements), as: .elements)
        raw(",")
        try write(.indexes(part.indexes), as: .indexes)
        raw("}")
      }
    } catch {
      throw error.inside(key.stringValue)
    }
  }

  private mutating func write(_ indexes: RangeSet<Int>) {
    raw("[")
    var isFirst = true
    for range in indexes.ranges {
      separate(&isFirst)
      raw("[")
      write(range.lowerBound)
      raw(",")
      write(range.upperBound)
      raw("]")
    }
    raw("]")
  }

  // MARK: Values

  /// Writes a value that's in so many arrays and dictionaries.
  mutating func write(
    _ value: KeyValueLogValue, _ depth: Int = 0
  ) throws(KeyValueJSONError) {
    switch value {
    case .null: raw("null")
    case .bool(let value): raw(value ? "true" : "false")
    case .integer(let value): write(value)
    case .string(let value): write(value)
    case .array(let values):
      try checkDepth(depth + 1)
      raw("[")
      var isFirst = true
      for value in values {
        separate(&isFirst)
        try write(value, depth + 1)
      }
      raw("]")
    case .dictionary(let values): try write(values, depth + 1)
    case .number(let number):
      if let integer = Int(exactly: number) {
        write(integer)
      } else if number.isFinite {
        raw("\(number)")
      } else {
        raw(#"{"@number":""#)
        raw(LogValueTag.name(of: number))
        raw(#""}"#)
      }
    case .reference(let id):
      raw(#"{"@":"#)
      write(id.number)
      raw("}")
    }
  }

  /// Writes an object's values, or a dictionary that's the last of so many arrays and dictionaries.
  private mutating func write(
    _ values: [String: KeyValueLogValue], _ depth: Int = 0
  ) throws(KeyValueJSONError) {
    try checkDepth(depth)
    raw("{")
    var isFirst = true
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      separate(&isFirst)
      write(LogValueWriter.escaped(key))
      raw(":")
      if depth > 0 {
        try write(value, depth)
      } else {
        do throws(KeyValueJSONError) { try write(value, 0) } catch { throw error.inside(key) }
      }
    }
    raw("}")
  }

  private func checkDepth(_ depth: Int) throws(KeyValueJSONError) {
    if depth > KeyValueLogValue.maximumDepth {
      throw KeyValueJSONError(reason: LogValueTag.tooDeepValue)
    }
  }

  // MARK: Strings and numbers

  private mutating func write(_ text: String) {
    var text = text
    raw("\"")
    text.withUTF8 { utf8 in
      var start = 0
      for index in utf8.indices {
        let byte = utf8[index]
        guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
          continue
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
        escape(byte)
        start = index + 1
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
    }
    raw("\"")
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): raw("\\\"")
    case UInt8(ascii: "\\"): raw("\\\\")
    case 0x08: raw("\\b")
    case 0x0C: raw("\\f")
    case 0x0A: raw("\\n")
    case 0x0D: raw("\\r")
    case 0x09: raw("\\t")
    default:
      raw(byte < 0x10 ? "\\u000" : "\\u00")
      raw(String(byte, radix: 16))
    }
  }

  private mutating func write(_ number: Int) { raw("\(number)") }

  private mutating func write(_ id: UniqueNumber) {
    raw("\"")
    raw(id.text)
    raw("\"")
  }

  private mutating func separate(_ isFirst: inout Bool) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
  }

  private mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
