import SwiftSyntax

// What variables hold: a member of `AnyObject`, and an observer of a task, is found by the variable's declaration.
extension FilePorting {
  /// What a variable holds.
  enum Content {
    /// An object of any class, whose members only Objective-C finds.
    case anyObject
    /// A `URLSessionTask`, or its progress.
    case task
    case other

    init(_ type: TypeSyntax?, _ value: ExprSyntax?) {
      let written = (type?.trimmedDescription ?? "").filter { $0 != "?" && $0 != "!" }
      let name = written.split(separator: " ").last ?? ""
      if name == "AnyObject" || type == nil && value?.castType == "AnyObject" {
        self = .anyObject
      } else if Self.isTask(name) || type == nil && value?.isTask == true {
        self = .task
      } else {
        self = .other
      }
    }

    static func isTask(_ type: some StringProtocol) -> Bool {
      type.hasPrefix("URLSession") && type.hasSuffix("Task")
    }
  }

  func note(_ node: VariableDeclSyntax) {
    for binding in node.bindings {
      let value = binding.initializer?.value
      let isProgress = value?.ownerOfProgress.map(content) == .task
      let type =
        binding.typeAnnotation.map { ValueType($0.type) } ?? value.map { valueType(of: $0) }
      note(
        binding.pattern, isProgress ? .task : Content(binding.typeAnnotation?.type, value), type)
    }
  }

  /// A name without a value keeps what it holds.
  func note(_ node: OptionalBindingConditionSyntax) {
    guard let value = node.initializer?.value else { return }
    let type = node.typeAnnotation.map { ValueType($0.type) } ?? valueType(of: value)
    if value.trimmedDescription == node.pattern.trimmedDescription { return }
    note(node.pattern, Content(node.typeAnnotation?.type, value), type)
  }

  func note(_ node: FunctionParameterClauseSyntax) {
    for parameter in node.parameters {
      let name = (parameter.secondName ?? parameter.firstName).text
      let type = ValueType(parameter.type)
      note(name, Content(parameter.type, nil))
      note(
        name,
        type: parameter.ellipsis == nil ? type : ValueType(type.content, isCollection: true))
    }
  }

  func note(_ node: ClosureSignatureSyntax.ParameterClause?) {
    if case .simpleInput(let names) = node {
      for name in names {
        note(name.name.text, .other)
        note(name.name.text, type: ValueType(.unknown))
      }
    } else if case .parameterClause(let clause) = node {
      for parameter in clause.parameters {
        let name = (parameter.secondName ?? parameter.firstName).text
        note(name, Content(parameter.type, nil))
        note(name, type: parameter.type.map { ValueType($0) } ?? ValueType(.unknown))
      }
    }
  }

  private func note(_ pattern: PatternSyntax, _ content: Content, _ type: ValueType?) {
    guard let name = pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
      return note(pattern, matching: ValueType(.unknown))
    }
    note(name, content)
    note(name, type: type ?? ValueType(.unknown))
  }

  func note(_ name: String, type: ValueType) {
    if scopes.isEmpty {
      globalTypes[name] = type
    } else if scopes[scopes.count - 1].isFunction {
      scopes[scopes.count - 1].types[name] = type
    }
  }

  func note(_ name: String, _ content: Content) {
    if scopes.isEmpty {
      globals[name] = content
    } else {
      scopes[scopes.count - 1].variables[name] = content
    }
  }

  /// What an expression holds: a variable's name, which may be behind `self`, or a member's whose type is written.
  func content(of expression: ExprSyntax) -> Content {
    let text = expression.trimmedDescription.filter { $0 != "?" && $0 != "!" }
    let isOwn = text.hasPrefix("self.")
    let name = isOwn ? String(text.dropFirst(5)) : text
    // A function's variable isn't behind `self`.
    for scope in scopes.reversed() where !isOwn || !scope.isFunction {
      if let known = scope.variables[name] { return known }
    }
    let type = valueType(of: expression)
    if type.isCollection { return .other }
    switch type.content {
    case .anyObject: return .anyObject
    case .named(let name): return Content.isTask(name) ? .task : .other
    case .plain: return .other
    case .unknown: return globals[name] ?? .other
    }
  }

  func checkMember(_ node: MemberAccessExprSyntax) {
    guard let base = node.base else { return }
    checkSequence(node, base)
    checkDescriptor(node, base)
    // Members of the optional itself, and of every value.
    let isOwn = ["map", "flatMap", "self"].contains(node.declName.baseName.text)
    guard base.castsToAnyObject || content(of: base) == .anyObject && !isOwn else { return }
    remark(
      node,
      "a member of AnyObject, which only Objective-C finds: cast to the class, or to a protocol")
  }
}

extension ExprSyntax {
  /// What a progress is of.
  var ownerOfProgress: ExprSyntax? {
    guard let member = self.as(MemberAccessExprSyntax.self),
      member.declName.baseName.text == "progress"
    else { return nil }
    return member.base
  }

  /// The type behind `as`, `as?` or `as!`, at the expression's end.
  fileprivate var castType: String? {
    if let list = self.as(SequenceExprSyntax.self)?.elements, list.count > 2,
      let type = list.last?.as(TypeExprSyntax.self)
    {
      return type.type.trimmedDescription
    }
    return self.as(AsExprSyntax.self)?.type.trimmedDescription
  }

  /// Whether the expression makes a `URLSessionTask`, or is the progress of what's named like one.
  fileprivate var isTask: Bool {
    if let type = castType { return FilePorting.Content.isTask(type) }
    let makers: Set<String> = [
      "dataTask", "downloadTask", "uploadTask", "streamTask", "webSocketTask",
    ]
    if let call = self.as(FunctionCallExprSyntax.self) {
      return makers.contains(call.calledExpression.calledName ?? "")
    }
    let text = trimmedDescription.lowercased()
    return text.hasSuffix("task.progress") || text.hasSuffix("task?.progress")
  }
}
