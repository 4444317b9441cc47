import SwiftSyntax
import SwiftSyntaxMacros

/// `@NotifiesManually`: a mark for the class's macro; by itself it only reports misplaced use.
enum NotifiesManuallyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    MarkerPlacement(
      attribute: node, declaration: declaration, context: context,
      message: DiagnosticMessage.manual
    ).report { variable, attributes in
      if attributes.first(named: EmittedNames.ignoredAttribute) != nil {
        return .contradiction
      }
      if variable.isLet { return .manual(.constant) }
      if let binding = variable.bindings.first, binding.isComputed, !binding.hasSetter {
        return .manual(.readOnly)
      }
      return nil
    }
    return []
  }
}
