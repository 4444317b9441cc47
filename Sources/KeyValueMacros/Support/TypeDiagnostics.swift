import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

extension ObservableMacro {
  /// Reports why the macro does nothing for this kind of type, and how to fix it.
  static func diagnose(
    wrongKind declaration: some DeclGroupSyntax, _ node: AttributeSyntax,
    in context: some MacroExpansionContext
  ) {
    let removal = FixIt.remove(node)
    if let value = declaration.as(StructDeclSyntax.self) {
      let declared = ClassDeclSyntax(
        attributes: value.attributes, modifiers: value.finalClassModifiers,
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

/// Why the conformance, an extension at file scope, can't reach a class.
enum ObstacleToConformance {
  case function
  case privateModifier(DeclModifierSyntax)
  /// An enclosing type that is itself private to the type around it.
  case privateType(String)
  /// A class of `FoundationKVO` that has keys and, unlike its root class, a global actor.
  case actor(AttributeSyntax)
}

extension ObservableMacro {
  static func obstacle(
    to declaration: ClassDeclSyntax, in context: some MacroExpansionContext
  ) -> ObstacleToConformance? {
    if style == .cocoa, declaration.hasIsolatedKeys,
      let actor = declaration.attributes.all(in: ActiveClauses(in: context))
        .first(where: \.isGlobalActor)
    {
      return .actor(actor)
    }
    let surroundings = context.surroundings(of: declaration)
    if surroundings.isEmpty { return nil }
    if surroundings.contains(where: { !$0.isTypeContext }) { return .function }
    if let modifier = declaration.modifiers.first(where: \.isPrivate) {
      return .privateModifier(modifier)
    }
    // At file scope, private is fileprivate.
    return surroundings.dropLast().first { type in
      type.asProtocol((any DeclGroupSyntax).self)?.modifiers.contains(where: \.isPrivate) == true
    }.flatMap { $0.asProtocol((any NamedDeclSyntax).self) }.map { .privateType($0.name.text) }
  }

  /// Whether the class can get its conformance; reports why if not.
  static func isReachable(
    _ declaration: ClassDeclSyntax, _ node: AttributeSyntax,
    in context: some MacroExpansionContext
  ) -> Bool {
    let name = declaration.name.text
    switch obstacle(to: declaration, in: context) {
    case nil: return true
    case .function: context.report(.classInFunction(name), at: node)
    case .privateModifier(let modifier):
      let wider = modifier.name.with(\.tokenKind, .keyword(.fileprivate))
      context.report(
        .nestedPrivate(name), at: modifier,
        fixIts: [.replace("replace 'private' by 'fileprivate'", modifier.name, by: wider)])
    case .actor(let attribute):
      context.report(
        .isolatedCocoaClass(name, actor: attribute.plainName), at: attribute,
        fixIts: [.remove(attribute)])
    case .privateType(let type): context.report(.insidePrivate(name, type: type), at: node)
    }
    return false
  }
}

extension DeclModifierSyntax {
  /// Whether this is `private`, not only of the setter.
  var isPrivate: Bool { name.tokenKind == .keyword(.private) && detail == nil }
}

extension ClassDeclSyntax {
  /// Whether the body has keys that the class's actor isolates.
  fileprivate var hasIsolatedKeys: Bool {
    memberBlock.members.contains { member in
      guard let variable = member.decl.as(VariableDeclSyntax.self) else { return false }
      return !variable.modifiers.isTypeMember && !variable.modifiers.contains(.nonisolated)
        && !variable.attributes.contains { element in
          element.as(AttributeSyntax.self)?.plainName == EmittedNames.ignoredAttribute
        }
    }
  }
}

extension MacroExpansionContext {
  /// The declarations around a class, innermost first.
  func surroundings(of declaration: ClassDeclSyntax) -> ArraySlice<Syntax> {
    // For a member, the innermost context is the class itself.
    guard let innermost = lexicalContext.first, innermost.isContext(of: declaration) else {
      return lexicalContext[...]
    }
    return lexicalContext.dropFirst()
  }
}

extension Syntax {
  /// Whether this encloses types like a type or an extension, unlike a function's body.
  fileprivate var isTypeContext: Bool { asProtocol((any DeclGroupSyntax).self) != nil }

  /// Whether this is the class as its members' context, which contains no members.
  fileprivate func isContext(of declaration: ClassDeclSyntax) -> Bool {
    guard let context = self.as(ClassDeclSyntax.self) else { return false }
    return context.name.text == declaration.name.text
      && context.modifiers.trimmedDescription == declaration.modifiers.trimmedDescription
      && context.attributes.trimmedDescription == declaration.attributes.trimmedDescription
  }
}

extension StructDeclSyntax {
  /// The modifiers of the class that replaces the struct.
  fileprivate var finalClassModifiers: DeclModifierListSyntax {
    let final = TokenSyntax.keyword(
      .final, leadingTrivia: structKeyword.leadingTrivia, trailingTrivia: .space)
    return modifiers + [DeclModifierSyntax(name: final)]
  }
}
