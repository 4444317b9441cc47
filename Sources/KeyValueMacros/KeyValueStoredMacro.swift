import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_KeyValueStored`: the accessors of a tracked property, and the storage behind it.
enum KeyValueStoredMacro {
  /// The emitted text is already formatted.
  static var formatMode: FormatMode { .disabled }
}

extension KeyValueStoredMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard
      let generation = AccessorGeneration(
        declaration, isTracking: node.isTracking)
    else {
      return []
    }
    return generation.accessors
  }
}

extension KeyValueStoredMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard
      let generation = AccessorGeneration(
        declaration, isTracking: node.isTracking)
    else {
      return []
    }
    return [generation.storage]
  }
}
