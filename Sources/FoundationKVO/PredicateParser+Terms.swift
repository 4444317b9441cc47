// What a predicate compares: keys, values, functions and operators.
extension PredicateParser {
  mutating func term() throws -> PredicateTerm { try binary(0) }

  /// Operators of a level and of higher ones, which bind more tightly.
  private mutating func binary(_ level: Int) throws -> PredicateTerm {
    var left = try unary()
    while let found = binaryOperator, found.level >= level {
      place += 1
      // `2 ** 3 ** 2` is `2 ** (3 ** 2)`.
      let isRight = found.level == PredicateOperator.power
      let right = try nested { try $0.binary(isRight ? found.level : found.level + 1) }
      left = found.term(left, right)
      try countOperator()
    }
    return left
  }

  private var binaryOperator: PredicateOperator? {
    switch token.kind {
    case .sign(let sign): PredicateOperator(sign)
    case .word(let word): PredicateOperator(word.uppercased())
    default: nil
    }
  }

  private mutating func unary() throws -> PredicateTerm {
    if take("-") {
      if case .number(let number) = token.kind {
        place += 1
        return try postfix(.value(PredicateNumber.negated(number)))
      }
      let term = try nested { try $0.unary() }
      return .function(.subtract, [.value(NSNumber(value: 0)), term])
    }
    if take("~") { return .function(.onesComplement, [try nested { try $0.unary() }]) }
    return try postfix(try atom())
  }

  private mutating func postfix(_ atom: PredicateTerm) throws -> PredicateTerm {
    var term = atom
    while true {
      if take(".") {
        term = .keyPath(try keyPath(), of: term)
      } else if take("[") {
        term = try nested { try $0.index(term) }
        try expect("]")
        try countOperator()
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
    return .element(of: term, .at(try self.term()))
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
        throw error("%K with an argument that is not a key path", at: token)
      }
      return .keyPath(path, of: .object)
    case .sign("("):
      place += 1
      let term = try nested { try $0.term() }
      try expect(")")
      return term
    case .sign("{"): return .aggregate(try nested { try $0.aggregate() })
    case .word(let word): return try self.word(word)
    default: throw unexpected("a key, a value or an argument")
    }
  }

  /// `{'a', 'b'}`.
  private mutating func aggregate() throws -> [PredicateTerm] {
    try expect("{")
    var terms: [PredicateTerm] = []
    if take("}") { return [] }
    repeat { terms.append(try term()) } while take(",")
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
    case "ANYKEY": throw error("'ANYKEY', which only Core Data has,")
    case let keyword where PredicateKeywords.inPredicates.contains(keyword):
      throw unexpected("a key, a value or an argument")
    default: break
    }
    let start = token
    let path = try keyPath(isFirst: true)
    guard isSign("(") else {
      if PredicateKeywords.calls.contains(start.text.uppercased()) { throw unexpected("'('") }
      if path.contains(":") { throw error("the function '\(path)' without arguments", at: start) }
      return .keyPath(path, of: .object)
    }
    return try nested { try $0.call(path, start) }
  }

  /// Keys with dots between them, among them operators, `items.@sum.price`; a function's name may have colons.
  private mutating func keyPath(isFirst: Bool = false) throws -> String {
    var parts: [String] = []
    repeat {
      switch token.kind {
      case .word(let word) where parts.isEmpty && isFirst || !word.contains(":"):
        parts.append(word.hasPrefix("#") ? String(word.dropFirst()) : word)
      case .argument("K"):
        guard let part = try argument() as? String else { throw unexpected("a key") }
        parts.append(part)
        continue
      default: throw unexpected("a key")
      }
      place += 1
    } while take(".")
    return parts.joined(separator: ".")
  }

  // MARK: Functions

  /// `SUBQUERY(…)`, `CAST(…)`, `FUNCTION(…)`, `TERNARY(…)`, or a function by name.
  private mutating func call(_ name: String, _ start: PredicateToken) throws -> PredicateTerm {
    try expect("(")
    switch name.uppercased() {
    case "SUBQUERY": return try subquery()
    case "CAST": return try cast()
    case "FUNCTION": return try invocation()
    case "TERNARY":
      let condition = try disjunction()
      try expect(",")
      let first = try term()
      try expect(",")
      let second = try term()
      try expect(")")
      return .conditional(condition, first, second)
    default: break
    }
    guard let function = PredicateFunction(name: name) else {
      throw error(PredicateFunction.reason(against: name), at: start)
    }
    let arguments = try arguments()
    guard function.takes(arguments.count) else {
      throw error(
        "\(arguments.count) arguments of '\(name)', which takes \(function.arity),", at: start)
    }
    return .function(function, arguments)
  }

  /// What's left of a call's arguments, and the parenthesis.
  private mutating func arguments() throws -> [PredicateTerm] {
    if take(")") { return [] }
    var terms: [PredicateTerm] = []
    repeat { terms.append(try term()) } while take(",")
    try expect(")")
    return terms
  }

  /// `SUBQUERY(items, $item, $item.price > 3)`.
  private mutating func subquery() throws -> PredicateTerm {
    let collection = try term()
    try expect(",")
    guard case .variable(let name) = token.kind else { throw unexpected("a variable") }
    place += 1
    try expect(",")
    let node = try disjunction()
    try expect(")")
    return .subquery(collection, name, node)
  }

  /// `CAST(123.5, "NSDate")`.
  private mutating func cast() throws -> PredicateTerm {
    let operand = try term()
    try expect(",")
    let start = token
    guard case .value(let name as String) = try term() else {
      throw error("'\(start.text)' instead of a class's name, such as \"NSDate\"", at: start)
    }
    guard let type = PredicateCast(rawValue: name) else {
      throw error("a cast to '\(name)', which is not there,", at: start)
    }
    try expect(")")
    return .cast(operand, type)
  }

  /// `FUNCTION(title, "length")`.
  private mutating func invocation() throws -> PredicateTerm {
    let operand = try term()
    try expect(",")
    let start = token
    guard case .value(let selector as String) = try term() else {
      throw error("'\(start.text)' instead of a selector, such as \"length\"", at: start)
    }
    var arguments: [PredicateTerm] = []
    while take(",") { arguments.append(try term()) }
    try expect(")")
    let count = selector.count { $0 == ":" }
    guard arguments.count == count else {
      throw error(
        "\(arguments.count) arguments of '\(selector)', which takes \(count),", at: start)
    }
    guard count == 0 || PredicateInvocation(rawValue: selector) != nil else {
      throw error("the selector '\(selector)', which can't be called here,", at: start)
    }
    return .invocation(operand, selector, arguments)
  }
}
