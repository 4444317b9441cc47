import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Finds calls of `willChangeValue(forKey:)` and `didChangeValue(forKey:)` that reach Foundation.
///
/// In a subclass of `Operation`, the superclass's own methods of these names win over the
/// protocol's. They serve the operation's queue, so calls for its own keys (`isFinished`) are
/// right. Observers of an overridden key are notified through what its getter reads.
///
/// `FoundationKVO` has its own `Operation`, whose methods announce.
struct ForeignAnnouncementCheck {
  let model: ObservableClass
  let context: any MacroExpansionContext

  func run() {
    guard model.style == .swift, let superclass = model.announcingSuperclass else { return }
    let finder = CallFinder(ownKeys: Set(model.properties.filter { !$0.isOverride }.map(\.name)))
    finder.walk(model.declaration.memberBlock)
    for (call, method, key) in finder.found {
      var replaced = call
      let called: ExprSyntax = "(self as any KeyValueObservable).\(raw: method)"
      replaced.calledExpression = called.with(\.leadingTrivia, call.leadingTrivia)
      context.report(
        .shape(.foundationAnnounces(method, key: key, superclass: superclass)), at: call,
        fixIts: [.replace("call it through the protocol", call, by: replaced)])
    }
  }
}

extension ObservableClass {
  /// The superclass, if it has such methods of its own.
  var announcingSuperclass: String? {
    guard let first = declaration.inheritanceClause?.inheritedTypes.first?.type else { return nil }
    let name = first.as(MemberTypeSyntax.self)?.name.text ?? first.trimmedDescription
    return Self.announcing.contains(name) ? name : nil
  }

  private static let announcing: Set<String> = {
    #if canImport(ObjectiveC)
      ["Operation", "BlockOperation", "NSObject"]
    #else
      ["Operation", "BlockOperation"]
    #endif
  }()
}

private final class CallFinder: OwnCodeVisitor {
  private let ownKeys: Set<String>
  var found: [(call: FunctionCallExprSyntax, method: String, key: String?)] = []

  init(ownKeys: Set<String>) {
    self.ownKeys = ownKeys
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    guard let name = node.calledExpression.ownName,
      ["willChangeValue", "didChangeValue"].contains(name), node.arguments.count == 1,
      let argument = node.arguments.first, argument.label?.text == EmittedNames.keyLabel
    else { return .visitChildren }
    let key = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    if key.map(ownKeys.contains) ?? true { found.append((node, name, key)) }
    return .visitChildren
  }
}
