import SwiftSyntax
import SwiftSyntaxMacros

extension AttributeSyntax {
  /// The expression after `tracking:`.
  private var trackingExpression: ExprSyntax? {
    guard case .argumentList(let arguments) = arguments else { return nil }
    return arguments.first { $0.label?.text == EmittedNames.trackingLabel }?.expression
  }

  /// Whether the attribute asks for accessors that Observation is told by.
  var isTracking: Bool {
    trackingExpression?.as(BooleanLiteralExprSyntax.self)?.literal.tokenKind == .keyword(.true)
  }

  /// Says so where the argument is not the one that there is.
  func checkTracking(in context: some MacroExpansionContext) {
    guard let expression = trackingExpression, !isTracking else { return }
    context.report(.trackingNotTrue, at: expression)
  }
}

extension [TypeSyntax] {
  /// Whether the class lacks the conformance that makes it observable by key.
  var asksForObservable: Bool { contains { $0.lastName == EmittedNames.observableAttribute } }

  /// Whether the class lacks the conformance to Observation's protocol.
  var asksForTracking: Bool {
    contains { ["Observable", EmittedNames.trackedName].contains($0.lastName) }
  }
}

extension TypeSyntax {
  /// The name without the module's.
  fileprivate var lastName: String {
    String(trimmedDescription.split(separator: ".").last ?? "")
  }
}
