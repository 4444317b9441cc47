import SwiftSyntax

// Which `NSObject` a cast means: FoundationKVO's, which has keys, or Foundation's, which strings and numbers are, too.
extension FilePorting {
  /// What becomes of a value that's cast.
  private enum Use: Int {
    /// Nothing that shows which one it has to be.
    case any
    /// Something takes it that the files don't declare.
    case unknown
    /// Something takes it that the files declare with `NSObject`, or FoundationKVO does.
    case object
  }

  /// Makes `NSObject` in a cast Foundation's, unless the value is visibly an object with keys, or has to be one.
  func decideCast(_ node: TypeExprSyntax) {
    guard !isPorted, node.type.namesObject(), !node.isObserved,
      let list = node.parent?.as(ExprListSyntax.self),
      let index = list.firstIndex(where: { $0.id == ExprSyntax(node).id })
    else { return }
    let elements = Array(list)
    let place = list.distance(from: list.startIndex, to: index)
    guard place > 1, let sequence = list.parent else { return castNames(in: Syntax(node.type)) }
    let operand = elements[place - 2]
    let cast = elements[place - 1].as(UnresolvedAsExprSyntax.self)
    let origin = origin(of: operand)
    if cast != nil, origin == .own { return }
    // A pattern's `as` may find another type, as `as?` may.
    let isCertain = cast != nil && cast?.questionOrExclamationMark == nil && !operand.isPattern
    if isCertain, origin == .foreign { return castNames(in: Syntax(node.type)) }
    switch cast == nil ? .any : use(of: sequence, from: elements[..<place]) {
    case .object:
      let text = operand.trimmedDescription
      let isValue = ["newKey", "oldKey", "newValue", "oldValue", "value(forKey"].contains {
        text.contains($0)
      }
      if isValue, !isCertain { remark(node, Self.nilCast) }
    case .unknown:
      castNames(in: Syntax(node.type))
      remark(node, Self.writtenCast)
    case .any: castNames(in: Syntax(node.type))
    }
  }

  /// `NSObject` in a cast means Foundation's: strings, numbers and collections aren't FoundationKVO's.
  func castNames(in node: Syntax) {
    if isPorted { return }
    for token in node.tokens(viewMode: .sourceAccurate) where token.text == "NSObject" {
      guard token.parent?.is(IdentifierTypeSyntax.self) == true else { continue }
      replace(.casts, token, by: "Foundation.NSObject")
    }
  }

  /// Removes a cast to `CVarArg` of a format's argument, which may have any type here, and lists another one.
  func removeArgumentCast(_ node: TypeExprSyntax) {
    guard let operand = node.operandOfArgumentCast,
      node.callOfArgument?.takesFormat == true
    else {
      return remark(
        node,
        "on Linux, only Swift's numbers, String, NSString and FoundationKVO's NSObject are CVarArg: pass one of "
          + "those, such as the value's description")
    }
    replace(
      .arguments, operand.endPositionBeforeTrailingTrivia, node.endPositionBeforeTrailingTrivia,
      by: "")
  }

  private static let nilCast =
    "a cast to NSObject is nil for a string, a number or another object of Foundation's: write "
    + "Foundation.NSObject for those, also in what takes it"
  private static let writtenCast =
    "what takes this isn't in these files: if it takes FoundationKVO's NSObject, write NSObject in the cast"

  // MARK: The value

  private enum Origin { case own, foreign, unknown }

