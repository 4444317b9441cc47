/// A path as observing sees it: the keys to attach to, and whether something follows them.
// Checked by hand: immutable; the contribution is read on behalf of the observed object's own users.
@usableFromInline
final class ObservedPath: @unchecked Sendable {
  /// The path as it was asked for.
  let string: String
  let keys: [String]
  /// Whether the value is read from behind the last key.
  let hasTail: Bool
  /// The type whose values a typed handler takes from the last key's property; nil for any.
  let leafType: Any.Type?
  /// Why the path cannot be observed as it is spelled, in words.
  let problem: String?

  /// Reads what one element contributes to the path's operator, where the path is typed.
  private let typedContribution: ((AnyObject) -> Any?)?
  /// The property that alone leads from an element to its contribution, where the path is a typed one.
  private let contributingProperty: Property?

  /// Whether the value is an operator's, which may be maintained.
  var hasOperator: Bool { keys.contains(where: CollectionOperator.isOperator) }

  /// How an element's contribution to an operator is read, which takes the path from this component on.
  func contribution(from index: Int) -> (AnyObject) -> Any? {
    if let typedContribution { return typedContribution }
    let rest = keys[index...].joined(separator: ".")
    guard let path = try? ParsedKeyPath(rest) else { return { _ in nil } }
    if path.components.count == 1, rest != "self" {
      return { element in try? (element as? any KeyValueObservable)?.value(forKey: rest) }
    }
    return { element in try? path.value(of: element) }
  }

  /// How a contribution is read that is a number of one of the usual types; nil where that cannot be
  /// known, and nothing from the closure where it is another value.
  func number(from index: Int) -> ((any KeyValueObservable) -> Number?)? {
    if let contributingProperty { return { contributingProperty.number(of: $0) } }
    guard typedContribution == nil, index == keys.count - 1 else { return nil }
    let key = keys[index]
    return { $0.schema.property(key)?.number(of: $0) }
  }

  init(_ parsed: ParsedKeyPath) {
    typedContribution = nil
    contributingProperty = nil
    leafType = nil
    string = parsed.string
    keys = parsed.components
    hasTail = false
    problem = nil
  }

  init(_ steps: [PathStep]) {
    var keys: [String] = []
    var contribution: ((AnyObject) -> Any?)?
    var leafType: Any.Type?
    var problem = steps.isEmpty ? "The key path \\.self names no property." : nil
    takingApart: for step in steps {
      switch step.kind {
      case .key(let property):
        keys.append(property.key)
        leafType = property.valueType
      case .count:
        keys.append(step.name)
        break takingApart
      case .operation(_, let read):
        keys.append(step.name)
        contribution = contribution ?? read
      case .unknown(let schema):
        problem =
          "Component \(keys.count + 1) of a key path is a member of \(schema.name) but not one of "
          + "its keys. Declare it in the class itself and without @KeyValueIgnored, or observe "
          + "what it is made of. An override in a final class that is not annotated has an identity "
          + "of its own: annotate the class, or observe the object as its superclass."
        break takingApart
      case .value:
        break takingApart
      }
    }
    string = steps.map(\.name).joined(separator: ".")
    hasTail = keys.count < steps.count && contribution == nil
    self.keys = keys
    self.problem = problem
    self.leafType = leafType
    typedContribution = contribution
    contributingProperty = steps.propertyBehindOnlyOperator
  }
}

extension [PathStep] {
  /// The property that follows the first operator and is the end of the path; nil where there is none.
  fileprivate var propertyBehindOnlyOperator: Property? {
    let isOperator = { (step: PathStep) in if case .operation = step.kind { true } else { false } }
    guard let index = firstIndex(where: isOperator), index == count - 2,
      case .key(let property) = self[count - 1].kind
    else { return nil }
    return property
  }
}
