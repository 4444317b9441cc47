import SwiftSyntax

/// Finds the names that a pattern binds.
final class PatternNameFinder: SyntaxVisitor {
  struct Name {
    let text: String
    /// The type that the value is cast to, `episode as Episode`.
    var type: TypeSyntax?
    /// Whether the name means what an enumeration's case contains, and not the value.
    var isPayload = false
    /// Whether the name means a part of a tuple.
    var isInTuple = false
  }

  private(set) var names: [Name] = []

  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    var name = Name(text: node.identifier.text)
    for current in node.ancestors.prefix(while: { !$0.isAroundPattern }) {
      if name.type == nil, let list = current.as(ExprListSyntax.self), list.count == 3 {
        name.type = list.last?.as(TypeExprSyntax.self)?.type
      } else if current.is(TuplePatternSyntax.self) || current.is(TupleExprSyntax.self) {
        name.isInTuple = true
      } else if let call = current.as(FunctionCallExprSyntax.self),
        call.calledExpression.calledName != "some"
      {
        name.isPayload = true
      }
    }
    names.append(name)
    return .skipChildren
  }
}

extension Syntax {
  fileprivate var isAroundPattern: Bool {
    self.is(SwitchCaseItemSyntax.self) || self.is(ForStmtSyntax.self)
      || self.is(MatchingPatternConditionSyntax.self) || self.is(PatternBindingSyntax.self)
      || self.is(OptionalBindingConditionSyntax.self)
  }
}
