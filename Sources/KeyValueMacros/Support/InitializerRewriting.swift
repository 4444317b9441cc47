import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

/// Redirects an initialiser's changes of one property to the hidden storage.
///
/// In plain Swift, changes that an initialiser or a `deinit` makes to the class's own stored
/// properties don't run their `willSet` and `didSet`; changes in closures and local functions do.
/// Here the storage has the observers, and the accessors' assignments run them. So the changes go
/// to the storage, where Swift's rule holds.
///
/// There can be observers of the key once `self` has been used. Before that, statements are only
/// renamed. After it, an assignment is announced once its value is computed, and a change in place goes
/// to the storage if the object is idle, otherwise through the accessors.
final class InitializerRewriting: ObserverRewriting {
  private let body: InitializerBody
  private let property: String
  private let storage: String
  /// Whether Observation is told of the property's changes.
  private let isTracked: Bool
  /// Whether the object may be observed at the current statement.
  private var mayBeObserved: Bool
  /// Whether a rewritten statement is being renamed.
  private var isRenaming = false
  /// Changes in place inside other statements, which still run the property's observers.
  private(set) var missed: [FunctionCallExprSyntax] = []

  init(property: String, in body: InitializerBody) {
    self.body = body
    self.property = property
    storage = EmittedNames.storage(of: property)
    isTracked = body.tracked.contains(property)
    mayBeObserved = body.isObservableFromStart
    super.init(property: property, storage: storage)
    if body.parameters.contains(property) { shadow() }
  }

  func rewrite(_ statements: CodeBlockItemListSyntax) -> CodeBlockItemListSyntax {
    visit(statements)
  }

  override var renames: Bool { isRenaming || !mayBeObserved }

  override func visit(_ node: CodeBlockItemListSyntax) -> CodeBlockItemListSyntax {
    let before = mayBeObserved
    defer { mayBeObserved = before }
    var items: [CodeBlockItemSyntax] = []
    for item in node {
      let usesSelf = body.usesSelf(item)
      items.append(announced(item, usesSelf: usesSelf) ?? visit(item))
      if usesSelf { mayBeObserved = true }
    }
    return CodeBlockItemListSyntax(items)
  }

  // MARK: Code that runs after another part of its statement

  // What's noted holds to the end of the list around the statement. The statement uses `self`, so that's right.

  private func note(_ part: some SyntaxProtocol) {
    if body.usesSelf(part) { mayBeObserved = true }
  }

  /// Notes what an earlier run of a loop has done.
  ///
  /// Announcing uses `self`. A body that certainly runs may give a property its first value, without which that isn't
  /// allowed.
  private func note(loop block: CodeBlockSyntax, runsCertainly: Bool) {
    if body.isComplete || !runsCertainly { note(block) }
  }

  override func visit(_ node: ConditionElementListSyntax) -> ConditionElementListSyntax {
    let result = super.visit(node)
    note(node)
    return result
  }

  override func visit(_ node: GuardStmtSyntax) -> StmtSyntax {
    note(node.conditions)
    return super.visit(node)
  }

  override func visit(_ node: SwitchExprSyntax) -> ExprSyntax {
    note(node.subject)
    return super.visit(node)
  }

  override func visit(_ node: ForStmtSyntax) -> StmtSyntax {
    note(node.sequence)
    note(loop: node.body, runsCertainly: false)
    return super.visit(node)
  }

  override func visit(_ node: WhileStmtSyntax) -> StmtSyntax {
    note(loop: node.body, runsCertainly: node.conditions.trimmedDescription == "true")
    return super.visit(node)
  }

  override func visit(_ node: RepeatStmtSyntax) -> StmtSyntax {
    note(loop: node.body, runsCertainly: true)
    return super.visit(node)
  }

  override func visit(_ node: DoStmtSyntax) -> StmtSyntax {
    guard !node.catchClauses.isEmpty else { return super.visit(node) }
    var result = node
    result.body = visit(node.body)
    // The body may have thrown before it gave a property its first value.
    if body.isComplete { note(node) }
    result.catchClauses = visit(node.catchClauses)
    return StmtSyntax(result)
  }

