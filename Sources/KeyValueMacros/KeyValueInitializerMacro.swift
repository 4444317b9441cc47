import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_KeyValueInitializer`: makes an initialiser, or a `deinit`, change properties without their
/// `willSet` and `didSet`, as in plain Swift.
enum KeyValueInitializerMacro: BodyMacro {
  /// The emitted text is already formatted.
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax,
    providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
    in context: some MacroExpansionContext
  ) throws -> [CodeBlockItemSyntax] {
    guard var statements = declaration.body?.statements else { return [] }
    let (properties, body) = InitializerGeneration.read(
      node, on: declaration, in: context.lexicalContext.first?.as(ClassDeclSyntax.self))
    for property in properties {
      // Each pass needs parent nodes, which only a detached tree has.
      statements = InitializerRewriting(property: property, in: body).rewrite(statements.detached)
    }
    return Array(statements)
  }
}
