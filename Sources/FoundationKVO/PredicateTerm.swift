/// What a predicate compares.
indirect enum PredicateTerm {
  enum Index: Equatable {
    case first
    case last
    case size
    case at(PredicateTerm)
  }

  enum SetOperation: String {
    case union = "UNION"
    case intersection = "INTERSECT"
    case difference = "MINUS"
  }

  typealias Block = (Any?, [Any], NSMutableDictionary?) -> Any

  case value(Any?)
  /// The object that the predicate is evaluated with.
  case object
  case variable(String)
  case path(of: PredicateTerm, String)
  case element(of: PredicateTerm, Index)
  case aggregate([PredicateTerm])
  case function(PredicateFunction, [PredicateTerm])
  /// A selector of an object: a key, or one of `PredicateInvocation`.
  case invocation(PredicateTerm, String, [PredicateTerm])
  case cast(PredicateTerm, PredicateCast)
  case set(SetOperation, PredicateTerm, PredicateTerm)
  case conditional(PredicateNode, PredicateTerm, PredicateTerm)
  case subquery(PredicateTerm, String, PredicateNode)
  case block(Block, [PredicateTerm])

  /// A path from a term, which may be a path itself.
  static func keyPath(_ path: String, of term: PredicateTerm) -> PredicateTerm {
    if case .path(let base, let start) = term { return .path(of: base, "\(start).\(path)") }
    return .path(of: term, path)
  }

  /// The term's value, an optional one unwrapped, and `NSNull` as nil.
  func value(of object: Any?, _ variables: [String: Any]) -> Any? {
    let value = plainValue(of: object, variables)
    return value is NSNull ? nil : Bridging.flattened(value)
  }

  private func plainValue(of object: Any?, _ variables: [String: Any]) -> Any? {
    func value(_ term: PredicateTerm) -> Any? { term.value(of: object, variables) }
    func values(_ terms: [PredicateTerm]) -> [Any] { terms.map { value($0) ?? NSNull() } }
    switch self {
    case .value(let value): return value
    case .object: return object
    case .variable(let name):
      guard let value = variables[name] else {
        Exception.invalidArgument.raise("Can't get value for '\(name)' in bindings \(variables).")
      }
      return value
    case .path(let term, let path):
      return value(term).flatMap { Bridging.value(of: $0, forKeyPath: path) }
    case .element(let term, let index):
      return value(term).flatMap { Self.element(of: $0, index, value) }
    case .aggregate(let terms): return values(terms)
    case .function(let function, let terms): return function.call(terms.map(value))
    case .invocation(let operand, let selector, let terms):
      guard let operand = value(operand) else { return nil }
      guard let invocation = PredicateInvocation(rawValue: selector) else {
        return Bridging.value(of: operand, forKey: selector)
      }
      return invocation.call(operand, terms.first.flatMap(value))
    case .cast(let term, let type): return type.cast(value(term))
    case .set(let operation, let left, let right):
      return Self.combined(operation, value(left), value(right))
    case .conditional(let node, let first, let second):
      return value(node.isTrue(of: object, variables) ? first : second)
    case .subquery(let collection, let name, let node):
      let elements = Self.elements(of: value(collection)) ?? []
      return elements.filter { element in
        node.isTrue(of: object, variables.merging([name: element]) { $1 })
      }
    case .block(let block, let terms):
      return block(object, values(terms), NSMutableDictionary(dictionary: variables))
    }
  }

  private static func element(
    of base: Any, _ index: Index, _ value: (PredicateTerm) -> Any?
  ) -> Any? {
    if case .at(let term) = index, let key = value(term) as? String {
      return Bridging.value(of: base, forKey: key)
    }
    guard let elements = elements(of: base) else { return nil }
    switch index {
    case .first: return elements.first
    case .last: return elements.last
    case .size: return NSNumber(value: elements.count)
    case .at(let term):
      guard let place = PredicateNumber.number(value(term))?.intValue,
        elements.indices.contains(place)
      else { return nil }
      return elements[place]
    }
  }

  private static func combined(_ operation: SetOperation, _ left: Any?, _ right: Any?) -> Any? {
    // A union with nil is one with nothing.
    var right = right
    if right == nil, operation == .union { right = [Any]() }
    guard let left, let right else { return nil }
    guard let first = elements(of: left), let second = elements(of: right) else {
      Exception.invalidArgument.raise(
        "Can't do \(operation.rawValue) with \(left) and \(right), which are not both collections.")
    }
    let (firstKeys, secondKeys) = (Set(first.map(Bridging.key)), Set(second.map(Bridging.key)))
    switch operation {
    case .union:
      return NSSet(
        array: Bridging.members(first + second.filter { !firstKeys.contains(Bridging.key($0)) }))
    case .intersection:
      return NSSet(array: Bridging.members(first.filter { secondKeys.contains(Bridging.key($0)) }))
    case .difference:
      return NSSet(array: Bridging.members(first.filter { !secondKeys.contains(Bridging.key($0)) }))
    }
  }

  /// The elements of a collection; nil for anything else.
  static func elements(of value: Any?) -> [Any]? {
    guard let object = value.flatMap({ Bridging.object($0) }) else { return nil }
    switch object {
    case let array as NSArray: return array.map { $0 }
    case let orderedSet as NSOrderedSet: return (0..<orderedSet.count).map { orderedSet[$0] }
    case let set as NSSet: return set.allObjects
    case let dictionary as NSDictionary: return dictionary.allValues
    default: return nil
    }
  }

  /// The same with values in place of variables.
  func substituting(_ variables: [String: Any]) -> PredicateTerm {
    func all(_ terms: [PredicateTerm]) -> [PredicateTerm] {
      terms.map { $0.substituting(variables) }
    }
    switch self {
    case .value, .object: return self
    case .variable(let name): return variables[name].map { .value($0) } ?? self
    case .path(let term, let path): return .path(of: term.substituting(variables), path)
    case .element(let term, .at(let index)):
      return .element(of: term.substituting(variables), .at(index.substituting(variables)))
    case .element(let term, let index): return .element(of: term.substituting(variables), index)
    case .aggregate(let terms): return .aggregate(all(terms))
    case .function(let function, let terms): return .function(function, all(terms))
    case .invocation(let operand, let selector, let terms):
      return .invocation(operand.substituting(variables), selector, all(terms))
    case .cast(let term, let type): return .cast(term.substituting(variables), type)
    case .set(let operation, let left, let right):
      return .set(operation, left.substituting(variables), right.substituting(variables))
    case .conditional(let node, let first, let second):
      return .conditional(
        node.substituting(variables), first.substituting(variables), second.substituting(variables))
    case .subquery(let collection, let name, let node):
      // The subquery's own variable hides another one of its name.
      let others = variables.filter { $0.key != name }
      return .subquery(collection.substituting(variables), name, node.substituting(others))
    case .block(let block, let terms): return .block(block, all(terms))
    }
  }
}
