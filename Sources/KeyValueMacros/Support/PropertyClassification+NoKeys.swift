import SwiftSyntax

extension PatternBindingSyntax {
  /// Whether the type, as far as it is written, is one of the standard library's that aren't copied.
  ///
  /// No key has such a value: key paths and changes copy what they carry.
  var isVisiblyNoncopyable: Bool {
    if let type = typeAnnotation?.type { return type.isKnownNoncopyable }
    guard let call = initializer?.value.as(FunctionCallExprSyntax.self) else { return false }
    return TypeSyntax("\(raw: call.calledExpression.trimmedDescription)").isKnownNoncopyable
  }
}

extension PatternBindingSyntax {
  /// Whether this is what a class shows of itself, which is about the object and no part of it.
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
