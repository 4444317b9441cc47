import SwiftSyntax

extension PatternBindingSyntax {
  /// Whether the type, as far as it's written, is one of the standard library's noncopyable types.
  ///
  /// Such a property can't be a key: key paths and changes copy their values.
  var isVisiblyNoncopyable: Bool {
    if let type = typeAnnotation?.type { return type.isKnownNoncopyable }
    guard let call = initializer?.value.as(FunctionCallExprSyntax.self) else { return false }
    return TypeSyntax("\(raw: call.calledExpression.trimmedDescription)").isKnownNoncopyable
  }
}

extension PatternBindingSyntax {
  /// Whether this is the class's mirror, which concerns the object and isn't part of it.
  var isCustomMirror: Bool {
    isComputed && pattern.as(IdentifierPatternSyntax.self)?.identifier.text == "customMirror"
  }
}

extension TypeSyntax {
  fileprivate var isKnownNoncopyable: Bool {
    if let member = self.as(MemberTypeSyntax.self) {
      return member.baseType.trimmedDescription == "Synchronization"
        && noncopyable.contains(member.name.text)
    }
    guard let name = self.as(IdentifierTypeSyntax.self)?.name.text else { return false }
    return noncopyable.contains(name)
  }
}

private let noncopyable: Set<String> = ["Mutex", "Atomic", "AtomicLazyReference"]
