import SwiftSyntax

// What functions and properties that return key paths as objects return.
extension FilePorting {
  /// Whether a node is in a function or a property that returns key paths as objects.
  func isInDependencies(_ node: some SyntaxProtocol) -> Bool {
    if scopes.last?.returnsObjects == true { return true }
    return !dependencies.isEmpty && node.ancestors.contains { dependencies.contains($0.id) }
  }

  /// Makes a type in which Objective-C returns key paths, `Set<NSObject>`, the one that the macro takes.
  func replaceTypeOfKeys(_ node: some SyntaxProtocol) -> Bool {
    guard node.isSetOfKeys, isInDependencies(node) else { return false }
    replace(.dependencies, node, by: "Set<String>")
    return true
  }

  /// Makes an `NSSet` of key paths a literal, or a set of an array.
  func replaceSetOfKeys(_ node: FunctionCallExprSyntax, _ name: String, _ labels: String) {
    guard name == "NSSet", isInDependencies(node) else { return }
    let start = node.positionAfterSkippingLeadingTrivia
    let end = node.endPositionBeforeTrailingTrivia
    guard let first = node.arguments.first?.expression, let last = node.arguments.last?.expression
    else { return replace(.dependencies, start, end, by: "[]") }
    let isLiteral = first.is(ArrayExprSyntax.self)
    let brackets: (String, String)
    switch labels {
    case "array:": brackets = isLiteral ? ("", "") : ("Set(", ")")
    case "set:": brackets = ("", "")
    case "object:",
      _ where labels.hasPrefix("objects:"):
      brackets = ("[", "]")
    default: return
    }
    replace(.dependencies, start, first.positionAfterSkippingLeadingTrivia, by: brackets.0)
    replace(.dependencies, last.endPositionBeforeTrailingTrivia, end, by: brackets.1)
  }
}

extension SyntaxProtocol {
  /// Whether the type is one in which Objective-C returns key paths, and the macro doesn't take them.
  var isSetOfKeys: Bool {
    ["NSSet", "Set<NSObject>", "Set<NSString>", "Set<AnyHashable>"].contains(trimmedDescription)
  }

  /// Whether the type is one of an element of those.
  var isKeyAsObject: Bool {
    ["NSObject", "NSString", "AnyHashable"].contains(trimmedDescription)
  }
}
