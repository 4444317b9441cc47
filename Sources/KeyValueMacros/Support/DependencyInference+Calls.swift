import SwiftSyntax

extension InferenceWalk {
  func call(_ node: FunctionCallExprSyntax) -> Reach {
    if let member = node.calledExpression.as(MemberAccessExprSyntax.self), let base = member.base {
      let isModule = base.as(DeclReferenceExprSyntax.self)?.baseName.text == "Swift"
      return isModule
        ? bareCall(node, member.declName.baseName) : memberCall(node, member, base)
    }
    if let name = node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName {
      return bareCall(node, name)
    }
    if let name = node.calledExpression.collectionTypeName {
      return passed(readArguments(of: node, handingSelfTo: name), by: name)
    }
    if let closure = node.calledExpression.as(ClosureExprSyntax.self) {
      for argument in node.arguments { use(argument.expression) }
      return closureResult(closure, elements: [:])
    }
    use(node.calledExpression)
    readArguments(of: node)
    return .opaque
  }

  /// `describe()`, `max(a, b)`, `String(x)`.
  private func bareCall(_ node: FunctionCallExprSyntax, _ token: TokenSyntax) -> Reach {
    let name = token.plainName
    switch scope[name] {
    case .value(let reach, let alias):
      alias?.isUsed = true
      use(reach)
      readArguments(of: node)
      return .opaque
    case .function(let function): return result(of: function, arguments: node)
    case nil: break
    }
    return ownCall(node, token, isQualified: false)
  }

  /// A call of the object's own method, or of a function.
  private func ownCall(
    _ node: FunctionCallExprSyntax, _ token: TokenSyntax, isQualified: Bool, ofSuper: Bool = false
  ) -> Reach {
    let name = token.plainName
    // What `super` names is never this class's own: it may be what overrides it that is looked into.
    if !ofSuper, let method = method(name, for: node) {
      return result(of: method.declaration, arguments: node)
    }
    if model.property(name) != nil {
      use(property(name, isQualified: isQualified, at: token))
      readArguments(of: node)
      return .opaque
    }
    let isType = name.first?.isUppercase == true
    let isKnown = isType || KnownNames.functions.contains(name) || model.typeMembers.contains(name)
    if !isKnown || isQualified && !model.typeMembers.contains(name) {
      let callee = ofSuper ? "super.\(name)" : name
      note(.call("\(callee)(\(node.arguments.isEmpty ? "" : "…"))"), at: node)
      readArguments(of: node)
    } else {
      let isHarmless = !isType || KnownNames.harmlessTypes.contains(name)
      let reach = readArguments(of: node, handingSelfTo: isHarmless ? nil : name)
      if KnownNames.passing.contains(name), !model.typeMembers.contains(name) {
        return passed(reach, by: name)
      }
    }
    return .opaque
  }

  /// What `zip(a, b)`, `max(a, b)` and `Array(a)` give of what they are handed.
  private func passed(_ reach: Reach, by name: String) -> Reach {
    var result = reach.withoutObject
    // The pair of pairs that `zip` makes of another's result is taken for a pair.
    if name == "zip" { result.pair = .zipped }
    return result
  }

  /// The method of the class that a call means: by labels where several have the name.
  private func method(_ name: String, for node: FunctionCallExprSyntax) -> ObservableMethod? {
    let candidates = model.methods(name).filter { !$0.isTypeMethod }
    let labels = node.arguments.map { $0.label?.plainName ?? "_" }
    return candidates.first { $0.labels == labels }
      ?? candidates.first { $0.parameters.count == labels.count } ?? candidates.first
  }

  /// A call of a member: of the object itself, of something on a path, or of something opaque.
  private func memberCall(
    _ node: FunctionCallExprSyntax, _ member: MemberAccessExprSyntax, _ base: ExprSyntax
  ) -> Reach {
    let reach = evaluate(base)
    let name = member.declName.baseName.plainName
    if reach.paths == [[]] {
      return ownCall(
        node, member.declName.baseName, isQualified: true, ofSuper: base.is(SuperExprSyntax.self))
    }
    if reach.isOpaque {
      let isType = base.as(DeclReferenceExprSyntax.self)?.baseName.text.first?.isUppercase == true
      readArguments(of: node, handingSelfTo: isType ? nil : name)
      return .opaque
    }
    var element = reach.withoutObject
    if let positions = KnownNames.elementMethods[name], let operation = elementOperation(of: node) {
      for argument in node.arguments where argument.expression != operation {
        use(argument.expression)
      }
      let result = apply(operation, to: element, positions: positions, at: node)
      if KnownNames.elementMapping.contains(name) { return result }
      use(result)
      return KnownNames.elementPreserving.contains(name) ? element : .opaque
    }
    readArguments(of: node)
    if KnownNames.elementPreserving.contains(name), isElementCall(node, name) {
      if name == "enumerated" { element.pair = .enumerated }
      return element
    }
    use(element)
    return .opaque
  }

