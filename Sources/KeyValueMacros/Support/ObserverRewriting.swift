import SwiftSyntax
import SwiftSyntaxBuilder

/// Redirects a property observer's uses of its own property to the hidden storage.
///
/// Swift lets the observer's own statements use the stored value without the accessors, so an
/// assignment there doesn't call the observer again. In the rewritten class that's true only of the
/// storage. In closures, local functions, accessors of locals and nested types Swift uses the
/// accessors, and so does the rewritten code.
class ObserverRewriting: SyntaxRewriter {
  private let property: String
  private let storage: String
  /// Whether a parameter of the property's name hides it in the whole code.
  private var isParameter = false

  init(property: String, storage: String) {
    self.property = property
    self.storage = storage
    super.init(viewMode: .sourceAccurate)
  }

  func rewrite(_ observer: AccessorDeclSyntax) -> AccessorDeclSyntax {
    guard let body = observer.body else { return observer }
    let implicit = observer.accessorSpecifier.text == "willSet" ? "newValue" : "oldValue"
    // A parameter of the property's name hides it, but not where it's a member of `self`.
    if (observer.parameters?.name.plainName ?? implicit) == property { shadow() }
    return observer.with(\.body, visit(body))
  }

  /// Whether uses at this place are redirected to the storage.
  var renames: Bool { true }

  func shadow() { isParameter = true }

  /// Whether a parameter or a local name hides the property at a place.
  func isShadowed(at place: some SyntaxProtocol) -> Bool {
    isParameter || place.isLocal(property)
  }

  private func isNamed(_ token: TokenSyntax) -> Bool { token.plainName == property }

  // MARK: Uses that stay with the accessors

  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax {
    // A value capture is read at the closure's declaration.
    guard let items = node.signature?.capture?.items else { return ExprSyntax(node) }
    let captures = items.map { item in
      guard let (name, value) = item.captured, value == nil, isNamed(name), renames,
        !isShadowed(at: item)
      else { return visit(item) }
      return item.capturing(storage)
    }
    return ExprSyntax(node.with(\.signature!.capture!.items, ClosureCaptureListSyntax(captures)))
  }

  override func visit(_ node: FunctionDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: AccessorBlockSyntax) -> AccessorBlockSyntax { node }
  override func visit(_ node: ClassDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: StructDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: EnumDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: ActorDeclSyntax) -> DeclSyntax { DeclSyntax(node) }

  // MARK: Names

  override func visit(_ node: OptionalBindingConditionSyntax) -> OptionalBindingConditionSyntax {
    guard node.pattern.boundNames.contains(where: isNamed) else { return super.visit(node) }
    var node = node
    if let initializer = node.initializer {
      node.initializer = visit(initializer)
    } else if renames, !isShadowed(at: node) {
      // `if let age` means `if let age = age`.
      let behind = node.pattern.trailingTrivia
      node.pattern = node.pattern.with(\.trailingTrivia, .space)
      node.initializer = InitializerClauseSyntax(
        equal: .equalToken(trailingTrivia: .space),
        value: DeclReferenceExprSyntax(
          baseName: .identifier(storage, trailingTrivia: behind)))
    }
    return node
  }

  override func visit(_ node: PatternBindingSyntax) -> PatternBindingSyntax {
    let declaration = node.parent?.parent?.as(VariableDeclSyntax.self)
    // An accessor computes a lazy value.
    return declaration?.modifiers.contains(.lazy) == true ? node : super.visit(node)
  }

  override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
    guard let base = node.base else { return ExprSyntax(node) }
    guard base.isSelf, isNamed(node.declName.baseName) else {
      // Only the base can name the property; a member of the same name belongs to another value.
      return ExprSyntax(node.with(\.base, visit(base)))
    }
    return ExprSyntax(node.with(\.declName, renamed(node.declName)))
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    guard isNamed(node.baseName), !isShadowed(at: node) else { return ExprSyntax(node) }
    return ExprSyntax(renamed(node))
  }

  override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax { ExprSyntax(node) }

  private func renamed(_ node: DeclReferenceExprSyntax) -> DeclReferenceExprSyntax {
    guard renames else { return node }
    return node.with(
      \.baseName,
      .identifier(
        storage, leadingTrivia: node.baseName.leadingTrivia,
        trailingTrivia: node.baseName.trailingTrivia))
  }
}

extension ExprSyntax {
  /// Whether this is `self`, in parentheses or not.
  var isSelf: Bool {
    if let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1 {
      return tuple.elements.first?.expression.isSelf == true
    }
    return self.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self)
  }
}

extension ClosureExprSyntax {
  /// The names of the closure's parameters, in order.
  var parameters: [String] {
    if case .simpleInput(let names) = signature?.parameterClause {
      return names.map(\.name.plainName)
    }
    guard case .parameterClause(let clause) = signature?.parameterClause else { return [] }
    return clause.parameters.map { ($0.secondName ?? $0.firstName).plainName }
  }
}

extension ClosureCaptureSyntax {
  /// A capture of another value under the same name, if it has no value yet.
  fileprivate func capturing(_ value: String) -> Self {
    let name = with(\.trailingComma, nil).trimmedDescription
    let closure: ExprSyntax = "{ [\(raw: name) = \(raw: value)] in }"
    guard
      let capture = closure.as(ClosureExprSyntax.self)?.signature?.capture?.items.first
    else { return self }
    return capture.with(\.leadingTrivia, leadingTrivia).with(\.trailingComma, trailingComma)
      .with(\.trailingTrivia, trailingTrivia)
  }

  /// The name by which the closure knows the captured value, and the value if it's written.
  ///
  /// Read from the children, because swift-syntax has changed their names.
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
