import SwiftSyntax

/// What the spelling of a type or of an initial value says about the values.
///
/// A macro sees no types. If the spelling doesn't show whether a value is an object, and of which
/// class, the evidence is `unknown`; the audit of debug builds finds the missed reads.
enum TypeEvidence {
  /// A value, or an object with constant results, such as a formatter.
  case value
  /// The annotated class itself, or a collection of its objects.
  case ownClass
  /// An annotated nested class, or a collection of its objects.
  case observable
  case function
  /// A lock, an atomic or another holder of values that change without notice.
  case state
  case unknown
}

extension ObservableClass {
  func evidence(of binding: PatternBindingSyntax) -> TypeEvidence {
    if let type = binding.typeAnnotation?.type { return evidence(of: type) }
    return binding.initializer.map { evidence(of: $0.value) } ?? .unknown
  }

  /// The kind of object at the end of the paths; only the class itself is followed along the way.
  func evidence(of origin: ValueOrigin) -> TypeEvidence {
    var result: TypeEvidence?
    for path in origin.paths {
      let evidence = evidence(of: path)
      guard result == nil || result == evidence else { return .unknown }
      result = evidence
    }
    return result ?? .unknown
  }

  private func evidence(of path: [String]) -> TypeEvidence {
    var evidence = TypeEvidence.ownClass
    for name in ValueOrigin.names(of: path) {
      guard evidence == .ownClass, let property = property(name) else { return .unknown }
      evidence = self.evidence(of: property.binding)
    }
    return evidence
  }

  private func evidence(of type: TypeSyntax) -> TypeEvidence {
    if let type = type.as(OptionalTypeSyntax.self) { return evidence(of: type.wrappedType) }
    if let type = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return evidence(of: type.wrappedType)
    }
    if let type = type.as(AttributedTypeSyntax.self) { return evidence(of: type.baseType) }
    if let type = type.as(TupleTypeSyntax.self) {
      guard type.elements.count == 1, let only = type.elements.first else { return .value }
      return evidence(of: only.type)
    }
    if let type = type.as(ArrayTypeSyntax.self) { return collection(of: type.element) }
    if let type = type.as(DictionaryTypeSyntax.self) { return collection(of: type.value) }
    if type.is(FunctionTypeSyntax.self) { return .function }
    if let type = type.as(MemberTypeSyntax.self) { return evidence(ofTypeNamed: type.name.text) }
    guard let type = type.as(IdentifierTypeSyntax.self) else { return .unknown }
    if let argument = type.genericArgumentClause?.arguments.last?.argument,
      let element = Syntax(argument).as(TypeSyntax.self)
    {
      if type.name.text == "Optional" { return evidence(of: element) }
      if KnownNames.passing.contains(type.name.text) { return collection(of: element) }
    }
    return evidence(ofTypeNamed: type.name.text)
  }

  /// A collection of a type's values is itself a value; its elements may be objects.
  private func collection(of element: TypeSyntax) -> TypeEvidence {
    let evidence = evidence(of: element)
    return evidence == .ownClass || evidence == .observable ? evidence : .value
  }

  func evidence(ofTypeNamed name: String) -> TypeEvidence {
    if name == self.name || name == "Self" { return .ownClass }
    if let nested = nestedType(name) {
      guard let nested = nested.as(ClassDeclSyntax.self) else {
        return nested.is(StructDeclSyntax.self) || nested.is(EnumDeclSyntax.self)
          ? .value : .unknown
      }
      let mark = nested.attributes.all(in: active)
        .first(named: EmittedNames.observableAttribute)
      return mark == nil ? .state : .observable
    }
    if KnownNames.stateTypes.contains(name) { return .state }
    return KnownNames.isValueType(name) ? .value : .unknown
  }

  private func nestedType(_ name: String) -> DeclSyntax? {
    declaration.memberBlock.members.map(\.decl).first {
      $0.asProtocol((any NamedDeclSyntax).self)?.name.plainName == name
        && $0.asProtocol((any DeclGroupSyntax).self) != nil
    }
  }

  private func evidence(of value: ExprSyntax) -> TypeEvidence {
    if let call = value.as(FunctionCallExprSyntax.self) {
      return evidence(ofCallee: call.calledExpression)
    }
    if let member = value.as(MemberAccessExprSyntax.self) {
      // `Kind.standard`: usually a value of that type.
      return member.base.map(evidence(ofCallee:)) ?? .unknown
    }
    if value.is(ClosureExprSyntax.self) { return .function }
    let isLiteral =
      value.is(IntegerLiteralExprSyntax.self) || value.is(FloatLiteralExprSyntax.self)
      || value.is(BooleanLiteralExprSyntax.self) || value.is(StringLiteralExprSyntax.self)
      || value.is(ArrayExprSyntax.self) || value.is(DictionaryExprSyntax.self)
      || value.is(PrefixOperatorExprSyntax.self) || value.is(RegexLiteralExprSyntax.self)
      || value.is(TupleExprSyntax.self) || value.is(SequenceExprSyntax.self)
      || value.is(InfixOperatorExprSyntax.self)
    return isLiteral ? .value : .unknown
  }

  private func evidence(ofCallee callee: ExprSyntax) -> TypeEvidence {
    if let name = callee.as(DeclReferenceExprSyntax.self)?.baseName.plainName {
      return evidence(ofTypeNamed: name)
    }
    if let generic = callee.as(GenericSpecializationExprSyntax.self) {
      return evidence(ofCallee: generic.expression)
    }
    if let array = callee.as(ArrayExprSyntax.self)?.elements.first {
      let evidence = evidence(ofCallee: array.expression)
      return evidence == .ownClass || evidence == .observable ? evidence : .value
    }
    if callee.is(DictionaryExprSyntax.self) { return .value }
    guard let member = callee.as(MemberAccessExprSyntax.self), let base = member.base else {
      return .unknown
    }
    // `Foundation.Date()`, `Kind.made()`.
    let name = member.declName.baseName.plainName
    return name.first?.isUppercase == true ? evidence(ofTypeNamed: name) : evidence(ofCallee: base)
  }
}

// MARK: Members of the type

extension ObservableClass {
  /// A static or class property.
  struct TypeVariable {
    let declaration: VariableDeclSyntax
    let binding: PatternBindingSyntax

    /// Whether its value may be replaced; the getter decides for a computed one.
    var isMutable: Bool { !declaration.isLet && !binding.isComputed }
  }

  /// The static or class property of that name.
  func typeVariable(_ name: String) -> TypeVariable? {
    for case let variable? in declaration.memberBlock.members.map({
      $0.decl.as(VariableDeclSyntax.self)
    }) where variable.modifiers.isTypeMember {
      for binding in variable.bindings
      where binding.pattern.boundNames.contains(where: { $0.plainName == name }) {
        return TypeVariable(declaration: variable, binding: binding)
      }
    }
    return nil
  }

  /// Whether the expression names the class: `Self`, its own name, or `type(of: self)`.
  func isOwnType(_ expression: ExprSyntax) -> Bool {
    if let name = expression.as(DeclReferenceExprSyntax.self)?.baseName.plainName {
      return name == "Self" || name == self.name
    }
    guard let call = expression.as(FunctionCallExprSyntax.self) else { return false }
    return call.calledExpression.trimmedDescription == "type"
      && call.arguments.first?.expression.trimmedDescription == "self"
  }
}
