extension JSONReader {
  mutating func value() throws(Fault) -> KeyValueLogValue {
    switch current {
    case UInt8(ascii: "\""): return .string(try string("a string"))
    case UInt8(ascii: "{"):
      depth += 1
      defer { depth -= 1 }
      var tagged: KeyValueLogValue?
      let entries = try dictionary(orTagged: &tagged, allowsTags: true)
      return tagged ?? .dictionary(entries)
    case UInt8(ascii: "["):
      depth += 1
      defer { depth -= 1 }
      return .array(try values())
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool(try boolean())
    case UInt8(ascii: "n"):
      try null()
      return .null
    default: return try number()
    }
  }

  /// The values of an array.
  mutating func values() throws(Fault) -> [KeyValueLogValue] {
    let start = position
    try begin(UInt8(ascii: "["), "an array")
    try checkDepth(at: start)
    var values: [KeyValueLogValue] = []
    var isFirst = true
    while try next(UInt8(ascii: "]"), &isFirst) { values.append(try value()) }
    return values
  }

  /// The values of an object, of about so many keys.
  mutating func dictionary(about count: Int) throws(Fault) -> [String: KeyValueLogValue] {
    var tagged: KeyValueLogValue?
    return try dictionary(orTagged: &tagged, allowsTags: false, about: count)
  }

  /// The entries of a dictionary, or the value that's written as an object because JSON doesn't have it.
  ///
  /// Whatever else such an object has is ignored, wherever it is.
  private mutating func dictionary(
    orTagged tagged: inout KeyValueLogValue?, allowsTags: Bool, about count: Int = 0
  ) throws(Fault) -> [String: KeyValueLogValue] {
    let start = position
    try begin(UInt8(ascii: "{"), "an object")
    var values = [String: KeyValueLogValue](minimumCapacity: count)
    var stray: Fault?
    var isFirst = true
    while try next(UInt8(ascii: "}"), &isFirst) {
      let place = position
      var key = try fieldName()
      if key.utf8.first == LogValueTag.sign {
        if allowsTags, try readTag(key, at: place, &tagged) { continue }
        key = String(key.dropFirst())
        guard key.utf8.first == LogValueTag.sign || tagged != nil else {
          stray = stray ?? fault(at: place, Self.strayTag("@" + key))
          try skipValue()
          continue
        }
      }
      if tagged != nil {
        try skipValue()
        continue
      }
      try checkDepth(at: start)
      guard values.updateValue(try value(), forKey: key) == nil else {
        throw twice(key, at: place)
      }
    }
    if tagged != nil { return [:] }
    if let stray { throw stray }
    try checkDepth(at: start)
    return values
  }

  /// Reads a tag's value; returns false if the field isn't a tag.
  private mutating func readTag(
    _ key: String, at place: Int, _ tagged: inout KeyValueLogValue?
  ) throws(Fault) -> Bool {
    switch key {
    case LogValueTag.reference.stringValue:
      if case .reference? = tagged { throw twice(key, at: place) }
      tagged = .reference(KeyValueObjectID(try uniqueNumber()))
    case LogValueTag.number.stringValue:
      if case .number? = tagged { throw twice(key, at: place) }
      // An object with both is a reference.
      if tagged != nil { return false }
      let start = position
      let name = try string("a string")
      guard let number = LogValueTag.number(named: name) else {
        throw fault(at: start, "\(quoted(name)) isn't 'infinity', '-infinity' or 'nan'")
      }
      tagged = .number(number)
    default: return false
    }
    return true
  }

  private static func strayTag(_ key: String) -> String {
    "no value has the field \(quoted(key)); a dictionary's key that begins with '@' is written with one more"
  }

  private func checkDepth(at start: Int) throws(Fault) {
    if depth > KeyValueLogValue.maximumDepth {
      throw fault(at: start, LogValueTag.tooDeepValue)
    }
  }

  // MARK: Numbers

  /// A number, which is an `integer` wherever it can be one, however it's written.
  private mutating func number() throws(Fault) -> KeyValueLogValue {
    let token = try numberToken()
    if let integer = token.integer { return .integer(integer) }
    guard let number = Double(text(of: token)), number.isFinite else {
      throw fault(
        at: token.place.lowerBound,
        "no `Double` is as large as the number; write it as a string, or as {\"@number\":\"infinity\"}"
      )
    }
    guard let integer = Int(exactly: number) else { return .number(number) }
    return .integer(unrounded(integer, token) ?? integer)
  }

  /// A whole number.
  mutating func integer() throws(Fault) -> Int {
    let token = try numberToken("a whole number")
    if let integer = token.integer { return integer }
    if !token.hasOnlyDigits, let number = Double(text(of: token)),
      let integer = Int(exactly: number), let unrounded = unrounded(integer, token)
    {
      return unrounded
    }
    throw fault(
      at: token.place.lowerBound, "\(quoted(text(of: token))) isn't a whole number that `Int` holds"
    )
  }

  private func text(of token: NumberToken) -> String {
    String(decoding: bytes[token.place], as: UTF8.self)
  }

  /// The whole number that's written with a fraction or an exponent; nil if no `Int` holds it.
  ///
  /// A `Double` of 2^53 or more may have been rounded to a whole number, up to 512 away. So the digits before the
  /// point are read.
  private func unrounded(_ rounded: Int, _ token: NumberToken) -> Int? {
    if rounded.magnitude < 1 << 53 { return rounded }
    let text = bytes[token.place]
    let isNegative = text.first == UInt8(ascii: "-")
    let mark = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.endIndex
    let digits = text[(text.startIndex + (isNegative ? 1 : 0))..<mark]
    var count =
      digits.firstIndex(of: UInt8(ascii: ".")).map { $0 - digits.startIndex } ?? digits.count
    if mark < text.endIndex {
      guard let exponent = Int(String(decoding: text[(mark + 1)...], as: UTF8.self)) else {
        return nil
      }
      count += exponent
    }
    var number = 0
    var remaining = digits.filter { $0 != UInt8(ascii: ".") }[...]
    for _ in 0..<count {
      let digit = remaining.popFirst() ?? UInt8(ascii: "0")
      guard let longer = Self.negative(number, followedBy: digit) else { return nil }
      number = longer
    }
    if isNegative { return number }
    return number == .min ? nil : -number
  }
}
