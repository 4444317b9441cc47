import SwiftSyntax

extension PatternBindingSyntax {
  /// The property's type, if the declaration shows that it's one of the standard library's or Foundation's.
  var standardType: String? {
    guard let type = typeAnnotation?.type else { return initializer?.value.standardType }
    return type.standardType
  }
}

extension TypeSyntax {
  /// The type's name without `?` and module; nil for all but the known types, because it may be another name of one.
  var standardType: String? {
    if let type = self.as(OptionalTypeSyntax.self) { return type.wrappedType.standardType }
    if let type = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return type.wrappedType.standardType
    }
    if let type = self.as(MemberTypeSyntax.self) {
      return type.genericArgumentClause == nil
        && ["Swift", "Foundation"].contains(type.baseType.trimmedDescription)
        ? KnownNames.standardType(type.name.text) : nil
    }
    guard let type = self.as(IdentifierTypeSyntax.self), type.genericArgumentClause == nil else {
      return nil
    }
    return KnownNames.standardType(type.name.text)
  }
}

extension ExprSyntax {
  /// The type that a literal, or an initialiser's call, has where no type is written.
  fileprivate var standardType: String? {
    if self.is(IntegerLiteralExprSyntax.self) { return "Int" }
    if self.is(FloatLiteralExprSyntax.self) { return "Double" }
    if self.is(BooleanLiteralExprSyntax.self) { return "Bool" }
    if self.is(StringLiteralExprSyntax.self) { return "String" }
    if let prefix = self.as(PrefixOperatorExprSyntax.self) {
      return ["-", "+"].contains(prefix.operator.text) ? prefix.expression.standardType : nil
    }
    guard let callee = self.as(FunctionCallExprSyntax.self)?.calledExpression else { return nil }
    return callee.as(DeclReferenceExprSyntax.self)
      .flatMap { KnownNames.standardType($0.baseName.text) }
  }
}

extension KnownNames {
  /// The name under which the type is compared; nil for a type that isn't one of these.
  fileprivate static func standardType(_ name: String) -> String? {
    switch name {
    case "Float64", "TimeInterval": "Double"
    case "Float32": "Float"
    default: standardTypes.contains(name) ? name : nil
    }
  }

  private static let standardTypes: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    "Float", "Double", "Bool", "String", "Substring", "Character", "Decimal", "Date", "Data", "URL",
    "UUID",
  ]
}
