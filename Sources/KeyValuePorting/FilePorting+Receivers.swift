import SwiftSyntax

// What an expression is, as far as declarations show: it decides which class's member a name means.
extension FilePorting {
  /// The innermost type around what's visited.
  var ownType: String? { scopes.last { !$0.isFunction }?.name }

  func valueType(of expression: ExprSyntax) -> ValueType {
    if let target = expression.invocation?.target { return variable(target) }
    return switch expression.as(ExprSyntaxEnum.self) {
    case .declReferenceExpr(let node): variable(node.baseName.text)
    case .superExpr:
      ownType.flatMap(classes.superclass).map { ValueType(.named($0)) }
        ?? ValueType(.unknown)
    case .memberAccessExpr(let node): member(node)
    case .optionalChainingExpr(let node): valueType(of: node.expression)
    case .forceUnwrapExpr(let node): valueType(of: node.expression)
    case .tryExpr(let node): valueType(of: node.expression)
    case .awaitExpr(let node): valueType(of: node.expression)
    case .tupleExpr(let node) where node.elements.count == 1:
      node.elements.first.map { valueType(of: $0.expression) } ?? ValueType(.unknown)
    case .sequenceExpr(let node): sequence(Array(node.elements))
    case .subscriptCallExpr(let node): element(of: valueType(of: node.calledExpression))
    case .functionCallExpr(let node): result(node)
    case .arrayExpr(let node):
      ValueType(
        node.elements.first.map { valueType(of: $0.expression).content } ?? .unknown,
        isCollection: true)
    default: ValueType(expression)
    }
  }

  /// What a name without a base holds.
  private func variable(_ name: String) -> ValueType {
    for scope in scopes.reversed() {
      if let known = scope.types[name] { return known }
      guard !scope.isFunction, let type = scope.name else { continue }
      if name == "self" { return ValueType(.named(type)) }
      let members = classes.members
      let known = members.value(of: name, in: type) ?? members.typeValue(of: name, in: type)
      if let known { return known }
    }
    return globalTypes[name] ?? classes.members.value(of: name, in: "") ?? ValueType(.unknown)
  }

  /// Whether a function's own name hides that of a member.
  func isLocal(_ name: String) -> Bool {
    for scope in scopes.reversed() {
      if !scope.isFunction { return false }
      if scope.types[name] != nil { return true }
    }
    return false
  }

  /// The type that an expression names, `Folder` or `Self`.
  private func typeName(_ expression: ExprSyntax) -> String? {
    expression.typeName == "Self" ? ownType : expression.typeName
  }

  private func member(_ node: MemberAccessExprSyntax) -> ValueType {
    guard let base = node.base else { return ValueType(.unknown) }
    let name = node.declName.baseName.text
    let type = valueType(of: base)
    if name == "self" { return type }
    if type.isCollection {
      switch name {
      case "first", "last": return element(of: type)
      case "lazy", "values", "allObjects", "array": return type
      default: return ValueType(.unknown)
      }
    }
    if let type = type.name {
      return classes.members.value(of: name, in: type) ?? ValueType(.unknown)
    }
    if type.content == .task { return ValueType(name == "progress" ? .task : .unknown) }
    return typeName(base).flatMap { classes.members.typeValue(of: name, in: $0) }
      ?? ValueType(ExprSyntax(node))
  }

  /// What's in a collection; unknown for a dictionary, the keys of whose values aren't observed.
  func element(of type: ValueType) -> ValueType {
    guard type.isCollection else { return ValueType(.unknown) }
    if case .plain = type.content { return ValueType(.unknown) }
    return ValueType(type.content)
  }

  /// Casts, and `a ?? b`.
  private func sequence(_ elements: [ExprSyntax]) -> ValueType {
    guard elements.count == 3 else { return ValueType(.unknown) }
    if elements[1].is(UnresolvedAsExprSyntax.self), let type = elements[2].as(TypeExprSyntax.self) {
      return ValueType(type.type)
    }
    guard elements[1].as(BinaryOperatorExprSyntax.self)?.operator.text == "??" else {
      return ValueType(.unknown)
    }
    return valueType(of: elements[0])
  }

  private func result(_ node: FunctionCallExprSyntax) -> ValueType {
    let name = node.calledExpression.calledName ?? ""
    let method = "\(name)(\(node.arguments.map { ($0.label?.text ?? "_") + ":" }.joined()))"
    guard let member = node.calledExpression.as(MemberAccessExprSyntax.self),
      let base = member.base
    else {
      let result = [ownType, ""].lazy.compactMap { $0 }
        .compactMap { self.classes.members.result(of: method, in: $0) }.first
      return result ?? ValueType(ExprSyntax(node))
    }
    if name == "init", let type = typeName(base) {
      return ValueType(.named(type))
    }
    let type = valueType(of: base)
    if type.isCollection {
      if Self.ofElement.contains(name) { return element(of: type) }
      return Self.ofSameElements.contains(name) ? type : ValueType(.unknown)
    }
    guard let owner = type.name ?? typeName(base),
      let result = classes.members.result(of: method, in: owner)
    else { return ValueType(ExprSyntax(node)) }
    if case .named("Self") = result.content { return ValueType(.named(owner)) }
    return result
  }

  /// The methods of a collection that return an element.
  private static let ofElement: Set<String> = [
    "first", "last", "min", "max", "randomElement", "removeFirst", "removeLast", "popLast",
    "remove",
  ]

  /// Those that return elements.
  private static let ofSameElements: Set<String> = [
    "filter", "sorted", "prefix", "suffix", "dropFirst", "dropLast", "reversed", "enumerated",
    "shuffled", "drop",
  ]
}