  override func visit(_ node: FunctionCallExprSyntax) -> ExprSyntax {
    if !renames, node.isMutation(of: property, isShadowed: isShadowed(at: node)) {
      missed.append(node)
    }
    return super.visit(node)
  }

  // MARK: Changes of an object that may be observed

  /// A rewritten statement that changes the property when the object may be observed; nil for any other.
  ///
  /// What computes an assigned value may itself be the first use of `self`.
  private func announced(_ item: CodeBlockItemSyntax, usesSelf: Bool) -> CodeBlockItemSyntax? {
    guard let expression = item.item.as(ExprSyntax.self) else { return nil }
    switch expression.change(of: property, isShadowed: isShadowed(at: item)) {
    case .whole where mayBeObserved || usesSelf: return announcing(item)
    case .inPlace where mayBeObserved: return choosing(item)
    default: return nil
    }
  }

  private func renamed(_ item: CodeBlockItemSyntax) -> CodeBlockItemSyntax {
    isRenaming = true
    defer { isRenaming = false }
    return visit(item).with(\.semicolon, nil)
  }

  private func announcing(_ item: CodeBlockItemSyntax) -> CodeBlockItemSyntax {
    let statement = renamed(item)
    let observation = isTracked ? ", after: \(tracking("willSet"))" : ""
    let start = "\(EmittedNames.change).announcing("
    let end = ", of: self, \(property.literal)\(observation))"
    var lines = [
      "do {",
      "  var \(EmittedNames.change) = \(EmittedNames.initialChange)()",
      "  defer { \(EmittedNames.change).finish() }",
    ]
    if let (target, value) = statement.assignment {
      lines.append("  \(target)\(start)\(value)")
      // Nothing may follow `#endif` on its line.
      if value.contains("#endif") {
        lines.append("  \(end)")
      } else {
        lines[lines.endIndex - 1] += end
      }
    } else {
      lines.append("  \(start)()\(end)")
      lines.append("  \(statement.trimmedDescription)")
    }
    if isTracked { lines.append("  \(tracking("didSet"))") }
    return written(lines + ["}"], for: item)
  }

  private func choosing(_ item: CodeBlockItemSyntax) -> CodeBlockItemSyntax {
    var lines = ["if \(EmittedNames.registrar).isIdle {"]
    if isTracked {
      lines.append("  \(tracking("willSet"))")
      lines.append("  defer { \(tracking("didSet")) }")
    }
    lines.append("  \(renamed(item).trimmedDescription)")
    lines.append("} else {")
    lines.append("  \(item.with(\.semicolon, nil).trimmedDescription)")
    return written(lines + ["}"], for: item)
  }

  /// A call that tells Observation of a change that goes to the storage.
  private func tracking(_ event: String) -> String {
    let name = property.isValidSwiftIdentifier(for: .variableName) ? property : "`\(property)`"
    return "\(body.trackingName).\(event)(self, \\.\(name))"
  }

  /// Lines that replace a statement, with its indentation and its semicolon; its own further lines
  /// already have the indentation.
  private func written(_ lines: [String], for item: CodeBlockItemSyntax) -> CodeBlockItemSyntax {
    let margin = "\n" + item.leadingTrivia.lastLineIndentation.description
    let statement: CodeBlockItemSyntax = "\(raw: lines.joined(separator: margin))"
    return statement.with(\.leadingTrivia, item.leadingTrivia)
      .with(\.semicolon, item.semicolon)
      .with(\.trailingTrivia, item.trailingTrivia)
  }
}

extension FunctionCallExprSyntax {
  /// Whether this calls one of the standard library's mutating methods on the property or a part of
  /// it.
  func isMutation(of property: String, isShadowed: @autoclosure () -> Bool) -> Bool {
    guard let member = calledExpression.as(MemberAccessExprSyntax.self),
      AssignmentFinder.mutators.contains(member.declName.baseName.text)
    else { return false }
    return ExprSyntax(self).change(of: property, isShadowed: isShadowed()) == .inPlace
  }
}

