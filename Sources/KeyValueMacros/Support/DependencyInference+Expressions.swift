import SwiftSyntax

extension InferenceWalk {
  /// What an expression leads to; reads on the way are noted.
  func evaluate(_ expression: ExprSyntax) -> Reach {
    switch expression.as(ExprSyntaxEnum.self) {
    case .declReferenceExpr(let node):
      reference(to: node.baseName.plainName, at: node.baseName)
    case .superExpr: .object
    case .stringLiteralExpr(let node): string(node)
    case .memberAccessExpr(let node): member(node)
    case .functionCallExpr(let node): call(node)
    case .subscriptCallExpr(let node): subscripting(node)
    case .asExpr(let node): evaluate(node.expression)
    case .tupleExpr(let node): tuple(node)
    case .arrayExpr(let node): array(node)
    case .sequenceExpr(let node): sequence(Array(node.elements))
    case .infixOperatorExpr(let node):
      sequence([node.leftOperand, node.operator, node.rightOperand])
    case .prefixOperatorExpr(let node): unary(node.operator.text, node.expression)
    case .postfixOperatorExpr(let node): unary(node.operator.text, node.expression)
    case .ternaryExpr(let node): ternary(node)
    case .ifExpr(let node): conditional(node)
    case .switchExpr(let node): cases(of: node.subject, node.cases)
    case .closureExpr(let node): closure(node)
    case .keyPathExpr: .opaque
    default: only(in: expression).map(evaluate) ?? children(of: Syntax(expression))
    }
  }

  /// The expression in one that only adds tokens: `a?`, `a!`, `try a`, `&a`, `-a` and the like.
  private func only(in expression: ExprSyntax) -> ExprSyntax? {
    var inner: ExprSyntax?
    for child in expression.children(viewMode: .sourceAccurate) where !child.is(TokenSyntax.self) {
      guard inner == nil, let expression = child.as(ExprSyntax.self) else { return nil }
      inner = expression
    }
    return inner
  }

  /// Reads every expression below a node that has no special meaning here.
  private func children(of node: Syntax) -> Reach {
    for child in node.children(viewMode: .sourceAccurate) {
      if let expression = child.as(ExprSyntax.self) {
        use(expression)
      } else {
        _ = children(of: child)
      }
    }
    return .opaque
  }

  private func array(_ node: ArrayExprSyntax) -> Reach {
    var result = node.elements.reduce(Reach.opaque) { $0.union(evaluate($1.expression)) }
    result.isElements = !result.isOpaque
    return result
  }

  private func tuple(_ node: TupleExprSyntax) -> Reach {
    if node.elements.count == 1, let only = node.elements.first { return evaluate(only.expression) }
    var result = Reach.opaque
    var names: [String] = []
    for (index, element) in node.elements.enumerated() {
      let reach = evaluate(element.expression)
      use(reach)
      result = result.union(reach.withoutObject)
      names += ["\(index)"] + (element.label.map { [$0.plainName] } ?? [])
    }
    result.pair = .parts(names)
    return result
  }

  private func unary(_ name: String, _ operand: ExprSyntax) -> Reach {
    let reach = evaluate(operand)
    operate(name, [reach], at: operand)
    return reach.withoutObject
  }

  /// What a bare name leads to: a local, a property, a method's result, or nothing.
  func reference(to name: String, at node: TokenSyntax) -> Reach {
    switch scope[name] {
    case .value(let reach, let alias):
      alias?.isUsed = true
      return reach
    case .function(let function): return result(of: function, arguments: nil)
    case nil: break
    }
    if name == "self" { return isInTypeMethod ? .opaque : .object }
    return isInTypeMethod ? typeMember(name, at: node) : property(name, at: node)
  }

