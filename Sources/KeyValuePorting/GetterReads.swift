import SwiftSyntax

/// Finds the paths that a getter reads, through the elements and objects that its names lead to.
///
/// The macro finds them in the same way, and follows more. What isn't followed here isn't listed.
final class GetterReads {
  struct Read: Hashable {
    let path: String
    /// Whether the path leads through the elements of a collection, so that Cocoa can't observe it.
    let isOfElements: Bool
  }

  private struct Origin {
    /// From the object itself, which has none.
    var path: [String] = []
    var value = ValueType(.unknown)
    var isOfElements = false
  }

  private let classes: ClassTable
  private let type: String
  private let name: String
  /// What local names stand for; nothing for names that lead nowhere.
  private var scopes: [[String: Origin?]] = [[:]]
  private var followed: Set<SyntaxIdentifier> = []
  private(set) var reads: [Read] = []

  /// Follows the getter of a class's property.
  init(_ getter: CodeBlockItemListSyntax, of name: String, in type: String, _ classes: ClassTable) {
    self.classes = classes
    self.type = type
    self.name = name
    _ = body(getter)
  }

  // MARK: Code

  private func inScope<Result>(_ body: () -> Result) -> Result {
    scopes.append([:])
    defer { scopes.removeLast() }
    return body()
  }

  /// Follows code; returns what its only expression leads to.
  private func body(_ statements: CodeBlockItemListSyntax) -> Origin? {
    inScope {
      guard statements.count == 1, let only = statements.first?.item else {
        visit(Syntax(statements))
        return nil
      }
      if let expression = only.as(ExprSyntax.self) { return evaluate(expression) }
      if let value = only.as(ReturnStmtSyntax.self)?.expression { return evaluate(value) }
      visit(Syntax(only))
      return nil
    }
  }

  private func visit(_ node: Syntax) {
    if let expression = node.as(ExprSyntax.self) {
      _ = evaluate(expression)
    } else if let binding = node.as(OptionalBindingConditionSyntax.self) {
      guard let value = binding.initializer?.value else { return bindOwn(binding.pattern) }
      bind(binding.pattern, to: evaluate(value))
    } else if let matching = node.as(MatchingPatternConditionSyntax.self) {
      bind(matching.pattern, to: evaluate(matching.initializer.value))
    } else if let binding = node.as(PatternBindingSyntax.self), let value = binding.initializer {
      bind(binding.pattern, to: evaluate(value.value))
    } else if let loop = node.as(ForStmtSyntax.self) {
      let elements = evaluate(loop.sequence)
      inScope {
        bind(loop.pattern, to: elements)
        if let condition = loop.whereClause { visit(Syntax(condition)) }
        visit(Syntax(loop.body))
      }
    } else if let block = node.as(CodeBlockSyntax.self) {
      inScope { visit(Syntax(block.statements)) }
    } else if let function = node.as(FunctionDeclSyntax.self) {
      inScope {
        hide(function.signature.parameterClause)
        if let body = function.body { visit(Syntax(body)) }
      }
    } else {
      children(of: node)
    }
  }

  private func children(of node: Syntax) {
    for child in node.children(viewMode: .sourceAccurate) { visit(child) }
  }

  // MARK: Names

  private func bind(_ name: String, to origin: Origin?) {
    scopes[scopes.count - 1].updateValue(origin, forKey: name)
  }

  /// A cast keeps what's declared, `case let episode as Episode`: the keys of the declared class are observed.
  private func bind(_ pattern: PatternSyntax, to origin: Origin?) {
    let finder = PatternNameFinder(viewMode: .sourceAccurate)
    finder.walk(pattern)
    for name in finder.names {
      bind(name.text, to: name.isPayload ? nil : cast(origin, to: name.type))
    }
  }

  /// What's declared decides: the elements of an `NSArray` aren't observed, whatever they are cast to.
  private func cast(_ origin: Origin?, to type: TypeSyntax?) -> Origin? {
    guard let type, var origin, case .unknown = origin.value.content else { return origin }
    origin.value = ValueType(type)
    return origin
  }

  /// `if let node`: the name keeps what it leads to.
  private func bindOwn(_ pattern: PatternSyntax) {
    guard let name = pattern.as(IdentifierPatternSyntax.self)?.identifier.text else { return }
    bind(name, to: reference(to: name))
  }

