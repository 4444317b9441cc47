import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

extension KeyValueObservableMacro {
  /// Says why the macro does nothing on this kind of type, and what to write instead.
  static func diagnose(
    wrongKind declaration: some DeclGroupSyntax, _ node: AttributeSyntax,
    in context: some MacroExpansionContext
  ) {
    let removal = FixIt.remove(node, from: declaration.attributes)
    if let value = declaration.as(StructDeclSyntax.self) {
      let declared = ClassDeclSyntax(
        attributes: value.attributes, modifiers: value.modifiers.addingFinal,
        classKeyword: .keyword(.class, trailingTrivia: .space), name: value.name,
        genericParameterClause: value.genericParameterClause,
        inheritanceClause: value.inheritanceClause, genericWhereClause: value.genericWhereClause,
        memberBlock: value.memberBlock)
      context.report(
        .notAClass(kind: "a struct"), at: node,
        fixIts: [.replace("make it a final class", value, by: declared), removal])
    } else if declaration.is(ActorDeclSyntax.self) {
      context.report(.actor, at: node, fixIts: [removal])
    } else {
      let kind =
        switch declaration.kind {
        case .enumDecl: "an enum"
        case .protocolDecl: "a protocol"
        default: "an extension"
        }
      context.report(.notAClass(kind: kind), at: node, fixIts: [removal])
    }
  }
}

extension DeclModifierListSyntax {
  /// The modifiers of the class that a struct is to become.
  fileprivate var addingFinal: DeclModifierListSyntax {
    self + [DeclModifierSyntax(name: .keyword(.final, trailingTrivia: .space))]
  }
}
