import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_KeyValueInitializer`: an initialiser, or a `deinit`, that changes properties past their
/// `willSet` and `didSet`, as in plain Swift.
enum KeyValueInitializerMacro: BodyMacro {
  /// The emitted text is formatted already.
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax,
    providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
    in context: some MacroExpansionContext
  ) throws -> [CodeBlockItemSyntax] {
    guard var statements = declaration.body?.statements else { return [] }
    let (properties, body) = InitializerGeneration.read(node, on: declaration)
    for property in properties {
      // Each pass asks for parents, which only a tree of its own has.
      statements = InitializerRewriting(property: property, in: body).rewrite(statements.detached)
    }
    return Array(statements)
  }
}