  /// What the object's own property leads to.
  func property(_ name: String, at node: some SyntaxProtocol) -> Reach {
    if let property = model.property(name) {
      switch property.kind {
      case .ignored: return ignored(property, at: node)
      case .constant: return Reach(paths: [[name]], constants: [name])
      default: return Reach(paths: [[name]])
      }
    }
    if let method = model.methods(name).first, !method.isTypeMethod {
      return result(of: method.declaration, arguments: nil)
    }
    guard name.mayBeProperty, !model.typeMembers.contains(name) else { return .opaque }
    guard model.hasInheritanceClause else {
      note(.member(name), at: node)
      return .opaque
    }
    // It may be inherited; the runtime drops a candidate that isn't a key.
    if isRoot { note(.inherited(name), at: node) }
    return Reach(paths: [[name]])
  }

  /// What a property that isn't a key leads to; its getter is followed.
  private func ignored(_ property: ObservableProperty, at node: some SyntaxProtocol) -> Reach {
    if let getter = property.getter { return result(ofGetter: getter, isTypeMember: false) }
    if !property.declaration.isLet { noteUnnotified(property.name, at: node) }
    return .opaque
  }

  /// A static or class property leads to nothing, but a computed one is followed.
  private func typeMember(_ name: String, at node: some SyntaxProtocol) -> Reach {
    guard let variable = model.typeVariable(name) else { return .opaque }
    if let getter = variable.binding.accessorBlock?.getter {
      return result(ofGetter: getter, isTypeMember: true)
    }
    if variable.isMutable { noteUnnotified("\(model.name).\(name)", at: node) }
    return .opaque
  }

  private func member(_ node: MemberAccessExprSyntax) -> Reach {
    let token = node.declName.baseName
    let name = token.plainName
    guard let base = node.base else { return .opaque }
    if model.isOwnType(base), name != "self" { return typeMember(name, at: token) }
    let reach = evaluate(base)
    if name == "self" { return reach }
    if reach.isOpaque {
      noteSharedObject(base)
      noteCurrent(node, of: base)
      return .opaque
    }
    if reach.pair != nil {
      if let element = reach.element(name) { return element }
      if name == "values" || name == "lazy" || name == "first" || name == "last" {
        var result = reach
        if name == "values" { result.pair = nil }
        return result
      }
      use(reach)
      return .opaque
    }
    if reach.isElements {
      if KnownNames.elementProperties.contains(name) { return reach.elements }
      use(reach)
      return .opaque
    }
    if reach.isObject {
      return reach.paths.count > 1 ? member(name, of: reach, at: token) : ownMember(token, of: base)
    }
    if token.tokenKind.isTupleIndex {
      use(reach)
      return .opaque
    }
    if name == "lazy" || name == "unsafelyUnwrapped" { return reach }
    if isCollection(reach) {
      if KnownNames.elementProperties.contains(name) { return reach }
      if KnownNames.membershipProperties.contains(name) {
        use(reach)
        return .opaque
      }
    }
    var result = reach.appending(name)
    // `team.members.first?.name`: a property called `first`, or an element of the collection.
    let elements = reach.paths.filter { path in
      path.count > 1 && ["first", "last"].contains(path[path.count - 1])
    }
    if !elements.isEmpty {
      result = result.union(Reach(paths: elements.map { $0.dropLast() + [name] }))
    }
    return result
  }

  /// `Theme.current`: a type replaces the value that it provides under this name.
  private func noteCurrent(_ node: MemberAccessExprSyntax, of base: ExprSyntax) {
    guard node.declName.baseName.text == "current",
      let type = base.as(DeclReferenceExprSyntax.self)?.baseName.text,
      type.first?.isUppercase == true, model.evidence(ofTypeNamed: type) != .value
    else { return }
    noteUnnotified("\(type).current", at: node)
  }

  /// What `self.name` and `super.name` lead to.
  private func ownMember(_ token: TokenSyntax, of base: ExprSyntax) -> Reach {
    let name = token.plainName
    if base.is(SuperExprSyntax.self), model.property(name) == nil,
      model.methods(name).contains(where: { !$0.isTypeMethod })
    {
      note(.call("super.\(name)"), at: token)
      return .opaque
    }
    if base.is(SuperExprSyntax.self), isRoot, model.property(name) != nil {
      note(.inherited("super.\(name)"), at: token)
      return .opaque
    }
    return property(name, at: token)
  }

