import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_KeyValueHook`: combines a customisation point's own result with the class's schema, so that
/// calling it returns the effective set or switch.
enum KeyValueHookMacro: BodyMacro {
  /// The emitted text is already formatted.
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax,
    providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
    in context: some MacroExpansionContext
  ) throws -> [CodeBlockItemSyntax] {
    guard let function = declaration.as(FunctionDeclSyntax.self), let body = function.body else {
      return []
    }
    let method = ObservableMethod(declaration: function, attributes: [], conditions: [])
    guard method.isWrappedHook, let parameter = method.parameters.first else {
      return Array(body.statements)
    }
    let key = (parameter.secondName ?? parameter.firstName).text
    let label = method.isDependencyHook ? "adding" : "and"
    let result = method.result ?? "Swift.Bool"
    let margin = "  "
    let statements = FunctionNameRewriter(name: method.signature).visit(body.statements)
    let text = statements.outdented.indented(by: margin + "  ")
    return [
      """
      \(raw: margin)func \(raw: EmittedNames.declared)() -> \(raw: result) {
      \(raw: text)
      \(raw: margin)}
      """,
      """
      \(raw: margin)return \(raw: EmittedNames.schemaType).\(raw: method.name)(
      \(raw: margin)  forKey: \(raw: key), of: self, \(raw: label): \(raw: EmittedNames.declared)())
      """,
    ]
  }
}
