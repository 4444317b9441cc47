import SwiftSyntax

extension PatternBindingSyntax {
  /// Whether the type, as far as it's written, is one of the standard library's noncopyable types.
  ///
  /// Such a property can't be a key: key paths and changes copy their values.
  var isVisiblyNoncopyable: Bool {
    if let type = typeAnnotation?.type { return type.isNoncopyable() }
    guard let call = initializer?.value.as(FunctionCallExprSyntax.self) else { return false }
    return TypeSyntax("\(raw: call.calledExpression.trimmedDescription)").isNoncopyable()
  }
}

extension PatternBindingSyntax {
  /// Whether this is the class's mirror, which concerns the object and isn't part of it.
  var isCustomMirror: Bool {
    isComputed && pattern.as(IdentifierPatternSyntax.self)?.identifier.text == "customMirror"
  }
}

extension ObservableClass {
  /// The types that the class's body declares as noncopyable.
  var noncopyableTypes: Set<String> {
    Set(
      declaration.memberBlock.members.compactMap { member -> String? in
        let structure = member.decl.as(StructDeclSyntax.self)
        let choice = member.decl.as(EnumDeclSyntax.self)
        let inherited = (structure?.inheritanceClause ?? choice?.inheritanceClause)?.inheritedTypes
        let names = inherited?.flatMap { $0.type.protocolNames } ?? []
        return names.contains("~Copyable") ? (structure?.name ?? choice?.name)?.text : nil
      })
  }
}

extension TypeSyntax {
  /// Whether this is one of the standard library's noncopyable types or one of these, or an optional of one.
  func isNoncopyable(_ others: Set<String> = []) -> Bool {
    if let optional = self.as(OptionalTypeSyntax.self) {
      return optional.wrappedType.isNoncopyable(others)
    }
    if let member = self.as(MemberTypeSyntax.self) {
      return member.baseType.trimmedDescription == "Synchronization"
        && noncopyable.contains(member.name.text)
    }
    guard let name = self.as(IdentifierTypeSyntax.self)?.name.text else { return false }
    return noncopyable.contains(name) || others.contains(name)
  }
}

private let noncopyable: Set<String> = ["Mutex", "Atomic", "AtomicLazyReference"]
