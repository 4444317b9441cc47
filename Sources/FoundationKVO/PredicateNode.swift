/// A predicate that has been read.
indirect enum PredicateNode {
  case constant(Bool)
  case not(PredicateNode)
  case and([PredicateNode])
  case or([PredicateNode])
  case comparison(PredicateComparison)

  func isTrue(of object: Any?, _ variables: [String: Any]) -> Bool {
    switch self {
    case .constant(let value): value
    case .not(let node): !node.isTrue(of: object, variables)
    case .and(let nodes): nodes.allSatisfy { $0.isTrue(of: object, variables) }
    case .or(let nodes): nodes.contains { $0.isTrue(of: object, variables) }
    case .comparison(let comparison): comparison.isTrue(of: object, variables)
    }
  }
}

/// What a predicate compares.
indirect enum PredicateTerm {
  enum Index {
    case first
    case last
    case size
    case at(PredicateTerm)
  }

  case value(Any?)
  /// The object that the predicate is evaluated with.
  case object
  case variable(String)
  case path(of: PredicateTerm, String)
  case element(of: PredicateTerm, Index)
  case aggregate([PredicateTerm])
  case arithmetic(String, PredicateTerm, PredicateTerm)
  case subquery(PredicateTerm, String, PredicateNode)

  /// The term's value, an optional one unwrapped, and `NSNull` as nil.
  func value(of object: Any?, _ variables: [String: Any]) -> Any? {
    let value = plainValue(of: object, variables)
    return value is NSNull ? nil : Bridging.flattened(value)
  }

  private func plainValue(of object: Any?, _ variables: [String: Any]) -> Any? {
    switch self {
    case .value(let value): return value
    case .object: return object
    case .variable(let name):
      guard let value = variables[name] else {
        Exception.invalidArgument.raise("Can't get value for '\(name)' in bindings \(variables).")
      }
      return value
    case .path(let term, let path):
      guard let base = term.value(of: object, variables) else { return nil }
      return Bridging.value(of: base, forKeyPath: path)
    case .element(let term, let index):
      guard let base = term.value(of: object, variables) else { return nil }
      return Self.element(of: base, index) { $0.value(of: object, variables) }
    case .aggregate(let terms): return terms.map { $0.value(of: object, variables) ?? NSNull() }
    case .arithmetic(let sign, let left, let right):
      guard let left = Self.number(left.value(of: object, variables)),
        let right = Self.number(right.value(of: object, variables))
      else { return nil }
      return Self.result(left, sign, right)
    case .subquery(let collection, let name, let node):
      let elements = Self.elements(of: collection.value(of: object, variables)) ?? []
      return elements.filter { element in
        node.isTrue(of: object, variables.merging([name: element]) { $1 })
      }
    }
  }

  private static func element(
    of base: Any, _ index: Index, _ value: (PredicateTerm) -> Any?
  ) -> Any? {
    if case .at(let term) = index, let key = value(term) as? String {
      return Bridging.value(of: base, forKeyPath: key)
    }
    guard let elements = elements(of: base) else { return nil }
    switch index {
    case .first: return elements.first
    case .last: return elements.last
    case .size: return NSNumber(value: elements.count)
    case .at(let term):
      guard let place = number(value(term))?.intValue, elements.indices.contains(place) else {
        return nil
      }
      return elements[place]
    }
  }

  static func number(_ value: Any?) -> NSNumber? {
    value.flatMap { Bridging.object($0) as? NSNumber }
  }

  private static func result(_ left: NSNumber, _ sign: String, _ right: NSNumber) -> NSNumber {
    let (first, second) = (left.doubleValue, right.doubleValue)
    switch sign {
    case "+": return NSNumber(value: first + second)
    case "-": return NSNumber(value: first - second)
    case "*": return NSNumber(value: first * second)
    case "/": return NSNumber(value: first / second)
    default: return NSNumber(value: pow(first, second))
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
}