  /// Whether the value is an own property with a visible array or set type.
  func isCollection(_ reach: Reach) -> Bool {
    !reach.paths.isEmpty
      && reach.paths.allSatisfy { path in
        path.count == 1 && model.property(path[0])?.binding.isVisiblyCollection == true
      }
  }

  private func subscripting(_ node: SubscriptCallExprSyntax) -> Reach {
    let base = evaluate(node.calledExpression)
    var keyPath: [String]?
    for argument in node.arguments {
      if argument.label?.text == "keyPath" {
        keyPath = argument.expression.as(KeyPathExprSyntax.self)?.keyNames
      }
      let reach = evaluate(argument.expression)
      use(reach)
      hash(reach, at: argument)
    }
    if let keyPath { return follow(keyPath, from: base, at: node) }
    if base.isElements { return base.elements }
    guard base.isObject else {
      var value = base
      value.pair = base.pair == .keyed ? nil : base.pair
      return value
    }
    if node.arguments.first?.label?.text == "keyPath" {
      note(.call("self[keyPath: …]"), at: node)
      return .opaque
    }
    if node.calledExpression.is(SuperExprSyntax.self) {
      note(.call("super[…]"), at: node)
      return .opaque
    }
    for declaration in model.subscripts { use(result(of: declaration)) }
    if model.subscripts.isEmpty { note(.call("self[…]"), at: node) }
    return .opaque
  }

  /// What a key path's names lead to from a value.
  func follow(_ names: [String], from base: Reach, at node: some SyntaxProtocol) -> Reach {
    var reach = base
    for name in names where name != "self" && !reach.isOpaque {
      if reach.pair != nil {
        reach = reach.element(name) ?? .opaque
      } else {
        reach = member(name, of: reach, at: node)
      }
    }
    return reach
  }

  /// What a name leads to from the object itself, or from a value on a path.
  private func member(_ name: String, of reach: Reach, at node: some SyntaxProtocol) -> Reach {
    let others = reach.withoutObject.appending(name)
    return reach.isObject ? others.union(property(name, at: node)) : others
  }

  // MARK: Operators

  private func sequence(_ elements: [ExprSyntax]) -> Reach {
    if let index = elements.firstIndex(where: { $0.is(AssignmentExprSyntax.self) }) {
      // Assignment doesn't read its target.
      let value = sequence(Array(elements[(index + 1)...]))
      use(value)
      if let local = elements.first?.as(DeclReferenceExprSyntax.self)?.baseName.plainName {
        scope.add(value, to: local)
      }
      return .opaque
    }
    if let index = elements.firstIndex(where: { $0.is(UnresolvedTernaryExprSyntax.self) }),
      let ternary = elements[index].as(UnresolvedTernaryExprSyntax.self)
    {
      use(sequence(Array(elements[..<index])))
      return evaluate(ternary.thenExpression).union(sequence(Array(elements[(index + 1)...])))
    }
    if elements.count == 1 { return evaluate(elements[0]) }
    let operators = elements.compactMap { $0.as(BinaryOperatorExprSyntax.self)?.operator.text }
    let isTransparent = operators.allSatisfy { $0 == "??" }
    let isOpaque =
      elements.contains { $0.is(UnresolvedIsExprSyntax.self) }
      || operators.contains { KnownNames.opaqueOperators.contains($0) }
    var result = Reach.opaque
    var reaches: [Int: Reach] = [:]
    for (index, element) in elements.enumerated() where !element.isOperator {
      let reach = evaluate(element)
      reaches[index] = reach
      if isTransparent, !isOpaque {
        result = result.union(reach)
      } else {
        use(reach)
        // `employees + contractors`: a read of the sum's elements reads both operands' elements.
        if !isOpaque { result = result.union(reach.withoutObject) }
      }
    }
    for (index, element) in elements.enumerated() {
      guard let name = element.as(BinaryOperatorExprSyntax.self)?.operator.text,
        let left = reaches[index - 1], let right = reaches[index + 1]
      else { continue }
      operate(name, [left, right], at: element)
    }
    return result
  }

