import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Finds casts to `NSObject` in a Cocoa class's body: there, every object is one; here, few are.
struct CastCheck {
  let model: ObservableClass
  let context: any MacroExpansionContext

  func run() {
    guard model.style == .cocoa else { return }
    let finder = CastFinder(viewMode: .sourceAccurate)
    finder.walk(model.declaration.memberBlock)
    for type in finder.found {
      let cast = "\(finder.spelling[type.id] ?? "as") NSObject"
      let qualified = TypeSyntax("Foundation.NSObject")
        .with(\.leadingTrivia, type.leadingTrivia).with(\.trailingTrivia, type.trailingTrivia)
      context.report(
        .narrowCast(cast), at: type,
        fixIts: [.replace("write 'Foundation.NSObject'", type, by: qualified)])
    }
  }
}

/// Finds `as? NSObject` and `is NSObject`, except of the object that a change is of.
private final class CastFinder: SyntaxVisitor {
  var found: [TypeSyntax] = []
  var spelling: [SyntaxIdentifier: String] = [:]
  /// For each function around the code, whether it's an observer's.
  private var areObserving: [Bool] = []

  private var isObserving: Bool { areObserving.last ?? false }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    areObserving.append(node.name.text == "observeValue")
    return .visitChildren
  }

  override func visitPost(_ node: FunctionDeclSyntax) { areObserving.removeLast() }

  // A class inside has its own attribute, or none.
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  private func note(_ type: TypeSyntax, _ operand: ExprSyntax?, _ spelled: String) {
    guard type.trimmedDescription == "NSObject",
      !isObserving || operand?.trimmedDescription != "object"
    else { return }
    found.append(type)
    spelling[type.id] = spelled
  }

  override func visit(_ node: AsExprSyntax) -> SyntaxVisitorContinueKind {
    if let mark = node.questionOrExclamationMark {
      note(node.type, node.expression, "as\(mark.text)")
    }
    return .visitChildren
  }

  override func visit(_ node: IsExprSyntax) -> SyntaxVisitorContinueKind {
    note(node.type, node.expression, "is")
    return .visitChildren
  }

  // Operators without their precedence are a flat list.
  override func visit(_ node: ExprListSyntax) -> SyntaxVisitorContinueKind {
    let list = Array(node)
    for (index, element) in list.enumerated().dropFirst() {
      guard let type = element.as(TypeExprSyntax.self)?.type else { continue }
      let operand = index > 1 ? list[index - 2] : nil
      if let mark = list[index - 1].as(UnresolvedAsExprSyntax.self)?.questionOrExclamationMark {
        note(type, operand, "as\(mark.text)")
      } else if list[index - 1].is(UnresolvedIsExprSyntax.self) {
        note(type, operand, "is")
      }
    }
    return .visitChildren
  }
}