  private func hide(_ parameters: FunctionParameterClauseSyntax) {
    for parameter in parameters.parameters {
      bind((parameter.secondName ?? parameter.firstName).text, to: nil)
    }
  }

  private func reference(to name: String) -> Origin? {
    for scope in scopes.reversed() {
      if let known = scope[name] { return known }
    }
    return name == "self" ? Origin() : own(name)
  }

  /// What a property of the object leads to.
  private func own(_ property: String) -> Origin? {
    guard property != name, let value = classes.value(of: property, in: type) else { return nil }
    if classes.inheritsDynamic(property, from: type) {
      note([property], isOfElements: false)
    } else if !classes.states(name, dependsOn: property, in: type) {
      follow(property)
    }
    return Origin(path: [property], value: value)
  }

  /// The property that this one overrides: its getter's key is this one's.
  private func overridden() -> Origin? {
    guard let superclass = classes.superclass(of: type),
      let value = classes.value(of: name, in: superclass)
    else { return nil }
    if let body = classes.body(of: name, in: superclass) { follow(body) }
    return Origin(path: [name], value: value)
  }

  /// Follows a getter, or a method, of the object.
  private func follow(_ member: String) {
    if let body = classes.body(of: member, in: type) { follow(body) }
  }

  private func follow(_ body: CodeBlockItemListSyntax) {
    guard followed.insert(body.id).inserted else { return }
    let outer = scopes
    scopes = [[:]]
    let function = body.parent?.parent?.as(FunctionDeclSyntax.self)
    if let function { hide(function.signature.parameterClause) }
    _ = self.body(body)
    scopes = outer
  }

  private func note(_ path: [String], isOfElements: Bool) {
    let read = Read(path: path.joined(separator: "."), isOfElements: isOfElements)
    if !reads.contains(read) { reads.append(read) }
  }

  /// What a member of a value leads to.
  private func member(_ name: String, of origin: Origin?) -> Origin? {
    guard let origin else { return nil }
    if origin.path.isEmpty { return own(name) }
    if origin.value.isCollection {
      // An element, or all of them; or a part of what `enumerated()` and dictionaries have.
      let elements: Set<String> = [
        "first", "last", "lazy", "values", "element", "value", "array", "allObjects", "set", "1",
      ]
      if elements.contains(name) { return origin }
      if ["count", "isEmpty", "offset", "key", "indices", "0"].contains(name) { return nil }
    }
    var inner = origin
    inner.path.append(name)
    inner.isOfElements = origin.isOfElements || origin.value.isCollection
    guard classes.announces(name, of: origin.value) else {
      guard case .named(let type) = origin.value.content,
        let value = classes.value(of: name, in: type)
      else { return nil }
      inner.value = value
      return inner
    }
    note(inner.path, isOfElements: inner.isOfElements)
    if case .named(let type) = origin.value.content {
      inner.value = classes.value(of: name, in: type) ?? ValueType(.unknown)
    } else {
      inner.value = ValueType(.unknown)
    }
    return inner
  }

  // MARK: Expressions

  private func evaluate(_ expression: ExprSyntax) -> Origin? {
    switch expression.as(ExprSyntaxEnum.self) {
    case .declReferenceExpr(let node): return reference(to: node.baseName.text)
    case .superExpr: return Origin()
    case .memberAccessExpr(let node):
      guard let base = node.base else { return nil }
      if base.is(SuperExprSyntax.self), node.declName.baseName.text == name { return overridden() }
      return member(node.declName.baseName.text, of: evaluate(base))
    case .optionalChainingExpr(let node): return evaluate(node.expression)
    case .forceUnwrapExpr(let node): return evaluate(node.expression)
    case .tryExpr(let node): return evaluate(node.expression)
    case .tupleExpr(let node) where node.elements.count == 1:
      return node.elements.first.flatMap { evaluate($0.expression) }
    case .sequenceExpr(let node): return sequence(Array(node.elements))
    case .subscriptCallExpr(let node):
      for argument in node.arguments { _ = evaluate(argument.expression) }
      return evaluate(node.calledExpression)
    case .functionCallExpr(let node): return call(node)
    case .switchExpr(let node):
      cases(node)
      return nil
    case .ifExpr(let node):
      conditional(node)
      return nil
    case .closureExpr(let node): return closure(node, of: nil)
    default:
      children(of: Syntax(expression))
      return nil
    }
  }

