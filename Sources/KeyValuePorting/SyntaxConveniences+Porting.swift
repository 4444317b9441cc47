import SwiftSyntax

extension ImportDeclSyntax {
  var moduleName: String? { path.first?.name.text }
}

extension MemberTypeSyntax {
  /// Whether this is `Foundation.X` of a type that FoundationKVO has, too.
  var isShadowed: Bool {
    baseType.trimmedDescription == "Foundation" && Mend.shadowed.contains(name.text)
  }
}

extension AttributeSyntax {
  var name: String { attributeName.trimmedDescription }

  /// Whether only Objective-C and Interface Builder have a use for the attribute.
  var isRemoved: Bool {
    [
      "objc", "objcMembers", "nonobjc", "IBOutlet", "IBAction", "IBSegueAction", "IBInspectable",
      "IBDesignable", "GKInspectable",
    ].contains(name)
  }

  /// The name in `@objc(name)`.
  var selector: String? {
    guard name == "objc", let arguments else { return nil }
    return arguments.trimmedDescription
  }
}

extension AttributeListSyntax {
  var objectiveCSelector: String? {
    lazy.compactMap { $0.as(AttributeSyntax.self)?.selector }.first
  }
}

extension FunctionDeclSyntax {
  /// Whether the method is an optional requirement for which one that does nothing, or returns nil, can stand in.
  var isReplaceable: Bool { modifiers.has("optional") && (returnsNothing || returnsOptional) }

  var returnsNothing: Bool {
    ["Void", "()"].contains(signature.returnClause?.type.trimmedDescription ?? "Void")
  }

  var returnsOptional: Bool { signature.returnClause?.type.is(OptionalTypeSyntax.self) == true }

  /// The selector whose name the method needs for key-value coding; nil if it's found by its own.
  var newSelector: AccessorSelector? {
    let labels = signature.parameterClause.parameters.map(\.firstName.text)
    let takesSet = parameterTypes.count == 1 && parameterTypes[0].isSet
    guard
      let selector = attributes.objectiveCSelector.flatMap({
        AccessorSelector($0, takesSet: takesSet)
      }), !selector.isFound(name.text, labels)
    else { return nil }
    return selector
  }

  var parameterTypes: [String] {
    signature.parameterClause.parameters.map(\.type.trimmedDescription)
  }

  var parameterValues: [ValueType] {
    signature.parameterClause.parameters.map { ValueType($0.type) }
  }

  /// `insert(_:at:)`.
  var fullName: String {
    let labels = signature.parameterClause.parameters.map { $0.firstName.text + ":" }.joined()
    return "\(name.text)(\(labels))"
  }
}

extension DeclGroupSyntax {
  /// The members, also those in branches of `#if`.
  var declarations: [DeclSyntax] { memberBlock.members.flatMap(\.decl.declarations) }
}

extension DeclSyntax {
  fileprivate var declarations: [DeclSyntax] {
    guard let conditional = self.as(IfConfigDeclSyntax.self) else { return [self] }
    return conditional.clauses.flatMap { clause -> [DeclSyntax] in
      guard case .decls(let members) = clause.elements else { return [] }
      return members.flatMap(\.decl.declarations)
    }
  }
}

extension ProtocolDeclSyntax {
  /// Whether a default can stand in for each optional requirement.
  var isReplaceable: Bool {
    declarations.allSatisfy { member in
      member.modifiers?.has("optional") != true
        || member.as(FunctionDeclSyntax.self)?.isReplaceable == true
    }
  }
}

extension SyntaxProtocol {
  /// Whether this is in a protocol that's left to a person, because it has an optional requirement without a default.
  var isInLeftProtocol: Bool {
    ancestors.prefix { !$0.is(CodeBlockSyntax.self) }.lazy
      .compactMap { $0.as(ProtocolDeclSyntax.self) }.first?.isReplaceable == false
  }

  /// What's around this, from the inside.
  var ancestors: some Sequence<Syntax> {
    sequence(state: parent) { node in
      defer { node = node?.parent }
      return node
    }
  }
}

