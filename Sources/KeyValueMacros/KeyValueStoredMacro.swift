import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_KeyValueStored`: the accessors of a tracked property, and the storage behind it.
enum KeyValueStoredMacro {
  /// The emitted text is already formatted.
  static var formatMode: FormatMode { .disabled }

  private static func generation(
    _ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol
  ) -> AccessorGeneration? {
    AccessorGeneration(declaration, isTracking: node.isTracking)
  }
}

extension KeyValueStoredMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    generation(node, declaration)?.accessors ?? []
  }
}

extension KeyValueStoredMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    generation(node, declaration).map { [$0.storage] } ?? []
  }
}