  private func conditional(_ node: IfExprSyntax) {
    inScope {
      visit(Syntax(node.conditions))
      visit(Syntax(node.body))
    }
    if let other = node.elseBody { visit(Syntax(other)) }
  }

  private func cases(_ node: SwitchExprSyntax) {
    cases(node.cases, of: evaluate(node.subject))
  }

  private func cases(_ list: SwitchCaseListSyntax, of subject: Origin?) {
    for element in list {
      if case .ifConfigDecl(let config) = element {
        for clause in config.clauses {
          if case .switchCases(let inner) = clause.elements { cases(inner, of: subject) }
        }
      }
      guard case .switchCase(let clause) = element else { continue }
      inScope {
        if case .case(let label) = clause.label {
          for item in label.caseItems {
            bind(item.pattern, to: subject)
            if let condition = item.whereClause { visit(Syntax(condition)) }
          }
        }
        visit(Syntax(clause.statements))
      }
    }
  }

  /// Operands; `a ?? b` leads where one of them does, and a cast where its operand does.
  private func sequence(_ elements: [ExprSyntax]) -> Origin? {
    var result: Origin?
    for element in elements where !element.is(TypeExprSyntax.self) {
      let origin = evaluate(element)
      if result == nil { result = origin }
    }
    if let type = elements.last?.as(TypeExprSyntax.self)?.type, elements.count == 3 {
      return cast(result, to: type)
    }
    let operators = elements.compactMap { $0.as(BinaryOperatorExprSyntax.self)?.operator.text }
    return operators.count * 2 + 1 == elements.count && operators.allSatisfy { $0 == "??" }
      ? result : nil
  }

  private func call(_ node: FunctionCallExprSyntax) -> Origin? {
    let name = node.calledExpression.calledName ?? ""
    var origin: Origin?
    if let member = node.calledExpression.as(MemberAccessExprSyntax.self) {
      origin = member.base.flatMap(evaluate)
      if let base = origin, base.path.isEmpty {
        // The macro sees this class only: it follows no method of the superclass.
        if member.base?.is(SuperExprSyntax.self) != true { follow(name) }
        origin = nil
      }
    } else if let callee = node.calledExpression.as(DeclReferenceExprSyntax.self) {
      follow(callee.baseName.text)
    } else {
      origin = evaluate(node.calledExpression)
    }
    var given: Origin?
    for argument in node.arguments where !argument.expression.isOperation {
      given = given ?? evaluate(argument.expression)
    }
    // `Array(list)`, `zip(list, others)`.
    let elements = origin ?? given
    var result: Origin?
    for argument in node.arguments where argument.expression.isOperation {
      result = operation(argument.expression, of: elements)
    }
    if let closure = node.trailingClosure { result = self.closure(closure, of: elements) }
    for closure in node.additionalTrailingClosures {
      _ = self.closure(closure.closure, of: elements)
    }
    if ["map", "compactMap", "flatMap"].contains(name) { return result }
    return Self.preserving.contains(name) ? elements : nil
  }

  /// The functions whose result has the elements that they're called on, or one of them.
  private static let preserving: Set<String> = [
    "filter", "sorted", "prefix", "suffix", "dropFirst", "dropLast", "reversed", "enumerated",
    "first", "last", "min", "max", "shuffled", "drop", "removingDuplicates", "Array", "Set", "zip",
    "randomElement", "object", "objects", "makeIterator", "joined",
  ]

  private func operation(_ expression: ExprSyntax, of elements: Origin?) -> Origin? {
    if let closure = expression.as(ClosureExprSyntax.self) {
      return self.closure(closure, of: elements)
    }
    var result = elements
    for component in expression.as(KeyPathExprSyntax.self)?.components ?? [] {
      guard case .property(let property) = component.component else { continue }
      let name = property.declName.baseName.text
      if name != "self" { result = member(name, of: result) }
    }
    return result
  }

  private func closure(_ node: ClosureExprSyntax, of elements: Origin?) -> Origin? {
    inScope {
      for name in ["$0", "$1", "$2"] + node.parameters.map(\.name) { bind(name, to: elements) }
      return body(node.statements)
    }
  }
}

extension ExprSyntax {
  /// Whether a function applies this to elements.
  fileprivate var isOperation: Bool {
    self.is(ClosureExprSyntax.self) || self.is(KeyPathExprSyntax.self)
  }
}
