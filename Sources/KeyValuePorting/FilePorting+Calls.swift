import SwiftSyntax

// What becomes of calls.
extension FilePorting {
  /// Makes `(manager.prepare(withInvocationTarget: self) as AnyObject).remove(x)` a closure, which captures what
  /// the arguments are now.
  func recordAsClosure(_ node: FunctionCallExprSyntax) -> Bool {
    guard let member = node.calledExpression.as(MemberAccessExprSyntax.self),
      let base = member.base, let invocation = base.invocation, node.trailingClosure == nil
    else { return false }
    // What has no base, `.rgb(red, 0)`, has no type outside of the call.
    if node.arguments.contains(where: {
      !$0.expression.isConstant && $0.expression.isImplicitMember
    }) {
      return false
    }
    var captures: [String] = []
    for (index, argument) in node.arguments.enumerated() {
      if argument.expression.isConstant {
        walk(argument.expression)
      } else if argument.expression.is(DeclReferenceExprSyntax.self) {
        captures.append(argument.expression.trimmedDescription)
      } else {
        captures.append("argument\(index) = \(ported(argument.expression))")
        replace(.undo, argument.expression, by: "argument\(index)")
      }
    }
    let list = captures.isEmpty ? "" : "[\(captures.joined(separator: ", "))] in "
    replace(
      .undo, base.positionAfterSkippingLeadingTrivia, base.endPositionBeforeTrailingTrivia,
      by: "\(invocation.manager).registerUndo(withTarget: \(invocation.target)) { \(list)$0")
    insert(.undo, " }", at: node.endPositionBeforeTrailingTrivia)
    return true
  }

  func checkCall(_ node: FunctionCallExprSyntax, _ name: String, _ labels: String) {
    if let mend = Mend.calls["\(name)(\(labels))"],
      !classes.members.declares(method: "\(name)(\(labels))")
    {
      remark(node, "'\(name)(\(labels))': \(mend)")
    }
    if name == "addObserver", node.arguments.first?.label?.text == "forName", node.isUnused {
      insert(.results, "_ = ", at: node.positionAfterSkippingLeadingTrivia)
    }
    checkKeyPath(node, name)
    guard name == "observe" || name == "addObserver" else { return }
    if let path = node.arguments.first?.expression.as(KeyPathExprSyntax.self), let root = path.root
    {
      let names = path.components.filter {
        if case .property = $0.component { true } else { false }
      }
      if names.count > 1 {
        replace(
          .roots, root.positionAfterSkippingLeadingTrivia, root.endPositionBeforeTrailingTrivia,
          by: "")
      }
    }
    let base = node.calledExpression.as(MemberAccessExprSyntax.self)?.base
    let receiver = base?.trimmedDescription ?? ""
    if isNamedLikeTask(base, receiver) || node.arguments.contains(where: \.namesTask)
      || base.map(valueType)?.content == .task
    {
      remark(
        node,
        "if '\(receiver)' is a URLSessionTask or its progress: Foundation's can't be observed; report "
          + "progress from the session's delegate")
    }
  }

  /// Lists a key path that a function was given, and hands on to what reads only one property.
  private func checkKeyPath(_ node: FunctionCallExprSyntax, _ name: String) {
    let first = node.arguments.first
    guard
      name == "observe" && first?.label == nil
        || name == "NSExpression" && first?.label?.text == "forKeyPath",
      let path = first?.expression.as(DeclReferenceExprSyntax.self)?.baseName.text
    else { return }
    for function in node.ancestors.lazy.compactMap({ $0.as(FunctionDeclSyntax.self) }) {
      let parameters = function.signature.parameterClause.parameters
      // The path itself, or an element of a list of them.
      let given =
        parameters.first { ($0.secondName ?? $0.firstName).text == path }
        ?? parameters.first { $0.type.keyPath != nil && node.isInLoop(over: $0, naming: path) }
      guard let given, let type = given.type.keyPath, listedKeyPaths.insert(given.id).inserted
      else { continue }
      let arguments = type.map(\.argument.trimmedDescription)
      let (root, value) = (arguments[0], arguments[1])
      remark(
        given,
        "a KeyPath<\(root), \(value)> is one property here, and ends the program at a longer path: for those, "
          + (name == "observe"
            ? "'\(path)' is of type KeyPath<KeyValuePath<\(root), \(root)>, KeyValuePath<\(root), \(value)>>"
            : "take the path as a string"))
    }
  }

  /// Whether a name says that something is a `URLSessionTask` or its progress, and no declaration says otherwise.
  func isNamedLikeTask(_ base: ExprSyntax?, _ name: String) -> Bool {
    guard name.lowercased().contains("task"), let base else { return false }
    return ![base, base.ownerOfProgress].contains { expression in
      guard let expression, case .named(let type) = valueType(of: expression).content else {
        return false
      }
      return classes.knows(type)
    }
  }