extension CodeBlockItemSyntax {
  /// The text of an assignment up to the assigned value, and the value's.
  ///
  /// Nil if the value is an `if` or a `switch`, which can't be an argument, or a closure, which runs nothing and
  /// may have its type from the property.
  fileprivate var assignment: (target: String, value: String)? {
    guard let value = item.as(ExprSyntax.self)?.assignedValue,
      !value.is(IfExprSyntax.self), !value.is(SwitchExprSyntax.self),
      !value.is(ClosureExprSyntax.self)
    else { return nil }
    let text = trimmedDescription
    let start = text.utf8.index(
      text.startIndex,
      offsetBy: value.positionAfterSkippingLeadingTrivia.utf8Offset
        - positionAfterSkippingLeadingTrivia.utf8Offset)
    return (String(text[..<start]), String(text[start...]))
  }
}

/// How an expression changes a property.
enum PropertyChange {
  /// By an assignment: `=`, or an operator such as `+=`.
  case whole
  /// By an assignment to a part, a call of a method, or as an `inout` argument.
  case inPlace
}

extension ExprSyntax {
  /// How this expression, as a statement, changes the object's own property.
  func change(of property: String, isShadowed: @autoclosure () -> Bool) -> PropertyChange? {
    if let marked { return marked.change(of: property, isShadowed: isShadowed()) }
    if let sequence = self.as(SequenceExprSyntax.self), sequence.elements.count > 2 {
      let elements = Array(sequence.elements.prefix(2))
      guard elements[1].isAssignment else { return nil }
      return elements[0].assigned(property, isShadowed())
    }
    if let infix = self.as(InfixOperatorExprSyntax.self), infix.operator.isAssignment {
      return infix.leftOperand.assigned(property, isShadowed())
    }
    guard let call = self.as(FunctionCallExprSyntax.self) else { return nil }
    if let member = call.calledExpression.as(MemberAccessExprSyntax.self),
      member.base?.assigned(property, isShadowed()) != nil
    {
      return .inPlace
    }
    let isLent = call.arguments.contains { argument in
      let lent = argument.expression.as(InOutExprSyntax.self)?.expression
      return lent?.assigned(property, isShadowed()) != nil
    }
    return isLent ? .inPlace : nil
  }

  /// What this assignment assigns, or the first operand of that.
  fileprivate var assignedValue: ExprSyntax? {
    if let marked { return marked.assignedValue }
    if let infix = self.as(InfixOperatorExprSyntax.self) { return infix.rightOperand }
    return self.as(SequenceExprSyntax.self)?.elements.dropFirst(2).first
  }

  /// How an assignment to this expression changes the property.
  private func assigned(
    _ property: String, _ isShadowed: @autoclosure () -> Bool
  ) -> PropertyChange? {
    // In `try age = load()`, the parser takes `try` to be part of the left side.
    if let marked { return marked.assigned(property, isShadowed()) }
    if let name = self.as(DeclReferenceExprSyntax.self) {
      return name.baseName.plainName == property && !isShadowed() ? .whole : nil
    }
    if let member = self.as(MemberAccessExprSyntax.self), let base = member.base {
      if base.isSelf { return member.declName.baseName.plainName == property ? .whole : nil }
      return base.assigned(property, isShadowed()).map { _ in .inPlace }
    }
    if let tuple = self.as(TupleExprSyntax.self) {
      let changes = tuple.elements.compactMap { $0.expression.assigned(property, isShadowed()) }
      return tuple.elements.count == 1 ? changes.first : changes.first.map { _ in .inPlace }
    }
    let base =
      self.as(SubscriptCallExprSyntax.self)?.calledExpression
      ?? self.as(OptionalChainingExprSyntax.self)?.expression
      ?? self.as(ForceUnwrapExprSyntax.self)?.expression
    return base?.assigned(property, isShadowed()).map { _ in .inPlace }
  }
}
