import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Finds automatically announced assignments inside a manual `will`/`did` pair of the same key.
struct ManualPairCheck {
  let model: ObservableClass
  let context: any MacroExpansionContext

  func run() {
    // The class's own switch may turn a key off, and its body isn't evaluated.
    guard !model.methods.contains(where: model.isAutomaticSwitch) else { return }
    let keys = Dictionary(
      automatic.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    guard !keys.isEmpty else { return }
    let finder = PairFinder(keys: Set(keys.keys))
    finder.walk(model.declaration.memberBlock)
    for (key, node) in finder.found.sorted(by: { $0.1.position < $1.1.position }) {
      if let property = keys[key] { report(property, at: node) }
    }
    for property in automatic {
      let will = property.observers.contains { $0.announces("will", property.name) }
      let did = property.observers.first { $0.announces("did", property.name) }
      if will, let did { report(property, at: Syntax(did.accessorSpecifier)) }
    }
  }

  /// The properties whose accessors announce changes, except those that the key's own class function or
  /// property switches off, or may.
  private var automatic: [ObservableProperty] {
    let switched = model.switchedKeys
    return model.tracked.filter { !$0.notifiesManually && !switched.contains($0.name) }
  }

  private func report(_ property: ObservableProperty, at node: Syntax) {
    context.report(
      .notifiesTwice(property.name), at: node,
      fixIts: [.add("@\(EmittedNames.manualAttribute)", to: property.declaration)])
  }
}

extension ObservableClass {
  /// Whether a method switches automatic notification for any key.
  fileprivate func isAutomaticSwitch(_ method: ObservableMethod) -> Bool {
    method.isAutomaticHook || style == .cocoa && method.isAutomaticRequirement
  }

  /// The keys whose `automaticallyNotifiesObserversOf<Key>` returns something other than a literal `true`.
  fileprivate var switchedKeys: Set<String> {
    let functions = namedMethods.filter { method in
      method.isTypeMethod && method.parameters.isEmpty
        && method.declaration.body?.statements.onlyExpression?.isTrue != true
    }.map(\.name)
    let variables = customisingVariables.filter { variable, binding in
      if let getter = binding.accessorBlock?.getter {
        return getter.onlyExpression?.isTrue != true
      }
      // A variable may be set before the key is first used.
      return variable.bindingSpecifier.tokenKind != .keyword(.let)
        || binding.initializer?.value.isTrue != true
    }.flatMap { $0.1.pattern.boundNames.map(\.plainName) }
    let suffixes = (functions + variables).compactMap { $0.suffix(after: Self.customisations[1]) }
    return Set(suffixes.map { key(forSuffix: $0) })
  }
}

extension CodeBlockItemListSyntax {
  /// The expression that is the whole body, with or without `return`.
  fileprivate var onlyExpression: ExprSyntax? {
    guard count == 1, let item = first?.item else { return nil }
    return item.as(ReturnStmtSyntax.self)?.expression ?? item.as(ExprSyntax.self)
  }
}

extension ExprSyntax {
  fileprivate var isTrue: Bool {
    self.as(BooleanLiteralExprSyntax.self)?.literal.tokenKind == .keyword(.true)
  }
}

extension AccessorDeclSyntax {
  /// Whether the observer itself calls `willChangeValue(forKey:)` or its counterpart for a key.
  fileprivate func announces(_ prefix: String, _ key: String) -> Bool {
    guard accessorSpecifier.text == prefix + "Set" else { return false }
    return body?.statements.contains { $0.announcement == Announcement(prefix, key) } ?? false
  }
}

/// A call of `willChangeValue(forKey:)`, its counterpart, or a form for collections, with a literal
/// key.
private struct Announcement: Equatable {
  let isWill: Bool
  let key: String

  init(_ prefix: String, _ key: String) {
    isWill = prefix == "will"
    self.key = key
  }
}

extension CodeBlockItemSyntax {
  /// The announcement that the statement makes on the object itself.
  fileprivate var announcement: Announcement? {
    var call = item.as(FunctionCallExprSyntax.self)
    if let statement = item.as(ExpressionStmtSyntax.self) {
      call = statement.expression.as(FunctionCallExprSyntax.self)
    }
    if let statement = item.as(DeferStmtSyntax.self), statement.body.statements.count == 1 {
      return statement.body.statements.first?.announcement
    }
    guard let call, let name = call.calledExpression.ownName,
      let argument = call.arguments.first(where: { $0.label?.text == "forKey" }),
      let key = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    else { return nil }
    switch name {
    case "willChangeValue", "willChange": return Announcement("will", key)
    case "didChangeValue", "didChange": return Announcement("did", key)
    default: return nil
    }
  }

  fileprivate var isDeferred: Bool { item.is(DeferStmtSyntax.self) }
}

extension ExprSyntax {
  /// The name of a member of the object itself: `name` or `self.name`.
  var ownName: String? {
    if let name = self.as(DeclReferenceExprSyntax.self) { return name.baseName.plainName }
    guard let member = self.as(MemberAccessExprSyntax.self),
      member.base?.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self)
    else { return nil }
    return member.declName.baseName.plainName
  }

  /// The object's own property that an assignment to this expression changes.
  fileprivate var assignedProperty: String? {
    if let marked { return marked.assignedProperty }
    if let name = ownName { return name }
    if let call = self.as(SubscriptCallExprSyntax.self) {
      return call.calledExpression.assignedProperty
    }
    return nil
  }
}

