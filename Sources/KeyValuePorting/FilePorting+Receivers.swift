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
    if let owner = typeName(base) {
      // `Settings.shared` is mostly one of its type.
      return classes.members.typeValue(of: name, in: owner) ?? ValueType(ExprSyntax(node))
    }
    return ValueType(.unknown)
  }

  /// What's in a collection; unknown for a dictionary, the keys of whose values aren't observed.
  private func element(of type: ValueType) -> ValueType {
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
    else { return ValueType(.unknown) }
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

  // MARK: Noting

  /// What a pattern's names hold if it matches a value of a type.
  func note(_ pattern: PatternSyntax, matching value: ValueType) {
    let finder = PatternNameFinder(viewMode: .sourceAccurate)
    finder.walk(pattern)
    for name in finder.names {
      note(name.text, name.type.map { Content($0, nil) } ?? .other)
      let isPart = name.isPayload || name.isInTuple
      note(
        name.text, type: name.type.map { ValueType($0) } ?? (isPart ? ValueType(.unknown) : value))
    }
  }

  /// What a loop's names hold.
  func noteElement(_ node: ForStmtSyntax) {
    let elements = element(of: valueType(of: node.sequence))
    let isEnumerated =
      node.sequence.as(FunctionCallExprSyntax.self)?.calledExpression.calledName == "enumerated"
    note(node.pattern, matching: isEnumerated ? ValueType(.unknown) : elements)
    if let pair = node.pattern.as(TuplePatternSyntax.self)?.elements, isEnumerated, pair.count == 2,
      let name = pair.last?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    {
      note(name, type: elements)
    }
  }

  /// What a case's names hold.
  func noteSubject(_ node: SwitchCaseSyntax) {
    guard case .case(let label) = node.label else { return }
    let subject = node.parent?.parent?.as(SwitchExprSyntax.self)?.subject
    for item in label.caseItems {
      note(item.pattern, matching: subject.map { valueType(of: $0) } ?? ValueType(.unknown))
    }
  }

  /// What a setter or an observer is given.
  func noteValue(_ node: AccessorDeclSyntax) {
    guard let binding = node.parent?.parent?.parent?.as(PatternBindingSyntax.self) else { return }
    for name in node.parameters.map({ [$0.name.text] }) ?? ["newValue", "oldValue"] {
      note(name, type: ValueType(binding))
    }
  }

  /// A function in another one hides the members of its name.
  func noteFunction(_ node: FunctionDeclSyntax) {
    if scopes.last?.isFunction == true { note(node.name.text, type: ValueType(.unknown)) }
  }

  /// What a closure's first parameter is, if it's called with elements, or an undo action's target.
  func valueGiven(to node: ClosureExprSyntax) -> ValueType {
    if let call = node.call, let name = call.calledExpression.calledName {
      if name == "registerUndo", let target = call.arguments.first?.expression {
        return valueType(of: target)
      } else if Self.takingElement.contains(name),
        let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base
      {
        return element(of: valueType(of: base))
      }
    }
    return ValueType(.unknown)
  }

  func noteParameters(_ node: ClosureExprSyntax, _ given: ValueType) {
    for name in ["$0", "$1", "$2"] { note(name, type: ValueType(.unknown)) }
    for capture in node.signature?.capture?.items ?? [] {
      if let value = capture.initializer?.value {
        note(capture.name.text, type: valueType(of: value))
      }
    }
    note(node.signature?.parameterClause)
    let first = node.firstParameter ?? "$0"
    if scopes.last?.types[first]?.content == .unknown { note(first, type: given) }
  }

  /// The methods of a collection whose closure takes an element.
  private static let takingElement: Set<String> = [
    "forEach", "map", "compactMap", "flatMap", "filter", "first", "last", "contains", "allSatisfy",
    "firstIndex", "lastIndex", "removeAll", "drop", "prefix", "partition",
  ]
}
