import SwiftSyntax

extension InferenceWalk {
  /// What an expression leads to; reads on the way are noted.
  func evaluate(_ expression: ExprSyntax) -> ValueOrigin {
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
    case .dictionaryExpr(let node): dictionary(node)
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
  private func children(of node: Syntax) -> ValueOrigin {
    for child in node.children(viewMode: .sourceAccurate) {
      if let expression = child.as(ExprSyntax.self) {
        use(expression)
      } else {
        _ = children(of: child)
      }
    }
    return .opaque
  }

  private func array(_ node: ArrayExprSyntax) -> ValueOrigin {
    var result = node.elements.reduce(ValueOrigin.opaque) { $0.union(evaluate($1.expression)) }
    result.isElements = !result.isOpaque
    return result
  }

  /// The values of a dictionary literal; its keys are only read.
  private func dictionary(_ node: DictionaryExprSyntax) -> ValueOrigin {
    guard case .elements(let elements) = node.content else { return .opaque }
    var result = ValueOrigin.opaque
    for element in elements {
      use(element.key)
      let value = evaluate(element.value)
      use(value)
      result = result.union(value.withoutObject)
    }
    return result.isOpaque ? .opaque : result.keyed
  }

  private func tuple(_ node: TupleExprSyntax) -> ValueOrigin {
    if node.elements.count == 1, let only = node.elements.first { return evaluate(only.expression) }
    var result = ValueOrigin.opaque
    var names: [String] = []
    for (index, element) in node.elements.enumerated() {
      let origin = evaluate(element.expression)
      use(origin)
      result = result.union(origin.withoutObject)
      names += ["\(index)"] + (element.label.map { [$0.plainName] } ?? [])
    }
    result.pair = .parts(names)
    return result
  }

  private func unary(_ name: String, _ operand: ExprSyntax) -> ValueOrigin {
    let origin = evaluate(operand)
    operate(name, [origin], at: operand)
    return origin.withoutObject
  }

  /// What a bare name leads to: a local, a property, a method's result, or nothing.
  func reference(to name: String, at node: TokenSyntax) -> ValueOrigin {
    switch scope[name] {
    case .value(let origin, let alias):
      alias?.isUsed = true
      return origin
    case .function(let function, let depth):
      return result(of: function, arguments: nil, at: depth)
    case nil: break
    }
    if name == "self" { return isInTypeMethod ? .opaque : .object }
    return isInTypeMethod ? typeMember(name, at: node) : property(name, at: node)
  }

  /// What the object's own property leads to.
  ///
  /// `isQualified` is whether the name is written as a member of the object.
  func property(
    _ name: String, at node: some SyntaxProtocol, isQualified: Bool = false
  ) -> ValueOrigin {
    if let property = model.property(name) {
      switch property.kind {
      case .ignored: return ignored(property, at: node)
      // A weak constant becomes nil when its object dies.
      case .constant where property.ownership != "weak":
        return ValueOrigin(paths: [[name]], constants: [name])
      default: return ValueOrigin(paths: [[name]])
      }
    }
    if let method = model.methods(name).first, !method.isTypeMethod {
      return result(of: method.declaration, arguments: nil)
    }
    if let wrapped = model.property(wrappedAs: name) {
      if !wrapped.isIgnored {
        use(property(wrapped.name, at: node))
      }
      return .opaque
    }
    guard name.mayBeProperty, !model.typeMembers.contains(name) else { return .opaque }
    // A bare `log` or `max` is the global function, unless a superclass has a key of that name.
    let isGlobal = KnownNames.functions.contains(name) || KnownNames.globals.contains(name)
    if isGlobal, !isQualified, isRoot || !model.hasInheritanceClause { return .opaque }
    guard model.hasInheritanceClause else {
      note(.member(name), at: node)
      return .opaque
    }
    // It may be inherited; the runtime drops a candidate that isn't a key.
    if isRoot { note(.inherited(name), at: node) }
    return ValueOrigin(paths: [[name]])
  }

  /// What a property that isn't a key leads to; its getter is followed.
  private func ignored(_ property: ObservableProperty, at node: some SyntaxProtocol) -> ValueOrigin
  {
    if let getter = property.getter { return result(ofGetter: getter, isTypeMember: false) }
    if !property.declaration.isLet { noteUnnotified(property.name, at: node) }
    return .opaque
  }

  /// A static or class property leads to nothing, but a computed one is followed.
  private func typeMember(_ name: String, at node: some SyntaxProtocol) -> ValueOrigin {
    guard let variable = model.typeVariable(name) else { return .opaque }
    if let getter = variable.binding.accessorBlock?.getter {
      return result(ofGetter: getter, isTypeMember: true)
    }
    if variable.isMutable { noteUnnotified("\(model.name).\(name)", at: node) }
    return .opaque
  }

  private func member(_ node: MemberAccessExprSyntax) -> ValueOrigin {
    let token = node.declName.baseName
    let name = token.plainName
    guard let base = node.base else {
      if name == "now" { noteClock(".now", at: node) }
      return .opaque
    }
    if model.isOwnType(base), name != "self" { return typeMember(name, at: token) }
    let origin = evaluate(base)
    if name == "self" { return origin }
    if isClock(name, of: origin) {
      noteClock(node.trimmedDescription, at: node)
      use(origin)
      return .opaque
    }
    if origin.isOpaque {
      noteSharedObject(base)
      noteCurrent(node, of: base)
      return .opaque
    }
    return base.is(SuperExprSyntax.self)
      ? memberOfSuper(token) : member(name, of: origin, at: token)
  }

  /// Whether a member is the time, as in `Date.now` and `due.timeIntervalSinceNow`.
  private func isClock(_ name: String, of origin: ValueOrigin) -> Bool {
    // An object that isn't known to be a value may tell the time by a key called `now`.
    name == "now" && (origin.isOpaque || model.evidence(of: origin) == .value)
      || KnownNames.clockProperties.contains(name)
  }

  /// `Theme.current`: a type replaces the value that it provides under this name.
  private func noteCurrent(_ node: MemberAccessExprSyntax, of base: ExprSyntax) {
    guard node.declName.baseName.text == "current",
      let type = base.as(DeclReferenceExprSyntax.self)?.baseName.text,
      type.first?.isUppercase == true, model.evidence(ofTypeNamed: type) != .value
    else { return }
    noteUnnotified("\(type).current", at: node)
  }

  /// What `super.name` leads to.
  private func memberOfSuper(_ token: TokenSyntax) -> ValueOrigin {
    let name = token.plainName
    if model.property(name) == nil, model.methods(name).contains(where: { !$0.isTypeMethod }) {
      note(.call("super.\(name)"), at: token)
      return .opaque
    }
    if isRoot, model.property(name) != nil {
      note(.inherited("super.\(name)"), at: token)
      return .opaque
    }
    return property(name, at: token, isQualified: true)
  }

  /// Whether the value is an own property with a visible array or set type, and not one of its elements.
  func isCollection(_ origin: ValueOrigin) -> Bool {
    !origin.paths.isEmpty
      && origin.paths.map(ValueOrigin.names).allSatisfy { names in
        names.count == 1
          && model.property(names[0]).map { $0.binding.visibleNesting > origin.depth } == true
      }
  }

  private func subscripting(_ node: SubscriptCallExprSyntax) -> ValueOrigin {
    let base = evaluate(node.calledExpression)
    var keyPath: [String]?
    for argument in node.arguments {
      if argument.label?.text == "keyPath" {
        keyPath = argument.expression.as(KeyPathExprSyntax.self)?.keyNames
      }
      let origin = evaluate(argument.expression)
      use(origin)
      hash(origin, at: argument)
    }
    if let keyPath { return follow(keyPath, from: base, at: node) }
    if base.isElements { return base.elements }
    guard base.isObject else {
      var value = base
      value.pair = base.pair == .keyed ? nil : base.pair
      let isSlice = node.arguments.contains { $0.expression.isVisiblyRange }
      return isSlice || base.pair != nil ? value : value.deeper()
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
  func follow(_ names: [String], from base: ValueOrigin, at node: some SyntaxProtocol)
    -> ValueOrigin
  {
    var origin = base
    for name in names where name != "self" && !origin.isOpaque {
      origin = member(name, of: origin, at: node)
    }
    return origin
  }

  /// What a name leads to from the object itself, or from a value on a path.
  private func member(_ name: String, of origin: ValueOrigin, at node: some SyntaxProtocol)
    -> ValueOrigin
  {
    if origin.pair != nil {
      if let element = origin.element(name) { return element }
      if name == "lazy" || name == "first" || name == "last" { return origin }
      if name == "values" {
        var result = origin.deeper(by: -1)
        result.pair = nil
        return result
      }
      use(origin)
      return .opaque
    }
    if origin.isElements {
      if KnownNames.elementProperties.contains(name) { return origin.elements }
      use(origin)
      return .opaque
    }
    if origin.isObject {
      return member(name, of: origin.withoutObject, at: node)
        .union(property(name, at: node, isQualified: true))
    }
    // `.0` of a tuple.
    if Int(name) != nil {
      use(origin)
      return .opaque
    }
    if name == "lazy" || name == "unsafelyUnwrapped" { return origin }
    if isCollection(origin) {
      if name == "first" || name == "last" { return origin.deeper() }
      if KnownNames.elementProperties.contains(name) { return origin }
      if KnownNames.membershipProperties.contains(name) {
        use(origin)
        return .opaque
      }
    }
    var result = origin.appending(name)
    // `team.members.first?.name`: a property called `first`, or an element of the collection.
    let elements = origin.paths.filter { path in
      ["first", "last"].contains(path.last) && ValueOrigin.names(of: path).count > 1
    }
    if !elements.isEmpty {
      result = result.union(ValueOrigin(paths: elements.map { $0.dropLast() + [name] }))
    }
    return result
  }

  // MARK: Operators

  private func sequence(_ elements: [ExprSyntax]) -> ValueOrigin {
    if let index = elements.firstIndex(where: { $0.is(AssignmentExprSyntax.self) }) {
      // Assignment doesn't read its target, only the place in it.
      let place = index == 1 ? elements.first?.as(SubscriptCallExprSyntax.self) : nil
      for argument in place?.arguments ?? [] { use(argument.expression) }
      let value = sequence(Array(elements[(index + 1)...]))
      use(value)
      if let target = elements.first { store(value, in: target) }
      return .opaque
    }
    if elements.count > 2,
      elements[1].as(BinaryOperatorExprSyntax.self)?.operator.text == "+="
    {
      return addition(of: elements[2...], to: elements[0], at: elements[1])
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
    var result = ValueOrigin.opaque
    var origins: [Int: ValueOrigin] = [:]
    for (index, element) in elements.enumerated() where !element.isOperator {
      let origin = evaluate(element)
      origins[index] = origin
      if isTransparent, !isOpaque {
        result = result.union(origin)
      } else {
        use(origin)
        // `employees + contractors`: a read of the sum's elements reads both operands' elements.
        if !isOpaque { result = result.union(origin.withoutObject) }
      }
    }
    for (index, element) in elements.enumerated() {
      guard let name = element.as(BinaryOperatorExprSyntax.self)?.operator.text,
        let left = origins[index - 1], let right = origins[index + 1]
      else { continue }
      operate(name, [left, right], at: element)
    }
    return result
  }

  /// `all += employees`: a local collection leads to what's added.
  private func addition(
    of elements: ArraySlice<ExprSyntax>, to target: ExprSyntax, at node: ExprSyntax
  ) -> ValueOrigin {
    let before = evaluate(target)
    use(before)
    let value = sequence(Array(elements))
    use(value)
    operate("+=", [before, value], at: node)
    store(value, in: target)
    return before.withoutObject.union(value.withoutObject)
  }

  /// Notes what a local variable, or a place in it, may hold from now on.
  func store(_ value: ValueOrigin, in target: ExprSyntax) {
    if let local = target.as(DeclReferenceExprSyntax.self)?.baseName.plainName {
      scope.add(value, to: local)
    } else if let local = target.as(SubscriptCallExprSyntax.self)?.calledExpression
      .as(DeclReferenceExprSyntax.self)?.baseName.plainName
    {
      scope.add(scope.isKeyed(local) ? value.keyed : value.collected, to: local)
    }
  }

  private func ternary(_ node: TernaryExprSyntax) -> ValueOrigin {
    use(node.condition)
    return evaluate(node.thenExpression).union(evaluate(node.elseExpression))
  }

  private func conditional(_ node: IfExprSyntax) -> ValueOrigin {
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

  private func branch(_ block: CodeBlockSyntax) -> ValueOrigin {
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
  private func closure(_ node: ClosureExprSyntax) -> ValueOrigin {
    use(closureResult(node, elements: [:]))
    return .opaque
  }

  /// Follows a closure with known values for some parameters; returns what it returns.
  func closureResult(_ node: ClosureExprSyntax, elements: [Int: ValueOrigin]) -> ValueOrigin {
    inScope {
      for capture in node.signature?.capture?.items ?? [] {
        guard let (name, value) = capture.captured, name.text != "self" || value != nil else {
          continue
        }
        bind(
          name.plainName, to: value.map(evaluate) ?? reference(to: name.plainName, at: name))
      }
      let names = node.parameters
      let elements = destructuring(elements, if: node.takesTwo)
      for (index, name) in names.enumerated() where elements[index] == nil {
        scope.bind(name, to: .value(.opaque, nil))
      }
      for (index, origin) in elements.sorted(by: { $0.key < $1.key }) {
        if names.isEmpty {
          bind("$\(index)", to: origin)
        } else if names.indices.contains(index) {
          bind(names[index], to: origin)
        } else {
          use(origin)
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
  /// The parts of a pair, if a closure or function takes it as two parameters.
  func destructuring(
    _ elements: [Int: ValueOrigin], if takesTwo: @autoclosure () -> Bool
  ) -> [Int: ValueOrigin] {
    guard elements.count == 1, let pair = elements[0], pair.pair != nil, takesTwo() else {
      return elements
    }
    return [0, 1].reduce(into: [:]) { $0[$1] = pair.element("\($1)") }
  }
}

extension ClosureExprSyntax {
  /// Whether the closure visibly has two parameters.
  fileprivate var takesTwo: Bool {
    parameters.count == 2
      || parameters.isEmpty
        && tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .dollarIdentifier("$1") }
  }
}

extension ExprSyntax {
  /// Whether the expression is written as a range: `1...`, `..<end`, `a..<b`.
  fileprivate var isVisiblyRange: Bool {
    tokens(viewMode: .sourceAccurate).contains { ["...", "..<"].contains($0.text) }
  }

  fileprivate var isOperator: Bool {
    self.is(BinaryOperatorExprSyntax.self) || self.is(UnresolvedAsExprSyntax.self)
      || self.is(UnresolvedIsExprSyntax.self) || self.is(TypeExprSyntax.self)
  }
}

extension ObservableClass {
  /// The property whose wrapper is called `_<name>`, and whose projected value `$<name>`.
  fileprivate func property(wrappedAs name: String) -> ObservableProperty? {
    guard name.hasPrefix("_") || name.hasPrefix("$") else { return nil }
    return property(String(name.dropFirst())).flatMap { $0.attributes.wrapper == nil ? nil : $0 }
  }
}

extension String {
  /// Whether a name without a visible declaration may be a property.
  fileprivate var mayBeProperty: Bool {
    guard let first, first.isLowercase || first == "_" && count > 1 else { return false }
    // `kCFBooleanTrue`: a C constant.
    return suffix(after: "k") == nil
  }
}
