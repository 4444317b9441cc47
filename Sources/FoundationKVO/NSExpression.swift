/// A side of a comparison, such as a value, a key path, a variable or a function.
///
/// ```swift
/// let mean = NSExpression(format: "average(%@)", [1, 2, 6])
/// print(mean, "is", mean.expressionValue(with: nil, context: nil)!)  // average:({1, 2, 6}) is 3
/// ```
///
/// Source of the behaviour: Cocoa.
open class NSExpression: Foundation.NSObject, NSCopying {
  /// What an expression is, with Cocoa's raw values.
  public enum ExpressionType: UInt, Sendable {
    /// A value.
    case constantValue
    /// The object that a predicate is evaluated with.
    case evaluatedObject
    /// A variable, `$name`.
    case variable
    /// A key path.
    case keyPath
    /// A function, or an operator.
    case function
    /// An expression with `UNION`.
    case unionSet
    /// An expression with `INTERSECT`.
    case intersectSet
    /// An expression with `MINUS`.
    case minusSet
    /// An expression with `SUBQUERY`.
    case subquery = 13
    /// A list of expressions.
    case aggregate = 14
    /// Any key: Core Data's, and never made here.
    case anyKey = 15
    /// A closure.
    case block = 19
    /// An expression with `TERNARY`.
    case conditional = 20
  }

  final let term: PredicateTerm

  init(_ term: PredicateTerm) {
    self.term = term
    super.init()
  }

  /// A value.
  public convenience init(forConstantValue obj: Any?) { self.init(.value(obj)) }

  /// The value at the end of a key path.
  public convenience init(forKeyPath keyPath: String) {
    self.init(.keyPath(keyPath, of: .object))
  }

  /// The value of a property that a key path names; raises for anything but one key.
  ///
  /// ```swift
  /// print(NSExpression(forKeyPath: \Book.title).keyPath)  // title
  /// ```
  public convenience init<Root: NSObject, Value>(
    forKeyPath keyPath: KeyPath<Root, Value>
  ) {
    self.init(forKeyPath: Root.key(keyPath))
  }

  /// A variable's value.
  public convenience init(forVariable string: String) { self.init(.variable(string)) }

  /// The object that a predicate is evaluated with.
  open class func expressionForEvaluatedObject() -> NSExpression { NSExpression(.object) }

  /// A list of expressions.
  public convenience init(forAggregate subexpressions: [NSExpression]) {
    self.init(.aggregate(subexpressions.map(\.term)))
  }

  /// A function by name, `"sum:"`; raises for an unknown one.
  ///
  /// The constants `"FIRST"`, `"LAST"` and `"SIZE"` as the index of `"objectFrom:withIndex:"` mean an element or the
  /// count, as in `a[SIZE]`, and not a key: `a['SIZE']` can be made only by `init(format:)`.
  public convenience init(forFunction name: String, arguments parameters: [NSExpression]) {
    self.init(.calling(name, parameters.map(\.term)))
  }

  /// A key of an expression's value, or one of a few selectors; raises for another one.
  public convenience init(
    forFunction target: NSExpression, selectorName name: String,
    arguments parameters: [NSExpression]?
  ) {
    let count = name.count { $0 == ":" }
    guard count == parameters?.count ?? 0,
      count == 0 || PredicateInvocation(rawValue: name) != nil
    else {
      Exception.invalidArgument.raise("The selector '\(name)' can't be called here.")
    }
    self.init(.invocation(target.term, name, (parameters ?? []).map(\.term)))
  }

  /// What's in one of two collections.
  public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
    self.init(.set(.union, left.term, right.term))
  }

  /// What's in both of two collections.
  public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
    self.init(.set(.intersection, left.term, right.term))
  }

  /// What's in a collection and not in another one.
  public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
    self.init(.set(.difference, left.term, right.term))
  }

  /// The elements of a collection for which a predicate is true.
  public convenience init(
    forSubquery expression: NSExpression, usingIteratorVariable variable: String,
    predicate: NSPredicate
  ) {
    self.init(.subquery(expression.term, variable, PredicateNode(predicate)))
  }

  /// One expression if a predicate is true, and another one if it's false.
  public convenience init(
    forConditional predicate: NSPredicate, trueExpression: NSExpression,
    falseExpression: NSExpression
  ) {
    self.init(.conditional(PredicateNode(predicate), trueExpression.term, falseExpression.term))
  }

  /// A closure's result.
  public convenience init(
    block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any, arguments: [NSExpression]?
  ) {
    self.init(.block(block, (arguments ?? []).map(\.term)))
  }

  /// Creates an expression by its format, as in a predicate's; raises if it can't be read.
  public convenience init(format expressionFormat: String, _ args: Any?...) {
    self.init(format: expressionFormat, argumentArray: args.map { $0 ?? NSNull() })
  }

  /// Creates an expression by its format, with arguments from an array.
  public convenience init(format expressionFormat: String, argumentArray arguments: [Any]) {
    do {
      self.init(try PredicateParser.parse(term: expressionFormat, arguments))
    } catch {
      Exception.invalidArgument.raise("\(error)")
    }
  }

  /// The value for an object, with values of variables in the dictionary.
  open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    var variables: [String: Any] = [:]
    for (key, value) in context ?? [:] {
      if let key = key as? String { variables[key] = value }
    }
    return Bridging.object(term.value(of: object, variables))
  }

  open override var description: String { term.format }
  open override var hash: Int {
    // A list or a cast may be equal to a constant.
    switch term {
    case .value, .aggregate, .cast: 0
    default: expressionType.hashValue
    }
  }
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSExpression).map { self === $0 || term == $0.term } ?? false
  }
  /// The expression itself, which never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

