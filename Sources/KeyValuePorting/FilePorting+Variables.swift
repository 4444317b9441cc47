import SwiftSyntax

// What names are, from where they're declared.
extension FilePorting {
  func note(_ name: String, type: ValueType) {
    if scopes.isEmpty {
      globalTypes[name] = type
    } else if scopes[scopes.count - 1].isFunction {
      scopes[scopes.count - 1].types[name] = type
    }
  }

  /// What a variable is; the members of types are in a table.
  func note(_ node: PatternBindingSyntax) {
    let value = node.initializer?.value
    note(node.pattern, ValueType(node.typeAnnotation?.type) ?? value.map(valueType))
  }

  /// A name without a value keeps what it is.
  func note(_ node: OptionalBindingConditionSyntax) {
    guard let value = node.initializer?.value else { return }
    note(node.pattern, ValueType(node.typeAnnotation?.type) ?? valueType(of: value))
  }

  private func note(_ pattern: PatternSyntax, _ type: ValueType?) {
    guard let name = pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
      return note(pattern, matching: ValueType(.unknown))
    }
    note(name, type: type ?? ValueType(.unknown))
  }

  func note(_ node: FunctionParameterClauseSyntax) {
    for parameter in node.parameters {
      let type = ValueType(parameter.type)
      note(
        (parameter.secondName ?? parameter.firstName).text,
        type: parameter.ellipsis == nil ? type : ValueType(type.content, isCollection: true))
    }
  }

  /// What a pattern's names hold if it matches a value of a type.
  func note(_ pattern: PatternSyntax, matching value: ValueType) {
    let finder = PatternNameFinder(viewMode: .sourceAccurate)
    finder.walk(pattern)
    for name in finder.names {
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
    for (name, type) in node.parameters {
      note(name, type: ValueType(type) ?? ValueType(.unknown))
    }
    let first = node.parameters.first?.name ?? "$0"
    if scopes.last?.types[first]?.content == .unknown { note(first, type: given) }
  }

  /// The methods of a collection whose closure takes an element.
  private static let takingElement: Set<String> = [
    "forEach", "map", "compactMap", "flatMap", "filter", "first", "last", "contains", "allSatisfy",
    "firstIndex", "lastIndex", "removeAll", "drop", "prefix", "partition",
  ]
}
