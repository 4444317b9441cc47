import SwiftSyntax

// What becomes of the ways to write a key, or a comparison, by something that Objective-C knows the name of.
extension FilePorting {
  /// Replaces `NSStringFromSelector(#selector(getter: Node.name))` by `"name"`, the key path of an expression by its
  /// text, and a selector of a sort descriptor by a comparison.
  func replaceName(_ node: FunctionCallExprSyntax, _ labels: String) -> Bool {
    guard let name = node.calledExpression.calledName, let first = node.arguments.first?.expression
    else { return false }
    switch "\(name)(\(labels))" {
    case "NSStringFromSelector(_:)":
      guard let property = first.as(MacroExpansionExprSyntax.self)?.getter else { return false }
      replace(.keyPaths, node, by: "\"\(property)\"")
    case "NSExpression(forKeyPath:)":
      guard let path = first.as(KeyPathExprSyntax.self)?.text else { return false }
      replace(.keyPaths, first, by: "\"\(path)\"")
    case "Selector(_:)", "NSSelectorFromString(_:)":
      return replaceComparison(ExprSyntax(node), first)
    default: return false
    }
    return true
  }

  /// Replaces a sort descriptor's selector by the comparison of that name, or lists it.
  func replaceComparison(_ selector: ExprSyntax, _ name: ExprSyntax?) -> Bool {
    guard let label = selector.parent?.as(LabeledExprSyntax.self), label.label?.text == "selector",
      let call = label.parent?.parent?.as(FunctionCallExprSyntax.self),
      call.calledExpression.calledName == "NSSortDescriptor"
    else { return false }
    if let comparison = name?.comparison {
      replace(.comparisons, selector, by: "." + comparison)
    } else {
      remark(
        selector,
        "the four comparisons of NSSortComparison don't include this one: write "
          + "NSSortDescriptor(key:ascending:comparator:)")
    }
    return true
  }

  /// Replaces `(\Node.name)._kvcKeyPathString!` by `"name"`.
  func replaceKeyPathString(_ node: MemberAccessExprSyntax) -> Bool {
    guard node.declName.baseName.text == "_kvcKeyPathString" else { return false }
    let tuple = node.base?.as(TupleExprSyntax.self)?.elements
    guard let tuple, tuple.count == 1,
      let text = tuple.first?.expression.as(KeyPathExprSyntax.self)?.text
    else {
      remark(
        node,
        "'_kvcKeyPathString' is nil without the Objective-C runtime: write the key as a string")
      return false
    }
    if let unwrapped = node.parent?.as(ForceUnwrapExprSyntax.self) {
      replace(.keyPaths, unwrapped, by: "\"\(text)\"")
    } else {
      replace(.keyPaths, node, by: "Optional(\"\(text)\")")
    }
    return true
  }
}

extension KeyPathExprSyntax {
  /// The key path as a string; nil if a component has no name.
  fileprivate var text: String? {
    var names: [String] = []
    for component in components {
      switch component.component {
      case .property(let property): names.append(property.declName.baseName.text)
      case .optional: continue
      default: return nil
      }
    }
    return names.isEmpty ? nil : names.joined(separator: ".")
  }
}

extension MacroExpansionExprSyntax {
  /// The property whose getter `#selector` names.
  fileprivate var getter: String? {
    guard macroName.text == "selector", let argument = arguments.first,
      argument.label?.text == "getter"
    else { return nil }
    return argument.expression.calledName
  }
}

extension ExprSyntax {
  /// The comparison that a selector, or its text, names.
  fileprivate var comparison: String? {
    var text = self.as(TupleExprSyntax.self)?.elements.first?.expression.literalText ?? literalText
    if text == nil {
      let written = trimmedDescription.split(separator: ".")
      guard written.count == 2, ["NSString", "NSNumber", "NSDate"].contains(written[0]) else {
        return nil
      }
      text = String(written[1].replacing("(_:)", with: ":"))
    }
    let comparisons = [
      "compare", "caseInsensitiveCompare", "localizedCaseInsensitiveCompare",
      "localizedStandardCompare",
    ]
    return comparisons.first { text == $0 + ":" || text == $0 }
  }
}
