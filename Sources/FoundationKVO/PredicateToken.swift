/// A word, a literal or a sign of a predicate's format, and its column.
struct PredicateToken: Equatable {
  enum Kind: Equatable {
    case word(String)
    case string(String)
    case number(NSNumber)
    /// `%@`, `%K` or a number's format.
    case argument(Character)
    case variable(String)
    case sign(String)
    case end
  }

  let kind: Kind
  /// The text as written.
  let text: String
  /// Counted in characters, from 1.
  let column: Int
}

/// Why a format can't be read.
struct PredicateFormatError: Error, CustomStringConvertible {
  let format: String
  let column: Int
  let reason: String

  var description: String {
    "Unable to parse the format string \"\(format)\": \(reason) at column \(column)"
  }
}

/// Splits a format into tokens.
struct PredicateLexer {
  private let format: String
  private let characters: [Character]
  private var place = 0

  static func tokens(of format: String) throws -> [PredicateToken] {
    var lexer = PredicateLexer(format)
    var tokens: [PredicateToken] = []
    while let token = try lexer.next() { tokens.append(token) }
    let column = lexer.characters.count + 1
    return tokens + [PredicateToken(kind: .end, text: "the end", column: column)]
  }

  private init(_ format: String) {
    self.format = format
    characters = Array(format)
  }

  private var current: Character? { place < characters.count ? characters[place] : nil }

  private mutating func take(while isWanted: (Character) -> Bool) -> String {
    let start = place
    while let current, isWanted(current) { place += 1 }
    return String(characters[start..<place])
  }

  private mutating func next() throws -> PredicateToken? {
    _ = take { $0.isWhitespace }
    guard let first = current else { return nil }
    let start = place
    let kind = try kind(first)
    return PredicateToken(
      kind: kind, text: String(characters[start..<place]), column: start + 1)
  }

  private mutating func kind(_ first: Character) throws -> PredicateToken.Kind {
    switch first {
    case "\"", "'": return .string(try string(first))
    case "%": return .argument(try argument())
    case "$":
      place += 1
      let name = take { $0.isWordPart }
      guard !name.isEmpty else { throw error("'$' without a name", place) }
      return .variable(name)
    case "#":
      // `#size` is the key `size`, where the word has another meaning.
      place += 1
      return .word("#" + take { $0.isWordPart })
    case _ where first.isNumber: return .number(try number())
    case _ where first.isWordPart || first == "@":
      place += 1
      return .word(String(first) + word())
    default: return .sign(try sign())
    }
  }

  /// The rest of a word; a function's name may have colons, `modulus:by:(age, 2)`.
  private mutating func word() -> String {
    var word = take { $0.isWordPart }
    while current == ":", place + 1 == characters.count || characters[place + 1] != "=" {
      place += 1
      word += ":" + take { $0.isWordPart }
    }
    return word
  }

  private mutating func string(_ quote: Character) throws -> String {
    let start = place
    place += 1
    var text = ""
    while let current, current != quote {
      place += 1
      guard current == "\\", let escaped = self.current else {
        text.append(current)
        continue
      }
      place += 1
      switch escaped {
      case "n": text.append("\n")
      case "t": text.append("\t")
      default: text.append(escaped)
      }
    }
    guard current == quote else { throw error("a string without its end", start) }
    place += 1
    return text
  }

  private mutating func argument() throws -> Character {
    let start = place
    place += 1
    _ = take { "lhqzt".contains($0) }
    guard let letter = current, "@KdDiuUxXofFeEgGsScC".contains(letter) else {
      throw error("'%' without '@', 'K' or a number's format", start)
    }
    place += 1
    return letter
  }

  private mutating func number() throws -> NSNumber {
    let start = place
    let radixes: [Character: Int] = ["x": 16, "X": 16, "o": 8, "O": 8, "b": 2, "B": 2]
    if current == "0", place + 1 < characters.count, let radix = radixes[characters[place + 1]] {
      place += 2
      guard let value = Int(take { $0.isHexDigit }, radix: radix) else {
        throw error("a number that can't be read", start)
      }
      return NSNumber(value: value)
    }
    var text = take { $0.isNumber }
    if current == ".", place + 1 < characters.count, characters[place + 1].isNumber {
      place += 1
      text += "." + take { $0.isNumber }
    }
    if current == "e" || current == "E" {
      place += 1
      text += "e"
      if let sign = current, "+-".contains(sign) {
        place += 1
        text.append(sign)
      }
      text += take { $0.isNumber }
    }
    if let whole = Int(text) { return NSNumber(value: whole) }
    if let whole = UInt(text) { return NSNumber(value: whole) }
    guard let value = Double(text) else { throw error("a number that can't be read", start) }
    return NSNumber(value: value)
  }

  private mutating func sign() throws -> String {
    let signs = [
      "==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||", "**", ":=", "<<", ">>", "=", "<", ">",
      "!", "(", ")", "{", "}", "[", "]", ",", ".", "+", "-", "*", "/", "&", "|", "^", "~",
    ]
    let rest = String(characters[place..<min(place + 2, characters.count)])
    guard let sign = signs.first(where: rest.hasPrefix) else {
      throw error("'\(rest.prefix(1))', which means nothing", place)
    }
    place += sign.count
    return sign
  }

  private func error(_ reason: String, _ place: Int) -> PredicateFormatError {
    PredicateFormatError(format: format, column: place + 1, reason: reason)
  }
}

extension Character {
  fileprivate var isWordPart: Bool { isLetter || isNumber || self == "_" }
}
