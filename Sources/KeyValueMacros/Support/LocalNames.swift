import SwiftSyntax

extension SyntaxProtocol {
  /// Whether a local variable, a local function or a parameter has the name at this place.
  ///
  /// The search ends at the member of a type around the place, or at the root of the tree.
  func isLocal(_ name: String) -> Bool {
    let finder = LocalNameFinder(name: name)
    var part = Syntax(self)
    while let whole = part.parent, !whole.is(MemberBlockItemSyntax.self) {
      if whole.as(CatchClauseSyntax.self)?.catchItems.isEmpty == true, name == "error" {
        return true
      }
      if whole.sharesNames(with: part) {
        for earlier in whole.children(viewMode: .sourceAccurate) {
          if earlier.id == part.id { break }
          finder.walk(earlier)
        }
      }
      if finder.isFound { return true }
      part = whole
    }
    return false
  }
}

extension Syntax {
  /// Whether a part of this node sees the names that the parts before it declare.
  fileprivate func sharesNames(with part: Syntax) -> Bool {
    if let branch = self.as(IfExprSyntax.self) { return part.id == branch.body.id }
    if let loop = self.as(ForStmtSyntax.self) { return part.id != loop.sequence.id }
    return !self.is(GuardStmtSyntax.self) && !self.is(PatternBindingSyntax.self)
      && !self.is(OptionalBindingConditionSyntax.self)
      && !self.is(MatchingPatternConditionSyntax.self) && !self.is(ClosureCaptureListSyntax.self)
      // Neither declares names, and either may be long.
      && !self.is(ArrayElementListSyntax.self) && !self.is(DictionaryElementListSyntax.self)
  }
}

/// Finds a name that code declares, but not in a scope of its own.
private final class LocalNameFinder: SyntaxVisitor {
  private let name: String
  private(set) var isFound = false

  init(name: String) {
    self.name = name
    super.init(viewMode: .sourceAccurate)
  }

  private func note(_ token: TokenSyntax) -> SyntaxVisitorContinueKind {
    if token.plainName == name { isFound = true }
    return .skipChildren
  }

  // MARK: Names

  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    note(node.identifier)
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { note(node.name) }

  override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
    note(node.secondName ?? node.firstName)
  }

  override func visit(_ node: ClosureParameterSyntax) -> SyntaxVisitorContinueKind {
    note(node.secondName ?? node.firstName)
  }

  override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind {
    note(node.name)
  }

  override func visit(_ node: ClosureCaptureSyntax) -> SyntaxVisitorContinueKind {
    guard let captured = node.captured else { return .skipChildren }
    return note(captured.name)
  }

  // MARK: Code without names for its surroundings

  override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
    if case .expr = node.item { .skipChildren } else { .visitChildren }
  }

  override func visit(_ node: InitializerClauseSyntax) -> SyntaxVisitorContinueKind {
    .skipChildren
  }

  override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: MemberBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: WhileStmtSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: SwitchCaseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: CatchClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}