extension Syntax {
  /// The name of the type whose body or extension this is.
  var nameAsType: String? {
    if let node = self.as(ExtensionDeclSyntax.self) { return node.typeName }
    return asProtocol((any DeclGroupSyntax).self) == nil
      ? nil : asProtocol((any NamedDeclSyntax).self)?.name.text
  }
}

extension DeclSyntax {
  fileprivate var modifiers: DeclModifierListSyntax? {
    asProtocol((any WithModifiersSyntax).self)?.modifiers
  }

  private var isObjectiveC: Bool {
    asProtocol((any WithAttributesSyntax).self)?.attributes.has("objc") == true
  }

  /// Whether Cocoa announces changes that the member makes.
  var isDynamicMember: Bool { modifiers?.has("dynamic") == true }

  /// Whether key-value coding finds a property by name.
  var isKey: Bool { self.is(VariableDeclSyntax.self) && (isDynamicMember || isObjectiveC) }

  /// Whether Cocoa asks the class this about one of its keys.
  var isCustomisation: Bool {
    let name =
      self.as(FunctionDeclSyntax.self)?.name.text
      ?? self.as(VariableDeclSyntax.self)?.bindings.first?.pattern.trimmedDescription ?? ""
    return name.hasPrefix("keyPathsForValuesAffecting")
      || name.hasPrefix("automaticallyNotifiesObserversOf")
  }

  /// Whether key-value coding finds the method by name: a validator, or a collection accessor.
  var isFoundByName: Bool {
    guard let method = self.as(FunctionDeclSyntax.self) else { return false }
    let labels = method.signature.parameterClause.parameters.dropFirst().map(\.firstName.text)
    let colons = method.signature.parameterClause.parameters.isEmpty ? "" : ":"
    let isValidator =
      method.name.text.hasPrefix("validate")
      && method.signature.description.contains("AutoreleasingUnsafeMutablePointer")
    let selector = ([method.name.text] + labels).joined(separator: ":") + colons
    return isValidator || AccessorSelector(selector) != nil
  }
}

extension PatternBindingSyntax {
  private var setter: AccessorDeclSyntax? {
    guard case .accessors(let accessors) = accessorBlock?.accessors else { return nil }
    return accessors.first { ["set", "_modify"].contains($0.accessorSpecifier.text) }
  }

  var hasSetter: Bool { setter != nil }

  /// The number of the setter's statements.
  var setterCount: Int { setter?.body?.statements.count ?? 0 }

  /// Whether the setter leaves the value to the superclass.
  func setsSuper(_ name: String) -> Bool {
    setter?.body?.tokens(viewMode: .sourceAccurate).contains { token in
      token.text == "super"
        && token.nextToken(viewMode: .sourceAccurate)?.nextToken(viewMode: .sourceAccurate)?.text
          == name
    } == true
  }
}

extension ClosureExprSyntax {
  /// The call that takes the closure, behind its parentheses or in them.
  var call: FunctionCallExprSyntax? {
    parent?.as(FunctionCallExprSyntax.self)
      ?? parent?.parent?.parent?.as(FunctionCallExprSyntax.self)
  }

  /// The names and types of the parameters that the closure declares.
  var parameters: [(name: String, type: TypeSyntax?)] {
    switch signature?.parameterClause {
    case .simpleInput(let names): names.map { ($0.name.text, nil) }
    case .parameterClause(let clause):
      clause.parameters.map { (($0.secondName ?? $0.firstName).text, $0.type) }
    default: []
    }
  }
}

extension ExprSyntax {
  /// Whether the expression means the same at any time.
  var isConstant: Bool {
    switch self.as(ExprSyntaxEnum.self) {
    case .stringLiteralExpr: return literalText != nil
    case .prefixOperatorExpr(let node): return node.expression.isConstant
    case .arrayExpr(let node): return node.elements.allSatisfy(\.expression.isConstant)
    case .dictionaryExpr(let node):
      guard case .elements(let elements) = node.content else { return true }
      return elements.allSatisfy { $0.key.isConstant && $0.value.isConstant }
    case .functionCallExpr(let node):
      return isImplicitMember && node.arguments.allSatisfy(\.expression.isConstant)
    case .macroExpansionExpr(let node): return node.keyPath != nil
    case .declReferenceExpr(let node): return node.baseName.text == "self"
    case .memberAccessExpr: return isImplicitMember
    case .closureExpr: return true
    default: return isLiteral
    }
  }