  /// Whether an expression is visibly an object with keys, or has such in it.
  private func origin(of expression: ExprSyntax) -> Origin {
    let parts: [ExprSyntax]
    switch expression.as(ExprSyntaxEnum.self) {
    case .tupleExpr(let node): parts = node.elements.map(\.expression)
    case .arrayExpr(let node): parts = node.elements.map(\.expression)
    case .dictionaryExpr(let node):
      guard case .elements(let elements) = node.content else { return .unknown }
      parts = elements.map(\.value)
    default:
      if expression.isLiteral { return .foreign }
      guard case .named(let name) = valueType(of: expression).content else { return .unknown }
      if classes.root(of: name) != nil { return .own }
      return classes.knows(name) || !Self.foreign.contains(where: name.hasPrefix)
        ? .unknown : .foreign
    }
    let origins = parts.map { origin(of: $0) }
    if expression.is(TupleExprSyntax.self) {
      return origins.contains(.own) ? .own : origins.contains(.unknown) ? .unknown : .foreign
    }
    // Of `[person, "text"]`, only Foundation's `NSObject` has all.
    return origins.contains(.foreign) ? .foreign : origins.contains(.own) ? .own : .unknown
  }

  /// How the names of types begin that don't have FoundationKVO's root.
  private static let foreign = ["NS", "String", "Int", "Double", "Bool", "Data", "Date", "URL"]

  // MARK: What takes it

  /// What takes the value of an expression; in a pattern, of the names in front of the cast.
  private func use(of node: Syntax, from names: ArraySlice<ExprSyntax> = [], depth: Int = 0) -> Use
  {
    if let pattern = names.first?.as(PatternExprSyntax.self)?.pattern {
      return use(of: pattern, in: node.scopeOfPattern, after: node.endPosition, depth)
    }
    if let assigned = node.as(SequenceExprSyntax.self)?.elements.assigned {
      return classes.objects.holds(assigned) ? .object : .any
    }
    if let list = node.as(SequenceExprSyntax.self)?.elements, !list.isValue(of: nil) { return .any }
    var child = node
    while let parent = child.parent, depth < 4 {
      if let argument = parent.as(LabeledExprSyntax.self) {
        if let call = argument.parent?.parent?.as(FunctionCallExprSyntax.self) {
          return use(by: call, argument)
        }
      } else if let member = parent.as(MemberAccessExprSyntax.self) {
        if TypeExprSyntax.observing.contains(member.declName.baseName.text) { return .object }
        guard let call = member.parent?.as(FunctionCallExprSyntax.self) else { return .any }
        return use(inClosuresOf: call, depth)
      } else if let clause = parent.as(InitializerClauseSyntax.self) {
        return use(of: clause, depth)
      } else if let loop = parent.as(ForStmtSyntax.self) {
        return use(
          of: loop.pattern, in: Syntax(loop.body), after: loop.endPosition, depth, all: true)
      } else if parent.is(ReturnStmtSyntax.self) || parent.is(CodeBlockItemSyntax.self) {
        guard let call = parent.callOfClosure else {
          return parent.returnedType?.namesObject() == true ? .object : .any
        }
        return use(of: Syntax(call), depth: depth + 1)
      } else if let list = parent.as(ExprListSyntax.self), !list.isValue(of: child.id) {
        return .any
      } else if let list = parent.as(ExprListSyntax.self), let assigned = list.assigned,
        list.first.map(Syntax.init)?.id != child.id
      {
        return classes.objects.holds(assigned) ? .object : .any
      } else if parent.is(CodeBlockSyntax.self) || parent.is(CodeBlockItemListSyntax.self)
        || parent.is(ConditionElementSyntax.self)
      {
        return .any
      }
      child = parent
    }
    return .any
  }

  /// Whether a call's argument has to be an `NSObject`.
  private func use(by call: FunctionCallExprSyntax, _ argument: LabeledExprSyntax) -> Use {
    guard let name = call.calledExpression.calledName else { return .any }
    if classes.objects.takes(argument, name) { return .object }
    let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base
    // `objects.append(x)`, of a variable that's declared with `NSObject`.
    if let variable = base?.lastNameOfVariable, classes.objects.holds(variable) { return .object }
    if name == "init", let type = base?.calledName, classes.objects.takes(argument, type) {
      return .object
    }
    if ["addObserver", "removeObserver"].contains(name),
      call.arguments.contains(where: { $0.label?.text == "forKeyPath" }),
      argument.id == call.arguments.first?.id
    {
      return .object
    }
    if classes.objects.declares(name) || Self.taking.contains(name) { return .any }
    return .unknown
  }

