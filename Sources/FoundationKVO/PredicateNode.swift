/// A predicate that has been read or built.
indirect enum PredicateNode {
  case constant(Bool)
  case not(PredicateNode)
  case and([PredicateNode])
  case or([PredicateNode])
  case comparison(PredicateComparison)
  /// A closure's, or a subclass's.
  case other(NSPredicate)

  init(_ predicate: NSPredicate) {
    switch predicate {
    case let constant as ConstantPredicate: self = .constant(constant.value)
    case let comparison as NSComparisonPredicate: self = .comparison(comparison.comparison)
    case let compound as Foundation.NSCompoundPredicate:
      let nodes = compound.subpredicates.map(PredicateNode.init)
      switch compound.compoundPredicateType {
      case .not: self = .not(nodes[0])
      case .and: self = .and(nodes)
      case .or: self = .or(nodes)
      @unknown default: self = .other(predicate)
      }
    default: self = .other(predicate)
    }
  }

  /// The predicate that Cocoa makes of it.
  var predicate: NSPredicate {
    switch self {
    case .constant(let value): ConstantPredicate(value)
    case .not(let node): NSCompoundPredicate(type: .not, subpredicates: [node.predicate])
    case .and(let nodes): NSCompoundPredicate(type: .and, subpredicates: nodes.map(\.predicate))
    case .or(let nodes): NSCompoundPredicate(type: .or, subpredicates: nodes.map(\.predicate))
    case .comparison(let comparison): NSComparisonPredicate(comparison)
    case .other(let predicate): predicate
    }
  }

  func isTrue(of object: Any?, _ variables: [String: Any]) -> Bool {
    switch self {
    case .constant(let value): value
    case .not(let node): !node.isTrue(of: object, variables)
    case .and(let nodes): nodes.allSatisfy { $0.isTrue(of: object, variables) }
    case .or(let nodes): nodes.contains { $0.isTrue(of: object, variables) }
    case .comparison(let comparison): comparison.isTrue(of: object, variables)
    case .other(let predicate): predicate.evaluate(with: object, substitutionVariables: variables)
    }
  }

  /// The same with values in place of variables.
  func substituting(_ variables: [String: Any]) -> PredicateNode {
    switch self {
    case .constant: self
    case .not(let node): .not(node.substituting(variables))
    case .and(let nodes): .and(nodes.map { $0.substituting(variables) })
    case .or(let nodes): .or(nodes.map { $0.substituting(variables) })
    case .comparison(let comparison):
      .comparison(
        PredicateComparison(
          modifier: comparison.modifier, left: comparison.left.substituting(variables),
          operation: comparison.operation, options: comparison.options,
          right: comparison.right.substituting(variables)))
    case .other(let predicate):
      .other(
        NSPredicate { object, others in
          predicate.evaluate(
            with: object, substitutionVariables: variables.merging(others ?? [:]) { $1 })
        })
    }
  }
}
