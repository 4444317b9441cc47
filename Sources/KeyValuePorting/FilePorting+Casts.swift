import SwiftSyntax

// What becomes of casts and names.
extension FilePorting {
  func isInDependencies(_ node: TypeExprSyntax) -> Bool {
    if dependencies.isEmpty { return false }
    var parent = node.parent
    while let current = parent {
      if dependencies.contains(current.id) { return true }
      parent = current.parent
    }
    return false
  }

  /// `NSObject` in a cast means Foundation's: strings, numbers and collections aren't FoundationKVO's.
  func castNames(in node: Syntax) {
    for token in node.tokens(viewMode: .sourceAccurate) where token.text == "NSObject" {
      guard token.parent?.is(IdentifierTypeSyntax.self) == true else { continue }
      replace(.casts, token, by: "Foundation.NSObject")
    }
  }

  func name(_ token: TokenSyntax) {
    if let mend = Mend.names[token.text] { remark(token, "'\(token.text)': \(mend)") }
  }
}
