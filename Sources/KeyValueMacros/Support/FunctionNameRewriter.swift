import SwiftSyntax

/// Replaces `#function` by the name that it has in the source, in code that moves to a declaration
/// of another name.
///
/// Inside a closure it's the same name; inside a local declaration it's that declaration's. An
/// argument whose default is `#function` still gets the emitted name.
final class FunctionNameRewriter: SyntaxRewriter {
  private let name: String

  init(name: String) {
    self.name = name
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: MacroExpansionExprSyntax) -> ExprSyntax {
    guard node.macroName.text == "function" else { return super.visit(node) }
    return ExprSyntax(StringLiteralExprSyntax(content: name))
      .with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
  }

  override func visit(_ node: FunctionDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: AccessorBlockSyntax) -> AccessorBlockSyntax { node }
  override func visit(_ node: ClassDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: StructDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: EnumDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: ActorDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
}
