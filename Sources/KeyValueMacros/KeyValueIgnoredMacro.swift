import SwiftSyntax
import SwiftSyntaxMacros

/// `@KeyValueIgnored`: a mark for the class's macro; by itself it only reports misplaced use.
enum KeyValueIgnoredMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    MarkerPlacement(
      attribute: node, declaration: declaration, context: context,
      message: DiagnosticMessage.ignored
    ).report(ofMethod: { function in
      let method = ObservableMethod(declaration: function, attributes: [], conditions: [])
      return method.isGeneralHook ? .ignoredHook(method.signature) : nil
    }) { _, _ in nil }
    return []
  }
}
