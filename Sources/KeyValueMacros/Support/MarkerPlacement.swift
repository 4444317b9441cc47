import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Checks where one of the mark attributes is placed.
struct MarkerPlacement {
  let attribute: AttributeSyntax
  let declaration: any DeclSyntaxProtocol
  let context: any MacroExpansionContext
  let message: (DiagnosticMessage.Misplacement) -> DiagnosticMessage

  /// Reports a misplaced mark; `specific` returns a message if this property, with its attributes,
  /// can't have it.
  func report(_ specific: (VariableDeclSyntax, [AttributeSyntax]) -> DiagnosticMessage?) {
    if let message = problem(specific) {
      context.report(message, at: attribute, fixIts: [.remove(attribute)])
    }
  }

  private func problem(_ specific: (VariableDeclSyntax, [AttributeSyntax]) -> DiagnosticMessage?)
    -> DiagnosticMessage?
  {
    let active = ActiveClauses(in: context)
    guard let variable = declaration.as(VariableDeclSyntax.self) else {
      return message(.notAProperty)
    }
    switch context.lexicalContext.first {
    case .some(let parent) where parent.is(ExtensionDeclSyntax.self): return message(.inExtension)
    case .some(let parent):
      guard let group = parent.asProtocol((any DeclGroupSyntax).self) else {
        return message(.local)
      }
      if group.attributes.all(in: active).first(named: EmittedNames.observableAttribute) == nil {
        return message(.outsideClass)
      }
    case nil: break
    }
    if variable.modifiers.isTypeMember { return message(.typeProperty) }
    return specific(variable, variable.attributes.all(in: active))
  }
}
