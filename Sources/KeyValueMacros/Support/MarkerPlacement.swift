import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Checks where one of the mark attributes is placed.
struct MarkerPlacement {
  let attribute: AttributeSyntax
  let declaration: any DeclSyntaxProtocol
  let context: any MacroExpansionContext
  let message: (DiagnosticMessage.Misplacement) -> DiagnosticMessage

  /// Reports a misplaced mark.
  ///
  /// `ofProperty` returns a message if this property, with its attributes, can't have the mark, and
  /// `ofMethod` if this method can't. Without `ofMethod`, no method can.
  func report(
    ofMethod: ((FunctionDeclSyntax) -> DiagnosticMessage?)? = nil,
    _ ofProperty: (VariableDeclSyntax, [AttributeSyntax]) -> DiagnosticMessage?
  ) {
    if let message = problem(ofMethod, ofProperty) {
      context.report(message, at: attribute, fixIts: [.remove(attribute)])
    }
  }

  private func problem(
    _ ofMethod: ((FunctionDeclSyntax) -> DiagnosticMessage?)?,
    _ ofProperty: (VariableDeclSyntax, [AttributeSyntax]) -> DiagnosticMessage?
  ) -> DiagnosticMessage? {
    let active = ActiveClauses(in: context)
    let method = ofMethod == nil ? nil : declaration.as(FunctionDeclSyntax.self)
    let variable = declaration.as(VariableDeclSyntax.self)
    guard method != nil || variable != nil else { return message(.notAProperty) }
    switch context.lexicalContext.first {
    case .some(let parent) where parent.is(ExtensionDeclSyntax.self): return message(.inExtension)
    case .some(let parent):
      guard let group = parent.asProtocol((any DeclGroupSyntax).self) else {
        return message(.local)
      }
      if group.attributes.all(in: active).first(named: EmittedNames.observableAttribute) == nil {
        return message(.outsideClass)
      }
    case nil: return message(.notAProperty)
    }
    if let method { return ofMethod?(method) }
    guard let variable else { return nil }
    if variable.modifiers.isTypeMember { return message(.typeProperty) }
    return ofProperty(variable, variable.attributes.all(in: active))
  }
}
