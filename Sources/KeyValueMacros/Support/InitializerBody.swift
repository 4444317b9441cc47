import SwiftSyntax

/// What the code of an initialiser or a `deinit` shows about when its object can be observed.
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

  /// Whether a statement uses the object as a whole.
  func usesSelf(_ item: CodeBlockItemSyntax) -> Bool {
    let finder = SelfFinder(body: self)
    finder.walk(item)
    return finder.found
  }
}

private final class SelfFinder: SyntaxVisitor {
  private let body: InitializerBody
  var found = false

  init(body: InitializerBody) {
    self.body = body
    super.init(viewMode: .sourceAccurate)
  }

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

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.baseName.plainName
    if node.baseName.tokenKind == .keyword(.self) {
      found = true
    } else if node.isMember || body.parameters.contains(name) {
      return .visitChildren
    } else if body.members.contains(name) || Self.library.contains(name) {
      found = true
    } else if body.isComplete, node.isCalled, name.first?.isLowercase == true {
      found = true
    }
    return .visitChildren
  }

  /// The library's members for observing an object.
  private static let library: Set<String> = [
    "addObserver", "kvo", "observe", "performChanges", "withChange", "willChange",
    "willChangeValue",
  ]
}

extension DeclReferenceExprSyntax {
  /// Whether this names a member of the expression before it.
  fileprivate var isMember: Bool {
    guard let access = parent?.as(MemberAccessExprSyntax.self) else { return false }
    return access.base?.id != ExprSyntax(self).id
  }

  fileprivate var isCalled: Bool {
    parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id == ExprSyntax(self).id
  }
}

extension CodeBlockItemSyntax {
  /// Whether a branch inside the statement leaves the surrounding code.
  var leaves: Bool {
    let finder = ExitFinder(viewMode: .sourceAccurate)
    finder.walk(self)
    return finder.found
  }
}

private final class ExitFinder: SyntaxVisitor {
  var found = false

  override func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
    found = true
    return .skipChildren
  }

  override func visit(_ node: ThrowStmtSyntax) -> SyntaxVisitorContinueKind {
    found = true
    return .skipChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}
