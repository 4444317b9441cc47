import SwiftSyntax
import SwiftSyntaxMacros

extension AttributeSyntax {
  /// The expression after `tracking:`.
  private var trackingExpression: ExprSyntax? {
    guard case .argumentList(let arguments) = arguments else { return nil }
    return arguments.first { $0.label?.text == EmittedNames.trackingLabel }?.expression
  }

  /// Whether the attribute requests accessors that notify Observation.
  var isTracking: Bool {
    trackingExpression?.as(BooleanLiteralExprSyntax.self)?.literal.tokenKind == .keyword(.true)
  }

  /// Reports an argument other than the literal.
  func checkTracking(in context: some MacroExpansionContext) {
    guard let expression = trackingExpression, !isTracking else { return }
    context.report(.trackingNotTrue, at: expression)
  }
}

extension ClassDeclSyntax {
  /// The name of the class's registrar of Observation.
  var trackingName: String { EmittedNames.tracking(of: name.plainName) }
}

extension [TypeSyntax] {
  /// Whether the class lacks the conformance to the library's protocol.
  var asksForObservable: Bool { contains { $0.lastName == EmittedNames.observableAttribute } }

  /// Whether the class lacks the conformance to a protocol of Swift's.
  func asks(for name: String) -> Bool { contains { $0.lastName == name } }

  /// Whether the class lacks the conformance to Observation's protocol.
  var asksForTracking: Bool {
    contains { ["Observable", EmittedNames.trackedName].contains($0.lastName) }
  }
}

extension TypeSyntax {
  /// The name without its module.
  fileprivate var lastName: String {
    String(trimmedDescription.split(separator: ".").last ?? "")
  }
}
