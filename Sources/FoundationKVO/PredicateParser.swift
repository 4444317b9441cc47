/// Reads a predicate's format: comparisons, joined by AND, OR and NOT.
struct PredicateParser {
  /// Deeper formats would exhaust the stack of a thread.
  static let deepest = 500

  let format: String
  private let tokens: [PredicateToken]
  /// The places of parentheses around predicates; others are around terms.
  private let predicates: Set<Int>
  var place = 0
  private let arguments: [Any?]
  private var nextArgument = 0
  private var depth = 0
  private var operators = 0

  static func parse(_ format: String, _ arguments: [Any?]) throws -> PredicateNode {
    var parser = try PredicateParser(format, arguments)
    let node = try parser.disjunction()
    try parser.expectEnd("AND, OR or the end")
    return node
  }

  /// Reads an expression, a term by itself.
  static func parse(term format: String, _ arguments: [Any?]) throws -> PredicateTerm {
    var parser = try PredicateParser(format, arguments)
    let term = try parser.term()
    try parser.expectEnd("an operator or the end")
    return term
  }

  private init(_ format: String, _ arguments: [Any?]) throws {
    tokens = try PredicateLexer.tokens(of: format)
    predicates = PredicateGroups.predicates(in: tokens)
    (self.format, self.arguments) = (format, arguments)
  }

  // MARK: Tokens

  var token: PredicateToken { tokens[place] }

  func error(_ reason: String) -> PredicateFormatError { error(reason, at: token) }

  func error(_ reason: String, at token: PredicateToken) -> PredicateFormatError {
    PredicateFormatError(format: format, column: token.column, reason: reason)
  }

  func unexpected(_ wanted: String) -> PredicateFormatError {
    error(token.kind == .end ? "\(wanted) is missing" : "'\(token.text)' instead of \(wanted)")
  }

  func isSign(_ signs: String...) -> Bool {
    if case .sign(let sign) = token.kind { signs.contains(sign) } else { false }
  }

  private func isWord(_ words: String...) -> Bool {
    if case .word(let word) = token.kind { words.contains(word.uppercased()) } else { false }
  }

  mutating func take(_ sign: String) -> Bool {
    guard isSign(sign) else { return false }
    place += 1
    return true
  }

  mutating func take(word: String) -> Bool {
    guard isWord(word) else { return false }
    place += 1
    return true
  }

  mutating func expect(_ sign: String) throws {
    guard take(sign) else { throw unexpected("'\(sign)'") }
  }

  private func expectEnd(_ wanted: String) throws {
    if token.kind != .end { throw unexpected(wanted) }
  }

  /// The value for `%@` and its like.
  mutating func argument() throws -> Any? {
    guard nextArgument < arguments.count else {
      throw error("'\(token.text)' without an argument")
    }
    defer {
      nextArgument += 1
      place += 1
    }
    return Bridging.flattened(arguments[nextArgument])
  }

