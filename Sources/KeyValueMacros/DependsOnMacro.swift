import SwiftSyntax
import SwiftSyntaxMacros

/// `@DependsOn`: a mark for the class's macro; by itself it only reports misplaced use.
enum DependsOnMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    MarkerPlacement(
      attribute: node, declaration: declaration, context: context,
      message: DiagnosticMessage.dependsOn
    ).report { variable, attributes in
      if attributes.first(named: EmittedNames.ignoredAttribute) != nil {
        return .contradiction
      }
      if variable.isLet { return .dependsOn(.constant) }
      return nil
    }
    return []
  }
}
