import SwiftSyntax

/// Points a property observer's uses of its own property at the hidden storage.
///
/// Swift does not call an observer again for an assignment that the observer itself makes; after
/// the move to the storage that holds for the storage only.
final class ObserverRewriting: SyntaxRewriter {
  private let property: String
  private let storage: String
  /// Per enclosing scope, whether a local of the property's name hides it.
  private var shadowed = [false]

  init(property: String, storage: String) {
    self.property = property
    self.storage = storage
    super.init(viewMode: .sourceAccurate)
  }

  func rewrite(_ observer: AccessorDeclSyntax) -> AccessorDeclSyntax {
    if observer.parameters?.name.plainName == property { return observer }
    return visit(observer).as(AccessorDeclSyntax.self) ?? observer
  }

  private var isShadowed: Bool { shadowed.contains(true) }

  private func inScope<Node>(_ body: () -> Node) -> Node {
    shadowed.append(false)
    defer { shadowed.removeLast() }
    return body()
  }

  override func visit(_ node: CodeBlockSyntax) -> CodeBlockSyntax {
    inScope { super.visit(node) }
  }

  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax {
    inScope {
      if node.parameterNames.contains(property) { shadowed[shadowed.count - 1] = true }
      return super.visit(node)
    }
  }

  override func visit(_ node: FunctionDeclSyntax) -> DeclSyntax {
    inScope {
      let parameters = node.signature.parameterClause.parameters
      if parameters.contains(where: { ($0.secondName ?? $0.firstName).plainName == property }) {
        shadowed[shadowed.count - 1] = true
      }
      return super.visit(node)
    }
  }

  override func visit(_ node: IfExprSyntax) -> ExprSyntax { inScope { super.visit(node) } }
  override func visit(_ node: WhileStmtSyntax) -> StmtSyntax { inScope { super.visit(node) } }
  override func visit(_ node: ForStmtSyntax) -> StmtSyntax { inScope { super.visit(node) } }
  override func visit(_ node: SwitchCaseSyntax) -> SwitchCaseSyntax {
    inScope { super.visit(node) }
  }

  override func visit(_ node: OptionalBindingConditionSyntax) -> OptionalBindingConditionSyntax {
    guard node.pattern.boundNames.contains(where: { $0.plainName == property }) else {
      return super.visit(node)
    }
    var node = node
    if let initializer = node.initializer {
      node.initializer = visit(initializer)
    } else if !isShadowed {
      // `if let age` means `if let age = age`.
      node.pattern = node.pattern.with(\.trailingTrivia, .space)
      node.initializer = InitializerClauseSyntax(
        equal: .equalToken(trailingTrivia: .space),
        value: DeclReferenceExprSyntax(baseName: .identifier(storage)))
    }
    shadowed[shadowed.count - 1] = true
    return node
  }

  override func visit(_ node: PatternBindingSyntax) -> PatternBindingSyntax {
    let result = super.visit(node)
    if node.pattern.boundNames.contains(where: { $0.plainName == property }) {
      shadowed[shadowed.count - 1] = true
    }
    return result
  }

  override func visit(_ node: IdentifierPatternSyntax) -> PatternSyntax {
    // Patterns of `for`, `case let` and `catch`; those of declarations are noted after their value.
    if node.identifier.plainName == property, node.parent?.is(PatternBindingSyntax.self) != true {
      shadowed[shadowed.count - 1] = true
    }
    return super.visit(node)
  }

  override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
    guard let base = node.base?.as(DeclReferenceExprSyntax.self),
      base.baseName.tokenKind == .keyword(.self), node.declName.baseName.plainName == property
    else {
      // Only the base can speak of the property; a member of the same name is another's.
      guard let base = node.base else { return ExprSyntax(node) }
      return ExprSyntax(node.with(\.base, visit(base)))
    }
    return ExprSyntax(node.with(\.declName, renamed(node.declName)))
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    guard node.baseName.plainName == property, !isShadowed,
      node.parent?.is(KeyPathPropertyComponentSyntax.self) != true
    else { return ExprSyntax(node) }
    return ExprSyntax(renamed(node))
  }

  override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax { ExprSyntax(node) }

  private func renamed(_ node: DeclReferenceExprSyntax) -> DeclReferenceExprSyntax {
    node.with(
      \.baseName,
      .identifier(
        storage, leadingTrivia: node.baseName.leadingTrivia,
        trailingTrivia: node.baseName.trailingTrivia))
  }
}

extension ClosureExprSyntax {
  /// The names of the closure's parameters and captures.
  var parameterNames: [String] {
    let captures = signature?.capture?.items.compactMap(\.captured?.name.plainName) ?? []
    return captures + parameters
  }

  /// The names of the closure's parameters, in order.
  var parameters: [String] {
    switch signature?.parameterClause {
    case .simpleInput(let list): list.map(\.name.plainName)
    case .parameterClause(let clause):
      clause.parameters.map { ($0.secondName ?? $0.firstName).plainName }
    case nil: []
    }
  }
}

extension ClosureCaptureSyntax {
  /// The name that the closure knows the captured value by, and the value where one is written.
  ///
  /// Read off the children, because swift-syntax has changed their names.
  var captured: (name: TokenSyntax, value: ExprSyntax?)? {
    let children = children(viewMode: .sourceAccurate)
    let expression =
      children.lazy.compactMap { child in
        child.as(ExprSyntax.self) ?? child.as(InitializerClauseSyntax.self)?.value
      }.first
    if let name = children.lazy.compactMap({ $0.as(TokenSyntax.self) }).first(where: \.isName) {
      return (name, expression)
    }
    return expression?.as(DeclReferenceExprSyntax.self).map { ($0.baseName, nil) }
  }
}

extension TokenSyntax {
  fileprivate var isName: Bool {
    if case .identifier = tokenKind { return true }
    return tokenKind == .keyword(.self)
  }
}