  /// Reads something that's inside of something else.
  mutating func nested<Result>(
    _ body: (inout PredicateParser) throws -> Result
  ) throws -> Result {
    guard depth < Self.deepest else {
      throw error("more than \(Self.deepest) parts inside each other")
    }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  /// Counts the operators between terms: a chain of them is read in a loop, and evaluated inside each other.
  mutating func countOperator() throws {
    operators += 1
    if operators > Self.deepest { throw error("more than \(Self.deepest) operators") }
  }

  // MARK: Predicates

  mutating func disjunction() throws -> PredicateNode {
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
    if take(word: "NOT") || take("!") { return .not(try nested { try $0.negation() }) }
    if take(word: "TRUEPREDICATE") { return .constant(true) }
    if take(word: "FALSEPREDICATE") { return .constant(false) }
    guard predicates.contains(place) else { return try comparison() }
    place += 1
    let node = try nested { try $0.disjunction() }
    try expect(")")
    return node
  }

  private mutating func comparison() throws -> PredicateNode {
    let isNone = take(word: "NONE")
    let modifier = isNone ? .any : modifier()
    let left = try term()
    let operation = try operation()
    let options = try options()
    let right = try term()
    let comparison = PredicateNode.comparison(
      PredicateComparison(
        modifier: modifier, left: left, operation: operation, options: options, right: right))
    return isNone ? .not(comparison) : comparison
  }

  private mutating func modifier() -> NSComparisonPredicate.Modifier {
    if take(word: "ANY") || take(word: "SOME") { return .any }
    return take(word: "ALL") ? .all : .direct
  }

  private mutating func operation() throws -> NSComparisonPredicate.Operator {
    let operation: NSComparisonPredicate.Operator? =
      switch token.kind {
      case .sign("=="), .sign("="): .equalTo
      case .sign("!="), .sign("<>"): .notEqualTo
      case .sign("<"): .lessThan
      case .sign("<="), .sign("=<"): .lessThanOrEqualTo
      case .sign(">"): .greaterThan
      case .sign(">="), .sign("=>"): .greaterThanOrEqualTo
      case .sign(":="): throw error("the assignment ':=', which is not there,")
      case .word(let word): NSComparisonPredicate.Operator(word: word.uppercased())
      default: nil
      }
    guard let operation else {
      // Cocoa's names of types, which only its own applications have.
      if isWord("UTI"), case .sign("-") = tokens[place + 1].kind {
        throw error("a comparison of uniform types, which is not there,")
      }
      throw unexpected("a comparison, such as ==")
    }
    place += 1
    return operation
  }

  /// `[cd]`.
  private mutating func options() throws -> NSComparisonPredicate.Options {
    guard take("[") else { return [] }
    guard case .word(let letters) = token.kind else { throw unexpected("c or d") }
    var options: NSComparisonPredicate.Options = []
    for letter in letters.lowercased() {
      guard let option = NSComparisonPredicate.Options(letter: letter) else {
        throw error("the option '\(letter)', which is not c, d, l or n,")
      }
      options.formUnion(option)
    }
    place += 1
    try expect("]")
    return options
  }
}

/// Which parentheses of a format are around predicates.
///
/// A comparison, AND, OR or NOT directly inside makes a group a predicate, and so does a group inside that is one.
/// So each is known before any is read.
private enum PredicateGroups {
  private static let signs: Set<String> = [
    "==", "=", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>", ":=", "&&", "||", "!",
  ]
  private static let words: Set<String> = [
    "AND", "OR", "NOT", "TRUEPREDICATE", "FALSEPREDICATE", "ANY", "ALL", "SOME", "NONE", "IN",
    "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES",
  ]
  private static let operators: Set<String> = ["UNION", "INTERSECT", "MINUS"]

  static func predicates(in tokens: [PredicateToken]) -> Set<Int> {
    var predicates: Set<Int> = []
    // The groups that are open, and whether each is a call's.
    var open: [(place: Int, isCall: Bool)] = []
    func close() {
      guard let group = open.popLast(), predicates.contains(group.place), !group.isCall else {
        return
      }
      if let outer = open.last { predicates.insert(outer.place) }
    }
    for (place, token) in tokens.enumerated() {
      let previous = place > 0 ? tokens[place - 1].kind : .end
      switch token.kind {
      case .sign("("):
        var isCall = false
        if case .word(let word) = previous {
          isCall = !words.union(operators).contains(word.uppercased())
        }
        open.append((place, isCall))
      case .sign(")"): close()
      case .sign(let sign) where signs.contains(sign):
        if let group = open.last { predicates.insert(group.place) }
      case .word(let word) where previous != .sign(".") && words.contains(word.uppercased()):
        if let group = open.last { predicates.insert(group.place) }
      default: break
      }
    }
    while !open.isEmpty { close() }
    return predicates
  }
}
