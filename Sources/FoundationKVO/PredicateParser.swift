/// Reads a predicate's format: comparisons, joined by AND, OR and NOT.
struct PredicateParser {
  private let format: String
  private let tokens: [PredicateToken]
  private var place = 0
  private let arguments: [Any?]
  private var nextArgument = 0

  static func parse(_ format: String, _ arguments: [Any?]) throws -> PredicateNode {
    var parser = PredicateParser(
      format: format, tokens: try PredicateLexer.tokens(of: format), arguments: arguments)
    let node = try parser.disjunction()
    try parser.expectEnd()
    return node
  }

  private init(format: String, tokens: [PredicateToken], arguments: [Any?]) {
    (self.format, self.tokens, self.arguments) = (format, tokens, arguments)
  }

  // MARK: Tokens

  private var token: PredicateToken { tokens[place] }

  private func error(_ reason: String) -> PredicateFormatError {
    PredicateFormatError(format: format, column: token.column, reason: reason)
  }

  private func unexpected(_ wanted: String) -> PredicateFormatError {
    error(token.kind == .end ? "\(wanted) is missing" : "'\(token.text)' instead of \(wanted)")
  }

  private func isSign(_ signs: String...) -> Bool {
    if case .sign(let sign) = token.kind { signs.contains(sign) } else { false }
  }

  private func isWord(_ words: String...) -> Bool {
    if case .word(let word) = token.kind { words.contains(word.uppercased()) } else { false }
  }

  private mutating func take(_ sign: String) -> Bool {
    guard isSign(sign) else { return false }
    place += 1
    return true
  }

  private mutating func take(word: String) -> Bool {
    guard isWord(word) else { return false }
    place += 1
    return true
  }

  private mutating func expect(_ sign: String) throws {
    guard take(sign) else { throw unexpected("'\(sign)'") }
  }

  private func expectEnd() throws {
    if token.kind != .end { throw unexpected("AND, OR or the end") }
  }

  // MARK: Predicates

  private mutating func disjunction() throws -> PredicateNode {
    var nodes = [try conjunction()]
    while take(word: "OR") || take("||") { nodes.append(try conjunction()) }
    return nodes.count == 1 ? nodes[0] : .or(nodes)
  }

  private mutating func conjunction() throws -> PredicateNode {
    var nodes = [try negation()]
    while take(word: "AND") || take("&&") { nodes.append(try negation()) }
    return nodes.count == 1 ? nodes[0] : .and(nodes)
  }

  private mutating func negation() throws -> PredicateNode {
    if take(word: "NOT") || take("!") { return .not(try negation()) }
    if take(word: "TRUEPREDICATE") { return .constant(true) }
    if take(word: "FALSEPREDICATE") { return .constant(false) }
    guard isSign("(") else { return try comparison() }
    // Parentheses are around a predicate or around a term.
    let start = (place, nextArgument)
    do {
      place += 1
      let node = try disjunction()
      try expect(")")
      return node
    } catch let inner as PredicateFormatError {
      let reached = place
      (place, nextArgument) = start
      do {
        return try comparison()
      } catch {
        // The reading that got further is the one that was meant.
        throw reached >= place ? inner : error
      }
    }
  }

  private mutating func comparison() throws -> PredicateNode {
    let quantifier = quantifier()
    let column = token.column
    let left = try sum()
    let operation = try operation()
    let options = try options()
    let right = try sum()
    return .comparison(
      PredicateComparison(
        quantifier: quantifier, left: left, operation: operation, options: options, right: right,
        column: column))
  }

  private mutating func quantifier() -> PredicateComparison.Quantifier? {
    if take(word: "ANY") || take(word: "SOME") { return .any }
    if take(word: "ALL") { return .all }
    return take(word: "NONE") ? PredicateComparison.Quantifier.none : nil
  }

  private mutating func operation() throws -> PredicateComparison.Operation {
    let operation: PredicateComparison.Operation? =
      switch token.kind {
      case .sign("=="), .sign("="): .equal
      case .sign("!="), .sign("<>"): .notEqual
      case .sign("<"): .less
      case .sign("<="), .sign("=<"): .lessOrEqual
      case .sign(">"): .greater
      case .sign(">="), .sign("=>"): .greaterOrEqual
      case .word(let word): PredicateComparison.Operation(rawValue: word.uppercased())
      default: nil
      }
    guard let operation else { throw unexpected("a comparison, such as ==") }
    place += 1
    return operation
  }

