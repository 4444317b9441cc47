import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_KeyValueStored`: the accessors of a tracked property, and the storage behind it.
enum KeyValueStoredMacro {
  /// The emitted text is already formatted.
  static var formatMode: FormatMode { .disabled }

  private static func generation(
    _ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> AccessorGeneration? {
    let type = context.lexicalContext.first?.as(ClassDeclSyntax.self)
    let coding = type?.statedCoding
    return AccessorGeneration(
      declaration, trackingName: node.isTracking ? type?.trackingName : nil,
      isCoded: coding?.decodes == true || coding?.encodes == true,
      active: ActiveClauses(in: context))
  }
}

extension KeyValueStoredMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    generation(node, declaration, in: context)?.accessors ?? []
  }
}

extension KeyValueStoredMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    generation(node, declaration, in: context).map { [$0.storage] } ?? []
  }
}
