/// Reads JSON in UTF-8, byte by byte, in a fraction of the time that a decoder takes, whose containers can't say
/// what they hold.
///
/// It's strict: what RFC 8259 doesn't allow is a fault, even in fields that are ignored. Of what a decoder reads,
/// it refuses two things. A field that occurs twice has two values, of which a decoder drops one. UTF-16 and
/// UTF-32 aren't JSON's encodings any more.
///
/// `JSONReader+Values.swift` and `JSONReader+Records.swift` read what the bytes mean.
struct JSONReader {
  /// What's wrong, and where.
  struct Fault: Error {
    let offset: Int
    let reason: String
  }

  let bytes: [UInt8]
  /// The next byte.
  private(set) var position = 0
  /// How many arrays and dictionaries the value that's being read is in.
  var depth = 0
  /// Names of fields and classes that have been read, by their hash: a snapshot repeats few.
  private var names: [Name?] = Array(repeating: nil, count: 256)

  private struct Name {
    /// Where it was read first.
    let place: Range<Int>
    let text: String
  }

  /// Ignored values may be as deep as a decoder reads them.
  private static var maximumSkippedDepth: Int { 512 }

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads a whole text.
  static func read<Value>(
    _ json: some Sequence<UInt8>, _ body: (inout JSONReader) throws(Fault) -> Value
  ) throws(KeyValueJSONError) -> Value {
    var reader = JSONReader(Array(json))
    do throws(Fault) {
      try reader.start()
      let value = try body(&reader)
      try reader.finish()
      return value
    } catch {
      throw KeyValueJSONError(error, in: reader.bytes)
    }
  }