  /// `[cd]`.
  private mutating func options() throws -> PredicateComparison.Options {
    guard take("[") else { return [] }
    guard case .word(let letters) = token.kind else { throw unexpected("c or d") }
    var options: PredicateComparison.Options = []
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      case "n": options.formUnion([.caseInsensitive, .diacriticInsensitive])
      default: throw error("the option '\(letter)', which is not c, d or n,")
      }
    }
    place += 1
    try expect("]")
    return options
  }

  // MARK: Terms

  private mutating func sum() throws -> PredicateTerm {
    var term = try product()
    while isSign("+", "-") { term = try arithmetic(term) { try $0.product() } }
    return term
  }

  private mutating func product() throws -> PredicateTerm {
    var term = try power()
    while isSign("*", "/") { term = try arithmetic(term) { try $0.power() } }
    return term
  }

  private mutating func power() throws -> PredicateTerm {
    let term = try unary()
    return isSign("**") ? try arithmetic(term) { try $0.power() } : term
  }

  private mutating func arithmetic(
    _ left: PredicateTerm, _ right: (inout PredicateParser) throws -> PredicateTerm
  ) throws -> PredicateTerm {
    let sign = token.text
    place += 1
    return .arithmetic(sign, left, try right(&self))
  }

  private mutating func unary() throws -> PredicateTerm {
    if take("-") { return .arithmetic("-", .value(NSNumber(value: 0)), try unary()) }
    var term = try atom()
    while true {
      if take(".") {
        term = .path(of: term, try keyPath())
      } else if take("[") {
        term = try index(term)
        try expect("]")
      } else {
        return term
      }
    }
  }

  /// `items[0]`, `items[FIRST]`, `items[LAST]`, `items[SIZE]`.
  private mutating func index(_ term: PredicateTerm) throws -> PredicateTerm {
    if take(word: "FIRST") { return .element(of: term, .first) }
    if take(word: "LAST") { return .element(of: term, .last) }
    if take(word: "SIZE") { return .element(of: term, .size) }
    return .element(of: term, .at(try sum()))
  }

  private mutating func atom() throws -> PredicateTerm {
    let token = token
    switch token.kind {
    case .number(let number):
      place += 1
      return .value(number)
    case .string(let text):
      place += 1
      return .value(text)
    case .variable(let name):
      place += 1
      return .variable(name)
    case .argument(let letter):
      let value = try argument()
      guard letter == "K" else { return .value(value) }
      guard let path = value as? String else {
        throw PredicateFormatError(
          format: format, column: token.column, reason: "%K with an argument that is not a key path"
        )
      }
      return .path(of: .object, path)
    case .sign("("):
      place += 1
      let term = try sum()
      try expect(")")
      return term
    case .sign("{"): return .aggregate(try aggregate())
    case .word(let word): return try self.word(word)
    default: throw unexpected("a key, a value or an argument")
    }
  }

  private mutating func argument() throws -> Any? {
    guard nextArgument < arguments.count else {
      throw error("'\(token.text)' without an argument")
    }
    defer {
      nextArgument += 1
      place += 1
    }
    return Bridging.flattened(arguments[nextArgument])
  }

  private mutating func aggregate() throws -> [PredicateTerm] {
    try expect("{")
    var terms: [PredicateTerm] = []
    if take("}") { return [] }
    repeat { terms.append(try sum()) } while take(",")
    try expect("}")
    return terms
  }

  private mutating func word(_ word: String) throws -> PredicateTerm {
    switch word.uppercased() {
    case "SELF":
      place += 1
      return .object
    case "NULL", "NIL":
      place += 1
      return .value(nil)
    case "TRUE", "YES":
      place += 1
      return .value(NSNumber(value: true))
    case "FALSE", "NO":
      place += 1
      return .value(NSNumber(value: false))
    case "SUBQUERY": return try subquery()
    case "AND", "OR", "NOT", "IN", "ANY", "ALL", "SOME", "NONE", "BETWEEN", "CONTAINS",
      "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "CAST", "FUNCTION":
      throw unexpected("a key, a value or an argument")
    default: return .path(of: .object, try keyPath())
    }
  }

  /// Keys with dots between them, among them operators, `items.@sum.price`.
  private mutating func keyPath() throws -> String {
    var parts: [String] = []
    repeat {
      switch token.kind {
      case .word(let word): parts.append(word.hasPrefix("#") ? String(word.dropFirst()) : word)
      case .argument("K"):
        guard let part = try argument() as? String else { throw unexpected("a key") }
        parts.append(part)
        continue
      default: throw unexpected("a key")
      }
      place += 1
    } while take(".")
    if isSign("("), parts.count == 1 { throw error("a function, which cannot be called here,") }
    return parts.joined(separator: ".")
  }

  /// `SUBQUERY(items, $item, $item.price > 3)`.
  private mutating func subquery() throws -> PredicateTerm {
    place += 1
    try expect("(")
    let collection = try sum()
    try expect(",")
    guard case .variable(let name) = token.kind else { throw unexpected("a variable") }
    place += 1
    try expect(",")
    let node = try disjunction()
    try expect(")")
    return .subquery(collection, name, node)
  }
}