  /// Whether the expression begins with a period, `.red`.
  var isImplicitMember: Bool {
    if let call = self.as(FunctionCallExprSyntax.self) {
      return call.calledExpression.isImplicitMember
    }
    guard let member = self.as(MemberAccessExprSyntax.self) else { return false }
    return member.base.map(\.isImplicitMember) ?? true
  }

  /// Whether this is a literal without elements; a string's may have interpolations.
  var isLiteral: Bool {
    self.is(StringLiteralExprSyntax.self) || self.is(IntegerLiteralExprSyntax.self)
      || self.is(FloatLiteralExprSyntax.self) || self.is(BooleanLiteralExprSyntax.self)
      || self.is(NilLiteralExprSyntax.self)
  }

  /// The name of what a call calls, without what it's called on.
  var calledName: String? {
    self.as(DeclReferenceExprSyntax.self)?.baseName.text
      ?? self.as(MemberAccessExprSyntax.self)?.declName.baseName.text
  }

  /// The name of the object's own method that a call calls; `others` are further names for the object.
  func ownName(_ others: Set<String> = []) -> TokenSyntax? {
    if let reference = self.as(DeclReferenceExprSyntax.self) { return reference.baseName }
    guard let member = self.as(MemberAccessExprSyntax.self), let base = member.base else {
      return nil
    }
    let written = base.invocation?.target ?? base.trimmedDescription
    let name = written.filter { $0 != "?" && $0 != "!" }
    guard name == "self" || others.contains(name) else { return nil }
    return member.declName.baseName
  }

  /// What `(manager.prepare(withInvocationTarget: target) as AnyObject)` records undo actions with, and for what.
  var invocation: (manager: String, target: String)? {
    guard let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let inner = tuple.elements.first?.expression
    else { return nil }
    guard
      let call = inner.as(SequenceExprSyntax.self)?.elements.first?
        .as(FunctionCallExprSyntax.self), call.arguments.count == 1,
      let argument = call.arguments.first, argument.label?.text == "withInvocationTarget",
      let member = call.calledExpression.as(MemberAccessExprSyntax.self),
      member.declName.baseName.text == "prepare", let manager = member.base
    else { return nil }
    return (manager.trimmedDescription, argument.expression.trimmedDescription)
  }

  /// What a progress is of.
  var ownerOfProgress: ExprSyntax? {
    guard let member = self.as(MemberAccessExprSyntax.self),
      member.declName.baseName.text == "progress"
    else { return nil }
    return member.base
  }
}

extension MacroExpansionExprSyntax {
  /// The text of `#keyPath`, without the type that it may begin with.
  var keyPath: String? { keyPathParts { _, _ in false }?.names.joined(separator: ".") }

  /// The type that `#keyPath` begins with, if any, and the names of the properties.
  ///
  /// A name in upper case is a type's unless `isProperty` knows it as that of a property of the type in front of it.
  func keyPathParts(
    isProperty: (_ name: String, _ type: String?) -> Bool
  ) -> (root: String?, names: [String])? {
    guard macroName.text == "keyPath", let argument = arguments.first?.expression else {
      return nil
    }
    var names: [String] = argument.trimmedDescription.split(separator: ".")
      .map { $0.filter { !"?!`".contains($0) } }
    var root: String?
    while names.count > 1, names[0].isTypeOrSelf, !isProperty(names[0], root) {
      let name = names.removeFirst()
      if name != "self" { root = name }
    }
    return (root, names)
  }
}

extension String {
  fileprivate var isTypeOrSelf: Bool { first?.isUppercase == true || self == "self" }
}

