import SwiftSyntax

// What becomes of the ways to write a key, or a comparison, by something that Objective-C knows the name of.
extension FilePorting {
  func name(_ token: TokenSyntax) {
    if let mend = Mend.names[token.text], !classes.members.declares(token.text),
      !classes.members.declares(function: token.text)
    {
      remark(token, "'\(token.text)': \(mend)")
    }
  }

  /// Replaces `NSStringFromSelector(#selector(getter: Node.name))` by `"name"`, the key path of an expression by its
  /// text, and a selector of a sort descriptor by a comparison.
  func replaceName(_ node: FunctionCallExprSyntax, _ labels: String) -> Bool {
    guard let name = node.calledExpression.calledName, let first = node.arguments.first?.expression
    else { return false }
    switch "\(name)(\(labels))" {
    case "NSStringFromSelector(_:)":
      guard let getter = first.as(MacroExpansionExprSyntax.self)?.getter,
        let property = getter.calledName
      else { return false }
      let base = getter.as(MemberAccessExprSyntax.self)?.base
      let type = base.flatMap(\.typeName) ?? ownType
      replace(.keyPaths, node, by: "\"\(keys([property], from: type, node)[0])\"")
    case "NSExpression(forKeyPath:)":
      guard let path = first.as(KeyPathExprSyntax.self).flatMap(text) else { return false }
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

  /// A sort descriptor's key, which isn't there.
  func checkDescriptor(_ node: MemberAccessExprSyntax, _ base: ExprSyntax) {
    guard node.declName.baseName.text == "key",
      node.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id != ExprSyntax(node).id
    else { return }
    let type = valueType(of: base)
    // The name of a variable says so where its type isn't known.
    let name = base.calledName?.lowercased() ?? ""
    guard
      type == ValueType(.named("NSSortDescriptor"))
        || type.content == .unknown && name.contains("descriptor")
    else { return }
    remark(
      node,
      "a sort descriptor has no 'key' here, and 'keyPath' doesn't say it: keep the key beside it")
  }

  /// Replaces `(\Node.name)._kvcKeyPathString!` by `"name"`.
  func replaceKeyPathString(_ node: MemberAccessExprSyntax) -> Bool {
    guard node.declName.baseName.text == "_kvcKeyPathString" else { return false }
    let tuple = node.base?.as(TupleExprSyntax.self)?.elements
    guard let tuple, tuple.count == 1,
      let text = tuple.first?.expression.as(KeyPathExprSyntax.self).flatMap(text)
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

  /// The key path as a string; nil if a component has no name.
  private func text(_ path: KeyPathExprSyntax) -> String? {
    guard let names = path.names else { return nil }
    return keys(names, from: path.root?.className, path).joined(separator: ".")
  }
}

extension KeyPathExprSyntax {
  /// The names of the properties; nil if a component has none.
  fileprivate var names: [String]? {
    var names: [String] = []
    for component in components {
      switch component.component {
      case .property(let property): names.append(property.declName.baseName.text)
      case .optional: continue
      default: return nil
      }
    }
    return names.isEmpty ? nil : names
  }
}

extension MacroExpansionExprSyntax {
  /// The property whose getter `#selector` names.
  fileprivate var getter: ExprSyntax? {
    guard macroName.text == "selector", let argument = arguments.first,
      argument.label?.text == "getter"
    else { return nil }
    return argument.expression
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
