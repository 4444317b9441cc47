// The formats of predicates and terms, which are read as an equal predicate again.

extension PredicateNode {
  var format: String {
    switch self {
    case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .not(let node): "NOT \(node.partFormat)"
    case .and(let nodes): Self.joined(nodes, "AND", none: true)
    case .or(let nodes): Self.joined(nodes, "OR", none: false)
    case .comparison(let comparison): comparison.format
    case .other(let predicate): predicate.predicateFormat
    }
  }

  /// In parentheses, if it's several predicates.
  private var partFormat: String {
    switch self {
    case .and(let nodes) where nodes.count == 1: nodes[0].partFormat
    case .or(let nodes) where nodes.count == 1: nodes[0].partFormat
    case .and(let nodes) where !nodes.isEmpty: "(\(format))"
    case .or(let nodes) where !nodes.isEmpty: "(\(format))"
    default: format
    }
  }

  private static func joined(_ nodes: [PredicateNode], _ word: String, none: Bool) -> String {
    switch nodes.count {
    case 0: PredicateNode.constant(none).format
    case 1: nodes[0].format
    default: nodes.map(\.partFormat).joined(separator: " \(word) ")
    }
  }
}

extension PredicateComparison {
  var format: String {
    let quantifier =
      switch modifier {
      case .direct: ""
      case .all: "ALL "
      case .any: "ANY "
      }
    return "\(quantifier)\(left.format) \(operation.symbol)\(options.format) \(right.format)"
  }
}

extension PredicateTerm {
  var format: String {
    switch self {
    case .value(let value): Self.format(ofValue: value)
    case .object: "SELF"
    case .variable(let name): "$\(name)"
    case .path(.object, let path): Self.format(ofPath: path)
    case .path(let term, let path): "\(term.baseFormat).\(path)"
    case .element(let term, .first): "\(term.baseFormat)[FIRST]"
    case .element(let term, .last): "\(term.baseFormat)[LAST]"
    case .element(let term, .size): "\(term.baseFormat)[SIZE]"
    case .element(let term, .at(let index)): "\(term.baseFormat)[\(index.format)]"
    case .aggregate(let terms): "{\(Self.list(terms))}"
    case .function(let function, let terms): Self.format(of: function, terms)
    case .invocation(let operand, let selector, let terms):
      "FUNCTION(\(Self.list([operand, .value(selector)] + terms)))"
    case .cast(let term, let type): "CAST(\(term.format), \"\(type.rawValue)\")"
    case .set(let operation, let left, let right):
      "\(left.partFormat) \(operation.rawValue) \(right.partFormat)"
    case .conditional(let node, let first, let second):
      "TERNARY(\(node.format), \(first.format), \(second.format))"
    case .subquery(let collection, let name, let node):
      "SUBQUERY(\(collection.format), $\(name), \(node.format))"
    case .block(_, let terms): "BLOCK(\(Self.list(terms)))"
    }
  }

  private static func list(_ terms: [PredicateTerm]) -> String {
    terms.map(\.format).joined(separator: ", ")
  }

  private static func format(of function: PredicateFunction, _ terms: [PredicateTerm]) -> String {
    guard let sign = PredicateOperator.sign(of: function), terms.count == 2 else {
      return "\(function.rawValue)(\(list(terms)))"
    }
    return "\(terms[0].partFormat) \(sign) \(terms[1].partFormat)"
  }

  /// Whether the format is an operator between two others.
  private var isBinary: Bool {
    switch self {
    case .set: true
    case .function(let function, let terms):
      terms.count == 2 && PredicateOperator.sign(of: function) != nil
    default: false
    }
  }

  /// As an operator's operand.
  private var partFormat: String { isBinary ? "(\(format))" : format }

  /// As what a path or an index starts from.
  private var baseFormat: String {
    switch self {
    case .object, .variable, .path, .element, .aggregate, .subquery: format
    default: "(\(format))"
    }
  }

  private static func format(ofPath path: String) -> String {
    let first = path.prefix { $0 != "." }
    return PredicateKeywords.reserved.contains(first.uppercased()) ? "#\(path)" : path
  }

  // MARK: Values

  private static func format(ofValue value: Any?) -> String {
    guard let value = Bridging.object(value), !(value is NSNull) else { return "nil" }
    if let elements = elements(of: value), !(value is NSDictionary) {
      return "{\(elements.map { format(ofValue: $0) }.joined(separator: ", "))}"
    }
    switch value {
    case let number as NSNumber: return format(of: number)
    case let text as String: return format(of: text)
    case let date as Date:
      return "CAST(\(format(of: date.timeIntervalSinceReferenceDate)), \"NSDate\")"
    default: return "\(value)"
    }
  }

  private static func format(of number: NSNumber) -> String {
    let isFloating = ["f", "d"].contains(String(cString: number.objCType))
    guard isFloating, !(number is NSDecimalNumber) else {
      return number is NSDecimalNumber ? "\(number)" : number.stringValue
    }
    let text = "\(number.doubleValue)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Six digits, as Cocoa's, or as many as the number needs.
  private static func format(of interval: Double) -> String {
    let text = String(format: "%f", interval)
    return Double(text) == interval ? text : "\(interval)"
  }

  private static func format(of text: String) -> String {
    var result = "\""
    for character in text {
      switch character {
      case "\"", "\\": result += "\\\(character)"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      default: result.append(character)
      }
    }
    return result + "\""
  }
}
