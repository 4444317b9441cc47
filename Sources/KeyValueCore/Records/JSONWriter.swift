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
    switch edit {
    case .create(_, let name, let values), .delete(_, let name, let values):
      raw(#""class":"#)
      write(name)
      raw(",")
      writeVerb(edit)
      raw(#","values":"#)
      do throws(KeyValueJSONError) { try write(values) } catch { throw error.inside("values") }
    case .set(_, let key, let old, let new):
      write(key: key)
      try write(new, as: "new")
      try write(old, as: "old")
      raw(",")
      writeVerb(edit)
    case .insert(_, let key, let indexes, let elements):
      try write(elements, indexes)
      raw(",")
      writeVerb(edit)
      raw(",")
      write(key: key)
    case .remove(_, let key, let indexes, let elements):
      try write(elements, indexes)
      raw(",")
      write(key: key)
      raw(",")
      writeVerb(edit)
    case .replace(_, let key, let indexes, let old, let new):
      write(indexes)
      raw(",")
      write(key: key)
      try write(.array(new), as: "new", isList: true)
      try write(.array(old), as: "old", isList: true)
      raw(",")
      writeVerb(edit)
    case .amend(_, let key, let removed, let inserted):
      writeVerb(edit)
      try write(inserted, as: "inserted")
      raw(",")
      write(key: key)
      try write(removed, as: "removed")
    case .union(_, let key, let elements), .subtract(_, let key, let elements):
      try write(KeyValueLogValue.ascending(elements), nil)
      raw(",")
      write(key: key)
      raw(",")
      writeVerb(edit)
    case .exchange(_, let key, let old, let new):
      writeVerb(edit)
      raw(",")
      write(key: key)
      try write(.array(KeyValueLogValue.ascending(new)), as: "new", isList: true)
      try write(.array(KeyValueLogValue.ascending(old)), as: "old", isList: true)
    case .setEntry(_, let key, let entry, let old, let new):
      raw(#""entry":"#)
      do throws(KeyValueJSONError) { try write(entry, 0) } catch { throw error.inside("entry") }
      raw(",")
      write(key: key)
      // No field means no entry; null is an entry that's nil.
      if let new { try write(new, as: "new") }
      if let old { try write(old, as: "old") }
      raw(",")
      writeVerb(edit)
    }
    raw("}")
  }

  private mutating func writeVerb(_ edit: KeyValueEdit) {
    write(edit.verb.rawValue)
    raw(":")
    write(edit.id.number)
  }

  private mutating func write(key: String) {
    raw(#""key":"#)
    write(key)
  }

  /// Writes a further field.
  ///
  /// A list isn't a level of a value.
  private mutating func write(
    _ value: KeyValueLogValue, as name: String, isList: Bool = false
  ) throws(KeyValueJSONError) {
    raw(",")
    write(name)
    raw(":")
    do throws(KeyValueJSONError) {
      try write(value, isList ? -1 : 0)
    } catch {
      throw error.inside(name)
    }
  }

  private mutating func write(
    _ part: KeyValueEdit.Elements, as name: String
  ) throws(KeyValueJSONError) {
    raw(",")
    write(name)
    raw(":{")
    do throws(KeyValueJSONError) {
      try write(part.elements, part.indexes)
    } catch {
      throw error.inside(name)
    }
    raw("}")
  }

  private mutating func write(
    _ elements: [KeyValueLogValue], _ indexes: RangeSet<Int>?
  ) throws(KeyValueJSONError) {
    raw(#""elements":"#)
    do throws(KeyValueJSONError) {
      try write(.array(elements), -1)
    } catch {
      throw error.inside("elements")
    }
    if let indexes {
      raw(",")
      write(indexes)
    }
  }

  private mutating func write(_ indexes: RangeSet<Int>) {
    raw(#""indexes":["#)
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
      write(key.utf8.first == LogValueTag.sign ? "@" + key : key)
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
    if !isFirst { raw(",") }
    isFirst = false
  }

  private mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