  /// Functions that take any value, and Foundation's that take its `NSObject`.
  private static let taking: Set<String> = [
    "print", "debugPrint", "dump", "NSLog", "String", "type", "ObjectIdentifier", "isEqual",
    "isEqualTo", "Array", "Set", "Optional", "append", "insert", "contains", "firstIndex", "index",
    "remove", "add", "setValue", "XCTAssertEqual", "XCTAssertNotEqual", "XCTAssertNil",
    "XCTAssertNotNil", "XCTAssertTrue", "XCTAssertFalse", "XCTUnwrap", "NSArray", "NSSet",
    "NSDictionary", "NSNumber", "zip", "fatalError", "precondition", "assert", "setObject",
  ]

  private func use(inClosuresOf call: FunctionCallExprSyntax, _ depth: Int) -> Use {
    var closures = call.arguments.compactMap { $0.expression.as(ClosureExprSyntax.self) }
    if let closure = call.trailingClosure { closures.append(closure) }
    return closures.map { closure in
      use(
        of: closure.parameters.first?.name ?? "$0", in: Syntax(closure.statements), from: nil, depth
      )
    }.max { $0.rawValue < $1.rawValue } ?? .any
  }

  /// What takes the value of a variable, or what declares it.
  private func use(of clause: InitializerClauseSyntax, _ depth: Int) -> Use {
    guard let declaration = clause.parent else { return .any }
    let binding = declaration.as(PatternBindingSyntax.self)
    let condition = declaration.as(OptionalBindingConditionSyntax.self)
    let type = binding?.typeAnnotation?.type ?? condition?.typeAnnotation?.type
    if let type { return type.namesObject() ? .object : .any }
    guard let pattern = binding?.pattern ?? condition?.pattern else { return .any }
    return use(of: pattern, in: declaration.scopeAround, after: clause.endPosition, depth)
  }

  private func use(
    of pattern: some SyntaxProtocol, in scope: Syntax?, after place: AbsolutePosition, _ depth: Int,
    all: Bool = false
  ) -> Use {
    guard let scope else { return .any }
    let finder = PatternNameFinder(viewMode: .sourceAccurate)
    finder.walk(pattern)
    return finder.names.map { use(of: $0.text, in: scope, from: all ? nil : place, depth) }
      .max { $0.rawValue < $1.rawValue } ?? .any
  }

  /// What takes the value that a name means from a place on.
  private func use(of name: String, in scope: Syntax, from place: AbsolutePosition?, _ depth: Int)
    -> Use
  {
    var found = Use.any
    for token in scope.tokens(viewMode: .sourceAccurate) where token.text == name {
      guard let reference = token.parent?.as(DeclReferenceExprSyntax.self),
        reference.parent?.as(MemberAccessExprSyntax.self)?.declName.id != reference.id,
        place.map({ token.position >= $0 }) != false
      else { continue }
      let use = use(of: Syntax(reference), depth: depth + 1)
      if use.rawValue > found.rawValue { found = use }
    }
    return found
  }
}

extension TypeExprSyntax {
  /// Whether the type is `CVarArg`, or has it in it.
  var namesArgument: Bool { tokens(viewMode: .sourceAccurate).contains { $0.text == "CVarArg" } }

  /// What's cast to `CVarArg` itself with `as` or `as!`.
  fileprivate var operandOfArgumentCast: ExprSyntax? {
    guard ["CVarArg", "any CVarArg", "(any CVarArg)"].contains(type.trimmedDescription),
      let (operand, word) = partsOfCast, let cast = word.as(UnresolvedAsExprSyntax.self),
      cast.questionOrExclamationMark?.text != "?"
    else { return nil }
    return operand
  }