  private func ternary(_ node: TernaryExprSyntax) -> Reach {
    use(node.condition)
    return evaluate(node.thenExpression).union(evaluate(node.elseExpression))
  }

  private func conditional(_ node: IfExprSyntax) -> Reach {
    var result = inScope {
      conditions(node.conditions)
      return branch(node.body)
    }
    if case .ifExpr(let other) = node.elseBody {
      result = result.union(conditional(other))
    } else if case .codeBlock(let other) = node.elseBody {
      result = result.union(branch(other))
    }
    return result
  }

  private func branch(_ block: CodeBlockSyntax) -> Reach {
    inScope {
      let last = self.block(block.statements)
      guard block.statements.count == 1 else {
        use(last)
        return .opaque
      }
      return last
    }
  }

  // MARK: Closures

  /// A closure with unknown parameters.
  private func closure(_ node: ClosureExprSyntax) -> Reach {
    use(closureResult(node, elements: [:]))
    return .opaque
  }

  /// Follows a closure with known values for some parameters; returns what it returns.
  func closureResult(_ node: ClosureExprSyntax, elements: [Int: Reach]) -> Reach {
    inScope {
      for capture in node.signature?.capture?.items ?? [] {
        guard let (name, value) = capture.captured, name.text != "self" || value != nil else {
          continue
        }
        bind(
          name.plainName, to: value.map(evaluate) ?? reference(to: name.plainName, at: name))
      }
      let names = node.parameters
      let elements = destructuring(elements, in: node)
      for (index, name) in names.enumerated() where elements[index] == nil {
        scope.bind(name, to: .value(.opaque, nil))
      }
      for (index, reach) in elements.sorted(by: { $0.key < $1.key }) {
        if names.isEmpty {
          bind("$\(index)", to: reach)
        } else if names.indices.contains(index) {
          bind(names[index], to: reach)
        } else {
          use(reach)
        }
      }
      if names.isEmpty {
        for index in 0..<4 where elements[index] == nil {
          scope.bind("$\(index)", to: .value(.opaque, nil))
        }
      }
      return body(node.statements)
    }
  }
}

extension InferenceWalk {
  /// A pair that a closure takes as two parameters.
  private func destructuring(_ elements: [Int: Reach], in node: ClosureExprSyntax) -> [Int: Reach] {
    guard elements.count == 1, let pair = elements[0], pair.pair != nil else { return elements }
    let takesTwo =
      node.parameters.count == 2
      || node.parameters.isEmpty
        && node.tokens(viewMode: .sourceAccurate).contains {
          $0.tokenKind == .dollarIdentifier("$1")
        }
    guard takesTwo else { return elements }
    return [0, 1].reduce(into: [:]) { $0[$1] = pair.element("\($1)") }
  }
}

extension TokenKind {
  fileprivate var isTupleIndex: Bool { if case .integerLiteral = self { true } else { false } }
}

extension ExprSyntax {
  fileprivate var isOperator: Bool {
    self.is(BinaryOperatorExprSyntax.self) || self.is(UnresolvedAsExprSyntax.self)
      || self.is(UnresolvedIsExprSyntax.self) || self.is(TypeExprSyntax.self)
  }
}

extension String {
  /// Whether a name without a visible declaration may be a property or a global.
  fileprivate var mayBeProperty: Bool {
    guard let first, first.isLowercase || first == "_" && count > 1,
      !KnownNames.functions.contains(self), !KnownNames.globals.contains(self)
    else { return false }
    // `kCFBooleanTrue`: a C constant.
    return suffix(after: "k") == nil
  }
}