  /// Whether a call such as `first()` or `prefix(3)` has the shape of the standard library's.
  private func isElementCall(_ node: FunctionCallExprSyntax, _ name: String) -> Bool {
    name != "first" && name != "last" && node.trailingClosure == nil
  }

  /// The closure or key path that an element-wise method is given.
  private func elementOperation(of node: FunctionCallExprSyntax) -> ExprSyntax? {
    if let closure = node.trailingClosure { return ExprSyntax(closure) }
    return node.arguments.last { argument in
      argument.expression.is(ClosureExprSyntax.self)
        || argument.expression.is(KeyPathExprSyntax.self)
        || isOwnMethod(argument.expression)
    }?.expression
  }

  private func isOwnMethod(_ expression: ExprSyntax) -> Bool {
    guard let name = expression.as(DeclReferenceExprSyntax.self)?.baseName.plainName else {
      return false
    }
    if case .function = scope[name] { return true }
    return scope[name] == nil && model.methods(name).contains { !$0.isTypeMethod }
  }

  /// What an element-wise operation reads of the elements and gives for one.
  private func apply(
    _ operation: ExprSyntax, to element: Reach, positions: [Int], at node: FunctionCallExprSyntax
  ) -> Reach {
    if let keyPath = operation.as(KeyPathExprSyntax.self) {
      guard let names = keyPath.keyNames else {
        use(element)
        return .opaque
      }
      return follow(names, from: element, at: node)
    }
    if let closure = operation.as(ClosureExprSyntax.self) {
      return closureResult(
        closure, elements: Dictionary(uniqueKeysWithValues: positions.map { ($0, element) }))
    }
    guard let name = operation.as(DeclReferenceExprSyntax.self)?.baseName.plainName else {
      return .opaque
    }
    if case .function(let function) = scope[name] { return result(of: function, given: [element]) }
    guard let method = model.methods(name).first(where: { !$0.isTypeMethod }) else {
      return .opaque
    }
    return result(of: method.declaration, given: [element])
  }

  /// Reads a call's arguments and closures; `self` among them is handed to code out of sight.
  ///
  /// - Returns: What the arguments without a label lead to, together.
  @discardableResult
  private func readArguments(of node: FunctionCallExprSyntax, handingSelfTo receiver: String? = nil)
    -> Reach
  {
    var result = Reach.opaque
    for argument in node.arguments {
      let reach = evaluate(argument.expression)
      use(reach)
      if let receiver, reach.paths.contains([]) { note(.passesSelf(receiver), at: argument) }
      if argument.label == nil { result = result.union(reach) }
    }
    use(node.trailingClosure.map(ExprSyntax.init))
    for closure in node.additionalTrailingClosures { use(ExprSyntax(closure.closure)) }
    return result
  }

  // MARK: Methods

  /// Looks into a function of the class or the getter; the arguments become its parameters.
  func result(of function: FunctionDeclSyntax, arguments node: FunctionCallExprSyntax?) -> Reach {
    guard let node else { return result(of: function, given: []) }
    let given = node.arguments.map { evaluate($0.expression) }
    use(node.trailingClosure.map(ExprSyntax.init))
    for closure in node.additionalTrailingClosures { use(ExprSyntax(closure.closure)) }
    return result(of: function, given: given)
  }

  private func result(of function: FunctionDeclSyntax, given: [Reach]) -> Reach {
    let id = function.id
    let parameters = function.signature.parameterClause.parameters
    let isMethod = function.parent?.is(MemberBlockItemSyntax.self) == true
    if let known = known[id] { return known }
    guard !callStack.contains(id), let body = function.body else {
      for reach in given { use(reach) }
      return .opaque
    }
    callStack.append(id)
    defer { callStack.removeLast() }
    // A method of the class does not see its caller's locals; a local function does.
    let callersScope = scope
    if isMethod { scope = InferenceScope() }
    defer { scope = callersScope }
    let result = inScope {
      for (index, parameter) in parameters.enumerated() {
        let name = (parameter.secondName ?? parameter.firstName).plainName
        if given.count == parameters.count {
          bind(name, to: given[index])
        } else {
          scope.bind(name, to: .value(.opaque, nil))
        }
      }
      if given.count != parameters.count { for reach in given { use(reach) } }
      return self.body(body.statements)
    }
    if isMethod, parameters.isEmpty { known[id] = result }
    return result
  }
}

extension ExprSyntax {
  /// The name of the collection type that `Array<Employee>` or `[Employee]` spells, to be called.
  fileprivate var collectionTypeName: String? {
    if self.is(ArrayExprSyntax.self) { return "Array" }
    let name = self.as(GenericSpecializationExprSyntax.self)?.expression
      .as(DeclReferenceExprSyntax.self)?.baseName.plainName
    return name.flatMap { KnownNames.passing.contains($0) ? $0 : nil }
  }
}