  /// The call that gets the value of the cast as an argument, or in an array that is one.
  fileprivate var callOfArgument: FunctionCallExprSyntax? {
    ancestors.first {
      !$0.is(ExprListSyntax.self) && !$0.is(SequenceExprSyntax.self)
        && !$0.is(UnresolvedTernaryExprSyntax.self) && !$0.is(TupleExprSyntax.self)
        && !$0.is(LabeledExprSyntax.self) && !$0.is(LabeledExprListSyntax.self)
        && !$0.is(ArrayElementSyntax.self) && !$0.is(ArrayElementListSyntax.self)
        && !$0.is(ArrayExprSyntax.self)
    }?.as(FunctionCallExprSyntax.self)
  }
}

extension ExprListSyntax {
  /// Whether the expression may have the value of its part: it does nothing but choose, cast and assign.
  fileprivate func isValue(of part: SyntaxIdentifier?) -> Bool {
    var before: ExprSyntax?
    for element in self {
      if let binary = element.as(BinaryOperatorExprSyntax.self), binary.operator.text != "??" {
        return false
      }
      // A condition isn't what's chosen by it.
      if element.is(UnresolvedTernaryExprSyntax.self), let before, Syntax(before).id == part {
        return false
      }
      before = element
    }
    return true
  }

  /// The name of the variable that's set.
  fileprivate var assigned: String? {
    guard dropFirst().first?.is(AssignmentExprSyntax.self) == true else { return nil }
    return first?.lastNameOfVariable
  }
}

extension ExprSyntax {
  /// Whether this stands in a pattern for what it matches.
  fileprivate var isPattern: Bool {
    self.is(PatternExprSyntax.self) || self.is(DiscardAssignmentExprSyntax.self)
  }

  /// The name of the variable that an expression reads or sets, behind `self`, or whose element it is.
  fileprivate var lastNameOfVariable: String? {
    if let access = self.as(SubscriptCallExprSyntax.self) {
      return access.calledExpression.lastNameOfVariable
    }
    if let chain = self.as(OptionalChainingExprSyntax.self) {
      return chain.expression.lastNameOfVariable
    }
    if let value = self.as(ForceUnwrapExprSyntax.self) {
      return value.expression.lastNameOfVariable
    }
    return calledName
  }
}

extension Syntax {
  /// The statements, or the file, in which a declared name is seen.
  fileprivate var scopeAround: Syntax? {
    ancestors.first {
      $0.is(IfExprSyntax.self) || $0.is(WhileStmtSyntax.self) || $0.is(CodeBlockItemListSyntax.self)
    }
  }

  /// What a pattern's names are seen in.
  fileprivate var scopeOfPattern: Syntax? {
    let scope = ancestors.first {
      $0.is(ForStmtSyntax.self) || $0.is(SwitchCaseSyntax.self) || $0.is(CatchClauseSyntax.self)
        || $0.is(ConditionElementSyntax.self)
    }
    return scope?.is(ConditionElementSyntax.self) == true ? scope?.scopeAround : scope
  }

  /// The call whose closure has this as its only statement, or returns this.
  fileprivate var callOfClosure: FunctionCallExprSyntax? {
    let body = ancestors.first {
      $0.is(FunctionDeclSyntax.self) || $0.is(AccessorDeclSyntax.self)
        || $0.is(ClosureExprSyntax.self)
    }
    guard let closure = body?.as(ClosureExprSyntax.self),
      closure.statements.count == 1 || self.is(ReturnStmtSyntax.self)
    else { return nil }
    return closure.call
  }

  /// The type that the function or the getter around this returns.
  fileprivate var returnedType: TypeSyntax? {
    for current in ancestors {
      if current.is(ClosureExprSyntax.self) { return nil }
      if let function = current.as(FunctionDeclSyntax.self) {
        return function.signature.returnClause?.type
      }
      if let binding = current.as(PatternBindingSyntax.self) { return binding.typeAnnotation?.type }
      if let access = current.as(SubscriptDeclSyntax.self) { return access.returnClause.type }
    }
    return nil
  }
}