  /// Calls a requirement that was optional, and now has a default; lists the call if it also asks whether there is
  /// a method, or may be one of a property's closure.
  func callOptional(_ node: FunctionCallExprSyntax, _ labels: String) {
    guard let chain = node.calledExpression.as(OptionalChainingExprSyntax.self),
      let member = chain.expression.as(MemberAccessExprSyntax.self),
      let method = classes.members.requirement(
        member.declName.baseName.text, labels,
        closures: (node.trailingClosure == nil ? 0 : 1) + node.additionalTrailingClosures.count)
    else { return }
    let name = member.declName.baseName.text
    switch owner(of: ExprSyntax(member)) {
    case .type(let type) where classes.members.hasProperty(name, in: type): return
    case .unknown where classes.members.declares(name):
      remark(
        node,
        "if this calls the requirement '\(method)', and not a closure, remove the '?' behind its name"
      )
      return
    default: break
    }
    replace(.optionals, chain.questionMark, by: "")
    guard node.isAsked, classes.members.isProcedure(method) else { return }
    remark(node, "the requirement '\(method)' is \(Self.neverMissing)")
  }

  /// Lists a requirement that was optional, and that's named to ask whether there is a method.
  func checkOptional(_ node: MemberAccessExprSyntax) {
    let expression = ExprSyntax(node)
    var type: String?
    switch owner(of: expression) {
    case .none: return
    case .type(let name): type = name
    case .unknown: break
    }
    guard !expression.isCalled,
      let method = classes.members.requirement(named: node.declName.trimmedDescription, in: type)
    else { return }
    let subject =
      type == nil
      ? "if this is the requirement '\(method)', it's" : "the requirement '\(method)' is"
    remark(node, "\(subject) \(Self.neverMissing)")
  }

  private static let neverMissing =
    "never missing here, because it has a default: put what's done without it into the default, or declare the "
    + "method in a protocol of its own, and cast to that"
}

extension TypeSyntax {
  /// The root and the value of a type of key paths, or of a list of them.
  fileprivate var keyPath: [GenericArgumentSyntax]? {
    if let list = self.as(ArrayTypeSyntax.self) { return list.element.keyPath }
    guard let type = self.as(IdentifierTypeSyntax.self),
      ["KeyPath", "WritableKeyPath", "ReferenceWritableKeyPath"].contains(type.name.text),
      let arguments = type.genericArgumentClause?.arguments, arguments.count == 2,
      // One of FoundationKVO's own paths.
      arguments.first?.argument.trimmedDescription.hasPrefix("KeyValuePath<") == false
    else { return nil }
    return Array(arguments)
  }
}

extension FunctionCallExprSyntax {
  /// Whether the call is in a loop over a parameter, whose elements have a name.
  fileprivate func isInLoop(over parameter: FunctionParameterSyntax, naming element: String) -> Bool
  {
    let list = (parameter.secondName ?? parameter.firstName).text
    return ancestors.contains { node in
      if let loop = node.as(ForStmtSyntax.self) {
        return loop.sequence.trimmedDescription == list
          && loop.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == element
      }
      guard let closure = node.as(ClosureExprSyntax.self), let call = closure.call,
        let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base
      else { return false }
      return base.trimmedDescription == list
        && (closure.parameters.first?.name ?? "$0") == element
    }
  }

  /// Whether the call's result is used; of a method that returns nothing, it says whether there is one.
  fileprivate var isAsked: Bool {
    let user = ancestors.first { !$0.is(TryExprSyntax.self) && !$0.is(AwaitExprSyntax.self) }
    if let list = user?.as(ExprListSyntax.self), list.count == 3 {
      return list.first?.is(DiscardAssignmentExprSyntax.self) != true
    }
    return user?.is(CodeBlockItemSyntax.self) != true
  }

  /// Whether the call is a statement, and not the only one of what returns its value.
  fileprivate var isUnused: Bool {
    guard let item = parent?.as(CodeBlockItemSyntax.self),
      let list = item.parent?.as(CodeBlockItemListSyntax.self), let body = list.parent
    else { return false }
    if list.count > 1 { return true }
    if let function = body.parent?.as(FunctionDeclSyntax.self) {
      return function.signature.returnClause == nil
    }
    return !body.is(ClosureExprSyntax.self) && !body.is(AccessorBlockSyntax.self)
      && body.parent?.as(AccessorDeclSyntax.self)?.accessorSpecifier.text != "get"
  }
}

extension LabeledExprSyntax {
  /// Whether a key path begins with a `URLSessionTask`'s type.
  fileprivate var namesTask: Bool {
    let root =
      expression.as(KeyPathExprSyntax.self)?.root?.trimmedDescription
      ?? expression.as(MacroExpansionExprSyntax.self)?.arguments.first?.trimmedDescription
    return (root?.split(separator: ".").first).map(ValueType.isTask) ?? false
  }
}
