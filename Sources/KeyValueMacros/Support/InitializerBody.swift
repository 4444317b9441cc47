import SwiftSyntax

/// What is known of an initialiser or a `deinit`: when its object can be observed, and what Observation
/// is told.
///
/// An object can't be observed before its own code uses `self`: calls a method, registers, or
/// passes itself on.
struct InitializerBody {
  /// The names of parameters, which hide properties.
  var parameters: Set<String> = []
  /// The class's own stored properties; using one doesn't use the object.
  var stored: Set<String> = []
  /// The class's own methods and computed properties.
  var members: Set<String> = []
  /// Whether every stored property has a value before the first statement; then a call that the
  /// macro can't resolve may be a method call.
  var isComplete = false
  /// Whether the object may be observed before the first statement.
  var isObservableFromStart = false
  /// The properties of whose changes Observation is told.
  var tracked: Set<String> = []
  /// The name of the class's registrar of Observation.
  var trackingName = ""

  /// Whether a statement, or a part of one, uses the object as a whole, and the code after it may run.
  func usesSelf(_ node: some SyntaxProtocol) -> Bool {
    let finder = SelfFinder(body: self)
    finder.walk(node)
    return finder.found
  }
}

private final class SelfFinder: SyntaxVisitor {
  private let body: InitializerBody
  var found = false
  /// How many closures, local functions and `do` statements with `catch` there are around the node: what leaves
  /// these doesn't leave the initialiser.
  private var depth = 0

  init(body: InitializerBody) {
    self.body = body
    super.init(viewMode: .sourceAccurate)
  }

  // MARK: Branches that leave

  /// Whether the code after a branch doesn't run after the branch.
  private func leaves(_ statements: CodeBlockItemListSyntax) -> Bool {
    guard depth == 0, let last = statements.last?.item else { return false }
    return last.is(ReturnStmtSyntax.self) || last.is(ThrowStmtSyntax.self)
  }

  override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind {
    let isBranch =
      node.parent?.is(IfExprSyntax.self) == true || node.parent?.is(GuardStmtSyntax.self) == true
      || node.parent?.is(CatchClauseSyntax.self) == true
    return isBranch && leaves(node.statements) ? .skipChildren : .visitChildren
  }

  override func visit(_ node: SwitchCaseSyntax) -> SyntaxVisitorContinueKind {
    guard leaves(node.statements) else { return .visitChildren }
    walk(node.label)
    return .skipChildren
  }

  override func visit(_ node: DoStmtSyntax) -> SyntaxVisitorContinueKind {
    guard !node.catchClauses.isEmpty else { return .visitChildren }
    depth += 1
    walk(node.body)
    depth -= 1
    walk(node.catchClauses)
    return .skipChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
    depth += 1
    return .visitChildren
  }

  override func visitPost(_ node: ClosureExprSyntax) { depth -= 1 }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    depth += 1
    return .visitChildren
  }

  override func visitPost(_ node: FunctionDeclSyntax) { depth -= 1 }

  override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind {
    depth += 1
    return .visitChildren
  }

  override func visitPost(_ node: AccessorBlockSyntax) { depth -= 1 }

  // MARK: Uses

  override func visit(_ node: SuperExprSyntax) -> SyntaxVisitorContinueKind {
    found = true
    return .skipChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    guard node.base?.isSelf == true else { return .visitChildren }
    let name = node.declName.baseName.plainName
    // An earlier property's changes already go to its storage.
    if !body.stored.contains(name), !body.stored.contains(EmittedNames.property(of: name)) {
      found = true
    }
    return .skipChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    node.isTypeOfSelf ? .skipChildren : .visitChildren
  }

  // The `self` of a local type's methods is another object.
  override func visit(_ node: MemberBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    guard !found, !node.isMember else { return .visitChildren }
    let name = node.baseName.plainName
    if node.baseName.tokenKind == .keyword(.self) {
      found = true
    } else if mayBeMember(name, node), !body.parameters.contains(name), !node.isLocal(name) {
      found = true
    }
    return .visitChildren
  }

  private func mayBeMember(_ name: String, _ node: DeclReferenceExprSyntax) -> Bool {
    body.members.contains(name) || Self.library.contains(name)
      || body.isComplete && node.isCalled && name.first?.isLowercase == true
  }

  /// The library's members for observing an object.
  private static let library: Set<String> = [
    "addObserver", "kvo", "observe", "performChanges", "withChange", "willChange",
    "willChangeValue",
  ]
}

extension DeclReferenceExprSyntax {
  /// Whether this names a member of the expression before it, or of a key path's value.
  fileprivate var isMember: Bool {
    if parent?.parent?.is(KeyPathComponentSyntax.self) == true { return true }
    guard let access = parent?.as(MemberAccessExprSyntax.self) else { return false }
    return access.base?.id != ExprSyntax(self).id
  }

  fileprivate var isCalled: Bool {
    parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id == ExprSyntax(self).id
  }
}

extension FunctionCallExprSyntax {
  /// Whether this is `type(of: self)`, which uses the object's type only.
  fileprivate var isTypeOfSelf: Bool {
    calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text == "type"
      && arguments.first?.label?.text == "of" && arguments.first?.expression.isSelf == true
  }
}
