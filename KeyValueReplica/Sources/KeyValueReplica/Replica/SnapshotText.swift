import Foundation
import KeyValueCore

/// Reads a snapshot's JSON in a fraction of the time that a decoder takes, whose containers can't say what they
/// hold.
///
/// It reads what a snapshot is written as. Anything else, such as a field of another name, a key that occurs
/// twice, or a whole number that no `Int` holds, it leaves to `JSONDecoder`, which reads it or says what's wrong.
/// So what it reads is what the decoder reads.
struct SnapshotText {
  /// The decoder has to look at it.
  private struct Unusual: Error {}

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0
  /// Names of classes and keys that have been read, by their hash: a snapshot repeats few.
  private var names: [Name?] = Array(repeating: nil, count: 256)

  private struct Name {
    /// Where it was read first.
    let place: Range<Int>
    let text: String
  }

  private init(_ data: Data) { bytes = Array(data) }

  /// The snapshot that JSON in UTF-8 spells; nil if the decoder has to look at it.
  static func snapshot(in data: Data) -> KeyValueSnapshot? {
    var text = SnapshotText(data)
    return try? text.wholeSnapshot()
  }

  // MARK: The snapshot

  private mutating func wholeSnapshot() throws(Unusual) -> KeyValueSnapshot {
    var root: KeyValueObjectID?
    var schema: Int?
    var objects: [KeyValueObjectID: KeyValueSnapshot.Object]?
    skipSpace()
    try begin("{")
    var isFirst = true
    while try !ends("}", &isFirst) {
      switch try name() {
      case "root" where root == nil: root = try id()
      case "schema" where schema == nil:
        guard case .integer(let number) = try value() else { throw Unusual() }
        schema = number
      case "objects" where objects == nil: objects = try readObjects()
      default: throw Unusual()
      }
    }
    skipSpace()
    guard position == bytes.count, let root, let schema, let objects else { throw Unusual() }
    return KeyValueSnapshot(root: root, objects: objects, schema: schema)
  }

  private mutating func readObjects() throws(Unusual) -> [KeyValueObjectID: KeyValueSnapshot.Object]
  {
    var objects: [KeyValueObjectID: KeyValueSnapshot.Object] = [:]
    try begin("{")
    var isFirst = true
    var count = 0
    while try !ends("}", &isFirst) {
      let id = try id()
      try colon()
      let object = try object(about: count)
      count = object.values.count
      guard objects.updateValue(object, forKey: id) == nil else { throw Unusual() }
    }
    return objects
  }

  private mutating func object(about count: Int) throws(Unusual) -> KeyValueSnapshot.Object {
    var name: String?
    var values: [String: KeyValueLogValue]?
    try begin("{")
    var isFirst = true
    while try !ends("}", &isFirst) {
      switch try self.name() {
      case "class" where name == nil: name = try self.string(isName: true)
      case "values" where values == nil:
        try begin("{")
        values = try dictionary(about: count)
      default: throw Unusual()
      }
    }
    guard let name, let values else { throw Unusual() }
    return KeyValueSnapshot.Object(class: name, values: values)
  }

  private mutating func id() throws(Unusual) -> KeyValueObjectID {
    guard let id = KeyValueObjectID(try string()) else { throw Unusual() }
    return id
  }

  // MARK: Values

