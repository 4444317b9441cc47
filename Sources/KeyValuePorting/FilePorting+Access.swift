import SwiftSyntax

// What's private, and has to be visible in its file.
extension FilePorting {
  /// Makes a declaration `fileprivate`, and with it the private types that it names, because its type may not be less
  /// visible than it is itself.
  func widen(_ declaration: some WithModifiersSyntax) {
    guard let modifier = declaration.modifiers.first(named: "private"),
      widened.insert(declaration.id).inserted
    else { return }
    replace(.access, modifier.name, by: "fileprivate")
    let finder = TypeNameFinder(of: declaration)
    finder.walk(declaration)
    for name in finder.names {
      if let type = privateTypes.type(name, around: Syntax(declaration)) { widen(type) }
    }
  }
}

/// The private types that a file's types contain.
struct PrivateTypes {
  /// By the name of the outer type, and their own.
  private let types: [String: [String: any WithModifiersSyntax]]

  init(of file: SourceFileSyntax) {
    let collector = Collector(viewMode: .sourceAccurate)
    collector.walk(file)
    types = collector.types
  }

  /// The innermost type of this name that a declaration's place sees.
  func type(_ name: String, around node: Syntax) -> (any WithModifiersSyntax)? {
    node.ancestors.lazy.compactMap(\.nameAsType).compactMap { self.types[$0]?[name] }.first
  }

  private final class Collector: SyntaxAnyVisitor {
    var types: [String: [String: any WithModifiersSyntax]] = [:]

    override func visitAny(_ node: Syntax) -> SyntaxVisitorContinueKind {
      if node.nameAsType != nil || node.is(TypeAliasDeclSyntax.self),
        let name = node.asProtocol((any NamedDeclSyntax).self)?.name.text,
        let type = node.asProtocol((any WithModifiersSyntax).self),
        let outer = node.ancestors.lazy.compactMap(\.nameAsType).first,
        type.modifiers.has("private")
      {
        types[outer, default: [:]][name] = type
      }
      return .visitChildren
    }
  }
}

/// Finds the names of types that a declaration's signature, or the signatures of its members, may have.
private final class TypeNameFinder: SyntaxAnyVisitor {
  var names: [String] = []
  private let root: SyntaxIdentifier

  init(of declaration: some SyntaxProtocol) {
    root = declaration.id
    super.init(viewMode: .sourceAccurate)
  }

  override func visitAny(_ node: Syntax) -> SyntaxVisitorContinueKind {
    // What code does isn't part of a type, and neither are private members.
    if node.is(CodeBlockSyntax.self) || node.is(AccessorBlockSyntax.self)
      || node.is(ClosureExprSyntax.self)
      || node.id != root
        && node.asProtocol((any WithModifiersSyntax).self)?.modifiers.has("private") == true
    {
      return .skipChildren
    }
    let name =
      node.as(IdentifierTypeSyntax.self)?.name ?? node.as(MemberTypeSyntax.self)?.name
      ?? node.as(DeclReferenceExprSyntax.self)?.baseName
    if let name { names.append(name.text) }
    return .visitChildren
  }
}