  private mutating func start() throws(Fault) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    let isWide = bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
    if isWide || bytes.prefix(2).contains(0) {
      throw fault("it isn't UTF-8, but UTF-16 or UTF-32, or no text; convert it to UTF-8")
    }
    skipSpace()
  }

  private mutating func finish() throws(Fault) {
    skipSpace()
    if position < bytes.count { throw fault("there's more after the end of the value") }
  }

  // MARK: Faults

  func fault(_ reason: String) -> Fault { Fault(offset: position, reason: reason) }

  func fault(at offset: Int, _ reason: String) -> Fault { Fault(offset: offset, reason: reason) }

  /// A fault for what's at the position, which should be something else.
  func unexpected(_ expected: String) -> Fault {
    guard position < bytes.count else {
      return fault("the text ends where \(expected) belongs; it may have been cut")
    }
    let found =
      switch bytes[position] {
      case UInt8(ascii: "\""): "a string"
      case UInt8(ascii: "{"): "an object"
      case UInt8(ascii: "["): "an array"
      case UInt8(ascii: "t") where isAhead("true"): "true"
      case UInt8(ascii: "f") where isAhead("false"): "false"
      case UInt8(ascii: "n") where isAhead("null"): "null"
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): "a number"
      case let byte where byte > 0x20 && byte < 0x7F: "'\(Unicode.Scalar(byte))'"
      case let byte: "the byte \(byte)"
      }
    return fault("there's \(found) where \(expected) belongs")
  }

  func twice(_ name: String, at offset: Int) -> Fault {
    fault(at: offset, "the field \(quoted(name)) occurs twice in one object; keep one of them")
  }

  // MARK: Objects and arrays

  /// Moves on to the next element of an array or an object; returns false, and moves past the end, if there's none.
  mutating func next(_ end: UInt8, _ isFirst: inout Bool) throws(Fault) -> Bool {
    skipSpace()
    if current == end, position < bytes.count {
      position += 1
      return false
    }
    if isFirst {
      isFirst = false
      return true
    }
    guard current == UInt8(ascii: ",") else {
      throw unexpected("',' or '\(Unicode.Scalar(end))'")
    }
    let comma = position
    position += 1
    skipSpace()
    if current == end { throw fault(at: comma, "there's a ',' that nothing follows; remove it") }
    return true
  }

  mutating func begin(_ character: UInt8, _ expected: String) throws(Fault) {
    guard current == character else { throw unexpected(expected) }
    position += 1
  }

  /// A field's name with the colon after it.
  mutating func fieldName() throws(Fault) -> String {
    let name = try string("a field's name in quotation marks", isName: true)
    skipSpace()
    try begin(UInt8(ascii: ":"), "':'")
    skipSpace()
    return name
  }

  /// Reads what's somewhere else, and comes back.
  mutating func at<Value>(
    _ place: Int, _ body: (inout JSONReader) throws(Fault) -> Value
  ) throws(Fault) -> Value {
    let end = position
    position = place
    let value = try body(&self)
    position = end
    return value
  }

  /// Skips a value that's ignored.
  mutating func skipValue(_ depth: Int = 0) throws(Fault) {
    switch current {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if depth == Self.maximumSkippedDepth {
        throw fault("arrays and objects are more than \(Self.maximumSkippedDepth) levels deep")
      }
      let isObject = current == UInt8(ascii: "{")
      position += 1
      var isFirst = true
      while try next(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), &isFirst) {
        if isObject { _ = try fieldName() }
        try skipValue(depth + 1)
      }
    case UInt8(ascii: "\""): _ = try string("a string")
    case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try boolean()
    case UInt8(ascii: "n"): try null()
    default: _ = try numberToken()
    }
  }

  // MARK: Words and numbers

  mutating func boolean() throws(Fault) -> Bool {
    if isAhead("true") {
      position += 4
      return true
    }
    guard isAhead("false") else { throw unexpected("true or false") }
    position += 5
    return false
  }

  mutating func null() throws(Fault) {
    guard isAhead("null") else { throw unexpected("a value") }
    position += 4
  }

  /// A number as it's written.
  struct NumberToken {
    let place: Range<Int>
    /// The number if it's written without a fraction and an exponent, and `Int` holds it.
    let integer: Int?
    let hasOnlyDigits: Bool
  }

  mutating func numberToken(_ expected: String = "a value") throws(Fault) -> NumberToken {
    let start = position
    let isNegative = current == UInt8(ascii: "-")
    if isNegative { position += 1 }
    guard isDigit(current) else {
      if isNegative { throw unexpected("a digit") }
      throw unexpected(expected)
    }
    let first = position
    var number: Int? = 0
    while isDigit(current) {
      if let shorter = number { number = Self.negative(shorter, followedBy: current) }
      position += 1
    }
    if bytes[first] == UInt8(ascii: "0"), position > first + 1 {
      throw fault(at: start, "a number doesn't begin with 0 and another digit")
    }
    if !isNegative {
      number = number.flatMap { $0 == .min ? nil : -$0 }
    }
    let isPlain = current != UInt8(ascii: ".") && current | 0x20 != UInt8(ascii: "e")
    if current == UInt8(ascii: ".") {
      position += 1
      try skipDigits()
    }
    if current | 0x20 == UInt8(ascii: "e") {
      position += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
      try skipDigits()
    }
    return NumberToken(
      place: start..<position, integer: isPlain ? number : nil, hasOnlyDigits: isPlain)
  }

  /// A number that isn't positive with one more digit; nil if no `Int` holds it.
  ///
  /// Digits are read as a negative number, because there's one more of these.
  @inline(__always)
  static func negative(_ number: Int, followedBy digit: UInt8) -> Int? {
    let (tenfold, overflows) = number.multipliedReportingOverflow(by: 10)
    let (sum, overflowsThen) = tenfold.subtractingReportingOverflow(
      Int(digit - UInt8(ascii: "0")))
    return overflows || overflowsThen ? nil : sum
  }

  private mutating func skipDigits() throws(Fault) {
    guard isDigit(current) else { throw unexpected("a digit") }
    while isDigit(current) { position += 1 }
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  // MARK: Strings

  mutating func string(_ expected: String, isName: Bool = false) throws(Fault) -> String {
    try begin(UInt8(ascii: "\""), expected)
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
      case 0..<0x20: throw controlCharacter()
      default:
        if isName { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        position += 1
      }
    }
    throw fault("the text ends in a string; it may have been cut")
  }

  /// The UUID of an object or a record, whose string mostly is its 36 characters.
  mutating func uniqueNumber() throws(Fault) -> UniqueNumber {
    let start = position
    let end = position + 37
    if current == UInt8(ascii: "\""), end < bytes.count, bytes[end] == UInt8(ascii: "\""),
      let number = bytes[start + 1..<end].withUnsafeBufferPointer({ UniqueNumber(utf8: $0) })
    {
      position = end + 1
      return number
    }
    let text = try string("a string, a UUID,")
    guard let number = UniqueNumber(text) else {
      throw fault(at: start, "\(quoted(text)) isn't a UUID")
    }
    return number
  }

  private mutating func name(at place: Range<Int>, _ slot: Int) throws(Fault) -> String {
    if let known = names[slot], bytes[known.place].elementsEqual(bytes[place]) {
      return known.text
    }
    let text = try text(at: place)
    names[slot] = Name(place: place, text: text)
    return text
  }

  private func text(at place: Range<Int>) throws(Fault) -> String {
    guard let text = String(validating: bytes[place], as: UTF8.self) else {
      throw fault(at: place.lowerBound - 1, "the string isn't UTF-8")
    }
    return text
  }

  private func controlCharacter() -> Fault {
    let digits = String(bytes[position], radix: 16)
    let escape = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    return fault("there's a control character in a string; write it as \(escape)")
  }

  /// A string of which the bytes before the position have no escapes.
  private mutating func escapedString(from start: Int) throws(Fault) -> String {
    var text = Array(bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        guard let text = String(validating: text, as: UTF8.self) else {
          throw fault(at: start - 1, "the string isn't UTF-8")
        }
        return text
      case UInt8(ascii: "\\"): text.append(contentsOf: UTF8.encode(try escape())!)
      case 0..<0x20: throw controlCharacter()
      default:
        text.append(byte)
        position += 1
      }
    }
    throw fault("the text ends in a string; it may have been cut")
  }

  /// The character of an escape.
  private mutating func escape() throws(Fault) -> Unicode.Scalar {
    let start = position
    position += 1
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
      let unit = try codeUnit(from: start)
      if let scalar = Unicode.Scalar(unit) { return scalar }
      guard UTF16.isLeadSurrogate(unit), isAhead("\\u") else { throw halfPair(start) }
      position += 2
      let other = try codeUnit(from: start)
      guard UTF16.isTrailSurrogate(other) else { throw halfPair(start) }
      let code = 0x1_0000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(other) - 0xDC00)
      return Unicode.Scalar(code)!
    default: throw fault(at: start, "no character is escaped so; a backslash is '\\\\'")
    }
  }

  private func halfPair(_ start: Int) -> Fault {
    fault(at: start, "the escape is half of a surrogate pair; the other half belongs with it")
  }

  /// Four hexadecimal digits.
  private mutating func codeUnit(from start: Int) throws(Fault) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = UniqueNumber.digit(current) else {
        throw fault(at: start, "'\\u' isn't followed by four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  // MARK: Bytes

  /// The byte at the position; 0, which JSON doesn't have, at the end.
  var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

  mutating func skipSpace() {
    while true {
      switch current {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private func isAhead(_ word: StaticString) -> Bool {
    guard bytes.count - position >= word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { bytes[position..<position + $0.count].elementsEqual($0) }
  }
}
