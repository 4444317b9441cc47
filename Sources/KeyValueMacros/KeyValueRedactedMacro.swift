import SwiftSyntax
import SwiftSyntaxMacros

/// `@KeyValueRedacted`: a mark for the class's macro; by itself it only reports misplaced use.
enum KeyValueRedactedMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    MarkerPlacement(
      attribute: node, declaration: declaration, context: context,
      message: DiagnosticMessage.redacted
    ).report { _, attributes in
      attributes.first(named: EmittedNames.ignoredAttribute) != nil
        ? .contradiction : nil
    }
    return []
  }
}
