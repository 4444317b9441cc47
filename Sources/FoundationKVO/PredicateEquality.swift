// Predicates and terms are equal if they have the same parts; numbers, if they have the same value.

extension PredicateNode: Equatable {
  static func == (left: PredicateNode, right: PredicateNode) -> Bool {
    switch (left.plain, right.plain) {
    case (.constant(let left), .constant(let right)): left == right
    case (.not(let left), .not(let right)): left == right
    case (.and(let left), .and(let right)), (.or(let left), .or(let right)): left == right
    case (.comparison(let left), .comparison(let right)): left == right
    case (.other(let left), .other(let right)): left.isEqual(right)
    default: false
    }
  }

  /// Without what joins fewer than two predicates.
  private var plain: PredicateNode {
    switch self {
    case .and(let nodes) where nodes.count < 2: nodes.first?.plain ?? .constant(true)
    case .or(let nodes) where nodes.count < 2: nodes.first?.plain ?? .constant(false)
    default: self
    }
  }
}

extension PredicateNode: Hashable {
  func hash(into hasher: inout Hasher) {
    switch plain {
    case .constant(let value): hasher.combine(value)
    case .not(let node): hasher.combine(node)
    case .and(let nodes), .or(let nodes): hasher.combine(nodes)
    case .comparison(let comparison):
      hasher.combine(comparison.operation)
      hasher.combine(comparison.left.path)
      hasher.combine(comparison.right.path)
    case .other(let predicate): hasher.combine(predicate.hash)
    }
  }
}

extension PredicateTerm: Equatable {
  /// The path, if that's all the term is.
  fileprivate var path: String? {
    if case .path(.object, let path) = self { path } else { nil }
  }

  static func == (left: PredicateTerm, right: PredicateTerm) -> Bool {
    switch (left, right) {
    case (.object, .object): true
    case (.variable(let left), .variable(let right)): left == right
    case (.path(let left, let path), .path(let right, let other)): path == other && left == right
    case (.element(let left, let index), .element(let right, let other)):
      index == other && left == right
    case (.function(let left, let terms), .function(let right, let others)):
      left == right && terms == others
    case (.invocation(let left, let name, let terms), .invocation(let right, let other, let others)):
      name == other && left == right && terms == others
    case (.set(let set, let left, let right), .set(let other, let first, let second)):
      set == other && left == first && right == second
    case (
      .conditional(let node, let left, let right), .conditional(let other, let first, let second)
    ):
      node == other && left == first && right == second
    case (.subquery(let left, let name, let node), .subquery(let right, let other, let second)):
      name == other && left == right && node == second
    case (.cast(let left, let type), .cast(let right, let other)) where type == other: left == right
    case (.value, _), (_, .value), (.aggregate, .aggregate): areEqualValues(left, right)
    default: false
    }
  }

  private static func areEqualValues(_ left: PredicateTerm, _ right: PredicateTerm) -> Bool {
    if let (first, isSet) = left.elements, let (second, isOtherSet) = right.elements {
      guard isSet || isOtherSet else { return first == second }
      return first.count == second.count && first.allSatisfy(second.contains)
    }
    guard let first = left.constant, let second = right.constant else { return false }
    return switch (first, second) {
    case (nil, nil): true
    case (let first as NSNumber, let second as NSNumber):
      Ordering.compare(first, second) == .orderedSame
    case (let first?, let second?): Bridging.areEqual(first, second)
    default: false
    }
  }

  /// The value of a term that's always the same.
  private var constant: Any?? {
    switch self {
    case .value(let value): value is NSNull ? .some(nil) : .some(Bridging.object(value))
    // `CAST(0, "NSDate")` is how a date is written.
    case .cast(.value(let value), let type): .some(type.cast(value))
    default: nil
    }
  }

  /// The elements of a list, written as one or a value, and whether their order doesn't matter.
  private var elements: (terms: [PredicateTerm], isSet: Bool)? {
    if case .aggregate(let terms) = self { return (terms, false) }
    guard case .value(let value) = self, let object = Bridging.object(value),
      !(object is NSDictionary), let elements = Self.elements(of: object)
    else { return nil }
    return (elements.map { .value($0) }, object is NSSet)
  }
}
