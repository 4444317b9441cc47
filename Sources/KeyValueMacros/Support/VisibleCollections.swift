import SwiftSyntax

extension PatternBindingSyntax {
  /// Whether the type, as written or as the initialiser shows, is an array or a set.
  var isVisiblyCollection: Bool {
    if let type = typeAnnotation?.type { return type.isVisiblyCollection }
    return initializer?.value.isVisiblyCollection ?? false
  }

  /// Whether the type, as written or as the initialiser shows, is a dictionary.
  var isVisiblyKeyed: Bool {
    if let type = typeAnnotation?.type {
      let name = type.as(IdentifierTypeSyntax.self)?.name.text
      return type.is(DictionaryTypeSyntax.self) || name.map(KnownNames.keyed.contains) ?? false
    }
    let value = initializer?.value
    let creator = value?.as(FunctionCallExprSyntax.self)?.calledExpression ?? value
    let type = creator?.as(GenericSpecializationExprSyntax.self)?.expression ?? creator
    let name = type?.as(DeclReferenceExprSyntax.self)?.baseName.text
    return type?.is(DictionaryExprSyntax.self) == true
      || name.map(KnownNames.keyed.contains) ?? false
  }

  /// How many arrays and sets the type visibly nests: 2 for `[[Employee]]`.
  var visibleNesting: Int {
    typeAnnotation?.type.visibleNesting ?? (isVisiblyCollection ? 1 : 0)
  }
}

extension ExprSyntax {
  /// Whether the expression alone creates an array or a set: `[1]`, `[T]()`, `Set<T>(…)`,
  /// `[] as [T]`.
  fileprivate var isVisiblyCollection: Bool {
    if self.is(ArrayExprSyntax.self) { return true }
    if let cast = self.as(AsExprSyntax.self) {
      return cast.questionOrExclamationMark == nil && cast.type.isVisiblyCollection
    }
    if let sequence = self.as(SequenceExprSyntax.self) {
      // A macro may see operators unfolded.
      let tail = Array(sequence.elements.suffix(2))
      guard tail.count == 2, let cast = tail[0].as(UnresolvedAsExprSyntax.self),
        cast.questionOrExclamationMark == nil
      else { return false }
      return tail[1].as(TypeExprSyntax.self)?.type.isVisiblyCollection ?? false
    }
    guard let callee = self.as(FunctionCallExprSyntax.self)?.calledExpression else { return false }
    if callee.is(ArrayExprSyntax.self) { return true }
    guard let generic = callee.as(GenericSpecializationExprSyntax.self) else { return false }
    let name =
      generic.expression.as(DeclReferenceExprSyntax.self)?.baseName
      ?? generic.expression.as(MemberAccessExprSyntax.self)?.declName.baseName
    return name.map { TypeSyntax.collections.contains($0.text) } ?? false
  }
}

extension TypeSyntax {
  /// The names of array and set types, the standard library's and swift-collections'.
  fileprivate static let collections: Set = ["Array", "Set", "ContiguousArray", "OrderedSet"]

  fileprivate var visibleNesting: Int {
    guard isVisiblyCollection else { return 0 }
    if let optional = self.as(OptionalTypeSyntax.self) {
      return optional.wrappedType.visibleNesting
    }
    if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return optional.wrappedType.visibleNesting
    }
    if let array = self.as(ArrayTypeSyntax.self) { return 1 + array.element.visibleNesting }
    let arguments =
      self.as(IdentifierTypeSyntax.self)?.genericArgumentClause?.arguments
      ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause?.arguments
    let element = arguments?.first.flatMap { Syntax($0.argument).as(TypeSyntax.self) }
    let isOptional = self.as(IdentifierTypeSyntax.self)?.name.text == "Optional"
    return (isOptional ? 0 : 1) + (element?.visibleNesting ?? 0)
  }

  /// Whether the type's spelling is that of an array or a set, optional or not.
  fileprivate var isVisiblyCollection: Bool {
    if let optional = self.as(OptionalTypeSyntax.self) {
      return optional.wrappedType.isVisiblyCollection
    }
    if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return optional.wrappedType.isVisiblyCollection
    }
    if self.is(ArrayTypeSyntax.self) { return true }
    let name: TokenSyntax
    let arguments: GenericArgumentListSyntax?
    if let type = self.as(IdentifierTypeSyntax.self) {
      (name, arguments) = (type.name, type.genericArgumentClause?.arguments)
    } else if let type = self.as(MemberTypeSyntax.self) {
      (name, arguments) = (type.name, type.genericArgumentClause?.arguments)
    } else {
      return false
    }
    if name.text == "Optional", let wrapped = arguments?.first?.argument {
      return Syntax(wrapped).as(TypeSyntax.self)?.isVisiblyCollection ?? false
    }
    return Self.collections.contains(name.text)
  }
}