  private mutating func value() throws(Unusual) -> KeyValueLogValue {
    switch current {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return .array(try array())
    case UInt8(ascii: "t"):
      try word("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try word("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try word("null")
      return .null
    default: return try number()
    }
  }

  private mutating func array() throws(Unusual) -> [KeyValueLogValue] {
    try deepen()
    defer { depth -= 1 }
    try begin("[")
    var values: [KeyValueLogValue] = []
    var isFirst = true
    while try !ends("]", &isFirst) { values.append(try value()) }
    return values
  }

  /// A dictionary, or a reference, which is written as one: `{"@":"7f3c…4e12"}`.
  private mutating func object() throws(Unusual) -> KeyValueLogValue {
    try begin("{")
    skipSpace()
    if bytes[position...].starts(with: "\"@\"".utf8) {
      position += 3
      try colon()
      let id = try id()
      var isFirst = false
      guard try ends("}", &isFirst) else { throw Unusual() }
      return .reference(id)
    }
    try deepen()
    defer { depth -= 1 }
    return .dictionary(try dictionary())
  }

  /// The entries of a dictionary that was begun.
  private mutating func dictionary(
    about count: Int = 0
  ) throws(Unusual) -> [String: KeyValueLogValue] {
    var values = [String: KeyValueLogValue](minimumCapacity: count)
    var isFirst = true
    while try !ends("}", &isFirst) {
      var key = try name()
      if key.utf8.first == UInt8(ascii: "@") {
        // What begins with one is written with one more; alone it's a value that JSON doesn't have.
        key.removeFirst()
        guard key.utf8.first == UInt8(ascii: "@") else { throw Unusual() }
      }
      guard values.updateValue(try value(), forKey: key) == nil else { throw Unusual() }
    }
    return values
  }

  private mutating func deepen() throws(Unusual) {
    depth += 1
    // The decoder has the limit, and counts.
    if depth > 100 { throw Unusual() }
  }

  private mutating func number() throws(Unusual) -> KeyValueLogValue {
    let start = position
    let isNegative = current == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let isZero = current == UInt8(ascii: "0")
    let digits = try digits()
    if isZero, position > start + (isNegative ? 2 : 1) { throw Unusual() }
    switch current {
    case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): break
    default: return .integer(isNegative ? -digits : digits)
    }
    if current == UInt8(ascii: ".") {
      position += 1
      try skipDigits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      position += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
      try skipDigits()
    }
    // A whole number isn't written so.
    guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)),
      number.isFinite, number.rounded() != number
    else { throw Unusual() }
    return .number(number)
  }

  private mutating func digits() throws(Unusual) -> Int {
    let start = position
    var number = 0
    while case UInt8(ascii: "0")...UInt8(ascii: "9") = current {
      let (tenfold, overflows) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflowsThen) = tenfold.addingReportingOverflow(Int(current - UInt8(ascii: "0")))
      if overflows || overflowsThen { throw Unusual() }
      number = sum
      position += 1
    }
    if position == start { throw Unusual() }
    return number
  }

  private mutating func skipDigits() throws(Unusual) {
    let start = position
    while case UInt8(ascii: "0")...UInt8(ascii: "9") = current { position += 1 }
    if position == start { throw Unusual() }
  }

  // MARK: Strings

  /// A field's name with the colon after it.
  private mutating func name() throws(Unusual) -> String {
    let text = try string(isName: true)
    try colon()
    return text
  }

  private mutating func string(isName: Bool = false) throws(Unusual) -> String {
    try begin("\"")
    let start = position
    var hash: UInt32 = 2_166_136_261
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        let place = start..<position
        position += 1
        return try isName ? name(at: place, Int(hash ^ hash >> 16) & 255) : text(at: place)
      case UInt8(ascii: "\\"): return try escapedString(from: start)
      case 0..<0x20: throw Unusual()
      default:
        if isName { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        position += 1
      }
    }
    throw Unusual()
  }

  private mutating func name(at place: Range<Int>, _ slot: Int) throws(Unusual) -> String {
    if let known = names[slot], bytes[known.place].elementsEqual(bytes[place]) {
      return known.text
    }
    let text = try text(at: place)
    names[slot] = Name(place: place, text: text)
    return text
  }

  private func text(at place: Range<Int>) throws(Unusual) -> String {
    guard let text = String(validating: bytes[place], as: UTF8.self) else { throw Unusual() }
    return text
  }

  /// A string of which the bytes before the position have no escapes.
  private mutating func escapedString(from start: Int) throws(Unusual) -> String {
    var text = Array(bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: text, as: UTF8.self) else { throw Unusual() }
        return text
      case UInt8(ascii: "\\"): text.append(contentsOf: "\(try escape())".utf8)
      case 0..<0x20: throw Unusual()
      default: text.append(byte)
      }
    }
    throw Unusual()
  }

  /// The character of an escape, whose backslash has been read.
  private mutating func escape() throws(Unusual) -> Unicode.Scalar {
    let byte = current
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let unit = try codeUnit()
      if let scalar = Unicode.Scalar(unit) { return scalar }
      // Half of a surrogate pair.
      try word("\\u")
      let other = try codeUnit()
      guard UTF16.isLeadSurrogate(unit), UTF16.isTrailSurrogate(other) else { throw Unusual() }
      let code = 0x1_0000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(other) - 0xDC00)
      guard let scalar = Unicode.Scalar(code) else { throw Unusual() }
      return scalar
    default: throw Unusual()
    }
  }

  /// Four hexadecimal digits.
  private mutating func codeUnit() throws(Unusual) -> UInt16 {
    guard position + 4 <= bytes.count else { throw Unusual() }
    var unit: UInt16 = 0
    for byte in bytes[position..<position + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw Unusual() }
      unit = unit << 4 | UInt16(digit)
    }
    position += 4
    return unit
  }

  // MARK: Bytes

  /// The byte at the position; 0, which JSON doesn't have, at the end.
  private var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

  private mutating func skipSpace() {
    while true {
      switch current {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private mutating func begin(_ character: Unicode.Scalar) throws(Unusual) {
    guard current == UInt8(ascii: character) else { throw Unusual() }
    position += 1
  }

  private mutating func colon() throws(Unusual) {
    skipSpace()
    try begin(":")
    skipSpace()
  }

  private mutating func word(_ word: StaticString) throws(Unusual) {
    for byte in "\(word)".utf8 {
      guard current == byte else { throw Unusual() }
      position += 1
    }
  }

  /// Moves on to the next element of an array or an object, or past the end.
  private mutating func ends(
    _ end: Unicode.Scalar, _ isFirst: inout Bool
  ) throws(Unusual) -> Bool {
    skipSpace()
    if current == UInt8(ascii: end) {
      position += 1
      return true
    }
    if !isFirst {
      try begin(",")
      skipSpace()
      if current == UInt8(ascii: end) { throw Unusual() }
    }
    isFirst = false
    return false
  }
}