// What an expression consists of; a part that it doesn't have raises, as in Cocoa.
extension NSExpression {
  /// What the expression is.
  public var expressionType: ExpressionType {
    switch term {
    case .value: .constantValue
    case .object: .evaluatedObject
    case .variable: .variable
    case .path: .keyPath
    case .element, .function, .invocation, .cast: .function
    case .aggregate: .aggregate
    case .set(.union, _, _): .unionSet
    case .set(.intersection, _, _): .intersectSet
    case .set(.difference, _, _): .minusSet
    case .conditional: .conditional
    case .subquery: .subquery
    case .block: .block
    }
  }

  /// The value of a constant.
  public var constantValue: Any? {
    guard case .value(let value) = term else { lacks("constantValue") }
    return value is NSNull ? nil : value
  }

  /// The key path.
  public var keyPath: String {
    guard case .path(_, let path) = term else { lacks("keyPath") }
    return path
  }

  /// The name of a variable, or of a subquery's.
  public var variable: String {
    switch term {
    case .variable(let name), .subquery(_, let name, _): name
    default: lacks("variable")
    }
  }

  /// The function's name, `"add:to:"`.
  public var function: String {
    switch term {
    case .function(let function, _): function.rawValue
    case .invocation(_, let selector, _): selector
    case .cast: PredicateTerm.castName
    case .element: PredicateTerm.elementName
    default: lacks("function")
    }
  }

  /// What a key path, or a function by selector, is asked of.
  public var operand: NSExpression {
    switch term {
    case .path(let term, _), .invocation(let term, _, _): NSExpression(term)
    default: lacks("operand")
    }
  }

  /// The arguments of a function or a closure.
  public var arguments: [NSExpression]? {
    switch term {
    case .function(_, let terms), .invocation(_, _, let terms), .block(_, let terms):
      terms.map { NSExpression($0) }
    case .cast(let term, let type): [NSExpression(term), NSExpression(.value(type.rawValue))]
    case .element(let term, let index): [NSExpression(term), NSExpression(index.term)]
    default: lacks("arguments")
    }
  }

  /// The expressions of a list, or the collection of a subquery.
  public var collection: Any {
    switch term {
    case .aggregate(let terms): terms.map { NSExpression($0) }
    case .subquery(let term, _, _): NSExpression(term)
    default: lacks("collection")
    }
  }

  /// The predicate of a subquery or a condition.
  public var predicate: NSPredicate {
    switch term {
    case .subquery(_, _, let node), .conditional(let node, _, _): node.predicate
    default: lacks("predicate")
    }
  }

  /// The first of two collections.
  public var left: NSExpression {
    guard case .set(_, let term, _) = term else { lacks("left") }
    return NSExpression(term)
  }

  /// The second of two collections.
  public var right: NSExpression {
    guard case .set(_, _, let term) = term else { lacks("right") }
    return NSExpression(term)
  }

  /// What a condition is if its predicate is true.
  public var `true`: NSExpression {
    guard case .conditional(_, let term, _) = term else { lacks("true") }
    return NSExpression(term)
  }

  /// What a condition is if its predicate is false.
  public var `false`: NSExpression {
    guard case .conditional(_, _, let term) = term else { lacks("false") }
    return NSExpression(term)
  }

  private func lacks(_ part: String) -> Never {
    Exception.invalidArgument.raise("The expression \(self) has no \(part).")
  }
}

extension PredicateTerm {
  /// The function that Cocoa has for a cast.
  fileprivate static let castName = "castObject:toType:"
  /// The function that Cocoa has for an index.
  fileprivate static let elementName = "objectFrom:withIndex:"

  /// A call of a function by name; raises for an unknown one, or if it doesn't take the arguments.
  fileprivate static func calling(_ name: String, _ terms: [PredicateTerm]) -> PredicateTerm {
    func check(_ isTaken: Bool, _ arity: String) {
      if isTaken { return }
      Exception.invalidArgument.raise("'\(name)' takes \(arity) arguments, not \(terms.count).")
    }
    switch name {
    case castName:
      check(terms.count == 2, "2")
      guard case .value(let className as String) = terms[1],
        let type = PredicateCast(rawValue: className)
      else {
        Exception.invalidArgument.raise(
          "'\(name)' can't cast to \(terms[1].format). Use the constant \"NSDate\", \"NSNumber\", "
            + "\"NSDecimalNumber\" or \"NSString\".")
      }
      return .cast(terms[0], type)
    case elementName:
      check(terms.count == 2, "2")
      return .element(of: terms[0], Index(terms[1]))
    default: break
    }
    guard let function = PredicateFunction(name: name) else {
      Exception.invalidArgument.raise(
        "Can't make an expression of \(PredicateFunction.reason(against: name).dropLast()).")
    }
    check(function.takes(terms.count), function.arity)
    return .function(function, terms)
  }
}

extension PredicateTerm.Index {
  /// The index that an argument is.
  fileprivate init(_ term: PredicateTerm) {
    guard case .value(let name as String) = term else {
      self = .at(term)
      return
    }
    switch name {
    case "FIRST": self = .first
    case "LAST": self = .last
    case "SIZE": self = .size
    default: self = .at(term)
    }
  }

  /// The index as an argument; `FIRST` and its like by name.
  fileprivate var term: PredicateTerm {
    switch self {
    case .first: .value("FIRST")
    case .last: .value("LAST")
    case .size: .value("SIZE")
    case .at(let term): term
    }
  }
}