extension TypeExprSyntax {
  /// Whether what's cast is the parameter `object` of `observeValue(forKeyPath:of:change:context:)`.
  var isOfObservedObject: Bool {
    guard let list = parent?.as(ExprListSyntax.self), list.count == 3,
      list.first?.as(DeclReferenceExprSyntax.self)?.baseName.text == "object"
    else { return false }
    return ancestors.lazy.compactMap { $0.as(FunctionDeclSyntax.self) }.first?.name.text
      == "observeValue"
  }

  /// What's cast with a plain `as`.
  var operandOfCast: ExprSyntax? {
    guard let list = parent?.as(ExprListSyntax.self), list.count == 3,
      Array(list)[1].as(UnresolvedAsExprSyntax.self)?.questionOrExclamationMark == nil
    else { return nil }
    return list.first
  }

  /// The methods that only FoundationKVO's objects have.
  static let observing: Set<String> = [
    "addObserver", "removeObserver", "observe", "willChangeValue", "didChangeValue", "willChange",
    "didChange", "mutableArrayValue", "mutableSetValue", "mutableOrderedSetValue",
    "dictionaryWithValues", "setValuesForKeys", "validateValue", "setNilValueForKey",
  ]

  /// Whether what's cast is observed: FoundationKVO's objects are, and no others.
  var isObserved: Bool {
    let methods = Self.observing
    var isDirect = true
    for current in ancestors.prefix(while: { !$0.is(CodeBlockItemListSyntax.self) }) {
      if isDirect, let member = current.as(MemberAccessExprSyntax.self) {
        return methods.contains(member.declName.baseName.text)
      }
      // `(x as! NSObject)`, and nothing else, stands between the cast and its member.
      if !current.is(ExprListSyntax.self) && !current.is(SequenceExprSyntax.self)
        && !current.is(TupleExprSyntax.self) && !current.is(LabeledExprSyntax.self)
        && !current.is(LabeledExprListSyntax.self) && !current.is(OptionalChainingExprSyntax.self)
      {
        isDirect = false
      }
      let name =
        current.as(OptionalBindingConditionSyntax.self)?.pattern.trimmedDescription
        ?? current.as(PatternBindingSyntax.self)?.pattern.trimmedDescription
      if let name { return current.isFollowed(by: methods, of: name) }
    }
    return false
  }

  /// Whether the type stands behind `as`, `as?`, `as!` or `is`.
  var isCast: Bool {
    guard let list = parent?.as(ExprListSyntax.self),
      let index = list.firstIndex(where: { $0.id == ExprSyntax(self).id }),
      index > list.startIndex
    else { return false }
    let previous = list[list.index(before: index)]
    return previous.is(UnresolvedAsExprSyntax.self) || previous.is(UnresolvedIsExprSyntax.self)
  }
}

extension Trivia {
  /// The white space in front of what follows, on the same line.
  var indentation: String {
    var spaces = ""
    for piece in pieces.reversed() {
      switch piece {
      case .spaces(let count): spaces = String(repeating: " ", count: count) + spaces
      case .tabs(let count): spaces = String(repeating: "\t", count: count) + spaces
      default: return spaces
      }
    }
    return spaces
  }
}

extension Syntax {
  /// Whether the function around this calls one of the methods of a variable.
  fileprivate func isFollowed(by methods: Set<String>, of name: String) -> Bool {
    let body = ancestors.first {
      $0.is(FunctionDeclSyntax.self) || $0.is(ClosureExprSyntax.self)
        || $0.is(InitializerDeclSyntax.self) || $0.is(AccessorBlockSyntax.self)
        || $0.is(AccessorDeclSyntax.self)
    }
    return body?.tokens(viewMode: .sourceAccurate).contains { token in
      guard methods.contains(token.text),
        let member = token.parent?.parent?.as(MemberAccessExprSyntax.self),
        let base = member.base?.trimmedDescription
      else { return false }
      return base.filter { $0 != "?" && $0 != "!" } == name
    } == true
  }
}

extension String {
  /// Whether a type's text is that of a set.
  fileprivate var isSet: Bool {
    self == "NSSet" || self == "NSSet?" || hasPrefix("Set<")
  }
}