private final class PairFinder: OwnCodeVisitor {
  let keys: Set<String>
  var found: [(String, Syntax)] = []

  init(keys: Set<String>) {
    self.keys = keys
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
    let statements = Array(node)
    for (start, statement) in statements.enumerated() {
      guard let will = statement.announcement, will.isWill, keys.contains(will.key) else {
        continue
      }
      let rest = statements[(start + 1)...]
      let did = Announcement("did", will.key)
      let isDeferred = statements.contains { $0.isDeferred && $0.announcement == did }
      let end =
        rest.firstIndex { !$0.isDeferred && $0.announcement == did }
        ?? (isDeferred ? statements.endIndex : nil)
      guard let end else { continue }
      let assignments = AssignmentFinder(key: will.key)
      for inner in statements[(start + 1)..<end] { assignments.walk(inner) }
      if let first = assignments.found { found.append((will.key, first)) }
    }
    return .visitChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    if let key = node.bracketedKey, keys.contains(key),
      let body = node.trailingClosure
        ?? node.arguments.last?.expression.as(ClosureExprSyntax.self)
    {
      let assignments = AssignmentFinder(key: key)
      assignments.walk(body.statements)
      if let first = assignments.found { found.append((key, first)) }
    }
    return .visitChildren
  }
}

extension FunctionCallExprSyntax {
  /// The key of `withChange(of: …) { … }` on the object itself.
  fileprivate var bracketedKey: String? {
    guard calledExpression.ownName == "withChange", let argument = arguments.first,
      argument.label?.text == "of"
    else { return nil }
    if let text = argument.expression.as(StringLiteralExprSyntax.self) {
      return text.representedLiteralValue
    }
    let names = argument.expression.as(KeyPathExprSyntax.self)?.keyNames
    return names?.count == 1 ? names?.first : nil
  }
}

/// Finds the first change of a property of the object itself.
final class AssignmentFinder: OwnCodeVisitor {
  let key: String
  /// The names of the property's wrapper and of its projected value, if it has a wrapper.
  private let wrapperNames: [String]
  var found: Syntax?

  init(key: String, isWrapped: Bool = false) {
    self.key = key
    wrapperNames = isWrapped ? ["_" + key, "$" + key] : []
    super.init(viewMode: .sourceAccurate)
  }

  private func isChanged(byAssigningTo target: ExprSyntax) -> Bool {
    target.assignedProperty == key || isOfWrapper(target)
  }

  private func isOfWrapper(_ expression: ExprSyntax) -> Bool {
    !wrapperNames.isEmpty && expression.rootName.map(wrapperNames.contains) ?? false
  }

  override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
    let elements = Array(node.elements)
    if elements.count > 2, isChanged(byAssigningTo: elements[0]), elements[1].isAssignment {
      found = found ?? Syntax(node)
    }
    return .visitChildren
  }

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    if isChanged(byAssigningTo: node.leftOperand), node.operator.isAssignment {
      found = found ?? Syntax(node)
    }
    return .visitChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    if let member = node.calledExpression.as(MemberAccessExprSyntax.self),
      member.base?.assignedProperty == key,
      Self.mutators.contains(member.declName.baseName.text)
    {
      found = found ?? Syntax(node)
    }
    // A call whose result is unused is made for its effect.
    if node.isStatement, isOfWrapper(node.calledExpression) { found = found ?? Syntax(node) }
    return .visitChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  /// The standard library's mutating methods.
  static let mutators: Set<String> = [
    "append", "insert", "remove", "removeAll", "removeFirst", "removeLast", "removeSubrange",
    "replaceSubrange", "popLast", "popFirst", "sort", "reverse", "shuffle", "swapAt", "toggle",
    "negate", "formUnion", "formIntersection", "subtract", "formSymmetricDifference", "update",
    "updateValue", "merge", "removeValue",
  ]
}

extension FunctionCallExprSyntax {
  /// Whether the call is a statement of its own, apart from `try` and the like.
  var isStatement: Bool {
    var node = Syntax(self)
    while let parent = node.parent, parent.as(ExprSyntax.self)?.marked != nil { node = parent }
    return node.parent?.is(CodeBlockItemSyntax.self) ?? false
  }
}

extension ExprSyntax {
  /// The object's own member that a chain of members and subscripts begins with.
  fileprivate var rootName: String? {
    if let marked { return marked.rootName }
    if let name = ownName { return name }
    if let member = self.as(MemberAccessExprSyntax.self) { return member.base?.rootName }
    if let call = self.as(SubscriptCallExprSyntax.self) { return call.calledExpression.rootName }
    if let chain = self.as(OptionalChainingExprSyntax.self) { return chain.expression.rootName }
    return self.as(ForceUnwrapExprSyntax.self)?.expression.rootName
  }

  /// Whether this operator is `=` or one like `+=`.
  var isAssignment: Bool {
    if self.is(AssignmentExprSyntax.self) { return true }
    guard let text = self.as(BinaryOperatorExprSyntax.self)?.operator.text else { return false }
    return text.hasSuffix("=") && !["==", "!=", "<=", ">=", "===", "!==", "~="].contains(text)
  }
}
